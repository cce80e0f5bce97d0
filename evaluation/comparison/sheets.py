"""Make a comparison's tables in the layout of the papers, and its page. Our systems come before the papers' rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from manyhands.evaluation.comparison.cells import (
    ALL,
    NOTHING,
    PAPER,
    ComparisonTable,
    column_title,
    label_judgement,
    published_rows,
    value_cell,
)
from manyhands.evaluation.comparison.compare import Judged, KnowledgeScore, MeanValue, SystemComparison, stand_ins
from manyhands.evaluation.comparison.evolution import evolution_sheets
from manyhands.evaluation.comparison.plots import Plot
from manyhands.evaluation.markup import escaped, table
from manyhands.evaluation.metrics.outcomes import STATE
from manyhands.evaluation.metrics.score import NOT_OF
from manyhands.evaluation.metrics.table import METRICS, columns_of
from manyhands.evaluation.published import OF_OTHERS
from manyhands.protocol.profiles import ComparisonSheet, registered_profiles

NOTE = f"Rows that begin with '{PAPER.strip()}' are {OF_OTHERS}: what was published, not who is better."
KNOWLEDGE = " + Know."
COSTS = {
    "calls": ("calls", 1),
    "pictures": ("pictures", 1),
    "input_tokens": ("tokens in", 0),
    "output_tokens": ("tokens out", 0),
    "cached_share": ("cached", None),
    "seconds": ("seconds", 1),
}
"""The costs of a step: the column's title and the number of decimals; None for a share."""


def declared_sheets() -> tuple[ComparisonSheet, ...]:
    """Return the tables that the papers' profiles declare."""
    return tuple(sheet for one in registered_profiles().declarations.values() for sheet in one.sheets)


def metrics_of(sheet: ComparisonSheet) -> tuple[str, ...]:
    """Return the metrics in a sheet's columns: those that the sheet names, else those that declare a column there."""
    return columns_of(sheet.columns) if isinstance(sheet.columns, str) else sheet.columns


def sheets(comparison: SystemComparison) -> list[ComparisonTable]:
    """Return all tables of a comparison."""
    declared = (_sheet(sheet, comparison) for sheet in declared_sheets())
    return [_systems(comparison), *declared, *evolution_sheets(comparison), _costs(comparison)]


def _systems(comparison: SystemComparison) -> ComparisonTable:
    rows = []
    for system in comparison.systems:
        left_out = ", ".join(f"{count} {ending}" for ending, count in system.left_out.items())
        counts = (str(len(system.runs)), str(system.asked), str(system.decided), left_out or "none")
        rows.append((system.name, *counts, ", ".join(system.runs)))
    return ComparisonTable("Systems", ("system", "runs", "tasks", "decided", "left out", "folders"), tuple(rows))


def _sheet(sheet: ComparisonSheet, comparison: SystemComparison) -> ComparisonTable:
    metrics = metrics_of(sheet)
    columns = ("system", "tasks", *(column_title(name) for name in metrics))
    rows, notes = list[tuple[str, ...]](), dict[str, None]()
    for system in comparison.systems:
        ours = list(_rows(system.name, system.judged, sheet, metrics))
        if ours:
            notes |= dict.fromkeys(_reasons(system.judged, metrics))
        rows += ours
        if sheet.knowledge and system.knowledge is not None:
            rows += _rows_with_knowledge(system.name, system.knowledge, sheet, metrics)
            if system.knowledge.reason is not None:
                notes[f"{system.name}{KNOWLEDGE}: {system.knowledge.reason}"] = None
    theirs = published_rows(sheet.tables, metrics, {row[1] for row in rows})
    return ComparisonTable(sheet.title, columns, (*rows, *theirs), tuple(notes))


def _rows(
    system: str, sources: Iterable[Judged], sheet: ComparisonSheet, metrics: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Yield a system's rows: for each source over all tasks, and over those of each level."""
    for judged in sources:
        for level, figures in _groups(judged, sheet):
            cells = [value_cell(figures[name], METRICS[name].unit) for name in metrics]
            if any(cell != NOTHING for cell in cells) or (level == ALL and judged.source == STATE):
                yield label_judgement(system, judged), level, *cells


def _rows_with_knowledge(
    system: str, knowledge: KnowledgeScore, sheet: ComparisonSheet, metrics: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Yield the rows over the tasks of the earlier runs, of which the failed ones were repeated."""
    for name, level, *cells in _rows(f"{system}{KNOWLEDGE}", knowledge.judged, sheet, metrics):
        yield name, f"{level} of {', '.join(knowledge.runs)}", *cells


def _groups(judged: Judged, sheet: ComparisonSheet) -> Iterator[tuple[str, Mapping[str, MeanValue]]]:
    """Yield the figures of a sheet's rows: over all tasks, those of each level, and those of each part of its suite."""
    if sheet.levels or not sheet.suite:
        yield ALL, judged.figures
    for level in sheet.levels:
        if level in judged.by_level:
            yield level, judged.by_level[level]
    yield from judged.by_part.get(sheet.suite, {}).items()


def _reasons(judged: Iterable[Judged], metrics: Sequence[str]) -> Iterator[str]:
    for one in judged:
        by_reason = defaultdict[str, list[str]](list)
        for name in metrics:
            reason = one.figures[name].reason
            if reason not in (None, NOT_OF["judge"]):
                assert reason is not None
                by_reason[reason].append(name)
        for reason, names in by_reason.items():
            yield f"{', '.join(names)} ({one.judge or 'phone and journals'}): {reason}"


def _costs(comparison: SystemComparison) -> ComparisonTable:
    rows = [
        (system.name, *(_cost_cell(system.costs[name], digits) for name, (_, digits) in COSTS.items()))
        for system in comparison.systems
    ]
    heads = (f"{head}, %" if digits is None else head for head, digits in COSTS.values())
    return ComparisonTable("Of a step", ("system", *heads), tuple(rows))


def _cost_cell(value: MeanValue, digits: int | None) -> str:
    if value.mean is None:
        return NOTHING
    factor, places = (100, 1) if digits is None else (1, digits)
    text = f"{value.mean * factor:,.{places}f}"
    return text if value.spread is None else f"{text} ± {value.spread * factor:,.{places}f}"


def render_page(comparison: SystemComparison, plots: Sequence[Plot], command: str) -> str:
    """Return the page of a comparison. The files of ``plots`` lie beside it."""
    return "\n".join(_lines(comparison, plots, command)) + "\n"


def _lines(comparison: SystemComparison, plots: Iterable[Plot], command: str) -> Iterator[str]:
    yield f"# Comparison\n\nMade from run folders by `{command}`. `docs/metrics.md` defines the metrics."
    yield "\nWhat ran, by the runs' own words:\n"
    yield from (f"- {escaped(line)}" for line in stand_ins(comparison))
    yield f"\n{NOTE}"
    for sheet in sheets(comparison):
        yield from _render_table(sheet)
    for plot in plots:
        yield f"\n## {escaped(plot.title)}\n"
        if plot.svg is not None:
            yield f"![{escaped(plot.title)}]({plot.svg.name})"
        else:
            yield f"Not drawn: {escaped(plot.reason)}."


def _render_table(sheet: ComparisonTable) -> Iterator[str]:
    yield f"\n## {sheet.title}\n"
    yield from table(sheet.columns, sheet.rows)
    if sheet.notes:
        yield "\nNot known:\n"
        yield from (f"- {escaped(note)}" for note in sheet.notes)
