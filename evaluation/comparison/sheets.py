"""Tables in the layout of the papers: our systems first, then the papers' own rows, marked as of others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from manyhands.evaluation.comparison.cells import (
    ALL,
    NOTHING,
    PAPER,
    Sheet,
    column,
    named,
    published_rows,
    value_cell,
)
from manyhands.evaluation.comparison.compare import Comparison, Judged, KnowledgeScore, Value
from manyhands.evaluation.comparison.evolution import evolution_sheets
from manyhands.evaluation.metrics.score import NOT_OF, STATE
from manyhands.evaluation.metrics.table import METRICS
from manyhands.evaluation.published import LEVELS, OF_OTHERS

NOTE = f"Rows that begin with '{PAPER.strip()}' are {OF_OTHERS}: what was published, not who is better."
COSTS = {
    "calls": ("calls", 1),
    "pictures": ("pictures", 1),
    "input_tokens": ("tokens in", 0),
    "output_tokens": ("tokens out", 0),
    "cached_share": ("cached", None),
    "seconds": ("seconds", 1),
}
"""A step's costs, with the digits behind the point; None for a share."""


@dataclass(frozen=True)
class Layout:
    """Declare a table: the metrics of its columns, its levels of instructions, the papers' tables beside it."""

    title: str
    metrics: tuple[str, ...]
    levels: tuple[str, ...]
    tables: tuple[tuple[str, int], ...]
    knowledge: bool = False
    """Whether it has rows "+ Know."."""


LAYOUTS = (
    Layout("As Mobile-Agent, table 2", ("SR", "PS", "RE agent", "RE human", "CR"), LEVELS, (("v1", 2),)),
    Layout(
        "As Mobile-Agent-v2, tables 1, 2 and 4",
        ("SR", "CR", "DA", "RA"),
        ("basic", "advanced"),
        (("v2", 4), ("v2", 2), ("v2", 1)),
        knowledge=True,
    ),
    Layout(
        "As Mobile-Agent-E, tables 3 and 4",
        ("SS", "AA", "RA", "TE"),
        (),
        (("e", 3), ("e", 4)),
    ),
    Layout("As Mobile-Agent-E, table 5", ("s/op roles", "s/op all", "shortcuts"), (), (("e", 5),)),
)


def sheets(comparison: Comparison) -> list[Sheet]:
    """Return all tables of a comparison."""
    layouts = (_sheet(layout, comparison) for layout in LAYOUTS)
    return [_systems(comparison), *layouts, *evolution_sheets(comparison), _costs(comparison)]


def stand_ins(comparison: Comparison) -> tuple[str, ...]:
    """Return what the runs say that they ran with, a line each: stand-ins are named by their own sources."""
    lines: dict[str, list[str]] = defaultdict(list)
    for system in comparison.systems:
        said = {"model": system.model_source, "phones": system.phones_source, "perception": system.perception_source}
        for what, sources in said.items():
            for source in sources:
                lines[f"{what}: {source}"].append(system.name)
    everyone = len(comparison.systems)
    return tuple(line if len(names) == everyone else f"{', '.join(names)}: {line}" for line, names in lines.items())


def _systems(comparison: Comparison) -> Sheet:
    rows = []
    for system in comparison.systems:
        left = ", ".join(f"{count} {ending}" for ending, count in system.left_out.items())
        counts = (str(len(system.runs)), str(system.asked), str(system.decided), left or "none")
        rows.append((system.name, *counts, ", ".join(system.runs)))
    return Sheet("Systems", ("system", "runs", "tasks", "decided", "left out", "folders"), tuple(rows))


def _sheet(layout: Layout, comparison: Comparison) -> Sheet:
    columns = ("system", "tasks", *(column(name) for name in layout.metrics))
    rows, notes = list[tuple[str, ...]](), dict[str, None]()
    for system in comparison.systems:
        for judged in system.judged:
            for level, figures in _by_level(judged, layout.levels):
                cells = [value_cell(figures[name], METRICS[name].unit) for name in layout.metrics]
                if any(cell != NOTHING for cell in cells) or (level == ALL and judged.source == STATE):
                    rows.append((named(system, judged), level, *cells))
        if layout.knowledge and system.knowledge is not None:
            rows.append(_with_knowledge(system.name, system.knowledge, layout.metrics))
        notes |= dict.fromkeys(_reasons(system.judged, layout.metrics))
    return Sheet(layout.title, columns, (*rows, *published_rows(layout.tables, layout.metrics)), tuple(notes))


def _with_knowledge(system: str, known: KnowledgeScore, metrics: Sequence[str]) -> tuple[str, ...]:
    """Return the row over all tasks of the runs before, of which no judge has seen both runs."""
    cells = (value_cell(known.SR, METRICS[name].unit) if name == "SR" else NOTHING for name in metrics)
    return f"{system} + Know. (phone)", f"{ALL} of {', '.join(known.runs)}", *cells


def _by_level(judged: Judged, levels: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Value]]]:
    yield ALL, judged.figures
    for level in levels:
        if level in judged.by_level:
            yield level, judged.by_level[level]


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


def _costs(comparison: Comparison) -> Sheet:
    rows = [
        (system.name, *(_cost_cell(system.costs[name], digits) for name, (_, digits) in COSTS.items()))
        for system in comparison.systems
    ]
    heads = (f"{head}, %" if digits is None else head for head, digits in COSTS.values())
    return Sheet("Of a step", ("system", *heads), tuple(rows))


def _cost_cell(value: Value, digits: int | None) -> str:
    if value.mean is None:
        return NOTHING
    factor, places = (100, 1) if digits is None else (1, digits)
    text = f"{value.mean * factor:,.{places}f}"
    return text if value.spread is None else f"{text} ± {value.spread * factor:,.{places}f}"
