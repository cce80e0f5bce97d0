"""A comparison as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from manyhands.evaluation.comparison.cells import Sheet
from manyhands.evaluation.comparison.compare import Comparison
from manyhands.evaluation.comparison.plots import Plot
from manyhands.evaluation.comparison.sheets import NOTE, sheets, stand_ins
from manyhands.evaluation.markdown import escaped, table


def page(comparison: Comparison, plots: Sequence[Plot], command: str) -> str:
    """Return the page; ``plots`` lie beside it."""
    return "\n".join(_lines(comparison, plots, command)) + "\n"


def _lines(comparison: Comparison, plots: Iterable[Plot], command: str) -> Iterator[str]:
    yield f"# Comparison\n\nMade from run folders by `{command}`. `docs/metrics.md` defines the metrics."
    yield "\nWhat ran, by the runs' own words:\n"
    yield from (f"- {escaped(line)}" for line in stand_ins(comparison))
    yield f"\n{NOTE}"
    for sheet in sheets(comparison):
        yield from _sheet(sheet)
    for plot in plots:
        yield f"\n## {escaped(plot.title)}\n"
        if plot.svg is not None:
            yield f"![{escaped(plot.title)}]({plot.svg.name})"
        else:
            yield f"Not drawn: {escaped(plot.reason)}."


def _sheet(sheet: Sheet) -> Iterator[str]:
    yield f"\n## {sheet.title}\n"
    yield from table(sheet.columns, sheet.rows)
    if sheet.notes:
        yield "\nNot known:\n"
        yield from (f"- {escaped(note)}" for note in sheet.notes)
