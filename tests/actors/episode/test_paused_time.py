"""The time limit of an episode counts no time in which it waited for something outside of it."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.actors.clock import LoopClock
from manyhands.actors.episode.paused_time import OutageLog, TimeLimit, WaitBudget
from manyhands.protocol.errors import ActorLost
from tests.virtual_clock import run_virtual


@pytest.mark.parametrize(("stopped_s", "ends_at"), [(0.0, 160.0), (30.0, 190.0)])
def test_time_in_which_both_model_and_store_were_away_is_free_once(stopped_s: float, ends_at: float) -> None:
    """Each is away for 60 s, and both for 20 of them."""

    async def main() -> float:
        clock = LoopClock()
        outages, wait_budget = OutageLog(clock), WaitBudget(clock, 600)
        limit = TimeLimit(clock, 60, outages, wait_budget)

        async def model_away() -> None:
            await asyncio.sleep(10)
            with outages.of("plan", 0) as outage:
                outage.met(clock.now(), clock.now(), is_busy=False)
                await asyncio.sleep(60)
                outage.met(clock.now(), clock.now(), is_busy=False)

        async def store_away() -> None:
            async def write() -> None:
                if clock.now() < 110:
                    raise ActorLost("it is away")

            await asyncio.sleep(50)
            await wait_budget.until_done("a record", write)

        async with asyncio.TaskGroup() as group:
            group.create_task(model_away())
            group.create_task(store_away())
            limit.count_from(clock.now(), stopped_s)
            await limit.passed()
        return clock.now()

    assert run_virtual(main()) == pytest.approx(ends_at, abs=1.0)
