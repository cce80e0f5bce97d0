"""Show how tasks taught each other, by their place in the scenario (Mobile-Agent-E, figure 6 and table 6)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from textwrap import fill
from typing import TYPE_CHECKING

from manyhands.evaluation.comparison.cells import (
    NOTHING,
    ComparisonTable,
    column_title,
    label_judgement,
    published_rows,
    value_cell,
)
from manyhands.evaluation.comparison.compare import Judged, SystemComparison, SystemScore
from manyhands.evaluation.metrics.outcomes import STATE
from manyhands.evaluation.metrics.score import LATER
from manyhands.evaluation.metrics.table import METRICS, columns_of
from manyhands.evaluation.plots import frame, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BY_TIPS = "SS tips"


def evolution_sheets(comparison: SystemComparison) -> Iterator[ComparisonTable]:
    """Yield the tables of evolution. Yield none if no task has a scenario and no learned shortcut was used."""
    if any(True for _ in in_scenarios(comparison)):
        yield _by_place(comparison)
    if any(judged.by_tips is not None for system in comparison.systems for judged in system.judged):
        yield _by_tips(comparison)


def in_scenarios(comparison: SystemComparison) -> Iterator[tuple[SystemScore, Judged]]:
    """Yield the systems whose tasks have places in scenarios, with each source's figures."""
    for system in comparison.systems:
        for judged in system.judged:
            if judged.by_place:
                yield system, judged


def _by_place(comparison: SystemComparison) -> ComparisonTable:
    judgements, metrics = list(in_scenarios(comparison)), columns_of("places")
    places = {place for _, judged in judgements for place in judged.by_place}
    rows = []
    for place in sorted(places, key=lambda place: (place == LATER, place)):
        for system, judged in judgements:
            figures = judged.by_place.get(place)
            if figures is None:
                continue
            cells = [value_cell(figures[name], METRICS[name].unit) for name in metrics]
            if judged.source == STATE or any(cell != NOTHING for cell in cells):
                rows.append((label_judgement(system.name, judged), place, str(figures["SS"].tasks), *cells))
    columns = ("system", "place", "tasks", *map(column_title, metrics))
    return ComparisonTable(
        "As Mobile-Agent-E, figure 6: by the place of tasks in their scenarios", columns, tuple(rows)
    )


def _by_tips(comparison: SystemComparison) -> ComparisonTable:
    rows, notes = [], dict[str, None]()
    for system in comparison.systems:
        for judged in system.judged:
            value = judged.by_tips
            if value is None:
                continue
            rows.append(
                (
                    label_judgement(system.name, judged),
                    f"{value.covers} of {value.tasks}",
                    value_cell(value, "share", False),
                )
            )
            if value.reason:
                notes[f"{column_title(_BY_TIPS)} ({label_judgement(system.name, judged)}): {value.reason}"] = None
    published = published_rows((("e", 6),), (_BY_TIPS,))
    title = "As Mobile-Agent-E, table 6: tasks in which no run compared used a learned shortcut"
    return ComparisonTable(title, ("system", "tasks", column_title(_BY_TIPS)), (*rows, *published), tuple(notes))


def panel_rows() -> int:
    """Return the number of rows of panels, two panels in a row."""
    return -(-len(columns_of("panels")) // 2)


def draw_panels(figure: Figure, comparison: SystemComparison, judge: str | None) -> None:
    """Draw figures against the place in the scenario: a line for each system. A panel without a value says why.

    ``judge``: whose word counts where a judge may tell; None for the phone's state. The journals tell the rest.
    """
    panels = figure.subplots(panel_rows(), 2).flat
    for axes, name in itertools.zip_longest(panels, columns_of("panels")):
        if name is None:
            axes.set_visible(False)
        else:
            _draw_panel(axes, comparison, name, judge if "judge" in METRICS[name].bases else None)


def _draw_panel(axes: Axes, comparison: SystemComparison, name: str, judge: str | None) -> None:
    from matplotlib.ticker import MaxNLocator

    share = METRICS[name].unit == "share"
    sources = [(system, judged) for system, judged in in_scenarios(comparison) if judged.judge == judge]
    for place, (system, judged) in enumerate(sources):
        means = {where: figures[name].mean for where, figures in judged.by_place.items() if where != LATER}
        points = [(int(where), mean * (100 if share else 1)) for where, mean in means.items() if mean is not None]
        colour, dash = style(place)
        axes.plot(
            [x for x, _ in points],
            [y for _, y in points],
            color=colour,
            linestyle=dash,
            marker="o",
            markersize=4,
            label=system.name,
        )
    values = [figures[name] for _, judged in sources for figures in judged.by_place.values()]
    if all(value.mean is None for value in values):
        reason = next((value.reason for value in values if value.reason), "no task")
        axes.text(0.5, 0.5, fill(reason, 40), ha="center", va="center", transform=axes.transAxes, fontsize=7)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0, top=105 if share else None)
    axes.set_xlabel("place in the scenario")
    axes.set_ylabel(f"{METRICS[name].title}{', %' if share else ''}", fontsize=8)
    frame(axes)
