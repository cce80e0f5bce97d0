"""``manyhands control``: tell a run what to do while it goes on."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import say_json, text_console
from manyhands.deploy.fleet.run_lock import goes_on
from manyhands.deploy.fleet.tasks import read_tasks
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.control import Add, Control, Drain, Go, Pause, read_control, tell
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks import select

EXAMPLE = (
    "Example: manyhands control runs/20260102-101500_run pause --phone emulator-5554. What is paused waits for go, "
    "what is drained is given up, and tasks that run go on to their end (docs/recovery.md). Without --phone and --task "
    "it is about the whole run."
)


class Action(StrEnum):
    """List what a run can be told."""

    PAUSE = "pause"
    GO = "go"
    DRAIN = "drain"
    ADD = "add"


def command(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    action: Annotated[Action, typer.Argument(help="What to do.", show_default=False)],
    file: Annotated[
        Path | None, typer.Argument(metavar="[TASKS.yaml]", help="For add: a file of tasks.", show_default=False)
    ] = None,
    phone: Annotated[list[str] | None, typer.Option(help="Only this phone, by serial; may be repeated.")] = None,
    task: Annotated[list[str] | None, typer.Option(help="Only this task, by id; may be repeated.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Pause a run, a phone or a task, let it go on, drain it, or add tasks; the run follows within a second or two."""
    phones, tasks = tuple(phone or ()), tuple(task or ())
    asked, told = RunFolder(run).asked, read_control(run)
    added = [spec for control in told if isinstance(control, Add) for spec in control.tasks]
    known = {*(one["id"] for one in asked.get("tasks") or ()), *(spec.id for spec in added)}
    control: Control
    if action is Action.ADD:
        control = _addition(file, phones, tasks, known)
    else:
        if file is not None:
            raise BadInput(f"{file}: only add takes a file of tasks")
        _check("--phone", phones, asked.get("phones") or ())
        _check("--task", tasks, known)
        kinds: dict[Action, type[Pause | Go | Drain]] = {Action.PAUSE: Pause, Action.GO: Go, Action.DRAIN: Drain}
        control = kinds[action](at=time.time(), phones=phones, tasks=tasks)
    tell(run, control)
    name = run.resolve().name  # of ".", too
    if as_json:
        say_json(control.model_dump(mode="json"))
    else:
        text_console().print(f"{name}: {_said(control)}", soft_wrap=True, markup=False)
    if not goes_on(run):
        hint = f"No run goes on in {name} now: this holds for manyhands resume."
        text_console(stderr=True).print(hint, soft_wrap=True, markup=False)


def _addition(file: Path | None, phones: tuple[str, ...], tasks: tuple[str, ...], known: set[str]) -> Add:
    if file is None:
        raise BadInput("add takes a file of tasks: manyhands control RUN add TASKS.yaml")
    if phones:
        raise BadInput("--phone: tasks are added for all phones of the run")
    chosen = select(read_tasks(file), tasks, ())
    twice = [spec.id for spec in chosen if spec.id in known]
    if twice:
        raise BadInput(f"{file}: the run has tasks of these ids already: {', '.join(twice)}")
    return Add(at=time.time(), tasks=chosen)


def _check(option: str, given: Iterable[str], known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            raise BadInput(f"{option} {name}: the run has {', '.join(sorted(known)) or 'none'}")


def _said(control: Control) -> str:
    if isinstance(control, Add):
        return "1 more task" if len(control.tasks) == 1 else f"{len(control.tasks)} more tasks"
    about = ", ".join((*(f"phone {name}" for name in control.phones), *(f"task {name}" for name in control.tasks)))
    return f"{control.kind} {about or 'all'}"
