"""``manyhands suite score`` and ``compare``: measure runs as papers do, and show them beside the papers' figures."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import say_json, table, text_console
from manyhands.evaluation.judgements.judgements import KINDS, JudgePair, JudgesAgreement
from manyhands.evaluation.plots import check_plots
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.evaluation.comparison.compare import SystemComparison
    from manyhands.evaluation.comparison.systems import Entry
    from manyhands.evaluation.metrics.score import RunScore, SourceScore

SCORE_EXAMPLE = "Example: manyhands suite score runs/20260102-101500_demo. docs/metrics.md defines each figure."

ORIGINS = {
    "goal": "in the words of the goals",
    "paper": "of the paper",
    "ours": "ours",
    "authors": "of the paper's authors",
    "task": "of the file of tasks",
}


@options.reads_runs
def score(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.", show_default=False)],
    as_json: options.AsJson = False,
) -> None:
    """Score runs by the papers' metrics, separately for each judge: the phone's state, each person, each model."""
    from manyhands.evaluation.metrics.score import score_folder

    scores = [score_folder(run) for run in runs]
    if as_json:
        say_json([score.model_dump(mode="json") for score in scores])
        return
    console = text_console()
    for score in scores:
        _tell(console, score)


def _tell(console: Console, score: RunScore) -> None:
    from manyhands.evaluation.comparison.cells import column_title, figure_cell
    from manyhands.evaluation.metrics.table import METRICS

    left_out = ", ".join(f"{count} {ending}" for ending, count in score.left_out.items())
    console.print(
        Text(f"{score.run}: profile {score.profile}{score.departures}, {count_noun(score.asked, 'task')}", style="bold")
    )
    console.print(Text(f"decided: {score.decided}; in no figure: {left_out or 'none'}"))
    for what, source in (
        ("model", score.model_source),
        ("phones", score.phones_source),
        ("perception", score.perception_source),
    ):
        if source:
            console.print(Text(f"{what}: {source}", style="dim"))
    if score.rubric_origins:
        origins = (f"{count} {ORIGINS[origin]}" for origin, count in score.rubric_origins.items())
        console.print(Text(f"rubrics (SS): {', '.join(origins)}", style="dim"))
    heads = [_who(one) for one in score.sources]
    rows = [
        (column_title(name), *(figure_cell(one.figures[name], metric.unit) for one in score.sources), metric.title)
        for name, metric in METRICS.items()
    ]
    console.print(table(None, ("metric", *heads, "what"), rows))
    for head, one in zip(heads, score.sources, strict=True):
        for reason, names in _missing(one).items():
            console.print(Text(f"{head}: no {', '.join(names)}: {reason}", style="dim"))
        for name, figure in one.figures.items():
            for reason, count in figure.without.items():
                console.print(Text(f"{head}: {name} without {count_noun(count, 'task')}: {reason}", style="dim"))
    if score.agreement:
        _tell_agreement(console, score.agreement)
    console.print()


def _tell_agreement(console: Console, pairs: Sequence[JudgePair]) -> None:
    """Print Cohen's kappa of every two judges, and the number of things that both judged."""
    rows = [(_judges(pair), *(_agreed(pair.kinds[kind]) for kind in KINDS)) for pair in pairs]
    console.print(table("Cohen's kappa", ("judges", *KINDS), rows))


def _judges(pair: JudgePair) -> str:
    return " and ".join(f"{source} {judge}" for source, judge in zip(pair.sources, pair.judges, strict=True))


def _agreed(one: JudgesAgreement) -> str:
    if one.kappa is not None:
        return f"{one.kappa:.2f} ({one.same} of {one.compared} the same)"
    return f"- (all {one.compared} the same)" if one.compared else "-"


def _who(one: SourceScore) -> str:
    return "phone's state" if one.judge is None else f"{one.source} {one.judge}"


def _missing(one: SourceScore) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for name, figure in one.figures.items():
        if figure.reason is not None:
            reasons.setdefault(figure.reason, []).append(name)
    return reasons


COMPARE_EXAMPLE = (
    "Example: manyhands suite compare runs/20260102-101500_v2 runs/20260102-113000_e --write compared. "
    "Runs that differ in seeds alone are one system, with mean and standard deviation."
)
PAGE, DATA = "comparison.md", "comparison.json"


@options.reads_runs
def compare(
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
        _tell_comparison(comparison, paths)


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


def _tell_comparison(comparison: SystemComparison, paths: list[Path]) -> None:
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


SUBCOMMANDS = {
    "score": Subcommand(score, SCORE_EXAMPLE),
    "compare": Subcommand(compare, COMPARE_EXAMPLE),
}
