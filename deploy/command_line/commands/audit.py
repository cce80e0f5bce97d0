"""``manyhands audit``: compare what phones received with what the journals say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, say_json, table, text_console
from manyhands.evaluation.audit import AuditReport, Verdict, audit_folders

EXAMPLE = "Example: manyhands audit runs/20260102-101500_demo. Exit code 0 only if all agrees, none unjudged."


_CONCLUSIONS: dict[Verdict, str] = {
    "agrees": "Everything agrees.",
    "contradicts": "The ledgers contradict the journals.",
    "incomplete": "Nothing contradicts, but not everything could be judged.",
}


def command(
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
