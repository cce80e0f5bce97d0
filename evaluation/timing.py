"""Compute times from journals: unions of intervals, steps of an episode, pauses between episodes, percentiles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from manyhands.protocol.journals.effective_records import holds, interruptions
from manyhands.protocol.journals.records import ActionSent, Interval, Record, StageRecord
from manyhands.protocol.runs.run_summary import Percentiles


def union_length(intervals: Iterable[Interval], within: Interval = (-math.inf, math.inf)) -> float:
    """Return how much of ``within`` the intervals cover together, in the unit of the arguments."""
    low, high = within
    covered, reached = 0.0, low
    for start, end in sorted(intervals):
        start, end = max(start, reached), min(end, high)
        if end > start:
            covered += end - start
            reached = end
    return covered


def away_of(records: Iterable[Record]) -> list[Interval]:
    """Return when stages waited because no server of their model answered. The intervals may overlap."""
    return [interval for record in records if isinstance(record, StageRecord) for interval in record.span.away]


def not_counted(records: Sequence[Record]) -> list[Interval]:
    """Return the intervals that no figure counts: no server answered, no process ran the episode, or people held it."""
    return [*away_of(records), *_stopped_of(records)]


def _stopped_of(records: Sequence[Record]) -> list[Interval]:
    """Return when the agent could not work: no process ran the episode, or people held it."""
    return [*interruptions(records), *holds(records)]


def percentiles(values: Sequence[float]) -> Percentiles | None:
    """Return p50 and p95, interpolated between the two nearest values, and the mean; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    p50, p95 = _at_share(ordered, 0.5), _at_share(ordered, 0.95)
    return Percentiles(p50=p50, p95=p95, mean=sum(values) / len(values))


def _at_share(ordered: Sequence[float], share: float) -> float:
    """Return the value below which a share of the sorted values lies."""
    place = share * (len(ordered) - 1)
    before = math.floor(place)
    lower, upper = ordered[before], ordered[math.ceil(place)]
    return float(lower + (upper - lower) * (place - before))


@dataclass(frozen=True, slots=True)
class StepTime:
    """Hold the times of one step. Moments are in Unix seconds."""

    start: float
    end: float
    ms: float
    """How long the step took, without the time in which a stage waited because no server of its model answered, in
    which no process ran the episode, or in which people held it."""
    episode: Sequence[StageRecord]
    """The records of all stages of its episode."""
    stopped: Sequence[Interval] = ()
    """When no process ran the episode, or people held it."""

    @property
    def overhead_ms(self) -> float:
        """Return the milliseconds in which no stage ran or waited in a queue. ``stopped`` does not count."""
        spans = [(record.span.start, record.span.end) for record in self.episode]
        return (self.end - self.start - union_length([*spans, *self.stopped], (self.start, self.end))) * 1000

    @property
    def records(self) -> list[StageRecord]:
        """Return the records of the stages that ended in this step."""
        return [record for record in self.episode if self.start < record.span.end <= self.end]


def moments_sent(records: Sequence[Record]) -> list[float]:
    """Return when the first atomic action of each action of the agent was sent, in Unix seconds.

    Some actions send nothing.
    """
    first: dict[int, float] = {}
    for record in records:
        if isinstance(record, ActionSent) and not record.by:
            first.setdefault(record.step, record.at)
    return sorted(first.values())


def steps_of(records: Sequence[Record]) -> list[StepTime]:
    """Return the steps of one episode in order."""
    episode, without = [record for record in records if isinstance(record, StageRecord)], not_counted(records)
    stopped = _stopped_of(records)
    return [
        StepTime(start, end, (end - start - union_length(without, (start, end))) * 1000, episode, stopped)
        for start, end in pairwise(moments_sent(records))
    ]
