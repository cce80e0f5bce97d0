"""The plot of ``manyhands bench step``: a typical step of each schedule as a Gantt chart.

matplotlib is in the extra ``bench`` and imported only where something is drawn.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from manyhands.deploy.benchmarks.step.figures import TimedRun
from manyhands.deploy.benchmarks.step.times import StepTime
from manyhands.protocol.errors import BadInput
from manyhands.protocol.records import Captured, Dropped, EpisodeStarted, Record, Span, StageFailed, StageRecord

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito, "Color Universal Design" (2008): can be distinguished with every kind of colour blindness.
BLACK, ORANGE, SKY, GREEN = "#000000", "#e69f00", "#56b4e9", "#009e73"
GREY = "#9a9a9a"
NAME = "step_gantt"

ROWS = ("act", "settle", "capture", "perceive", "verify", "note", "plan", "decide")
"""From top to bottom; a stage that is not among them comes below."""
_COLOURS = {"act": SKY, "settle": SKY, "capture": SKY, "perceive": GREEN}
"""Those of phones and perception; every other stage asks the model."""
_BAR = 0.72
_LIGHT = 0.4
_SHORTEST_QUEUE_S = 0.02
_LABELLED_S = 0.09
"""Share of the axis below which a bar is too short for its seconds."""
_PANEL_INCHES = 1.9
_DPI = 150
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


# ---------------------------------------------------------------------------- which steps
@dataclass(frozen=True, slots=True)
class Panel:
    """One step to be drawn."""

    title: str
    length_s: float
    bars: Sequence[Bar]


def panels(runs: Mapping[str, TimedRun]) -> list[Panel]:
    """Choose a typical step of each schedule, and another of those with dropped work."""
    found = []
    for name, run in runs.items():
        plain = [step for step in run.steps if _is_plain(step)] or list(run.steps)
        found.append(_panel(name, run, _nearest(plain, median(step.ms for step in run.steps))))
        remade = [step for step in run.steps if len(step.passages) == 1 and _dropped(run, step)]
        if remade:
            typical = _nearest(remade, median(step.ms for step in remade))
            found.append(_panel(f"{name}, {_why(typical)}", run, typical))
    return found


def _panel(title: str, run: TimedRun, step: StepTime) -> Panel:
    start, length_s = step.passages[0].sent_at, step.ms / 1000
    assert start is not None
    return Panel(f"{title}: {length_s:.1f} s", length_s, bars_of(_journal(run, step), start, start + length_s))


def _is_plain(step: StepTime) -> bool:
    """Return whether each role answered once, the verdict was A and the subgoal kept."""
    [first, *more] = step.passages
    asked = all(first.calls[stage] == 1 for stage in ("verify", "plan", "decide"))
    return not more and asked and first.read and first.agreed and first.kept


def _nearest(steps: Sequence[StepTime], ms: float) -> StepTime:
    return min(steps, key=lambda step: abs(step.ms - ms))


def _journal(run: TimedRun, step: StepTime) -> Sequence[Record]:
    """Return the records of the step's episode. Every episode's first record is its start."""
    wanted = step.passages[0].episode
    return next(
        records
        for records in run.journals
        if any(isinstance(record, EpisodeStarted) and record.episode == wanted for record in records[:1])
    )


def _dropped(run: TimedRun, step: StepTime) -> bool:
    following = step.passages[0].step + 1
    return any(isinstance(record, Dropped) and record.step == following for record in _journal(run, step))


def _why(step: StepTime) -> str:
    first = step.passages[0]
    if not first.agreed:
        return "verdict B or C"
    return "new subgoal" if not first.kept else "asked again"


# ---------------------------------------------------------------------------- drawing
def check_plots(folder: Path | None) -> None:
    """Raise BadInput if plots are wanted and cannot be made; call it before a long measurement."""
    if folder is None:
        return
    if importlib.util.find_spec("matplotlib") is None:
        raise BadInput("--plot: matplotlib is not installed; pip install 'manyhands[bench]'")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--plot {folder}: that is a file; name a folder")


def draw_steps(drawn: Sequence[Panel], folder: Path) -> tuple[Path, Path]:
    """Write ``step_gantt.png`` and ``step_gantt.svg`` into ``folder`` and return their paths. Raises BadInput."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    longest = max(panel.length_s for panel in drawn)
    figure = Figure(figsize=(8.6, _PANEL_INCHES * len(drawn) + 0.7), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)  # neither a display nor global state
    axes = [row[0] for row in figure.subplots(len(drawn), 1, squeeze=False)]
    for axis, panel in zip(axes, drawn, strict=True):
        _draw_panel(axis, panel, longest)
        axis.tick_params(axis="x", labelbottom=axis is axes[-1])
    axes[-1].set_xlabel("seconds from one action sent to the next one sent")
    figure.legend(handles=_legend(), loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return _save(figure, folder)


def _save(figure: Figure, folder: Path) -> tuple[Path, Path]:
    from matplotlib import rc_context

    png, svg = folder / f"{NAME}.png", folder / f"{NAME}.svg"
    # A fixed salt and no date: the same figure gives the same file, so that a commit shows real changes only.
    with rc_context({"svg.hashsalt": NAME, "svg.fonttype": "path"}):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            figure.savefig(png, dpi=_DPI, metadata={"Software": None})
            figure.savefig(svg, metadata={"Date": None})
        except OSError as error:
            raise BadInput(f"--plot {folder}: {error.strerror or error}") from error
    return png, svg


def _draw_panel(axes: Axes, panel: Panel, longest_s: float) -> None:
    """Draw one step on an axis of ``longest_s``: a row for each stage, the gate, the actions sent."""
    rows = rows_of(panel.bars)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(True, axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for bar in panel.bars:
        _draw(axes, bar, rows, longest_s)
    _draw_gate(axes, panel.bars, rows, panel.length_s)
    axes.axvline(panel.length_s, color=BLACK, linewidth=1.4)
    axes.axvline(0, color=BLACK, linewidth=1.4)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(-0.01 * longest_s, longest_s * 1.01)
    axes.tick_params(axis="y", length=0)
    axes.set_title(panel.title, loc="left", fontsize=10, fontweight="bold")


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


def _legend() -> list[Artist]:
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
