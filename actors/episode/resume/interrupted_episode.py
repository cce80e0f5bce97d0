"""Read an interrupted episode from its journal: the step to resume after, the finished stages, and what
prevents resuming.

All functions here are pure functions of the journal. ``resumption`` asks the phone and writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from manyhands.actors.episode.checks.check import RUBRICS
from manyhands.actors.episode.endings import End
from manyhands.actors.episode.profile import ACT, Loop, Profile
from manyhands.actors.episode.recording.paused_time import measure_s
from manyhands.actors.episode.schedule import GraphStop
from manyhands.actors.episode.state import EpisodeState, fold
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.journals.effective_records import (
    effective_records,
    holds,
    interruptions,
    is_open,
    kept_until,
    last_failure,
)
from manyhands.protocol.journals.records import (
    ActionSent,
    EpisodeEnded,
    Record,
    Resumed,
    RubricsChecked,
    StageDropped,
    StageFailed,
    StageRecord,
)
from manyhands.protocol.runs.results import MOST_RESUMES, EpisodeOrder


class ResumeError(ManyhandsError):
    """Signal that an episode cannot be resumed in place. Its task then starts again."""

    code = "cannot_go_on"


@dataclass(frozen=True, slots=True)
class InterruptedEpisode:
    """Hold an interrupted episode as its journal records it."""

    records: Sequence[Record]
    state: EpisodeState

    @classmethod
    def of(cls, records: Sequence[Record]) -> InterruptedEpisode:
        """Return the episode of a journal."""
        state = EpisodeState()
        for record in records:
            state = fold(state, record)
        return cls(records, state)

    @property
    def step(self) -> int:
        """Return the step to resume after: the last step whose action was begun or has ended.

        If a later step's action was never begun, that step is decided again, from the present screen. It does not count
        as failed.
        """
        last = self.state.last_touched
        return last - 1 if self.state.step(last).never_begun else last

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Return the keys of the last action that have no receipt."""
        return self.state.step(self.state.last_touched).unanswered

    @property
    def recorded_end(self) -> EpisodeEnded | None:
        """Return the recorded end if the task caused it. Then only the answer to the dispatcher was lost."""
        ended = self.state.ended
        return None if ended is None or is_open(ended.ending, last_failure(self.records)) else ended

    def obstacle(self, order: EpisodeOrder) -> str | None:
        """Return why the episode cannot be resumed on the order's phone; None if it can."""
        started = self.state.started
        if started is None:
            return "the beginning of its journal cannot be read"
        if (started.episode, started.task.id) != (order.episode, order.task.id):
            return f"its journal is of {started.episode}, of the task {started.task.id}"
        if started.serial != order.lease.serial:
            return f"it began on the phone {started.serial}, and this is {order.lease.serial}"
        if self.state.in_vain >= MOST_RESUMES and not order.run_cut_off:
            return f"gone on {self.state.in_vain} times without a finished step; now: {order.resume}"
        for step in range(self.state.last_touched + 1):
            at = self.state.step(step)
            if at.screenshot is None or (at.decision is None and not at.person):
                return f"its journal has a hole in step {step}"
        return None

    def app_in_front(self) -> str | None:
        """Return the app that was in front last, if it was seen after the last action; None if nobody knows.

        An action may bring another app to the front, so a screen from before the action proves nothing.
        """
        screenshot = self.state.step(self.step + 1).screenshot
        if screenshot is not None:
            return screenshot.app
        last = next((record for record in reversed(self.records) if isinstance(record, Resumed)), None)
        return None if last is None or last.step != self.step else last.app


def finished_stages(loop: Loop, records: Iterable[Record]) -> dict[str, int]:
    """Return how many steps each stage has finished. The last of ``records`` that discards steps tells the last step.

    A stage that left a record has finished, and so have all stages that it needed. A stage that found nothing left no
    record. It runs again on the same state and finds nothing again. A screen after the last action never counts as
    captured. All stages of a person's step have finished, and so have those of earlier steps: nobody judges what the
    person did, nor the agent's action right before it.
    """
    stands = effective_records(records)
    last = next((step for record in reversed(stands) if (step := kept_until(record)) is not None), -1)
    counts = dict.fromkeys(loop.by_name, 0)

    def finished(stage: str, step: int) -> None:
        if stage in counts and step <= last:
            counts[stage] = max(counts[stage], step + 1)

    for record in stands:
        if isinstance(record, RubricsChecked):
            finished(RUBRICS.name, record.step)
        elif isinstance(record, ActionSent) and record.by:
            for name in loop.by_name:
                finished(name, record.step)
        elif isinstance(record, ActionSent):
            for need in loop.by_name[ACT].needs:
                finished(need.stage, record.step + need.offset)
        elif isinstance(record, StageRecord) and not isinstance(record, StageFailed | StageDropped):
            finished(record.stage, record.step)
    earlier: dict[str, int] = {}
    while earlier != counts:
        earlier = dict(counts)
        for stage in loop.stages:
            for need in stage.needs if counts[stage.name] else ():
                finished(need.stage, counts[stage.name] - 1 + need.offset)
    return counts


def find_stops(
    profile: Profile, resumed: InterruptedEpisode, state: EpisodeState, order: EpisodeOrder
) -> tuple[GraphStop[End], ...]:
    """Return the stops that records of the step to resume after cause.

    Without the interruption they would have caused the same stops.
    """
    step = resumed.step
    records = (one for one in resumed.records if getattr(one, "step", None) == step and not isinstance(one, Resumed))
    stops = (profile.stop_after(record, state, order) for record in records)
    return tuple(stop for stop in stops if stop is not None)


def measure_stopped_s(records: Sequence[Record]) -> float:
    """Return the seconds that no limit counts: no host ran the episode, no model answered, or people held it."""
    away = (interval for record in records if isinstance(record, StageRecord) for interval in record.span.away)
    return measure_s([*interruptions(records), *holds(records), *away])
