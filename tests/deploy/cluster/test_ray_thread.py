"""While a Ray starts on its thread, the program's handlers of signals stay; Ray replaces them in C."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.deploy.cluster.shared import RayThread, StartedRay, wait_open
from manyhands.protocol.errors import BadInput, CallError

WAIT_S = 60.0
BIT = 1 << (signal.SIGTERM - 1)


class NoRay:
    """A Ray of which nothing has to be ended."""

    def kill(self) -> None: ...

    def end(self) -> None: ...


@pytest.fixture
def handlers() -> Iterator[dict[signal.Signals, object]]:
    """A handler of SIGTERM, as this program has one meanwhile."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    yield {signal.SIGTERM: signal.getsignal(signal.SIGTERM)}
    signal.signal(signal.SIGTERM, before)


def is_handled() -> bool:
    """Whether this process handles SIGTERM, as the kernel says."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return bool(int(lines["SigCgt"], 16) & BIT)


async def test_a_handler_that_is_replaced_amid_the_start_is_put_back(
    handlers: dict[signal.Signals, object],
) -> None:
    def start() -> StartedRay:
        ctypes.CDLL(None).signal(int(signal.SIGTERM), 0)
        give_up_at = time.monotonic() + WAIT_S
        while not is_handled():
            if time.monotonic() > give_up_at:
                raise BadInput("SIGTERM would end this process")
        return NoRay()

    thread = RayThread(start, None)
    await wait_open(thread, WAIT_S, handlers)
    thread.end()
    await asyncio.wrap_future(thread.ended)
    assert is_handled()


async def test_a_start_that_fails_once_nobody_waits_prints_nothing(caplog: pytest.LogCaptureFixture) -> None:
    stopped = threading.Event()

    def start() -> StartedRay:
        stopped.wait(WAIT_S)
        raise BadInput("there is no room")

    thread = RayThread(start, None)
    waiting = asyncio.create_task(wait_open(thread, WAIT_S, {}))
    await asyncio.wait({waiting}, timeout=0.1)
    waiting.cancel()
    await asyncio.wait({waiting})
    stopped.set()
    await asyncio.wrap_future(thread.ended)
    await asyncio.sleep(0)
    del waiting, thread
    gc.collect()
    assert caplog.records == []


async def test_whoever_waits_gets_the_error_of_the_start_or_waits_no_longer() -> None:
    def start() -> StartedRay:
        raise BadInput("there is no room")

    with pytest.raises(BadInput, match="no room"):
        await wait_open(RayThread(start, None), WAIT_S, {})
    first = RayThread(NoRay, None)
    with pytest.raises(CallError, match="did not start"):
        await wait_open(RayThread(NoRay, first), 0.0, {})
    first.end()
