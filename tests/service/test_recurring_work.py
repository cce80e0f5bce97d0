"""Work is done when it is due, when it is asked for, and again after an error, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from manyhands.protocol.errors import DatabaseAway
from manyhands.service.recurring_work import RecurringWork
from tests.virtual_clock import START, VirtualClock, run_virtual


def times_of_work(
    plan: Callable[[float], float], seconds: float, wakes: tuple[float, ...] = (), longest_wait_s: float = 30.0
) -> list[float]:
    """Return when work was done within some seconds. ``plan`` says, or raises, when it is due next."""

    async def main() -> list[float]:
        clock, done = VirtualClock(), list[float]()

        async def work() -> float:
            done.append(clock.now() - START)
            return START + plan(done[-1])

        recurring = RecurringWork("test", work, clock, longest_wait_s, retry_s=5.0)
        running = asyncio.create_task(recurring.run())
        for at in wakes:
            await clock.sleep(START + at - clock.now())
            recurring.wake()
        await clock.sleep(START + seconds - clock.now())
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return done

    return run_virtual(main())


def test_work_is_done_when_it_is_due_and_at_least_each_longest_wait() -> None:
    assert times_of_work(lambda now: now + 12, 40) == [0, 12, 24, 36]
    assert times_of_work(lambda _: float("inf"), 100) == [0, 30, 60, 90]


def test_whoever_asks_need_not_wait() -> None:
    assert times_of_work(lambda now: now + 20, 45, wakes=(7, 9)) == [0, 7, 9, 29]


def test_what_is_overdue_is_done_at_once() -> None:
    due = iter((-100.0, -1.0, 20.0, 40.0))
    assert times_of_work(lambda _: next(due), 30) == [0, 0, 0, 20]


def test_an_error_or_a_defect_is_tried_again() -> None:
    def fail(now: float) -> float:
        if now == 0:
            raise DatabaseAway("the database does not answer")
        if now == 5:
            raise ZeroDivisionError
        return now + 20

    assert times_of_work(fail, 35) == [0, 5, 10, 30]
