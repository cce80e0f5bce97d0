"""A step as a Gantt chart: which stage ran when, what was speculative, what was dropped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from manyhands.deploy.benchmarks.plots import BLACK, GREEN, GREY, ORANGE, SKY
from manyhands.protocol.records import Captured, Dropped, Record, Span, StageFailed, StageRecord

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

ROWS = ("act", "settle", "capture", "perceive", "verify", "note", "plan", "decide")
"""From top to bottom; a stage that is not among them comes below."""
_COLOURS = {"act": SKY, "settle": SKY, "capture": SKY, "perceive": GREEN}
"""Those of phones and perception; every other stage asks the model."""
_BAR = 0.72
_LIGHT = 0.4
_SHORTEST_QUEUE_S = 0.02
_LABELLED_S = 0.09
"""Share of the axis below which a bar is too short for its seconds."""
Kind = Literal["firm", "assuming", "dropped"]


@dataclass(frozen=True, slots=True)
class Bar:
    """Hold a stage's interval, in seconds since the step began; ``queue_s`` of it, at its start, in queues."""

    row: str
    start_s: float
    end_s: float
    queue_s: float = 0.0
    kind: Kind = "firm"


def bars_of(records: Iterable[Record], start: float, end: float) -> list[Bar]:
    """Return the bars between two moments (Unix seconds), cut off there; a result that took no time has none."""
    found = [bar for record in records for bar in _bars(record)]
    cut = (
        Bar(bar.row, max(bar.start_s, start) - start, min(bar.end_s, end) - start, bar.queue_s, bar.kind)
        for bar in found
    )
    bars = [bar for bar in cut if bar.end_s > bar.start_s]
    rows = rows_of(bars)
    return sorted(bars, key=lambda bar: (rows.index(bar.row), bar.start_s))


def rows_of(bars: Iterable[Bar]) -> tuple[str, ...]:
    """Return the rows of a chart, from top to bottom."""
    return tuple(dict.fromkeys([*ROWS, *(bar.row for bar in bars)]))


def _bars(record: Record) -> list[Bar]:
    match record:
        case Captured(span=span, screenshot=shot):
            at_rest = span.start + (shot.settling.ms / 1000 if shot.settling is not None else 0.0)
            queue_s = span.queue_ms / 1000
            return [
                Bar("settle", span.start, at_rest),
                Bar("capture", at_rest, span.end, min(queue_s, span.end - at_rest)),
            ]
        case Dropped():
            return [_bar(record.stage, record.span, "dropped")]
        case StageRecord() if not isinstance(record, StageFailed):
            return [_bar(record.stage, record.span, "assuming" if record.assumed else "firm")]
    return []


def _bar(row: str, span: Span, kind: Kind = "firm") -> Bar:
    return Bar(row, span.start, span.end, span.queue_ms / 1000, kind)


# ---------------------------------------------------------------------------- drawing
def draw_bars(axes: Axes, bars: Sequence[Bar], length_s: float, longest_s: float, title: str) -> None:
    """Draw one step of ``length_s`` on an axis of ``longest_s``: a row for each stage, the gate, the next action."""
    rows = rows_of(bars)
    for bar in bars:
        _draw(axes, bar, rows, longest_s)
    _draw_gate(axes, bars, rows, length_s)
    axes.axvline(length_s, color=BLACK, linewidth=1.4)
    axes.axvline(0, color=BLACK, linewidth=1.4)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(-0.01 * longest_s, longest_s * 1.01)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold")


def _draw(axes: Axes, bar: Bar, rows: Sequence[str], longest_s: float) -> None:
    row, width = rows.index(bar.row), bar.end_s - bar.start_s
    queue = min(bar.queue_s, width) if bar.queue_s >= _SHORTEST_QUEUE_S else 0.0
    if queue:
        axes.barh(row, queue, left=bar.start_s, height=_BAR, color="white", edgecolor=BLACK, hatch="|||", linewidth=0.6)
    start, width = bar.start_s + queue, width - queue
    style = _style(bar)
    axes.barh(row, width, left=start, height=_BAR, edgecolor=BLACK, linewidth=0.6, **style)
    if bar.kind == "dropped":
        low, high = row - _BAR / 2, row + _BAR / 2
        axes.plot([start, start + width], [low, high], color=BLACK, linewidth=0.8)
        axes.plot([start, start + width], [high, low], color=BLACK, linewidth=0.8)
    elif width >= _LABELLED_S * longest_s:
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.0}
        axes.text(start + width / 2, row, f"{width:.1f} s", ha="center", va="center", fontsize=7.5, bbox=box)


def _style(bar: Bar) -> dict[str, Any]:
    if bar.kind == "dropped":
        return {"color": GREY, "alpha": 0.6}
    if bar.kind == "assuming":
        return {"color": _lighter(_COLOURS.get(bar.row, ORANGE)), "hatch": "///"}
    return {"color": _COLOURS.get(bar.row, ORANGE)}


def _draw_gate(axes: Axes, bars: Sequence[Bar], rows: Sequence[str], length_s: float) -> None:
    """Draw the gate for the next action, which the verdict opens."""
    verdicts = [bar.end_s for bar in bars if bar.row == "verify"]
    if not verdicts:
        return
    opened = min(max(verdicts), length_s)
    axes.plot([opened, opened], [rows.index("verify"), len(rows) - 0.4], color=BLACK, linewidth=1, linestyle="--")
    axes.plot([opened], [rows.index("verify") + _BAR / 2], marker="v", color=BLACK, markersize=5, clip_on=False)


def legend() -> list[Artist]:
    """Return what the bars mean, in one list for the whole figure."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    edge: dict[str, Any] = {"edgecolor": BLACK, "linewidth": 0.6}
    gate = Line2D(
        [], [], color=BLACK, linestyle="--", linewidth=1, marker="v", markersize=5, label="verdict: gate opens"
    )
    return [
        Patch(facecolor=SKY, label="phone", **edge),
        Patch(facecolor=GREEN, label="perception", **edge),
        Patch(facecolor=ORANGE, label="model", **edge),
        Patch(facecolor=_lighter(ORANGE), hatch="///", label="model, on assumptions", **edge),
        Patch(facecolor=GREY, alpha=0.6, label="dropped (crossed)", **edge),
        Patch(facecolor="white", hatch="|||", label="in a queue", **edge),
        gate,
    ]


def _lighter(colour: str) -> tuple[float, float, float]:
    red, green, blue = (1 - _LIGHT * (1 - int(colour[place : place + 2], 16) / 255) for place in (1, 3, 5))
    return red, green, blue
