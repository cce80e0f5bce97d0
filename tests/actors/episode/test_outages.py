"""While no server of a model answers, an episode waits: neither its limits nor its figures count that."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from manyhands.actors.episode.paused_time import measure_s
from manyhands.actors.episode.stage_context import MOST_LOST
from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ModelAway
from manyhands.protocol.journals.records import ActionDecided, NotesTaken, Planned, Record, Reflected, StageFailed
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeResult
from tests.actors.episode.world import CALL, World, order
from tests.virtual_clock import START, run_virtual

SCHEDULES = ["serial", "overlap", "speculate"]


class AwayWorld(World):
    """Roles whose servers are away from one moment to another: a call waits as long as its patience, as a client does.

    ``for_role``: of which methods; of all, if none are named. Every answer takes a second.
    """

    def __init__(self, begins: float, ends: float, *methods: str, **fields: Any) -> None:
        seconds = dict.fromkeys(ASKED, 1.0)

        def room(method: str, count: int) -> bool:
            return not self._away()

        super().__init__(**{"latency": lambda method, count: seconds.get(method, 0.0), "room": room, **fields})
        self.begins, self.ends = START + begins, START + ends
        self.methods = methods or ASKED
        self.is_busy = False

    def _away(self) -> bool:
        return self.begins <= self.clock.now() < self.ends

    def asked(self, method: str, what: Any = None, counted: bool = False) -> Any:
        manager = super().asked(method, what, counted)
        return _Waiting(self, manager) if method in self.methods else manager

    async def wait(self) -> None:
        """Raises ModelAway past the patience that episodes have."""
        if self._away():
            left = self.ends - self.clock.now()
            await self.clock.sleep(min(left, 2.0))
            if left > 2.0:
                raise ModelAway("no model server answers: gone", since=self.begins, is_busy=self.is_busy)


ASKED = ("plan", "decide", "verify", "note")


class _Waiting:
    def __init__(self, world: AwayWorld, inner: Any) -> None:
        self.world, self.inner = world, inner

    async def __aenter__(self) -> Any:
        await self.world.wait()
        return await self.inner.__aenter__()

    async def __aexit__(self, *error: Any) -> Any:
        return await self.inner.__aexit__(*error)


def run(world: World, task: dict[str, Any] | None = None, **settings: Any) -> tuple[EpisodeResult, list[Record]]:
    async def main() -> EpisodeResult:
        return await world.host().run_episode(order(task=task, **settings))

    return run_virtual(main()), world.journals["run-task-1"]


def spans(records: list[Record]) -> list[Any]:
    asked = (Planned, ActionDecided, Reflected, NotesTaken, StageFailed)
    return [record.span for record in records if isinstance(record, asked)]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("begins", [0.0, 1.5, 2.5, 4.0])
def test_an_outage_longer_than_a_calls_deadline_and_the_time_limit_ends_nothing(schedule: str, begins: float) -> None:
    """The deadlines of calls are 180 s, the episode's limit is 60 s; the servers are away for 500."""
    world = AwayWorld(begins, begins + 500)
    result, records = run(world, {"limits": {"wall_s": 60}}, schedule=schedule)
    assert result.ending is Ending.FINISHED
    assert result.ended_at - result.started_at > 500
    away_s = measure_s(interval for span in spans(records) for interval in span.away)
    assert away_s == pytest.approx(500, abs=2.1)
    assert all(span.ms <= 3001 for span in spans(records))
    assert not any(isinstance(record, StageFailed) for record in records)


@pytest.mark.parametrize("method", ASKED)
def test_one_role_of_which_no_server_answers_is_enough_to_wait(method: str) -> None:
    result, _ = run(AwayWorld(3.0, 400.0, method), {"limits": {"wall_s": 60}})
    assert result.ending is Ending.FINISHED
    assert result.ended_at >= START + 400


@pytest.mark.parametrize("is_busy", [False, True])
def test_time_that_was_not_waited_still_counts_and_a_busy_server_was_there(is_busy: bool) -> None:
    world = AwayWorld(3.0, 103.0, goal_screen="never")
    world.is_busy = is_busy
    result, records = run(world, {"limits": {"wall_s": 60, "max_steps": 1000}})
    assert result.ending is Ending.TIME_LIMIT
    assert result.ended_at - result.started_at == pytest.approx(160, abs=2.1)
    fault = None if is_busy else "time_limit while a server was away"
    recorded = episode_of(records)
    assert isinstance(recorded, RecordedEpisode)
    assert result.fault == recorded.fault == fault


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("method", ASKED)
def test_no_model_after_the_stated_time_and_nobody_judges_the_task(schedule: str, method: str) -> None:
    world = AwayWorld(2.5, 1e9, method)
    task = {
        "check": {"source": "content://example/state", "holds": {"path": "screen", "equals": "s1"}},
        "limits": {"wall_s": 60},
    }
    result, records = run(world, task, schedule=schedule, no_model_s=300)
    assert (result.ending, result.verified) == (Ending.NO_MODEL, None)
    assert "no model server answers" in result.reason
    assert 300 <= result.ended_at - START - 2.5 < 306
    failed = [record for record in records if isinstance(record, StageFailed)]
    assert {record.code for record in failed} == {"model_away"}
    assert failed[0].span.ms < 2000


def test_a_question_that_ends_its_server_each_time_is_not_asked_for_ever() -> None:
    world = World(fault=lambda method, count: ModelAway("gone", (CALL,), START) if method == "decide" else None)
    result, records = run(world)
    assert result.ending is Ending.MODEL_FAILED
    assert f"went away {MOST_LOST} times while they were asked this" in result.reason
    (failed,) = (record for record in records if isinstance(record, StageFailed))
    assert failed.calls == (CALL,) * MOST_LOST


def test_what_was_sent_in_vain_stands_in_the_journal_with_what_was_answered() -> None:
    world = World(
        fault=lambda method, count: (
            ModelAway("gone", (CALL,) if count == 0 else (), START) if method == "decide" and count < 3 else None
        )
    )
    result, records = run(world)
    decided = next(record for record in records if isinstance(record, ActionDecided))
    assert result.ending is Ending.FINISHED
    assert decided.calls == (CALL, CALL)


def test_the_display_says_that_it_waits() -> None:
    async def main() -> tuple[EpisodeProgress, float]:
        host = AwayWorld(0.0, 60.0).host()
        running = asyncio.create_task(host.run_episode(order()))
        await asyncio.sleep(41.0)
        (progress,) = await host.progress()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return progress, START + 41.0 - progress.stage_since

    progress, waited = run_virtual(main())
    assert (progress.doing, progress.is_waiting) == ("waiting for the model", True)
    assert waited == pytest.approx(41.0)
