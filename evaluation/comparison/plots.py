"""Plot a comparison: satisfaction by steps, errors by thirds of failed episodes, figures by place in the scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.evaluation.comparison.compare import Judged, SystemComparison, stand_ins
from manyhands.evaluation.comparison.evolution import draw_panels, in_scenarios, panel_rows
from manyhands.evaluation.metrics.curves import THIRDS, Satisfaction, Thirds, regression
from manyhands.evaluation.plots import BLACK, GREY, empty_figure, frame, save_plot, style
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PHONE = "the phone's state"
_BAR = 0.8
NOTHING = (0,) * THIRDS


@dataclass(frozen=True)
class Plot:
    """Hold the files of a plot, or the reason why it was not drawn."""

    title: str
    png: Path | None = None
    svg: Path | None = None
    reason: str = ""


def draw(comparison: SystemComparison, folder: Path) -> list[Plot]:
    """Write the plots to ``folder``, separately for each source of judgement, and return them. Raises BadInput."""
    return [*_curves(comparison, folder), *_all_thirds(comparison, folder), *_evolution(comparison, folder)]


def _curves(comparison: SystemComparison, folder: Path) -> Iterator[Plot]:
    """Yield a plot of the satisfaction score (SSS) for the phone's state and one for each judge."""
    for judge in _judges(comparison):
        title = f"Satisfaction score by steps, by {judge or PHONE}: a line for each task, and those of least squares"
        by_system = {name: judged.satisfaction for name, judged in _said_by(comparison, judge)}
        curved = {name: curves for name, curves in by_system.items() if any(one.polylines for one in curves)}
        if curved:
            figure = empty_figure(7.2, 4.6)
            draw_satisfaction(figure.subplots(), curved, judge or PHONE)
            yield _saved(figure, comparison, folder, _name("sss", judge), title)
        else:
            reasons = (one.reason for curves in by_system.values() for one in curves if one.reason)
            yield Plot(title, reason=next(reasons, "no run"))


def _all_thirds(comparison: SystemComparison, folder: Path) -> Iterator[Plot]:
    """Yield a plot of thirds for the agents' own verdicts and one for each judge."""
    for judge in _judges(comparison):
        who = judge or "the agent's own verdicts"
        title = f"Thirds of failed episodes in which wrong and ineffective operations lie, by {who}"
        if judge is None:
            thirds_by_system = {system.name: system.verdict_thirds for system in comparison.systems}
        else:
            thirds_by_system = {name: judged.thirds for name, judged in _said_by(comparison, judge)}
        count_noun = {
            name: thirds for name, thirds in thirds_by_system.items() if thirds is not None and thirds.reason is None
        }
        if count_noun:
            figure = empty_figure(7.2, 3.6)
            _thirds(figure.subplots(), count_noun, who)
            yield _saved(figure, comparison, folder, _name("thirds", judge), title)
        else:
            reasons = (thirds.reason for thirds in thirds_by_system.values() if thirds is not None and thirds.reason)
            yield Plot(title, reason=next(reasons, "no run"))


def _evolution(comparison: SystemComparison, folder: Path) -> Iterator[Plot]:
    """Yield a plot of figures by place in the scenario for the phone's state and one for each judge.

    Yield none if no task has a scenario.
    """
    for judge in dict.fromkeys(judged.judge for _, judged in in_scenarios(comparison)):
        figure = empty_figure(9.6, 2.9 * panel_rows())
        draw_panels(figure, comparison, judge)
        title = f"By the place of tasks in their scenarios, by {judge or PHONE} and the journals"
        yield _saved(figure, comparison, folder, _name("evolution", judge), title)


def _judges(comparison: SystemComparison) -> list[str | None]:
    """Return the sources of judgement: None for the phone's state, and the names of judges."""
    return list(dict.fromkeys(judged.judge for system in comparison.systems for judged in system.judged))


def _said_by(comparison: SystemComparison, judge: str | None) -> Iterator[tuple[str, Judged]]:
    for system in comparison.systems:
        for judged in system.judged:
            if judged.judge == judge:
                yield system.name, judged


def _name(name: str, judge: str | None) -> str:
    return name if judge is None else f"{name}_{judge}"


def _saved(figure: Figure, comparison: SystemComparison, folder: Path, name: str, title: str) -> Plot:
    """Write below the picture what ran, because pictures are shown without their page. Then save the picture."""
    figure.supxlabel("\n".join(stand_ins(comparison)), fontsize=6, color=GREY, x=0.01, ha="left")
    return Plot(title, *save_plot(figure, folder, name, "--write"))


def draw_satisfaction(axes: Axes, systems: Mapping[str, Sequence[Satisfaction]], who: str) -> None:
    """Draw the SSS curves of systems: of one task its line, of several all lines and that of least squares."""
    for place, (name, curves) in enumerate(systems.items()):
        colour, dash = style(place)
        lines = [line.points for curve in curves for line in curve.polylines]
        if len(lines) == 1:  # figure 5 (a): of one task, the line itself
            axes.plot(*zip(*lines[0], strict=True), color=colour, linestyle=dash, linewidth=2.4, label=name)
            continue
        for points in lines:
            axes.plot(*zip(*points, strict=True), color=colour, linewidth=0.7, alpha=min(0.5, 4 / len(lines) + 0.05))
        slope, start = regression([point for points in lines for point in points])
        label = f"{name}: {slope:.2f} x + {start:.2f}, {count_noun(len(lines), 'episode')}"
        axes.plot([0, 1], [start, start + slope], color=colour, linestyle=dash, linewidth=2.4, label=label)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.03)
    axes.set_xlabel("steps done, of all steps of the episode")
    axes.set_ylabel(f"satisfaction score, by {who}")
    frame(axes)


def _thirds(axes: Axes, systems: Mapping[str, Thirds], who: str) -> None:
    from matplotlib.ticker import MaxNLocator

    width = _BAR / len(systems)
    for place, (name, thirds) in enumerate(systems.items()):
        colour, _ = style(place)
        wrong, ineffective = thirds.wrong or NOTHING, thirds.ineffective or NOTHING
        bar_places = [third - _BAR / 2 + (place + 0.5) * width for third in range(THIRDS)]
        kinds = "" if thirds.ineffective is not None else ", both kinds together"
        label = f"{name}: {thirds.episodes} failed{kinds}"
        axes.bar(bar_places, wrong, width * 0.92, color=colour, edgecolor=BLACK, linewidth=0.6, label=label)
        axes.bar(
            bar_places,
            ineffective,
            width * 0.92,
            bottom=wrong,
            color="white",
            edgecolor=colour,
            hatch="///",
            linewidth=0.6,
        )
    axes.set_xticks(range(THIRDS), ["first third", "second third", "last third"])
    has_ineffective = any(thirds.ineffective is not None for thirds in systems.values())
    axes.set_ylabel("wrong (solid), ineffective (hatched)" if has_ineffective else "wrong or ineffective")
    axes.set_xlabel(f"place in the sequence of operations; by {who}")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    frame(axes)
