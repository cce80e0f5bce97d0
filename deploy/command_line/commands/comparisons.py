"""``manyhands diff`` and ``audit``: compare a run with another one, or with what its phones received."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.report import report_options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import EXIT_FAILED, say_json, table, text_console, text_of, write_output
from manyhands.evaluation.audit import AuditReport, Verdict, audit_folders
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.utilities.terminal_text import choose_verb, count_noun

if TYPE_CHECKING:
    from manyhands.evaluation.comparison.run_difference import RunDifference, TaskDifference

DIFF_EXAMPLE = (
    "Example: manyhands diff runs/20260102-101500_night runs/20260103-101500_night. "
    "As a page: --format html --out diff.html. Step by step: --html diff, and open diff/report.html. "
    "Exit codes: 0 no task fails that passed before, 1 one does, 2 bad input."
)


class DifferenceFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    HTML = "html"


@options.reads_runs
def diff(
    before: Annotated[Path, typer.Argument(help="The run folder to compare with.", show_default=False)],
    after: Annotated[Path, typer.Argument(help="The run folder that is looked at.", show_default=False)],
    format: Annotated[DifferenceFormat, typer.Option("--format", help="What is written.")] = DifferenceFormat.TEXT,
    out: Annotated[Path | None, typer.Option("--out", help="A file, in place of standard output.")] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Also write both runs beside each other, step by step, into this new folder."),
    ] = None,
    trim: Annotated[bool, typer.Option("--trim", help="With --html: leave the screens out.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Compare two runs task by task: what fails now, what passes now, what became slower, and why."""
    from manyhands.evaluation.comparison.run_difference import compare_runs, to_html, unlike_settings
    from manyhands.evaluation.results import results_of

    then, now = RunFolder(before), RunFolder(after)
    difference = compare_runs(results_of(then), results_of(now), (str(before), str(after)))
    if html is not None:
        _write_pages(difference, then, now, html, trim)
    form = DifferenceFormat.JSON if as_json else format
    if form is DifferenceFormat.JSON and out is None:
        say_json(difference.model_dump(mode="json"))
    elif form is DifferenceFormat.JSON:
        value = json.dumps(difference.model_dump(mode="json"), ensure_ascii=False, indent=2)
        write_output(f"{value}\n", out)
    elif form is DifferenceFormat.HTML:
        write_output(to_html(difference, then, now), out)
    elif out is None:
        _print(difference, unlike_settings(then, now), text_console())
    else:
        write_output(text_of(lambda console: _print(difference, unlike_settings(then, now), console)), out)
    raise typer.Exit(EXIT_FAILED if difference.having("newly_failing") else 0)


def _write_pages(difference: RunDifference, before: RunFolder, after: RunFolder, out: Path, trim: bool) -> None:
    from manyhands.evaluation.report.two_runs import write_difference

    with report_options(trim) as report_settings:
        page = write_difference(difference, before, after, out, report_settings)
    text_console(stderr=True).print(f"Written: {page}", soft_wrap=True)


def _print(difference: RunDifference, unlike: Sequence[str], console: Console) -> None:
    from manyhands.evaluation.comparison.run_difference import WORTH_TELLING

    for line in unlike:
        console.print(line, soft_wrap=True)
    changed = [task for change in WORTH_TELLING for task in difference.having(change)]
    if changed:
        columns = ("task", "what", "before", "after", "steps", "seconds", "by", "why")
        console.print(table(None, columns, map(_cells, changed)))
    for task in changed:
        if task.parting is not None and task.change != "other_screens":
            console.print(f"{task.task}: other screens from {task.parting}", soft_wrap=True)
    for one in difference.repeats:
        console.print(f"{one.task}: {one.after}; before, {one.before}", soft_wrap=True)
    same = len(difference.tasks) - len(changed)
    differ, do_not = choose_verb(len(changed), "differs", "differ"), choose_verb(same, "does not", "do not")
    console.print(f"{count_noun(len(changed), 'task')} {differ}, {same} {do_not}.")


def _cells(task: TaskDifference) -> tuple[str, ...]:
    before, after = task.before, task.after
    if task.repeats_before is not None or task.repeats_after is not None:
        before = after = None  # no single repeat stands for the time of all
    return (
        task.task,
        task.change.replace("_", " "),
        task.shown_before,
        task.shown_after,
        f"{before.steps if before else '-'} to {after.steps if after else '-'}",
        f"{f'{before.seconds:.0f}' if before else '-'} to {f'{after.seconds:.0f}' if after else '-'}",
        task.slower_by,
        task.why if task.change != "slower" else "",
    )


AUDIT_EXAMPLE = "Example: manyhands audit runs/20260102-101500_demo. Exit code 0 only if all agrees, none unjudged."


_CONCLUSIONS: dict[Verdict, str] = {
    "agrees": "Everything agrees.",
    "contradicts": "The ledgers contradict the journals.",
    "incomplete": "Nothing contradicts, but not everything could be judged.",
}


@options.reads_runs
def audit(
    runs: Annotated[list[Path], typer.Argument(help="Run folders that shared phones.", show_default=False)],
    as_json: options.AsJson = False,
) -> None:
    """Compare the ledgers of virtual phones with the journals: no action lost, none repeated, none unknown."""
    report = audit_folders(*runs)
    if as_json:
        say_json(report.model_dump(mode="json"))
    else:
        _tell(report)
    raise typer.Exit(0 if report.verdict == "agrees" else EXIT_FAILED)


def _tell(report: AuditReport) -> None:
    console = text_console()
    fates = ", ".join(f"{count} {fate}" for fate, count in sorted(report.keys.items())) or "none"
    earlier = f", {report.earlier} of them of runs before" if report.earlier else ""
    console.print(f"keys in the journals: {fates}; lines in the ledgers: {report.rows}{earlier}")
    for line in report.not_judged:
        console.print(f"not judged: {line}", markup=False)
    if report.violations:
        rows = [(item.serial, item.kind, item.key or "-", item.detail) for item in report.violations]
        console.print(table(None, ("phone", "what", "key", "detail"), rows))
    console.print(_CONCLUSIONS[report.verdict])


SUBCOMMANDS = {
    "diff": Subcommand(diff, DIFF_EXAMPLE),
    "audit": Subcommand(audit, AUDIT_EXAMPLE),
}
