"""``manyhands diff``: compare two runs of the same tasks, task by task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, say_json, table, text_console
from manyhands.evaluation.results import TaskResult, results_of
from manyhands.evaluation.run_difference import WORTH_TELLING, RunDifference, TaskDifference, compare_runs
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.terminal_text import count_noun

EXAMPLE = (
    "Example: manyhands diff runs/20260102-101500_night runs/20260103-101500_night. "
    "Exit codes: 0 no task fails that passed before, 1 one does, 2 bad input."
)


def command(
    before: Annotated[Path, typer.Argument(help="The run folder to compare with.", show_default=False)],
    after: Annotated[Path, typer.Argument(help="The run folder that is looked at.", show_default=False)],
    as_json: options.AsJson = False,
) -> None:
    """Compare two runs task by task: what fails now, what passes now, what became slower, and why."""
    found = compare_runs(results_of(RunFolder(before)), results_of(RunFolder(after)), (str(before), str(after)))
    if as_json:
        say_json(found.model_dump(mode="json"))
    else:
        _print(found)
    raise typer.Exit(EXIT_FAILED if found.having("newly_failing") else 0)


def _print(found: RunDifference) -> None:
    console = text_console()
    changed = [task for change in WORTH_TELLING for task in found.having(change)]
    if changed:
        columns = ("task", "what", "before", "after", "steps", "seconds", "why")
        console.print(table(None, columns, map(_cells, changed)))
    same = len(found.tasks) - len(changed)
    console.print(f"{count_noun(len(changed), 'task')} differ, {same} do not.")


def _cells(task: TaskDifference) -> tuple[str, ...]:
    before, after = task.before, task.after
    return (
        task.task,
        task.change.replace("_", " "),
        _verdict(before),
        _verdict(after),
        f"{before.steps if before else '-'} to {after.steps if after else '-'}",
        f"{f'{before.seconds:.0f}' if before else '-'} to {f'{after.seconds:.0f}' if after else '-'}",
        _why(after),
    )


def _verdict(result: TaskResult | None) -> str:
    return "-" if result is None else f"{result.shown_verdict} ({result.finished.value})"


def _why(result: TaskResult | None) -> str:
    if result is None or result.passes:
        return ""
    return "; ".join(map(str, result.unmet)) or result.reason
