"""Make the cells and rows of a comparison's tables."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from manyhands.evaluation.comparison.compare import Judged, MeanValue
from manyhands.evaluation.metrics.figure import Figure
from manyhands.evaluation.metrics.table import METRICS, Unit
from manyhands.evaluation.published import INSTRUCTIONS_TABLE, published

NOTHING = "-"
ALL = "all"
PAPER = "paper: "
"""Begins the names of rows that hold a paper's figures."""


@dataclass(frozen=True)
class ComparisonTable:
    """Hold a table as text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def format_value(value: float | None, unit: Unit) -> str:
    """Return a value in the form of the papers: one decimal, shares in percent."""
    if value is None:
        return NOTHING
    return f"{value * 100:.1f}" if unit == "share" else f"{value:.1f}"


def figure_cell(figure: Figure, unit: Unit) -> str:
    """Return the cell for a figure of one run. If the figure covers only some tasks, say how many."""
    return format_value(figure.value, unit) + _partly(figure.covers, figure.tasks)


def _partly(covers: int, tasks: int) -> str:
    return f" ({covers} of {tasks} tasks)" if 0 < covers < tasks else ""


def column_title(name: str) -> str:
    return f"{name}, %" if METRICS[name].unit == "share" else name


def label_judgement(system: str, judged: Judged) -> str:
    """Return a system's name and who judged it."""
    return f"{system} ({'phone' if judged.judge is None else f'{judged.source} {judged.judge}'})"


def value_cell(value: MeanValue, unit: Unit, says_of: bool = True) -> str:
    """Return the cell for a mean and its spread. With ``says_of``, name the number of tasks if some are left out."""
    spread = "" if value.spread is None else f" ± {format_value(value.spread, unit)}"
    return format_value(value.mean, unit) + spread + (_partly(value.covers, value.tasks) if says_of else "")


def published_rows(
    tables: Sequence[tuple[str, int]], metrics: Sequence[str], parts: Container[str] = ()
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of metrics that papers published, table by table.

    Mobile-Agent's table 2 has a row for each instruction, too, of which those for ``parts`` are yielded.
    """
    data = published()
    for paper, number in tables:
        table = data.table(paper, number)
        instructions = data.instruction_rows(parts) if (paper, number) == INSTRUCTIONS_TABLE else ()
        for row in (*table.read(), *instructions):
            name = f"{PAPER}{row.system}, {row.model} ({data.papers[paper].title}, table {number})"
            cells = [format_value(row.figures.get(metric), METRICS[metric].unit) for metric in metrics]
            yield name, f"{row.set}, {row.level}" if row.level else row.set, *cells
