"""Lay out line charts over numbers of phones, for pages that draw them as SVG. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 440, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 30
_TICKS = 4


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """Hold a point in units of the drawing, and the text that a pointer over it shows."""

    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class ChartLine:
    """Hold a line: its name, its place in the order of colours, its points."""

    name: str
    colour: int
    points: tuple[ChartPoint, ...]

    @property
    def path(self) -> str:
        """Return the points as an SVG polyline has them."""
        return " ".join(f"{point.x:.1f},{point.y:.1f}" for point in self.points)


@dataclass(frozen=True, slots=True)
class LineChart:
    """Hold a chart: lines over numbers of phones, which double from one mark to the next."""

    title: str
    lines: tuple[ChartLine, ...]
    x_ticks: tuple[ChartPoint, ...]
    y_ticks: tuple[ChartPoint, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    bottom: int = HEIGHT - _BOTTOM


def lay_out(title: str, unit: str, series: Sequence[tuple[str, Sequence[tuple[int, float]]]]) -> LineChart | None:
    """Return a chart of named series of (phones, value); None if there is no value.

    A series keeps its colour in all charts, so series without values count as well.
    """
    points = [point for _, values in series for point in values]
    if not points:
        return None
    loads = sorted({phones for phones, _ in points})
    span = math.log2(loads[-1] / loads[0]) or 1.0
    top, tick = _scale(max(value for _, value in points))

    def x(phones: int) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * math.log2(phones / loads[0]) / span

    def y(value: float) -> float:
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / top

    def point(name: str, phones: int, value: float) -> ChartPoint:
        return ChartPoint(x(phones), y(value), f"{name}, {phones} phones: {format_figure(value)} {unit}")

    return LineChart(
        title=title,
        lines=tuple(
            ChartLine(
                name,
                number,
                tuple(
                    ChartPoint(x(n), y(value), f"{name}, {n} phones: {format_figure(value)} {unit}")
                    for n, value in values
                ),
            )
            for number, (name, values) in enumerate(series)
            if values
        ),
        x_ticks=tuple(ChartPoint(x(phones), HEIGHT - _BOTTOM, str(phones)) for phones in loads),
        y_ticks=tuple(
            ChartPoint(_LEFT, y(number * tick), format_figure(number * tick)) for number in range(round(top / tick) + 1)
        ),
    )


def format_figure(value: float) -> str:
    """Return a figure with three digits that count, as people read it."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scale(largest: float) -> tuple[float, float]:
    """Return the end of an axis from 0, and the distance of its marks."""
    if largest <= 0:
        return 1.0, 1.0
    rough = largest / _TICKS
    magnitude = 10.0 ** math.floor(math.log10(rough))
    tick = next(step * magnitude for step in (1, 2, 2.5, 5, 10) if step * magnitude >= rough * (1 - 1e-9))
    return math.ceil(largest / tick - 1e-9) * tick, tick
