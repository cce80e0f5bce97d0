"""Whatever phones, hosts and gateways do: a run ends in time, decides every task once, and leaves no lease."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.lessons import teaches
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.dispatch.task_queue import MOST_RESTARTS
from manyhands.protocol.base import RETRIED_ENDINGS, Ending
from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted
from manyhands.protocol.roles.learning import LearnOrder
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.runs.results import MOST_RESUMES, EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec
from tests.actors.dispatch.dispatch_parts import ListStore, ScriptedLearning
from tests.actors.dispatch.shaky_parts import (
    GATEWAY_STATES,
    HOST_STATES,
    PHONE_STATES,
    SLOW_S,
    ShakyGateway,
    ShakyHost,
    Timetable,
)
from tests.examples import examples
from tests.virtual_clock import VirtualClock, run_virtual

WALL_S, OVERTIME_S, ATTACH_S, IDLE_S = 40.0, 20.0, 40.0, 400.0
CALL_ENDING_S = 50.0
LESSON_S = 120.0
BETWEEN_S = 30.0
"""Longest pause before a phone, a host or a gateway is asked again."""
IN_PLACE_S, GONE_S = 60.0, 200.0
BOUND_S = IDLE_S + WALL_S + OVERTIME_S + 2 * ATTACH_S + CALL_ENDING_S + BETWEEN_S + IN_PLACE_S + GONE_S
"""Within this an episode ends or is interrupted, or all tasks that wait are given up."""
EPISODES = (1 + MOST_RESTARTS) * (1 + 2 * MOST_RESUMES)
"""Of one attempt: it is begun anew so often, and each of its episodes gone on with so often in vain."""


ALWAYS_HERE = Timetable(((1.0, "here"),))


@dataclass(frozen=True)
class Story:
    """A run and what befalls it."""

    tasks: tuple[TaskSpec, ...]
    phones: tuple[Timetable, ...]
    hosts: tuple[Timetable, ...] = (ALWAYS_HERE,)
    gateway: Timetable = ALWAYS_HERE
    endings: tuple[Ending | None, ...] = (Ending.FINISHED,)
    cancelled_after_s: float | None = None
    lessons: tuple[float | None, ...] = ()
    """How long each takes, in turn; None: it hangs and does not end when it is told to. Without any, nobody learns."""


@dataclass
class Told:
    """What came of it."""

    results: list[EpisodeResult]
    lasted_s: float
    gateway: ShakyGateway
    store: ListStore
    hosts: list[ShakyHost] = field(default_factory=list)
    learning: ScriptedLearning | None = None


def timetables(states: tuple[str, ...]) -> st.SearchStrategy[Timetable]:
    """Mostly there, with faults of all lengths between."""
    part = st.tuples(st.one_of(st.sampled_from([0.5, 10.0, 25.0, 100.0]), st.floats(0.1, 500)), st.sampled_from(states))
    calm = st.just(ALWAYS_HERE)
    return calm | st.lists(part, min_size=1, max_size=8).map(lambda parts: Timetable(tuple(parts)))


@st.composite
def stories(draw: st.DrawFn) -> Story:
    tasks = tuple(
        TaskSpec(
            id=f"t{number}",
            goal="g",
            attempts=draw(st.integers(1, 3)),
            memory_scope=draw(st.sampled_from([None, None, "a", "b"])),
            limits=Limits(wall_s=WALL_S),
        )
        for number in range(draw(st.integers(1, 6)))
    )
    endings = [Ending.FINISHED, Ending.FINISHED, Ending.LEASE_LOST, Ending.STEP_LIMIT, None]
    return Story(
        tasks=tasks,
        phones=tuple(draw(st.lists(timetables(PHONE_STATES), min_size=1, max_size=4))),
        hosts=tuple(draw(st.lists(timetables(HOST_STATES), min_size=1, max_size=2))),
        gateway=draw(timetables(GATEWAY_STATES)),
        endings=tuple(draw(st.lists(st.sampled_from(endings), min_size=1, max_size=4))),
        cancelled_after_s=draw(st.none() | st.floats(0, 300)),
        lessons=tuple(draw(st.lists(st.sampled_from([0.0, 5.0, 90.0, 1e9, None]), max_size=3))),
    )


def tell(story: Story) -> Told:
    """Run it in virtual time. A run that can never end raises Deadlock; one that is too late raises TimeoutError."""

    async def main() -> Told:
        clock = VirtualClock()
        serials = tuple(f"p{number}" for number in range(len(story.phones)))
        gateway = ShakyGateway(dict(zip(serials, story.phones, strict=True)), story.gateway, clock)
        hosts = [ShakyHost(timetable, gateway, clock, story.endings) for timetable in story.hosts]
        settings = DispatchSettings(
            run="r",
            serials=serials,
            overtime_s=OVERTIME_S,
            attach_s=ATTACH_S,
            idle_s=IDLE_S,
            in_place_s=IN_PLACE_S,
            no_phone_s=GONE_S,
            no_host_s=GONE_S,
            stagger_s=0.1,
            lesson_s=LESSON_S,
            lessons_at_once=2,
        )
        store = ListStore()
        learning = _learning(story, store, clock)
        dispatcher = Dispatcher(settings, hosts, gateway, LongTermMemory(), store, clock, learning=learning)
        began = clock.now()
        bound_s = BOUND_S * (1 + EPISODES * sum(task.attempts for task in story.tasks))
        bound_s += (LESSON_S + CALL_ENDING_S) * len(story.tasks)
        async with asyncio.timeout(bound_s) as bound:
            run = asyncio.create_task(dispatcher.run("b", story.tasks))
            if story.cancelled_after_s is not None:
                await asyncio.wait({run}, timeout=story.cancelled_after_s)
                run.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await run
        assert not bound.expired(), "the run went on for ever"
        lasted_s = clock.now() - began
        if story.cancelled_after_s is not None:
            assert lasted_s <= story.cancelled_after_s + CALL_ENDING_S + 2 * ATTACH_S
        progress = await dispatcher.progress()
        assert (progress.waiting, progress.running) == (0, ())
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return Told(sorted(progress.latest, key=lambda result: result.task), lasted_s, gateway, store, hosts, learning)

    return run_virtual(main())


def _learning(story: Story, store: ListStore, clock: VirtualClock) -> ScriptedLearning | None:
    if not story.lessons:
        return None

    async def script(order: LearnOrder) -> None:
        seconds = story.lessons[(len(learning.orders) - 1) % len(story.lessons)]
        try:
            await clock.sleep(1e9 if seconds is None else seconds)
        except asyncio.CancelledError:
            if seconds is None:
                await clock.sleep(CALL_ENDING_S - 1)
            raise

    learning = ScriptedLearning(store, clock, 0.0, script)
    return learning


@settings(max_examples=examples(200))
@given(stories())
def test_every_run_ends_in_time_with_every_task_decided_once_and_no_lease_left(story: Story) -> None:
    told = tell(story)
    assert [result.task for result in told.results] == [task.id for task in story.tasks]
    for result, task in zip(told.results, story.tasks, strict=True):
        assert result.attempt <= task.attempts
        ran_out = result.attempt == task.attempts or result.ending not in RETRIED_ENDINGS
        assert ran_out or result.serial == ""
        if result.ending is Ending.CANCELLED:
            assert story.cancelled_after_s is not None
        if result.serial == "":
            started, ended = told.store.journals[result.episode]
            assert isinstance(started, EpisodeStarted)
            assert isinstance(ended, EpisodeEnded)
            assert (started.task.id, ended.ending, ended.reason) == (result.task, result.ending, result.reason)
    assert set(told.gateway.held) <= told.gateway.kept_back
    assert [host.running for host in told.hosts] == [[]] * len(told.hosts)
    episodes = sorted(result.episode for result in told.results)
    assert len(list(groupby(episodes))) == len(episodes)
    _check_lessons(story, told)


def _check_lessons(story: Story, told: Told) -> None:
    """Each task that has something to teach was asked once, and tasks of a scope one after another."""
    if told.learning is None:
        return
    asked = Counter(order.episode for order in told.learning.orders)
    lesson_due = {result.episode for result in told.results if teaches(result)}
    assert set(asked) <= lesson_due
    assert set(asked.values()) <= {1}
    assert story.cancelled_after_s is not None or set(asked) == lesson_due
    for scope in ("a", "b"):
        times = [
            (told.learning.began[task.id], told.learning.ended[task.id])
            for task in story.tasks
            if task.memory_scope == scope and task.id in told.learning.ended
        ]
        assert times == sorted(times)
        assert all(before[1] <= after[0] for before, after in pairwise(times))


def away(seconds: float, how: str = "away", then: str = "here") -> Timetable:
    return Timetable(((10.0, "here"), (seconds, how), (1.0, then)))


def tasks(count: int) -> tuple[TaskSpec, ...]:
    return tuple(TaskSpec(id=f"t{number}", goal="g", limits=Limits(wall_s=WALL_S)) for number in range(count))


def test_a_phone_in_a_slow_attach_does_not_keep_a_cancelled_turn() -> None:
    """Every phone goes while another one's turn waits for an attach of 25 s: that turn is given up as well."""
    gone = tuple(away(1e9, "slowly away") for _ in range(3))
    told = tell(Story(tasks(5), gone))
    assert {result.ending for result in told.results} == {Ending.NO_PHONE}
    assert told.lasted_s < GONE_S + IN_PLACE_S + 2 * SLOW_S + 20


