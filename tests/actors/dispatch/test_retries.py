"""A task that did not pass is tried again, as often as it allows, whatever dies meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.actors.dispatch.batch_recovery import recover_batch
from manyhands.actors.dispatch.task_queue import TaskState
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.results import EpisodeIndex, EpisodeOrder
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.dispatch.dispatch_parts import Fixture, endings, tasks, virtual
from tests.actors.dispatch.test_batch_recovery import OwnHost, Restarted
from tests.virtual_clock import START

TASK = TaskSpec.model_validate(
    {"id": "t", "goal": "g", "retries": 2, "check": {"source": "content://a/b", "holds": {"path": "a", "equals": 1}}}
)


def test_a_task_is_tried_again_until_it_passes_or_has_no_retry_left() -> None:
    async def main() -> None:
        async def script(order: EpisodeOrder) -> Ending:
            passes = order.task.id == "t0" and order.attempt == 2
            return Ending.FINISHED if passes else Ending.STEP_LIMIT

        fixture = Fixture()
        host = fixture.host(script)
        first, second = await fixture.dispatcher(host).run("b", tasks(2, retries=2))
        assert (first.ending, first.attempt) == (Ending.FINISHED, 2)
        assert (second.ending, second.attempt) == (Ending.STEP_LIMIT, 3)
        assert sorted((order.task.id, order.attempt) for order in host.orders) == [
            ("t0", 1), ("t0", 2), ("t1", 1), ("t1", 2), ("t1", 3),
        ]  # fmt: skip
        assert len({order.episode for order in host.orders}) == 5

    virtual(main())


@pytest.mark.parametrize("seconds", [0.0, 5.0, 10.0, 15.0, 25.0])
def test_a_dispatcher_that_is_started_again_tries_no_attempt_twice(seconds: float) -> None:
    async def main() -> None:
        async def script(order: EpisodeOrder) -> Ending:
            return Ending.FINISHED if order.attempt == 3 else Ending.STEP_LIMIT

        world = Restarted()
        world.host = OwnHost(world.fixture, 10.0, script)
        given = tasks(2, retries=2)
        await world.dies_after(lambda one: asyncio.create_task(one.run("b", given)), seconds)
        results = await world.dispatcher().run("b", given, recover=True)
        assert endings(results) == [Ending.FINISHED] * 2
        orders = sorted((order.task.id, order.attempt) for order in world.host.orders)
        assert orders == [(f"t{task}", attempt) for task in (0, 1) for attempt in (1, 2, 3)]

    virtual(main())


def entry(
    attempt: int, ending: Ending | None, verified: bool | None = None, restarts: int = 0, afresh: bool = False
) -> EpisodeIndex:
    start = EpisodeStarted(
        at=START, run="r", episode=f"e-{attempt}-{restarts}", attempt=attempt, restarts=restarts, task=TASK, serial="p",
        epoch=attempt, profile="e", schedule="overlap", memory=LongTermMemory(), batch="b", place=0,
    )  # fmt: skip
    end = None
    if ending is not None:
        end = EpisodeEnded(at=START, ending=ending, reason="", steps=1, verified=verified, rubrics={}, afresh=afresh)
    return EpisodeIndex(started=start, epoch=attempt, ended=end, steps=1, in_vain=0)


def state(*index: EpisodeIndex) -> TaskState:
    return recover_batch("b", [TASK], index, {}, ("p",), lambda attempt: "another").before[0]


def test_journals_tell_how_many_retries_are_left() -> None:
    failed = [entry(attempt, Ending.FINISHED, verified=False) for attempt in (1, 2, 3)]
    assert state(failed[0]) == TaskState(2, retry=1)
    assert state(*failed[:2]) == TaskState(3, retry=2)
    decided = state(*failed)
    assert decided.result is not None
    assert (decided.attempt, decided.retry) == (3, 2)
    going_on = state(failed[0], entry(2, None))
    assert going_on.interrupted is not None
    assert (going_on.attempt, going_on.retry) == (2, 1)


def test_an_attempt_that_was_lost_or_whose_check_nobody_could_ask_is_no_failed_one() -> None:
    unasked = state(entry(1, Ending.FINISHED))
    assert unasked.result is not None
    lost = entry(1, Ending.HOST_LOST, afresh=True)
    assert state(lost, entry(2, Ending.FINISHED, verified=False)) == TaskState(3, retry=1)


def test_an_end_that_a_frozen_host_wrote_late_does_not_count() -> None:
    """The attempt had been begun anew meanwhile, and its newest episode tells."""
    late, newest = entry(1, Ending.FINISHED, verified=False), entry(1, Ending.FINISHED, verified=False, restarts=1)
    assert state(late, newest) == TaskState(2, retry=1)
