"""Estimate the offset of a site's clock from timed replies, with bounds."""

from __future__ import annotations

from dataclasses import dataclass

MAX_DRIFT = 5e-4
"""The drift of two clocks against each other, in seconds per second. NTP changes a clock's rate by at most
this much."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    least: float
    most: float
    at: float
    """When the bounds were observed, by our clock."""

    def at_time(self, now: float) -> _Bounds:
        """Return the bounds for the time ``now``. They are wider by the drift since the observation."""
        slack = MAX_DRIFT * abs(now - self.at)
        return _Bounds(self.least - slack, self.most + slack, now)


class ClockOffset:
    """Estimate the offset from replies that contain the site's time. All times are Unix seconds.

    The site put its time into the reply after our request was sent and before the reply arrived. So each reply gives a
    lower and an upper bound of the offset, however long the messages travelled. The estimate is the intersection of all
    bounds. If bounds contradict each other, a clock was set; then only the newest reply counts.
    """

    def __init__(self) -> None:
        self._bounds: _Bounds | None = None

    @property
    def is_known(self) -> bool:
        """Return whether any reply was observed."""
        return self._bounds is not None

    @property
    def seconds(self) -> float:
        """Return how far the site's clock is ahead; 0 before the first reply."""
        return 0.0 if self._bounds is None else (self._bounds.least + self._bounds.most) / 2

    def error_s(self, now: float) -> float:
        """Return the largest error of the estimate. Raises ValueError before the first reply."""
        if self._bounds is None:
            raise ValueError("no reply has been timed yet")
        bounds = self._bounds.at_time(now)
        return (bounds.most - bounds.least) / 2

    def observe(self, asked_at: float, site_time: float, answered_at: float) -> None:
        """Add a reply.

        It has ``site_time`` by the site's clock, was requested at ``asked_at`` and arrived at ``answered_at``, both by
        our clock.
        """
        if answered_at < asked_at:
            return  # our own clock was set back meanwhile: no information
        observed = _Bounds(site_time - answered_at, site_time - asked_at, asked_at).at_time(answered_at)
        before = None if self._bounds is None else self._bounds.at_time(answered_at)
        if before is None or observed.least > before.most or observed.most < before.least:
            self._bounds = observed
        else:
            self._bounds = _Bounds(max(observed.least, before.least), min(observed.most, before.most), answered_at)

    def to_site(self, local: float) -> float:
        """Convert a time of our clock to the site's clock."""
        return local + self.seconds

    def to_local(self, site_time: float) -> float:
        """Convert a time of the site's clock to our clock."""
        return site_time - self.seconds
