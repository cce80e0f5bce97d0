"""``manyhands suite score``: compute the papers' metrics of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import say_json, table, text_console
from manyhands.evaluation.judgements.judgements import KINDS, JudgePair, JudgesAgreement
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.evaluation.metrics.score import RunScore, SourceScore

EXAMPLE = "Example: manyhands suite score runs/20260102-101500_demo. docs/metrics.md defines each figure."

ORIGINS = {
    "goal": "in the words of the goals",
    "paper": "of the paper",
    "ours": "ours",
    "authors": "of the paper's authors",
    "task": "of the file of tasks",
}


def command(
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
