"""Draw a typical step of each schedule as a Gantt chart.

matplotlib is in the extra ``bench``; it is imported only to draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from manyhands.benchmarks.step.figures import TimedRun
from manyhands.evaluation.plots import BLACK, GREEN, GREY, ORANGE, SKY, empty_figure, save_plot
from manyhands.evaluation.timing import StepTime
from manyhands.protocol.journals.records import (
    Acted,
    Perceived,
    Reflected,
    Restored,
    ScreenCaptured,
    StageDropped,
    StageFailed,
    StageRecord,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

NAME = "step_gantt"

Source = Literal["phone", "perception", "model"]
_COLOURS: Mapping[Source, str] = {"phone": SKY, "perception": GREEN, "model": ORANGE}
_BAR = 0.72
_LIGHT = 0.4
_SHORTEST_QUEUE_S = 0.02
_LABELLED_S = 0.09
"""Bars shorter than this share of the axis get no label with their seconds."""
_PANEL_INCHES = 1.9
Kind = Literal["firm", "assuming", "dropped"]


@dataclass(frozen=True, slots=True)
class GanttBar:
    """Hold a stage's interval, in seconds since the step began. Its first ``queue_s`` seconds were spent in queues."""

    row: str
    start_s: float
    end_s: float
    queue_s: float = 0.0
    kind: Kind = "firm"
    source: Source = "model"
    """What took the time."""
    verdict: bool = False
    """Whether the end of this stage opens the gate for the next action."""


def bars_of(records: Iterable[StageRecord], start: float, end: float) -> list[GanttBar]:
    """Return the bars between two moments (Unix seconds), cut off at both, in the order of their starts.

    A result that took no time has no bar.
    """
    cut = (
        replace(bar, start_s=max(bar.start_s, start) - start, end_s=min(bar.end_s, end) - start)
        for record in records
        for bar in _bars(record)
    )
    return sorted((bar for bar in cut if bar.end_s > bar.start_s), key=lambda bar: bar.start_s)


def _bars(record: StageRecord) -> list[GanttBar]:
    match record:
        case ScreenCaptured(span=span, screenshot=shot):
            at_rest = span.start + (shot.settling.ms / 1000 if shot.settling is not None else 0.0)
            queue_s = span.queue_ms / 1000
            return [
                GanttBar("settle", span.start, at_rest, source="phone"),
                GanttBar("capture", at_rest, span.end, min(queue_s, span.end - at_rest), source="phone"),
            ]
        case StageFailed():
            return []
        case StageRecord(span=span):
            kind: Kind = "dropped" if isinstance(record, StageDropped) else "assuming" if record.assumed else "firm"
            verdict = isinstance(record, Reflected)
            return [GanttBar(record.stage, span.start, span.end, span.queue_ms / 1000, kind, _source(record), verdict)]


def _source(record: StageRecord) -> Source:
    match record:
        case Acted() | Restored():
            return "phone"
        case Perceived():
            return "perception"
    return "model"


# ---------------------------------------------------------------------------- which steps
@dataclass(frozen=True, slots=True)
class Panel:
    """Hold one step to draw."""

    title: str
    length_s: float
    bars: Sequence[GanttBar]


def panels(runs: Mapping[str, TimedRun]) -> list[Panel]:
    """Choose a typical step of each schedule. Add a typical step with dropped work for schedules that dropped work."""
    panels_of_steps = []
    for name, run in runs.items():
        panels_of_steps.append(_panel(name, _typical(_whole(run.steps))))
        remade = [step for step in run.steps if _dropped(step)]
        if remade:
            typical = _typical(remade)
            panels_of_steps.append(_panel(f"{name}, {_dropped(typical)[0].stage} asked again", typical))
    return panels_of_steps


def _panel(title: str, step: StepTime) -> Panel:
    length_s = step.ms / 1000
    bars = bars_of(step.episode, step.start, step.start + length_s)
    return Panel(f"{title}: {length_s:.1f} s", length_s, bars)


def _typical(steps: Sequence[StepTime]) -> StepTime:
    """Return the step whose length is nearest to the median."""
    ms = median(step.ms for step in steps)
    return min(steps, key=lambda step: abs(step.ms - ms))


def _whole(steps: Sequence[StepTime]) -> Sequence[StepTime]:
    """Return the steps in which all stages asked a model, each just once; all steps if there is no such step."""
    stages_by_step = [{record.stage for record in step.records if record.calls} for step in steps]
    most = max(map(len, stages_by_step))
    whole = [step for step, stages in zip(steps, stages_by_step, strict=True) if len(stages) == most and _once(step)]
    return whole or steps


def _once(step: StepTime) -> bool:
    return not _dropped(step) and all(len(record.calls) <= 1 for record in step.records)


def _dropped(step: StepTime) -> list[StageDropped]:
    return [record for record in step.records if isinstance(record, StageDropped)]


# ---------------------------------------------------------------------------- drawing
def draw_steps(step_panels: Sequence[Panel], folder: Path) -> tuple[Path, Path]:
    """Write ``step_gantt.png`` and ``step_gantt.svg`` into ``folder``, and return their paths. Raises BadInput."""
    longest = max(panel.length_s for panel in step_panels)
    rows = tuple(dict.fromkeys(bar.row for panel in step_panels for bar in panel.bars))
    figure = empty_figure(8.6, _PANEL_INCHES * len(step_panels) + 0.7)
    axes = [row[0] for row in figure.subplots(len(step_panels), 1, squeeze=False)]
    for axis, panel in zip(axes, step_panels, strict=True):
        _draw_panel(axis, panel, rows, longest)
        axis.tick_params(axis="x", labelbottom=axis is axes[-1])
    axes[-1].set_xlabel("seconds from one action sent to the next one sent")
    figure.legend(handles=_legend(), loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return save_plot(figure, folder, NAME)


def _draw_panel(axes: Axes, panel: Panel, rows: Sequence[str], longest_s: float) -> None:
    """Draw one step on an axis of ``longest_s`` seconds: a row for each stage, the gate, and the actions sent."""
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


def _draw(axes: Axes, bar: GanttBar, rows: Sequence[str], longest_s: float) -> None:
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


def _style(bar: GanttBar) -> dict[str, Any]:
    if bar.kind == "dropped":
        return {"color": GREY, "alpha": 0.6}
    if bar.kind == "assuming":
        return {"color": _lighter(_COLOURS[bar.source]), "hatch": "///"}
    return {"color": _COLOURS[bar.source]}


def _draw_gate(axes: Axes, bars: Sequence[GanttBar], rows: Sequence[str], length_s: float) -> None:
    """Draw the gate for the next action, which the verdict opens."""
    verdict = max((bar for bar in bars if bar.verdict), key=lambda bar: bar.end_s, default=None)
    if verdict is None:
        return
    opened, row = min(verdict.end_s, length_s), rows.index(verdict.row)
    axes.plot([opened, opened], [row, len(rows) - 0.4], color=BLACK, linewidth=1, linestyle="--")
    axes.plot([opened], [row + _BAR / 2], marker="v", color=BLACK, markersize=5, clip_on=False)


def _legend() -> list[Artist]:
    """Return the legend for the whole figure."""
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
