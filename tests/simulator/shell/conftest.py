"""A phone's shell without adb around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest

from manyhands.simulator.shell.command import Command
from manyhands.simulator.shell.commands import android_commands
from manyhands.simulator.shell.language.interpreter import Shell
from manyhands.simulator.shell.streams import BytesInput, Collector, Stdio
from manyhands.simulator.system.phone_system import PhoneSystem
from tests.simulator.plain_device import PlainDevice


class Answer(NamedTuple):
    status: int
    out: str
    err: str


class ShellOf:
    """Runs lines on a phone and keeps what they wrote apart."""

    def __init__(self, phone: PhoneSystem, commands: Mapping[str, Command] | None = None) -> None:
        self.phone = phone
        self._shell = Shell(phone, commands or android_commands())

    async def run(self, line: str, stdin: bytes = b"") -> Answer:
        out, err = Collector(), Collector()
        status = await self._shell.run(line, Stdio(BytesInput(stdin), out, err))
        return Answer(status, out.data.decode("utf-8", "surrogateescape"), err.data.decode())

    async def out(self, line: str, stdin: bytes = b"") -> str:
        """The output of a line that succeeds without a complaint."""
        answer = await self.run(line, stdin)
        assert (answer.status, answer.err) == (0, ""), answer
        return answer.out


class PhoneShell(ShellOf):
    """The shell of a plain phone."""

    def __init__(self, device: PlainDevice, phone: PhoneSystem) -> None:
        super().__init__(phone)
        self.device = device


@pytest.fixture
def shell() -> Iterator[PhoneShell]:
    device = PlainDevice()
    with ThreadPoolExecutor(1) as encoders:
        yield PhoneShell(device, PhoneSystem(device, encoders))
