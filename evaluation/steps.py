"""The steps of a journal: from the first atom sent for one action to the first atom sent for the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from manyhands.evaluation.intervals import not_counted, union_length
from manyhands.protocol.records import ActionSent, Interval, Record, StageRecord
from manyhands.protocol.standing import interruptions


@dataclass(frozen=True, slots=True)
class StepTime:
    """One step. Moments in Unix seconds."""

    start: float
    end: float
    ms: float
    """How long it took, without the time in which a stage waited and no server of its model answered, and without that
    in which nobody carried the episode on."""
    episode: Sequence[StageRecord]
    """What became of the stages of its whole episode."""
    interruptions: Sequence[Interval] = ()
    """When nobody carried its episode on."""

    @property
    def overhead_ms(self) -> float:
        """Return for how long no stage ran or waited in a queue, while somebody carried the episode on."""
        spans = [(record.span.start, record.span.end) for record in self.episode]
        return (self.end - self.start - union_length([*spans, *self.interruptions], (self.start, self.end))) * 1000

    @property
    def records(self) -> list[StageRecord]:
        """Return what became of the stages that ended in it."""
        return [record for record in self.episode if self.start < record.span.end <= self.end]


def moments_sent(records: Sequence[Record]) -> list[float]:
    """Return when the first atom of each action was sent, in Unix seconds. Actions that send nothing have no moment."""
    first: dict[int, float] = {}
    for record in records:
        if isinstance(record, ActionSent):
            first.setdefault(record.step, record.at)
    return sorted(first.values())


def steps_of(records: Sequence[Record]) -> list[StepTime]:
    """Return the steps of one episode in order."""
    episode, without = [record for record in records if isinstance(record, StageRecord)], not_counted(records)
    stopped = interruptions(records)
    return [
        StepTime(start, end, (end - start - union_length(without, (start, end))) * 1000, episode, stopped)
        for start, end in pairwise(moments_sent(records))
    ]
