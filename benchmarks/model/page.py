"""Write what was measured as one self-contained HTML page."""

from __future__ import annotations

import base64
import io
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PIL import Image

from manyhands.benchmarks.model.figures import LOAD_SHARE, LoadFigures, sum_fates
from manyhands.benchmarks.model.questions import ClickAnswer, ClickTarget
from manyhands.benchmarks.model.report import ModelReport, ProfileFigures
from manyhands.evaluation.markup import page_templates
from manyhands.protocol.utilities.terminal_text import count_noun

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


SHOWN_SCREENS = 12
"""The most screens that the page shows, each with the places that the model was asked for."""
_PICTURE_WIDTH = 270
_JPEG_QUALITY = 70


@dataclass(frozen=True, slots=True)
class ClickedScreen:
    """Hold a screen with the answers about it."""

    name: str
    width: int
    height: int
    jpeg: str
    """The small picture in base64."""
    answers: tuple[ClickAnswer, ...]


def to_html(report: ModelReport, targets: Sequence[ClickTarget] = ()) -> str:
    """Return the page. ``targets``: those of the report's clicks, whose screens the page shows."""
    clicks = report.clicks
    return (
        page_templates("manyhands.benchmarks.model", "manyhands.evaluation")
        .get_template("model.html.jinja")
        .render(
            report=report,
            when=time.strftime("%Y-%m-%d %H:%M", time.localtime(report.at)),
            charts=charts(report.profiles),
            roles={profile.profile: role_rows(profile) for profile in report.profiles},
            reasons={profile.profile: invalid_reasons(profile) for profile in report.profiles},
            screens=clicked_screens(targets, clicks.answers if clicks is not None else ()),
            load_share=LOAD_SHARE,
            figure=format_optional,
            percent=format_share,
            count_noun=count_noun,
        )
    )


def charts(profiles: Sequence[ProfileFigures]) -> tuple[LineChart, ...]:
    """Return the charts that have values: a line for each profile, over the number of phones."""
    plotted: tuple[tuple[str, str, Callable[[LoadFigures], float | None]], ...] = (
        ("Steps a second", "steps/s", lambda load: load.steps_s),
        ("Time of a step, median, s", "s", lambda load: load.step_s.p50 if load.step_s else None),
        ("Time of a call, p95, s", "s", lambda load: load.call_s.p95 if load.call_s else None),
        ("Input tokens a second that no cache had", "tokens/s", uncached_tokens_s),
        ("Output tokens a second", "tokens/s", lambda load: load.output_tokens_s),
        ("KV cache in use, %", "%", _cache_percent),
    )
    all_charts = (
        lay_out(title, unit, [_series(profile, value) for profile in profiles]) for title, unit, value in plotted
    )
    return tuple(chart for chart in all_charts if chart is not None)


def uncached_tokens_s(load: LoadFigures) -> float | None:
    """Return the input tokens a second that were in no cache; None without answers."""
    return None if load.cached_share is None else load.input_tokens_s * (1 - load.cached_share)


def _cache_percent(load: LoadFigures) -> float | None:
    return None if load.queue is None or load.queue.cache_usage is None else 100 * load.queue.cache_usage


def _series(
    profile: ProfileFigures, value: Callable[[LoadFigures], float | None]
) -> tuple[str, list[tuple[int, float]]]:
    return profile.profile, [(load.phones, figure) for load in profile.loads if (figure := value(load)) is not None]


def role_rows(profile: ProfileFigures) -> Sequence[tuple[str, int, float | None, int, int, int]]:
    """Return for each role its calls at all loads, the share of valid replies, and invalid, cut and failed calls."""
    roles = sorted({role for load in profile.loads for role in load.role_fates})
    sums = {
        role: sum_fates([load.role_fates[role] for load in profile.loads if role in load.role_fates]) for role in roles
    }
    return [(role, one.calls, one.valid_share, one.invalid, one.cut_off, one.failed) for role, one in sums.items()]


def invalid_reasons(profile: ProfileFigures) -> Mapping[str, int]:
    """Return why replies were invalid or calls failed at all loads, the most frequent first."""
    counts: dict[str, int] = {}
    for load in profile.loads:
        for reason, count in (*load.invalid_replies.items(), *load.errors.items()):
            counts[reason] = counts.get(reason, 0) + count
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def clicked_screens(targets: Sequence[ClickTarget], answers: Sequence[ClickAnswer]) -> tuple[ClickedScreen, ...]:
    """Return the screens that the model was asked about, those with misses first."""
    screens = {target.screen.name: target.screen for target in targets}
    by_screen = {name: tuple(answer for answer in answers if answer.screen == name) for name in screens}
    names = [name for name, clicks in by_screen.items() if clicks]
    names.sort(key=lambda name: sum(answer.fate == "hit" for answer in by_screen[name]) / len(by_screen[name]))
    return tuple(
        ClickedScreen(
            name,
            screens[name].size.width,
            screens[name].size.height,
            base64.b64encode(_small(screens[name].image.jpeg)).decode("ascii"),
            by_screen[name],
        )
        for name in names[:SHOWN_SCREENS]
    )


def _small(jpeg: bytes) -> bytes:
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(jpeg)) as picture:
        small = picture.convert("RGB")
    small.thumbnail((_PICTURE_WIDTH, 4 * _PICTURE_WIDTH))
    small.save(buffer, "JPEG", quality=_JPEG_QUALITY)
    return buffer.getvalue()


def format_optional(value: float | None) -> str:
    """Return a figure, or a dash if it is unknown."""
    return "–" if value is None else format_figure(value)


def format_share(value: float | None) -> str:
    """Return a share in percent, or a dash if it is unknown."""
    return "–" if value is None else f"{100 * value:.0f} %"
