"""Lengths of unions of intervals, and percentiles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from manyhands.protocol.records import Interval, Record, StageRecord
from manyhands.protocol.standing import interruptions
from manyhands.protocol.usage import Percentiles


def union_length(intervals: Iterable[Interval], within: Interval = (-math.inf, math.inf)) -> float:
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


def not_counted(records: Sequence[Record]) -> list[Interval]:
    """Return the times of an episode that no figure counts: no model answered, or nobody carried the episode on."""
    return [*away_of(records), *interruptions(records)]


def percentiles(values: Sequence[float]) -> Percentiles | None:
    """Return p50 and p95, between the nearest two values, and the mean; None without values."""
    if not values:
        return None
    p50, p95 = np.percentile(values, (50, 95))
    return Percentiles(p50=float(p50), p95=float(p95), mean=sum(values) / len(values))
