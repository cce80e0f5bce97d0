"""A virtual phone with a hand on it and its shell, without adb between: what commands do shows on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from manyhands.simulator.system.phone_system import PhoneSystem
from tests.simulator.phone.hand import Hand
from tests.simulator.shell.conftest import ShellOf


class Commanded(ShellOf):
    """A phone's shell; ``hand`` is on the same phone."""

    def __init__(self, hand: Hand, phone: PhoneSystem) -> None:
        super().__init__(phone)
        self.hand = hand


@pytest.fixture
def commanded() -> Iterator[Commanded]:
    hand = Hand()
    with ThreadPoolExecutor(1) as encoders:
        yield Commanded(hand, PhoneSystem(hand.phone, encoders))
