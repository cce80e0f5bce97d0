"""The plots of ``manyhands bench step``: a typical step of each schedule, and how the steps' times are spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from manyhands.deploy.benchmarks.plots import LINES, new_figure, save
from manyhands.deploy.benchmarks.step.figures import ScheduleFigures, TimedRun
from manyhands.deploy.benchmarks.step.gantt import bars_of, draw_bars, legend
from manyhands.deploy.benchmarks.step.times import StepTime
from manyhands.protocol.records import Dropped, EpisodeStarted, Record

_PANEL_INCHES = 1.9
_STYLES = ("-", "--", "-.", ":")


@dataclass(frozen=True, slots=True)
class Panel:
    """One step to be drawn."""

    title: str
    step: StepTime
    records: Sequence[Record]

    @property
    def length_s(self) -> float:
        return self.step.ms / 1000

    @property
    def start(self) -> float:
        sent_at = self.step.passages[0].sent_at
        assert sent_at is not None
        return sent_at


def draw_step(runs: Mapping[str, TimedRun], figures: Mapping[str, ScheduleFigures], folder: Path) -> tuple[Path, ...]:
    """Draw ``step_gantt`` and ``step_times`` as PNG and SVG into ``folder``; their paths. Raises BadInput."""
    return (*_draw_gantt(panels(runs), folder), *_draw_times(runs, figures, folder))


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
    return Panel(f"{title}: {step.ms / 1000:.1f} s", step, _journal(run, step))


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
def _draw_gantt(drawn: Sequence[Panel], folder: Path) -> tuple[Path, ...]:
    longest = max(panel.length_s for panel in drawn)
    figure, axes = new_figure(8.6, _PANEL_INCHES * len(drawn) + 0.7, rows=len(drawn))
    for axis, panel in zip(axes, drawn, strict=True):
        start = panel.start
        bars = bars_of(panel.records, start, start + panel.length_s)
        draw_bars(axis, bars, panel.length_s, longest, panel.title)
        axis.tick_params(axis="x", labelbottom=axis is axes[-1])
    axes[-1].set_xlabel("seconds from one action sent to the next one sent")
    figure.legend(handles=legend(), loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return save(figure, folder, "step_gantt")


def _draw_times(runs: Mapping[str, TimedRun], figures: Mapping[str, ScheduleFigures], folder: Path) -> tuple[Path, ...]:
    figure, [axis] = new_figure(8.0, 4.2)
    for number, (name, run) in enumerate(runs.items()):
        colour, style = LINES[number % len(LINES)], _STYLES[number % len(_STYLES)]
        ranked = sorted(step.ms / 1000 for step in run.steps)
        shares = [(place + 1) / len(ranked) for place in range(len(ranked))]
        bound = figures[name].bound_ms / 1000
        axis.step([0.0, *ranked], [0.0, *shares], where="post", color=colour, linestyle=style, label=name)
        axis.plot([bound], [0.5], marker="D", color=colour, markersize=6, markeredgecolor="white", linestyle="none")
    axis.plot([], [], marker="D", color="#555555", linestyle="none", label="median of the steps' bounds")
    axis.axhline(0.5, color="#bbbbbb", linewidth=0.8)
    axis.set_xlim(left=0)
    axis.set_ylim(0, 1.02)
    axis.set_xlabel("step time in seconds")
    axis.set_ylabel("share of steps that took at most so long")
    figure.legend(loc="outside lower center", ncols=len(runs) + 1, fontsize=9, frameon=False)
    return save(figure, folder, "step_times")
