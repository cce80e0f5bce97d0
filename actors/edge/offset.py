"""Bound how far another machine's clock is ahead of ours."""

from __future__ import annotations

from dataclasses import dataclass

DRIFT = 5e-4
"""How much two clocks may part in a second: a clock that is being set right by NTP runs so much faster or slower."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    least: float
    most: float
    at: float
    """When they held, by our clock."""

    def later(self, now: float) -> _Bounds:
        """Return what is left of them at another time."""
        slack = DRIFT * abs(now - self.at)
        return _Bounds(self.least - slack, self.most + slack, now)


class ClockOffset:
    """Learn the offset from answers that the other machine timed. All times are Unix seconds.

    An answer was timed after it was asked for and before it was here, so each bounds the offset on both sides, however
    long it was on its way; what all of them allow is what is known. Answers that contradict one another mean that a
    clock was set: then the newest one counts alone.
    """

    def __init__(self) -> None:
        self._bounds: _Bounds | None = None

    @property
    def known(self) -> bool:
        """Return whether any answer has come."""
        return self._bounds is not None

    @property
    def seconds(self) -> float:
        """Return how far their clock is ahead; 0 before the first answer."""
        return 0.0 if self._bounds is None else (self._bounds.least + self._bounds.most) / 2

    def within_s(self, now: float) -> float:
        """Return by how much that may be wrong, at most. Raises ValueError before the first answer."""
        if self._bounds is None:
            raise ValueError("no answer has been timed yet")
        bounds = self._bounds.later(now)
        return (bounds.most - bounds.least) / 2

    def observe(self, asked_at: float, theirs: float, answered_at: float) -> None:
        """Learn of an answer that they timed at ``theirs``; the other two are times of our clock."""
        if answered_at < asked_at:
            return  # our own clock was set back meanwhile, so this tells nothing
        seen = _Bounds(theirs - answered_at, theirs - asked_at, asked_at).later(answered_at)
        before = None if self._bounds is None else self._bounds.later(answered_at)
        if before is None or seen.least > before.most or seen.most < before.least:
            self._bounds = seen
        else:
            self._bounds = _Bounds(max(seen.least, before.least), min(seen.most, before.most), answered_at)

    def theirs(self, ours: float) -> float:
        """Return a time of our clock by theirs."""
        return ours + self.seconds

    def ours(self, theirs: float) -> float:
        """Return a time of their clock by ours."""
        return theirs - self.seconds
