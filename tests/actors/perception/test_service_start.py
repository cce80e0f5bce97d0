"""A start that fails or is given up: the loop goes on, and no network's thread is left."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.backends import Backends, UnreadPart
from manyhands.actors.perception.batching import Batcher, BatchSettings
from manyhands.actors.perception.icons.edges import EdgeIconFinder
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.screen import Element


class Gate:
    """Holds up whoever comes until it is opened; ``passed``: for each, whether it was."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self.reached = threading.Event()
        self.passed: list[bool] = []

    def wait(self) -> None:
        self.reached.set()
        self.passed.append(self._open.wait(20))

    def open(self) -> None:
        self._open.set()


class NetworkReader:
    """A text reader that asks the network of all workers."""

    def __init__(self, network: Batcher[int, int]) -> None:
        self._network = network

    def read(self, rgb: Rgb, part: UnreadPart | None = None) -> list[Element]:
        self._network.ask([(0, 0)])
        return []


class BrokenReader:
    """Fails once another worker has reached the gate."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def read(self, rgb: Rgb, part: UnreadPart | None = None) -> list[Element]:
        assert self._gate.reached.wait(20)
        raise PerceptionError("no memory for a second reader")


@contextmanager
def network(gate: Gate) -> Iterator[Batcher[int, int]]:
    """One that waits at the gate."""

    def predict(items: Sequence[int]) -> Sequence[int]:
        gate.wait()
        return items

    batcher: Batcher[int, int] = Batcher("gated", predict, 4, BatchSettings())
    try:
        yield batcher
    finally:
        gate.open()
        batcher.close()


async def ended(name: str) -> None:
    """Waits until no thread of this name runs."""
    async with asyncio.timeout(20):
        while any(thread.name == name for thread in threading.enumerate()):
            await asyncio.sleep(0.001)


async def test_a_start_that_fails_does_not_wait_for_a_busy_network(finder: EdgeIconFinder) -> None:
    gate = Gate()
    with network(gate) as batcher:
        workers = iter([NetworkReader(batcher), BrokenReader(gate)])
        service = PerceptionService(
            PerceptionSettings(workers=2), lambda _: Backends(next(workers), finder, batcher=batcher)
        )
        with pytest.raises(PerceptionError, match="no memory for a second reader"):
            await service.start()
        gate.open()
        await ended("network-gated")
    assert gate.passed == [True]


async def test_a_start_given_up_while_an_engine_is_made_leaves_no_thread(finder: EdgeIconFinder) -> None:
    gate = Gate()
    with network(Gate()) as batcher:

        def make(_: PerceptionSettings) -> Backends:
            gate.wait()
            return Backends(NetworkReader(batcher), finder, batcher=batcher)

        starting = asyncio.create_task(PerceptionService(PerceptionSettings(workers=2), make).start())
        await asyncio.to_thread(gate.reached.wait, 20)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        gate.open()
        await ended("network-gated")
    assert gate.passed == [True]
