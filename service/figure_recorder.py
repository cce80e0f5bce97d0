"""Keep the figures of the last hour in memory."""

from __future__ import annotations

from collections import deque

from manyhands.actors.clock import Clock, RealClock
from manyhands.protocol.service.figures import FigurePoint, FigureSeries
from manyhands.service.fleet_control import FleetControl
from manyhands.service.fleet_figures import FleetCounts, figure_point
from manyhands.service.recurring_work import RecurringWork

EVERY_S, KEPT_S = 10.0, 3600.0
"""Seconds between two points, and for how long points are kept."""


class FigureRecorder:
    """Measure a point every ten seconds, from the counts that Prometheus gets, too."""

    def __init__(self, fleet: FleetControl, clock: Clock | None = None) -> None:
        """Ask ``fleet`` for its counts."""
        self._fleet = fleet
        self._clock = clock or RealClock()
        self._since = self._clock.now()
        self._last: tuple[float, FleetCounts] | None = None
        self._points: deque[FigurePoint] = deque(maxlen=round(KEPT_S / EVERY_S))

    async def run(self) -> None:
        """Measure until this is cancelled."""
        await RecurringWork("measuring figures", self._measure, self._clock, EVERY_S, EVERY_S).run()

    def series(self, after: float) -> FigureSeries:
        """Return the points after a moment, in Unix seconds."""
        points = tuple(point for point in self._points if point.at > after)
        return FigureSeries(since=self._since, every_s=EVERY_S, points=points)

    async def _measure(self) -> float:
        counts, now = await self._fleet.counts(), self._clock.now()
        if counts is None:
            self._last = None
        else:
            if self._last is not None and now > self._last[0]:
                before, at = self._last[1], self._last[0]
                self._points.append(figure_point(counts, before, now, now - at))
            self._last = now, counts
        return now + EVERY_S
