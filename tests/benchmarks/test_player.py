"""What a player works on ends with whoever told it to."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.benchmarks.step.player import unless_closed
from manyhands.protocol.errors import CallError


async def test_work_ends_when_nobody_is_there_any_more() -> None:
    lines, begun, ended = asyncio.StreamReader(), asyncio.Event(), []

    async def work() -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)
        return "never"

    waiting = asyncio.create_task(unless_closed(lines, work()))
    await begun.wait()
    lines.feed_eof()
    assert await waiting is None
    assert ended == [True]


async def test_work_that_ends_first_gives_its_result_and_lines_can_be_read_on() -> None:
    lines = asyncio.StreamReader()
    assert await unless_closed(lines, asyncio.sleep(0, "done")) == "done"
    lines.feed_data(b"next\n")
    assert await lines.readline() == b"next\n"


async def test_an_error_of_the_work_is_raised_by_itself() -> None:
    async def work() -> None:
        raise CallError("the fleet is gone")

    with pytest.raises(CallError, match="the fleet is gone"):
        await unless_closed(asyncio.StreamReader(), work())
