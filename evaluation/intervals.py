"""Lengths of unions of intervals, and percentiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manyhands.protocol.records import Interval, Record, StageRecord
from manyhands.protocol.runs import Percentiles


def union_length(intervals: Iterable[Interval], within: Interval) -> float:
    """Return how much of ``within`` the intervals cover together. Ends and results in the unit of the arguments."""
    low, high = within
    covered, reached = 0.0, low
    for start, end in sorted(intervals):
        start, end = max(start, reached), min(end, high)
        if end > start:
            covered += end - start
            reached = end
    return covered


def away_of(records: Iterable[Record]) -> list[Interval]:
    """Return when stages of an episode waited because no server of a model answered; the intervals may overlap."""
    return [interval for record in records if isinstance(record, StageRecord) for interval in record.span.away]


def length(intervals: Sequence[Interval]) -> float:
    """Return how much time the intervals cover together."""
    if not intervals:
        return 0.0
    return union_length(intervals, (min(start for start, _ in intervals), max(end for _, end in intervals)))


def percentiles(values: Sequence[float]) -> Percentiles | None:
    """Return p50 and p95, between the nearest two values, and the mean; None without values."""
    if not values:
        return None
    ranked = sorted(values)
    return Percentiles(p50=_rank(ranked, 0.50), p95=_rank(ranked, 0.95), mean=sum(ranked) / len(ranked))


def _rank(ranked: Sequence[float], share: float) -> float:
    place = share * (len(ranked) - 1)
    below = int(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (ranked[above] - ranked[below]) * (place - below)
