"""The phone's log is recorded beside an episode, and never changes it."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from manyhands.actors.episode.log_recorder import EVERY_S, LAST_S
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import DeadlinePassed, LogUnavailable, ManyhandsError, PhoneLost, StoreFull
from manyhands.protocol.runs.results import EpisodeResult
from tests.actors.episode.world import World, order
from tests.virtual_clock import START, run_virtual

EPISODE = "run-task-1"


def play(world: World, logcat: bool = True) -> EpisodeResult:
    async def main() -> EpisodeResult:
        result = await world.host().run_episode(order(logcat=logcat))
        left = {task.get_name() for task in asyncio.all_tasks()} - {asyncio.current_task().get_name()}  # type: ignore[union-attr]
        assert not any("log" in name for name in left)
        return result

    return run_virtual(main())


def slow(method: str, count: int) -> float:
    return 1.0 if method in ("decide", "perceive") else 0.0


def test_it_is_fetched_while_the_episode_runs_and_once_more_at_its_end() -> None:
    world = World(latency=slow)
    result = play(world)
    assert result.ending is Ending.FINISHED
    fetched = [began - START for method, began, *_ in world.calls if method == "log"]
    assert len(fetched) >= 2
    assert all(later - earlier >= EVERY_S for earlier, later in itertools.pairwise(fetched[:-1]))
    texts = "".join(log.text for log in world.logs[EPISODE])
    assert texts.splitlines() == [f"{number} password=[hidden]" for number in range(1, len(fetched) + 1)]


def test_nothing_is_asked_without_the_setting() -> None:
    world = World(latency=slow)
    play(world, logcat=False)
    assert world.count["log"] == 0
    assert not world.logs


def test_the_episode_is_the_same_with_and_without_it() -> None:
    ended = [play(World(latency=slow), logcat).model_copy(update={"episode": ""}) for logcat in (False, True)]
    assert ended[0] == ended[1]


ERRORS = [PhoneLost("gone"), DeadlinePassed("late"), ManyhandsError("odd"), ValueError("a defect")]


@pytest.mark.parametrize("error", ERRORS)
def test_errors_leave_the_episode_alone(error: Exception) -> None:
    world = World(latency=slow, fault=lambda method, count: error if method == "log" else None)
    assert play(world).ending is Ending.FINISHED
    assert not world.logs


def test_what_cannot_be_written_is_counted_in_the_next_part() -> None:
    world = World(
        latency=slow, fault=lambda method, count: StoreFull("full") if (method, count) == ("append_log", 0) else None
    )
    assert play(world).ending is Ending.FINISHED
    first = world.logs[EPISODE][0]
    assert first.left_out == len("1 password=[hidden]\n")
    assert first.text.startswith("2 ")


def test_a_phone_without_a_log_says_so_once() -> None:
    world = World(latency=slow, fault=lambda method, count: LogUnavailable("over MQTT") if method == "log" else None)
    assert play(world).ending is Ending.FINISHED
    assert [log.text for log in world.logs[EPISODE]] == ["# this log was not recorded: over MQTT\n"]
    assert world.count["log"] == 1


def test_a_phone_that_hangs_delays_the_end_by_little() -> None:
    hanging = World(latency=lambda method, count: 1e6 if method == "log" else slow(method, count))
    plain = World(latency=slow)
    ended = [play(world, logcat) for world, logcat in ((hanging, True), (plain, False))]
    assert ended[0].ending is ended[1].ending is Ending.FINISHED
    assert ended[0].ended_at - ended[1].ended_at <= LAST_S + 0.01


def test_a_cancelled_episode_ends_the_recording_at_once() -> None:
    world = World(latency=lambda method, count: 1e6 if method in ("log", "decide") else 0.0)

    async def main() -> float:
        running = asyncio.create_task(world.host().run_episode(order(logcat=True)))
        await asyncio.sleep(30.0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return world.clock.now() - START

    assert run_virtual(main()) < 40
    assert "log" in world.cancelled
