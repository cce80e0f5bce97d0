"""Store a flow: once a second run of it was verified, or without one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from manyhands.deploy.command_line.commands import run
from manyhands.deploy.command_line.output import EXIT_FAILED, say_json, text_console
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.runs.run_summary import RunSummary
from manyhands.protocol.tasks.task import TaskSpec


async def check_flow(
    entries: Sequence[Any],
    tasks: Sequence[TaskSpec],
    out: Path,
    settings: FleetSettings,
    as_json: bool,
    more: Mapping[str, Any] | None = None,
) -> int:
    """Run flows, and store them as checked if all tasks were verified. Return the exit code.

    ``entries``: what is stored, a mapping for each of ``tasks``, which have values for its variables. ``more``: what
    JSON says beside the result. Raises BadInput for a task without a check: nobody could say that it was verified.
    """
    for task in tasks:
        if task.check is None:
            raise BadInput(f"{task.id}: a task without a 'check' cannot be verified; --unchecked stores its flow")
    verdict = _SecondRun()
    await run.run_tasks(run.name_run(settings, out.stem), [_next(task) for task in tasks], as_json, verdict.tell)
    if not verdict.is_verified:
        text_console(stderr=True).print(f"{out}: not stored as checked; {verdict.reason}", soft_wrap=True, markup=False)
        _say(out, verdict, as_json, more or {})
        return EXIT_FAILED
    assert verdict.folder is not None, "a verified run has a folder"
    await asyncio.to_thread(_store, entries, tasks, verdict.folder, out)
    _say(out, verdict, as_json, more or {})
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
    from manyhands.deploy.flows.draft import dump_flows, mark_checked, shown_texts
    from manyhands.evaluation.episodes import episode_of
    from manyhands.evaluation.run_folder import RunFolder

    checked = []
    for entry, task in zip(entries, tasks, strict=True):
        episodes = [episode_of(scan.records) for scan in RunFolder(folder).journals_of([task.id]).values()]
        texts = next((shown_texts(one) for one in reversed(episodes) if one is not None and one.has_passed), {})
        checked.append(mark_checked(entry, task, texts))
    out.write_text(dump_flows(checked), encoding="utf-8")


def warn(warnings: Sequence[str]) -> None:
    """Print what people should know of a flow before it runs."""
    for warning in warnings:
        text_console(stderr=True).print(warning, soft_wrap=True, markup=False)


def store_unchecked(
    entries: Sequence[Any], out: Path, steps: int, as_json: bool, more: Mapping[str, Any] | None = None
) -> None:
    """Store flows without a second run, and say so. ``more``: what JSON says beside the result."""
    from manyhands.deploy.flows.draft import dump_flows

    out.write_text(dump_flows(entries), encoding="utf-8")
    if as_json:
        say_json({"flow": str(out), "steps": steps, **(more or {}), "is_checked": False})
        return
    text_console().print(f"{out}: {steps} steps, not checked by a second run", soft_wrap=True, markup=False)


def _say(out: Path, second: _SecondRun, as_json: bool, more: Mapping[str, Any]) -> None:
    if as_json:
        value = {"flow": str(out), **more, "is_checked": second.is_verified, "calls": second.calls}
        value |= {"run": str(second.folder)}
        say_json(value if second.is_verified else {**value, "reason": second.reason})
    elif second.is_verified:
        text_console().print(f"{out}: checked, {second.calls} model calls", soft_wrap=True, markup=False)
