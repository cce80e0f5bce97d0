"""One error of a task group, told by itself."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.protocol.errors import BadInput, CallError, first_error


async def test_the_first_error_of_a_group_is_raised_with_its_own_cause() -> None:
    async def fail() -> None:
        raise CallError("it ended") from OSError("gone")

    async def work() -> None:
        with first_error():
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
                await asyncio.Event().wait()

    with pytest.raises(CallError, match="it ended") as told:
        await work()
    assert isinstance(told.value.__cause__, OSError)


async def test_an_error_beside_the_tasks_ends_them_and_is_raised_by_itself() -> None:
    beside: list[asyncio.Task[bool]] = []

    async def work() -> None:
        with first_error():
            async with asyncio.TaskGroup() as group:
                beside.append(group.create_task(asyncio.Event().wait()))
                raise BadInput("no such phone")

    with pytest.raises(BadInput, match="no such phone"):
        await work()
    assert beside[0].cancelled()


async def test_cancelling_stays_cancelling() -> None:
    async def work() -> None:
        with first_error():
            async with asyncio.TaskGroup() as group:
                group.create_task(asyncio.Event().wait())

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
