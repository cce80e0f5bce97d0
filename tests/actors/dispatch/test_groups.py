"""Groups of episodes: a fault costs no reward, enough episodes end a group, and a slow reader holds the batch up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from manyhands.actors.dispatch.batch import ENOUGH
from manyhands.protocol.base import Ending
from manyhands.protocol.runs.progress import Decisions
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.tasks.repeats import expand_groups
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.dispatch.dispatch_parts import Fixture, endings, tasks, virtual
from tests.actors.dispatch.test_batch_recovery import OwnHost, Restarted
from tests.virtual_clock import START


def group(size: int, enough: int | None = None) -> tuple[TaskSpec, ...]:
    return expand_groups([TaskSpec(id="t", goal="g", group=size, group_enough=enough)])


def faults(results: Sequence[EpisodeResult]) -> list[str | None]:
    return [result.fault for result in results]


def test_another_attempt_takes_the_place_of_one_that_a_fault_ended_and_not_for_ever() -> None:
    async def main() -> None:
        async def script(order: EpisodeOrder) -> Ending:
            if order.task.sample == 2 and order.attempt == 1:
                return Ending.PERCEPTION_FAILED
            if order.task.sample == 3:
                return Ending.MODEL_FAILED
            return Ending.STEP_LIMIT if order.task.sample == 4 else Ending.FINISHED

        fixture = Fixture()
        host = fixture.host(script)
        results = await fixture.dispatcher(host).run("b", group(4))
        assert faults(results) == [None, None, "model_failed", None]
        assert [result.attempt for result in results] == [1, 2, 3, 1]
        seeds = [order.task.seed_of(order.attempt) for order in host.orders]
        assert len(set(seeds)) == len(seeds) == 7
        assert {order.task.reset_seed for order in host.orders} == {0}

    virtual(main())


def test_enough_episodes_end_a_group_and_stragglers_are_cancelled() -> None:
    async def main() -> None:
        async def script(order: EpisodeOrder) -> Ending:
            if order.task.sample == 1:
                await fixture.clock.sleep(1000)
            return Ending.MODEL_FAILED if order.task.sample == 2 else Ending.FINISHED

        fixture = Fixture()
        host = fixture.host(script)
        results = await fixture.dispatcher(host).run("b", [*group(7, enough=3), *tasks(2)])
        assert fixture.clock.now() - START < 100
        assert sum(fault is None for fault in faults(results[:7])) == 3
        assert [result.fault for result in results[:2]] == ["cancelled", "model_failed"]
        assert {result.reason for result in results[:7] if result.ending is Ending.CANCELLED} == {ENOUGH}
        assert endings(results[7:]) == [Ending.FINISHED] * 2
        assert results[0].episode in host.cancelled
        assert fixture.book.held == {}

    virtual(main())


@pytest.mark.parametrize("seconds", [0.0, 5.0, 10.0, 15.0, 25.0, 35.0])
@pytest.mark.parametrize("enough", [None, 3])
def test_a_group_that_is_started_again_has_the_same_rewards(seconds: float, enough: int | None) -> None:
    async def main() -> None:
        async def script(order: EpisodeOrder) -> Ending:
            is_fault = order.task.sample == 2 and order.attempt == 1
            return Ending.PERCEPTION_FAILED if is_fault else Ending.FINISHED

        world = Restarted()
        world.host = OwnHost(world.fixture, 10.0, script)
        asked = group(5, enough)
        await world.dies_after(lambda one: asyncio.create_task(one.run("b", asked)), seconds)
        results = await world.dispatcher().run("b", asked, recover=True)
        assert [result.task for result in results] == [task.id for task in asked]
        assert sum(fault is None for fault in faults(results)) == (enough or 5)
        begun = [(order.task.sample, order.attempt) for order in world.host.orders if order.resume is None]
        assert len(begun) == len(set(begun))
        again = await world.dispatcher().run("b", asked, recover=True)
        assert [(one.episode, one.ending) for one in again] == [(one.episode, one.ending) for one in results]

    virtual(main())


def test_no_task_starts_while_too_many_results_wait_to_be_read() -> None:
    async def main() -> None:
        fixture = Fixture(most_unread=4, idle_s=60.0)
        host = fixture.host()
        dispatcher = fixture.dispatcher(host)
        running = asyncio.create_task(dispatcher.run("b", tasks(10)))
        last, taken = Decisions(), 0
        while taken < 10:
            await fixture.clock.sleep(500)  # longer than a batch may be idle for other reasons
            assert len(host.orders) <= taken + 4
            if taken + 4 < 10:
                (wait,) = (await dispatcher.progress()).held_up
                assert wait.what == "the reader of trajectories"
            last = await dispatcher.decisions(last)
            taken += len(last.results)
            last = await dispatcher.decisions(last)
            taken += len(last.results)
        assert endings(await running) == [Ending.FINISHED] * 10

    virtual(main())
