"""Who is let in, and when: real tasks, no clock but the deadlines'."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from manyhands.actors.mllm.load.admission import Admission
from manyhands.protocol.errors import DeadlinePassed, Overloaded


def later(seconds: float = 20.0) -> float:
    return time.time() + seconds


class Line:
    """Calls that enter, are noted, and stay until they are told to leave."""

    def __init__(self, admission: Admission) -> None:
        self.admission = admission
        self.entered: list[str] = []
        self._leave: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, name: str, priority: int = 0) -> None:
        """Returns when the call is in or waits."""
        self._leave[name] = asyncio.Event()
        self._tasks[name] = asyncio.create_task(self._stay(name, priority))
        await settle()

    async def leave(self, name: str) -> None:
        self._leave[name].set()
        await self._tasks[name]
        await settle()

    async def give_up(self, name: str) -> None:
        self._tasks[name].cancel()
        with pytest.raises(asyncio.CancelledError):
            await self._tasks[name]

    async def end(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.wait(self._tasks.values())

    async def _stay(self, name: str, priority: int) -> None:
        async with self.admission.enter(priority, later()):
            self.entered.append(name)
            await self._leave[name].wait()


async def settle() -> None:
    """Lets every task run that can."""
    for _ in range(5):
        await asyncio.sleep(0)


@asynccontextmanager
async def line(cap: int, waiting: int = 10) -> AsyncIterator[Line]:
    made = Line(Admission(cap, waiting))
    try:
        yield made
    finally:
        await made.end()


async def test_those_who_wait_go_by_priority_and_then_in_order() -> None:
    async with line(cap=1) as calls:
        await calls.come("running")
        for name, priority in (("note", 20), ("reflect", 5), ("plan", 0), ("decide", 0), ("note 2", 20)):
            await calls.come(name, priority)
        assert (calls.admission.in_flight, calls.admission.waiting) == (1, 5)
        for name in ("running", "plan", "decide", "reflect", "note"):
            await calls.leave(name)
        assert calls.entered == ["running", "plan", "decide", "reflect", "note", "note 2"]


async def test_a_lower_cap_lets_no_one_in_until_enough_have_left() -> None:
    async with line(cap=3) as calls:
        for name in "abcd":
            await calls.come(name)
        calls.admission.resize(1)
        await calls.leave("a")
        await calls.leave("b")
        assert calls.entered == ["a", "b", "c"]
        await calls.leave("c")
        assert calls.entered[-1] == "d"
        await calls.come("e")
        await calls.come("f")
        calls.admission.resize(2)
        await settle()
        assert calls.entered[-1] == "e"


async def test_who_gives_up_leaves_no_gap() -> None:
    async with line(cap=1, waiting=2) as calls:
        await calls.come("a")
        await calls.come("b")
        await calls.come("c")
        await calls.give_up("b")
        assert calls.admission.waiting == 1
        await calls.leave("a")
        assert calls.entered == ["a", "c"]


async def test_a_place_given_to_one_who_gives_up_at_the_same_moment_goes_to_the_next() -> None:
    async with line(cap=1) as calls:
        async with calls.admission.enter(0, later()):
            await calls.come("b")
            await calls.come("c")
        await calls.give_up("b")  # it has its place since the line above, but has not run
        await settle()
        assert calls.entered == ["c"]
        assert (calls.admission.in_flight, calls.admission.waiting) == (1, 0)


async def test_too_many_are_refused_and_too_late_is_too_late() -> None:
    async with line(cap=1, waiting=1) as calls:
        await calls.come("a")
        with pytest.raises(DeadlinePassed):
            async with calls.admission.enter(0, later(0.05)):
                pass
        await calls.come("b")
        with pytest.raises(Overloaded, match="1 model calls run and 1 wait"):
            async with calls.admission.enter(0, later()):
                pass
        with pytest.raises(DeadlinePassed):
            async with calls.admission.enter(0, later(-1)):
                pass
        assert (calls.admission.in_flight, calls.admission.waiting) == (1, 1)
