"""``manyhands flow check``: run a flow once more, and note in its file that this run was verified."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands import run
from manyhands.deploy.command_line.commands.flow.options import (
    FlowFile,
    SetValues,
    flow_settings,
    parse_flows,
    parse_values,
)
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, text_console
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.runs.run_summary import RunSummary
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.yaml_document import read_yaml

EXAMPLE = (
    "Example: manyhands flow check note.yaml --phones virtual:1 --mllm-url rehearsed. "
    "Exit codes: 0 verified, 1 not, 2 bad input."
)


@options.with_settings("run", without=("profile",))
def command(
    read_settings: options.ReadGiven,
    flow: FlowFile,
    set_: SetValues = None,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Run a flow once more, on virtual phones with the next seed. If it is verified, its file says so from then on.

    Texts of its signposts that the second run's screens did not show are dropped.
    """
    document = read_yaml(flow)
    tasks = parse_flows(document, parse_values(set_ or []))
    settings = flow_settings(read_settings(), config)
    carry_out(lambda: check_flow(document.data, tasks, flow, settings, as_json), as_json)


async def check_flow(
    entries: Sequence[Any], tasks: Sequence[TaskSpec], out: Path, settings: FleetSettings, as_json: bool
) -> int:
    """Run flows, and store them as checked if all tasks were verified. Return the exit code.

    ``entries``: what is stored, a mapping for each of ``tasks``, which have values for its variables. Raises BadInput
    for a task without a check: nobody could say that it was verified.
    """
    for task in tasks:
        if task.check is None:
            raise BadInput(f"{task.id}: a task without a 'check' cannot be verified; --unchecked stores its flow")
    verdict = _SecondRun()
    await run.run_tasks(run.name_run(settings, out.stem), [_next(task) for task in tasks], as_json, verdict.tell)
    if not verdict.is_verified:
        text_console(stderr=True).print(f"{out}: not stored as checked; {verdict.reason}", soft_wrap=True, markup=False)
        _say(out, verdict, as_json)
        return EXIT_FAILED
    assert verdict.folder is not None, "a verified run has a folder"
    await asyncio.to_thread(_store, entries, tasks, verdict.folder, out)
    _say(out, verdict, as_json)
    return 0


@dataclass(slots=True)
class _SecondRun:
    """Hold what the second run came to."""

    folder: Path | None = None
    is_verified: bool = False
    reason: str = "the run did not begin"
    calls: int = 0

    def tell(
        self, console: Console, folder: Path, summary: RunSummary, as_json: bool, failure: ManyhandsError | None = None
    ) -> None:
        """Take the summary of the run."""
        self.folder = folder
        failed = [row for row in summary.by_task if not row.verified]
        self.is_verified = failure is None and not failed
        self.reason = str(failure) if failure is not None else "; ".join(f"{row.id}: {row.reason}" for row in failed)
        self.calls = sum(role.calls for role in summary.model.values())


def _next(task: TaskSpec) -> TaskSpec:
    """Return the task with the next seed, so that the second run meets other content."""
    return task if task.reset_seed is None else task.model_copy(update={"reset_seed": task.reset_seed + 1})


def _store(entries: Sequence[Any], tasks: Sequence[TaskSpec], folder: Path, out: Path) -> None:
    """Write the flows as checked by the run in ``folder``."""
    from manyhands.deploy.flow_draft import mark_checked, shown_texts
    from manyhands.evaluation.episodes import episode_of
    from manyhands.evaluation.run_folder import RunFolder

    checked = []
    for entry, task in zip(entries, tasks, strict=True):
        episodes = [episode_of(scan.records) for scan in RunFolder(folder).journals_of([task.id]).values()]
        texts = next((shown_texts(one) for one in reversed(episodes) if one is not None and one.has_passed), {})
        checked.append(mark_checked(entry, task, texts))
    out.write_text(yaml.safe_dump(checked, sort_keys=False, allow_unicode=True, width=120), encoding="utf-8")


def _say(out: Path, second: _SecondRun, as_json: bool) -> None:
    if as_json:
        value = {"flow": str(out), "is_checked": second.is_verified, "calls": second.calls, "run": str(second.folder)}
        say_json(value if second.is_verified else {**value, "reason": second.reason})
    elif second.is_verified:
        text_console().print(f"{out}: checked, {second.calls} model calls", soft_wrap=True, markup=False)
