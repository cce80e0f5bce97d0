"""``manyhands flow figures``: say what flows saved in a run, and where screens were others than theirs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import say_json, table, text_console
from manyhands.protocol.errors import BadInput

if TYPE_CHECKING:  # heavy imports stay inside: help must be fast
    from manyhands.evaluation.flow_figures import FlowFigures

EXAMPLE = "Example: manyhands flow figures runs/20260102-101500_note. Exit codes: 0, 2 bad input."


@options.reads_runs
def command(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.", show_default=False)],
    as_json: options.AsJson = False,
) -> None:
    """Say what the flows of a run saved, and where screens were others than theirs.

    What is saved is compared with the episode that a flow was made from. A step is flaky in the share of episodes in
    which its screen was another one at first.
    """
    from manyhands.evaluation.flow_figures import figures_of
    from manyhands.evaluation.run_folder import RunFolder

    figures = figures_of(RunFolder(folder))
    if not figures:
        raise BadInput(f"{folder}: no episode followed a flow; 'flow run' makes such runs")
    if as_json:
        say_json({task: _value(one) for task, one in figures.items()})
    else:
        _print(figures)


def _value(figures: FlowFigures) -> dict[str, Any]:
    steps = {
        number + 1: {
            "action": step.words,
            "episodes": step.episodes,
            "moves": dict(step.moves),
            "flakiness": round(step.flakiness, 3),
            "reasons": {reason: sorted(models) for reason, models in step.reasons.items()},
        }
        for number, step in sorted(figures.steps.items())
    }
    return {
        "episodes": figures.episodes,
        "verified": figures.verified,
        "by_flow_alone": figures.by_flow_alone,
        "calls": figures.calls,
        "saved_calls": figures.saved_calls,
        "saved_s": round(figures.saved_s, 1),
        "median_s": None if figures.median_s is None else round(figures.median_s, 1),
        "other_versions": {text: sorted(models) for text, models in figures.other_versions.items()},
        "steps": steps,
    }


def _print(figures: Mapping[str, FlowFigures]) -> None:
    console = text_console()
    rows = [
        (
            task,
            f"{one.verified} of {one.episodes}",
            str(one.by_flow_alone),
            str(one.calls),
            str(one.saved_calls),
            f"{one.saved_s:.0f}",
            "" if one.median_s is None else f"{one.median_s:.1f}",
        )
        for task, one in figures.items()
    ]
    heads = ("flow", "verified", "without a model", "calls", "calls saved", "s saved", "median s")
    console.print(table(None, heads, rows))
    troubles = [
        (task, str(number + 1), step.words, f"{step.troubled} of {step.episodes}", reason, ", ".join(sorted(models)))
        for task, one in figures.items()
        for number, step in sorted(one.steps.items())
        if step.troubled
        for reason, models in (step.reasons or {"the flow went on by itself": set()}).items()
    ]
    others = [
        (task, text, ", ".join(sorted(models)))
        for task, one in figures.items()
        for text, models in one.other_versions.items()
    ]
    if others:
        console.print(table("\nOther versions", ("flow", "what", "phones"), others))
    if troubles:
        console.print(table("\nOther screens", ("flow", "step", "action", "episodes", "why", "phones"), troubles))