@pytest.mark.parametrize("how", ["away", "slowly away"])
@pytest.mark.parametrize("seconds", [6.0, 33.0, 100.0])
def test_a_phone_that_is_back_is_used_within_10_s_though_adb_does_not_list_it(seconds: float, how: str) -> None:
    """The only phone: its task waits for it, and goes on where nothing but attach would have found it."""
    told = tell(Story(tasks(1), (away(seconds, how),)))
    (result,) = told.results
    assert (result.ending, result.attempt) == (Ending.FINISHED, 1)
    (lost_s, back_s) = (10.0, 10.0 + seconds)
    slowness_s = 25.0 if how == "slowly away" else 0.0
    assert told.lasted_s <= max(lost_s, back_s) + 10.0 + slowness_s + 20.0 + 1.0  # 20 s of work


@pytest.mark.parametrize("after_s", [0.05, 0.1, 0.15, 10.0, 20.05, 20.1, 20.15, 20.2, 20.25])
def test_cancelling_at_any_moment_of_an_episode_leaves_no_lease(after_s: float) -> None:
    """It is attached after 0.1 s, ends after 20.1 s, and is given back after 20.2 s."""
    told = tell(Story(tasks(2), (ALWAYS_HERE,), cancelled_after_s=after_s))
    assert told.gateway.held == {}
    if after_s != 20.1:  # at that very moment it may be either
        assert told.results[0].ending is (Ending.FINISHED if after_s > 20.1 else Ending.CANCELLED)
    assert told.results[1].ending is Ending.CANCELLED


def test_a_phone_that_others_hold_for_good_ends_the_run_by_name() -> None:
    told = tell(Story(tasks(2), (Timetable(((1.0, "busy"),)),)))
    assert {result.ending for result in told.results} == {Ending.NO_PHONE}
    assert "nothing ran for 400 s: p0: p0: another run has it" in told.results[0].reason
    assert told.lasted_s <= IDLE_S + 1


def test_a_host_that_is_always_full_ends_the_run() -> None:
    told = tell(Story(tasks(2), (ALWAYS_HERE,), hosts=(Timetable(((1.0, "full"),)),)))
    assert {result.ending for result in told.results} == {Ending.HOST_LOST}
    assert told.results[0].reason == "nothing ran for 400 s: the host is full"
    assert told.lasted_s <= IDLE_S + BETWEEN_S
