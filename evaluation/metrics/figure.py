"""Define a figure: its value, how many tasks it covers, or why it has no value."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import Field

from manyhands.protocol.base import Message


@dataclass(frozen=True, slots=True)
class Contribution:
    """Hold what one task contributes to a figure: ``amount`` out of ``of``."""

    amount: float
    of: float = 1


@dataclass(frozen=True, slots=True)
class Missing:
    """Say why a task contributes nothing."""

    reason: str


class Figure(Message):
    """Hold the value of a metric over some tasks. An unknown value is None with a reason, never 0."""

    value: float | None
    reason: str | None = None
    covers: int
    """How many tasks the value is based on."""
    tasks: int
    """How many tasks were decided."""
    amount: float = 0
    of: float = 0
    """A pooled value is ``amount`` / ``of``."""
    without: dict[str, int] = Field(default_factory=dict)
    """Why a value is not based on all tasks: how many it lacks, by reason."""


def figure(parts: Iterable[Contribution | Missing], pooled: bool) -> Figure:
    """Return a figure: with ``pooled``, the quotient of the sums; else the mean of the tasks' quotients."""
    all_parts = list(parts)
    contributions = [part for part in all_parts if isinstance(part, Contribution)]
    missing = Counter(part.reason for part in all_parts if isinstance(part, Missing))
    amount, of = sum(part.amount for part in contributions), sum(part.of for part in contributions)
    if not all_parts:
        reason = "no task was decided"
    elif not contributions:
        ((reason, _),) = missing.most_common(1)
    elif not of:
        reason = "there is nothing to divide by"
    else:
        value = amount / of if pooled else mean([part.amount / part.of for part in contributions if part.of])
        return Figure(
            value=value, covers=len(contributions), tasks=len(all_parts), amount=amount, of=of, without=dict(missing)
        )
    return Figure(value=None, reason=reason, covers=0, tasks=len(all_parts))


def mean(values: Sequence[float]) -> float:
    """Return the mean, which the last rows of the papers' tables show."""
    return statistics.fmean(values)


def spread(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation; None for fewer than two values."""
    return None if len(values) < 2 else statistics.stdev(values)
