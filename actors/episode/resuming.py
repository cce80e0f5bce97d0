"""Going on in place: what the journal of an interrupted episode says of it.

All here is a pure function of the journal. What is asked and written then is in ``going_on.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from manyhands.actors.episode.endings import End
from manyhands.actors.episode.profile import ACT, Loop, Profile
from manyhands.actors.episode.schedule import Stop
from manyhands.actors.episode.stages.rubrics import RUBRICS
from manyhands.actors.episode.state import EpisodeState, fold
from manyhands.actors.episode.waits import length
from manyhands.protocol.base import OUTSIDE_ENDINGS
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.records import (
    ActionSent,
    Dropped,
    EpisodeEnded,
    Record,
    Resumed,
    RubricsChecked,
    StageFailed,
    StageRecord,
)
from manyhands.protocol.runs import MOST_RESUMES, EpisodeOrder
from manyhands.protocol.standing import interruptions, standing


class CannotGoOn(ManyhandsError):
    """Signal that an episode cannot be gone on with in place: its task is to be begun anew."""

    code = "cannot_go_on"


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Hold an interrupted episode, as far as its journal tells."""

    records: Sequence[Record]
    state: EpisodeState

    @classmethod
    def of(cls, records: Sequence[Record]) -> Interrupted:
        """Return the episode of a journal."""
        state = EpisodeState()
        for record in records:
            state = fold(state, record)
        return cls(records, state)

    @property
    def step(self) -> int:
        """Return the step to go on with: the last one of whose action anything was begun, or which was dealt with.

        A step whose action was never begun is decided anew, on what the phone shows now: nothing had failed in it.
        """
        last = self.state.last_touched
        return last - 1 if self.state.step(last).never_begun else last

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Return the keys of its last action without a receipt."""
        return self.state.step(self.state.last_touched).unanswered

    @property
    def decided(self) -> EpisodeEnded | None:
        """Return its end, where that was for a reason within the task: only the answer to who ordered it was lost."""
        ended = self.state.ended
        return None if ended is None or ended.ending in OUTSIDE_ENDINGS else ended

    def obstacle(self, order: EpisodeOrder) -> str | None:
        """Return why it cannot be gone on with on the phone of the order; None where it can."""
        started = self.state.started
        if started is None:
            return "the beginning of its journal cannot be read"
        if started.serial != order.lease.serial:
            return f"it began on the phone {started.serial}, and this is {order.lease.serial}"
        if self.state.in_vain >= MOST_RESUMES and not order.run_cut_off:
            return f"gone on {self.state.in_vain} times without a finished step; now: {order.resume}"
        for step in range(self.state.last_touched + 1):
            at = self.state.step(step)
            if at.screenshot is None or at.decision is None:
                return f"its journal has a hole in step {step}"
        return None

    def app_in_front(self) -> str | None:
        """Return the app that the phone showed last, where that was seen after its last action; None if nobody knows.

        An action may bring another app to the front; what was never looked at proves nothing.
        """
        shown = self.state.step(self.step + 1).screenshot
        if shown is not None:
            return shown.app
        last = next((record for record in reversed(self.records) if isinstance(record, Resumed)), None)
        return None if last is None or last.step != self.step else last.app


def finished_stages(loop: Loop, records: Iterable[Record]) -> dict[str, int]:
    """Return how many steps each stage has finished by the last record, which is ``Resumed``.

    A stage that has left a record has finished, and all that it needed, too. One that found nothing left no record: it
    runs again, on what was known then, and finds nothing again. No screen after the last action counts as seen.
    """
    stands = standing(records)
    last = next((record.step for record in reversed(stands) if isinstance(record, Resumed)), -1)
    done = dict.fromkeys(loop.by_name, 0)

    def finished(stage: str, step: int) -> None:
        if stage in done and step <= last:
            done[stage] = max(done[stage], step + 1)

    for record in stands:
        if isinstance(record, RubricsChecked):
            finished(RUBRICS.name, record.step)
        elif isinstance(record, ActionSent):
            for need in loop.by_name[ACT].needs:
                finished(need.stage, record.step + need.offset)
        elif isinstance(record, StageRecord) and not isinstance(record, StageFailed | Dropped):
            finished(record.stage, record.step)
    known: dict[str, int] = {}
    while known != done:
        known = dict(done)
        for stage in loop.stages:
            for need in stage.needs if done[stage.name] else ():
                finished(need.stage, done[stage.name] - 1 + need.offset)
    return done


def stops_of(
    profile: Profile, records: Iterable[Record], step: int, state: EpisodeState, order: EpisodeOrder
) -> tuple[Stop[End], ...]:
    """Return where what was found in ``step`` ends the episode, as it would have been ended then."""
    found = (one for one in records if getattr(one, "step", None) == step and not isinstance(one, Resumed))
    stops = (profile.stop_after(record, state, order) for record in found)
    return tuple(stop for stop in stops if stop is not None)


def stopped_s(records: Sequence[Record]) -> float:
    """Return the seconds that count against no limit: nobody carried the episode on, or no model answered."""
    away = (interval for record in records if isinstance(record, StageRecord) for interval in record.span.away)
    return length([*interruptions(records), *away])
