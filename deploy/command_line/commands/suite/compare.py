"""``manyhands suite compare``: show runs side by side, beside the papers' figures."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import say_json, table, text_console
from manyhands.evaluation.plots import check_plots
from manyhands.protocol.errors import BadInput

if TYPE_CHECKING:
    from manyhands.evaluation.comparison.compare import SystemComparison
    from manyhands.evaluation.comparison.systems import Entry

EXAMPLE = (
    "Example: manyhands suite compare runs/20260102-101500_v2 runs/20260102-113000_e --write compared. "
    "Runs that differ in seeds alone are one system, with mean and standard deviation."
)
PAGE, DATA = "comparison.md", "comparison.json"


def command(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...", help="Run folders; with NAME=FOLDER those of one name are one system.", show_default=False
        ),
    ],
    task: Annotated[
        list[str] | None,
        typer.Option(
            "--task",
            metavar="ID",
            help="Only this task, by its id or that of its instruction; repeatable. With one, as figure 5 (a) of E.",
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option("--write", help="Write a page of Markdown, its plots (PNG and SVG) and its JSON to this folder."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare runs in the layout of the papers' tables, beside the papers' own figures, which are marked as such."""
    from manyhands.evaluation.comparison.compare import compare
    from manyhands.evaluation.comparison.systems import systems_of

    check_plots(write, "--write")
    comparison = compare(systems_of([_entry(run) for run in runs], task or []))
    paths = (
        []
        if write is None
        else _write(comparison, write, [*runs, *(part for name in task or [] for part in ("--task", name))])
    )
    if as_json:
        say_json({**comparison.model_dump(mode="json"), "written": [str(path) for path in paths]})
    else:
        _tell(comparison, paths)


def _entry(run: str) -> Entry:
    """Read ``FOLDER`` or ``NAME=FOLDER``. A folder's own name may contain an equals sign."""
    from manyhands.evaluation.comparison.systems import Entry

    name, equals, folder = run.partition("=")
    if equals and name and not Path(run).exists():
        if not folder:
            raise BadInput(f"{run}: names no folder")
        return Entry(Path(folder), name)
    return Entry(Path(run))


def _write(comparison: SystemComparison, folder: Path, arguments: Sequence[str]) -> list[Path]:
    """Write page, plots and data. Raises BadInput."""
    from manyhands.evaluation.comparison.plots import draw
    from manyhands.evaluation.comparison.sheets import render_page

    plots = draw(comparison, folder)
    called = shlex.join(["manyhands", "suite", "compare", *arguments, "--write", str(folder)])
    paths = [folder / PAGE, folder / DATA]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths[0].write_text(render_page(comparison, plots, called), encoding="utf-8")
        paths[1].write_text(comparison.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--write {folder}: {error.strerror or error}") from error
    return [*paths, *(path for plot in plots for path in (plot.png, plot.svg) if path is not None)]


def _tell(comparison: SystemComparison, paths: list[Path]) -> None:
    from manyhands.evaluation.comparison.compare import stand_ins
    from manyhands.evaluation.comparison.sheets import NOTE, sheets

    console = text_console()
    console.print(Text(NOTE))  # first, because it is about the figures below
    for line in stand_ins(comparison):
        console.print(Text(line, style="dim"))
    for sheet in sheets(comparison):
        console.print(table(f"\n{sheet.title}", sheet.columns, sheet.rows))
        for note in sheet.notes:
            console.print(Text(f"not known: {note}", style="dim"))
    for path in paths:
        console.print(Text(str(path)), soft_wrap=True)
