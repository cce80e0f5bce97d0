"""Compute the figures of a moment from counts at two moments, and keep those of the last hour in memory."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.perception.counts import PerceptionCounts
from manyhands.protocol.messages import ServerCounts
from manyhands.protocol.service.fleet import (
    FigurePoint,
    FigureSeries,
    ModelFigure,
    PerceptionFigure,
    RoleFigure,
    ServerFigure,
)
from manyhands.service.fleet_control import FleetControl, FleetCounts
from manyhands.service.recurring_work import RecurringWork

_STATES = ("out", "cooling", "up")
"""The states of a server, the worst first."""
Counts = Mapping[tuple[str, ...], float]


def figure_point(now: FleetCounts, before: FleetCounts, at: float, seconds: float) -> FigurePoint:
    """Return the figures of a moment. ``before``: the counts ``seconds`` earlier."""
    rose = _rise(_totals(now), _totals(before))
    minute = 60 / seconds
    return FigurePoint(
        at=at,
        steps_per_min=rose["steps",] * minute,
        episodes=len(now.progress.running),
        waiting=now.progress.waiting,
        roles=tuple(_roles(now, rose, minute)),
        models=tuple(_models(now)),
        servers=tuple(_servers(now)),
        perception=_perception(now.perception, rose, minute) if now.perception else None,
    )


def _totals(counts: FleetCounts) -> Counts:
    """Return all counts, by name."""
    progress = counts.progress
    totals = Counter[tuple[str, ...]]()
    totals["steps",] = progress.done.steps + sum(episode.step for episode in progress.running)
    for role, clients in counts.models.items():
        for call in (call for client in clients for call in client.calls):
            at = role, call.server
            totals[("calls", *at)] += call.calls
            totals[("errors", *at)] += sum(call.errors.values())
            totals[("input", *at)] += call.input_tokens
            totals[("output", *at)] += call.output_tokens
            totals[("cached", *at)] += call.cached_tokens
            totals[("latency", *at)] += round(call.latency_ms)
    for one in counts.perception:
        totals["pictures",] += one.read
        totals["picture_ms",] += round(sum(one.stage_ms.values()))
    return totals


def _rise(now: Counts, before: Counts) -> Counter[tuple[str, ...]]:
    """Return by how much each count rose.

    A count may fall: an actor that was started again counts from 0, and the steps of an attempt that is made again no
    longer count. By how much it rose meanwhile is unknown then, and counts as 0.
    """
    rose = Counter[tuple[str, ...]]()
    for name, count in now.items():
        rose[name] = max(0, int(count - before.get(name, 0)))
    return rose


def _roles(now: FleetCounts, rose: Counter[tuple[str, ...]], minute: float) -> Iterator[RoleFigure]:
    keys = {(role, call.server) for role, clients in now.models.items() for one in clients for call in one.calls}
    for at in sorted(keys):
        calls, input_tokens = rose[("calls", *at)], rose[("input", *at)]
        yield RoleFigure(
            role=at[0],
            server=at[1],
            input_tokens_per_min=input_tokens * minute,
            output_tokens_per_min=rose[("output", *at)] * minute,
            cached_share=rose[("cached", *at)] / input_tokens if input_tokens else None,
            calls_per_min=calls * minute,
            errors_per_min=rose[("errors", *at)] * minute,
            latency_ms=rose[("latency", *at)] / calls if calls else None,
        )


def _models(now: FleetCounts) -> Iterator[ModelFigure]:
    for role, clients in sorted(now.models.items()):
        yield ModelFigure(
            role=role,
            in_flight=sum(client.in_flight for client in clients),
            waiting=sum(client.waiting for client in clients),
            cap=sum(client.cap for client in clients),
        )


def _servers(now: FleetCounts) -> Iterator[ServerFigure]:
    views: dict[str, list[ServerCounts]] = {}
    for server in (server for clients in now.models.values() for one in clients for server in one.servers):
        views.setdefault(server.server, []).append(server)
    for name, counts in sorted(views.items()):
        yield ServerFigure(
            server=name,
            state=min((one.state for one in counts), key=_STATES.index),
            in_flight=sum(one.in_flight for one in counts),
            # Clients read at different times; the highest figure is what somebody must see.
            waiting=max((one.waiting for one in counts if one.waiting is not None), default=None),
            running=max((one.running for one in counts if one.running is not None), default=None),
            cache_usage=max((one.cache_usage for one in counts if one.cache_usage is not None), default=None),
        )


def _perception(counts: Sequence[PerceptionCounts], rose: Counter[tuple[str, ...]], minute: float) -> PerceptionFigure:
    pictures = rose["pictures",]
    return PerceptionFigure(
        reading=sum(one.reading for one in counts),
        waiting=sum(one.waiting for one in counts),
        workers=sum(one.workers for one in counts),
        pictures_per_min=pictures * minute,
        ms=rose["picture_ms",] / pictures if pictures else None,
    )


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
