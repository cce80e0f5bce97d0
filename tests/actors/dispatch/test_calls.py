"""Calls that end by a deadline, whatever the other side does."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.actors.dispatch.deadlines import await_answer, finish
from manyhands.protocol.errors import ActorLost, DeadlinePassed
from tests.virtual_clock import run_virtual


async def stubborn(seconds: float, after_cancel_s: float) -> str:
    """Answer after ``seconds``, or so long after it was cancelled: its answer was on its way already."""
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        await asyncio.sleep(after_cancel_s)
    return "a lease"


class Kept:
    """Keeps what came too late."""

    def __init__(self) -> None:
        self.answers: list[str] = []

    async def __call__(self, answer: str) -> None:
        await asyncio.sleep(0.1)
        self.answers.append(answer)


def test_an_answer_in_time() -> None:
    async def main() -> None:
        assert await await_answer(stubborn(5, 0), 6, "asking") == "a lease"

    run_virtual(main())


def test_an_answer_after_the_deadline_is_not_lost() -> None:
    async def main() -> None:
        kept = Kept()
        with pytest.raises(DeadlinePassed, match="asking: no answer within 6 s"):
            await await_answer(stubborn(100, 3), 6, "asking", too_late=kept)
        assert kept.answers == ["a lease"]
        assert asyncio.get_running_loop().time() == pytest.approx(9.1)

    run_virtual(main())


@pytest.mark.parametrize(("seconds", "parting_s", "ends_at"), [(100, 0, 5.1), (100, 2, 7.1), (3, 2, 3.1)])
def test_an_answer_after_the_caller_was_cancelled_is_not_lost(seconds: float, parting_s: float, ends_at: float) -> None:
    async def main() -> None:
        kept = Kept()
        asking = asyncio.create_task(
            await_answer(stubborn(seconds, 3), 60, "asking", parting_s=parting_s, too_late=kept)
        )
        await asyncio.sleep(2)
        asking.cancel()
        await asyncio.sleep(0.01)
        asking.cancel()  # again: what is being cleared up is not broken off
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert kept.answers == ["a lease"]
        assert asyncio.get_running_loop().time() == pytest.approx(ends_at)

    run_virtual(main())


def test_a_call_that_does_not_end_when_it_is_cancelled_is_left() -> None:
    async def main() -> None:
        with pytest.raises(DeadlinePassed):
            await await_answer(stubborn(1e6, 100), 6, "asking")
        assert asyncio.get_running_loop().time() == pytest.approx(56)
        (interrupted,) = asyncio.all_tasks() - {asyncio.current_task()}
        await interrupted

    run_virtual(main())


def test_a_call_that_the_other_side_ended_is_lost_and_not_our_cancellation() -> None:
    async def main() -> None:
        async def ended() -> None:
            raise asyncio.CancelledError

        with pytest.raises(ActorLost, match="ended on the other side"):
            await await_answer(ended(), 6, "asking")
        with pytest.raises(ZeroDivisionError):
            await await_answer(failing(), 6, "asking")
        with pytest.raises(ZeroDivisionError):
            await finish(failing())

    run_virtual(main())


async def failing() -> None:
    raise ZeroDivisionError
