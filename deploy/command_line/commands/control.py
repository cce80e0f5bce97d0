"""``manyhands control``: control a run while it goes on."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.notices import hold_lines
from manyhands.deploy.command_line.output import own_name, say_json, text_console
from manyhands.deploy.fleet.run_files.run_folder import goes_on
from manyhands.evaluation.run_folder import RunFolder, has_finished
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.control import Add, Cancel, Drain, Go, Pause, SetPriority, read_control, tell
from manyhands.protocol.runs.control_state import ControlState, control_state
from manyhands.protocol.tasks.build_files import refuse_installs
from manyhands.protocol.tasks.matrix import refuse_matrix
from manyhands.protocol.tasks.repeats import expand_groups
from manyhands.protocol.tasks.task import read_tasks, select
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

EXAMPLE = (
    "Example: manyhands control runs/20260102-101500_run pause --phone emulator-5554. What is paused waits for go, "
    "what is drained is given up, and tasks that run go on to their end (docs/recovery.md); status tells what is held. "
    "Without --phone and --task it is about the whole run."
)


class Action(StrEnum):
    """List what a run can be told to do."""

    PAUSE = "pause"
    GO = "go"
    DRAIN = "drain"
    CANCEL = "cancel"
    PRIORITY = "priority"
    ADD = "add"
    STATUS = "status"


@options.reads_runs
def command(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    action: Annotated[Action, typer.Argument(help="What to do.", show_default=False)],
    file: Annotated[
        Path | None, typer.Argument(metavar="[TASKS.yaml]", help="For add: a file of tasks.", show_default=False)
    ] = None,
    phone: Annotated[list[str] | None, typer.Option(help="Only this phone, by serial; may be repeated.")] = None,
    task: Annotated[list[str] | None, typer.Option(help="Only this task, by id; may be repeated.")] = None,
    to: Annotated[
        int | None, typer.Option("--to", min=-100, max=100, help="For priority: the new one.", show_default=False)
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Pause a run, a phone or a task, let it go on, drain it, cancel or add tasks; the run follows in a second or two.

    priority moves waiting tasks in the queue: --task names them, --to gives the number, higher ones run first.

    status says what is paused and drained, and whether the run goes on.
    """
    phones, tasks = tuple(phone or ()), tuple(task or ())
    folder = RunFolder(run)
    run_yaml, state = folder.asked, control_state(read_control(run))
    task_ids = {*(one["id"] for one in run_yaml.get("tasks") or ()), *state.added}
    if file is not None and action is not Action.ADD:
        raise BadInput(f"{file}: only add takes a file of tasks")
    name = run.resolve().name  # also for "."
    if action is Action.STATUS:
        if phones or tasks:
            raise BadInput("status tells of the whole run: leave --phone and --task out")
        _tell_status(folder, name, state, as_json)
        return
    if (to is None) is (action is Action.PRIORITY):
        raise BadInput("--to is the new priority for the action priority, and for no other")
    control: Pause | Go | Drain | Add | Cancel | SetPriority
    if action is Action.ADD:
        control = _addition(file, phones, tasks, task_ids)
    elif action is Action.CANCEL:
        control = _cancellation(phones, tasks, task_ids)
    elif to is not None:
        if phones or not tasks:
            raise BadInput("priority moves tasks in the queue: name each by --task, and leave --phone out")
        _check("--task", tasks, task_ids)
        control = SetPriority(at=HOST_CLOCK.now(), tasks=tasks, priority=to)
    else:
        _check("--phone", phones, run_yaml.get("phones") or ())
        _check("--task", tasks, task_ids)
        if not goes_on(run) and has_finished(folder, state.added):
            raise BadInput(
                f"{name} has finished, all of its tasks are decided: there is nothing to {action}. "
                f"{own_name()} control {run} add TASKS.yaml adds tasks, which {own_name()} resume {run} carries out"
            )
        kinds: dict[Action, type[Pause | Go | Drain]] = {Action.PAUSE: Pause, Action.GO: Go, Action.DRAIN: Drain}
        control = kinds[action](at=HOST_CLOCK.now(), phones=phones, tasks=tasks)
    tell(run, control)
    if as_json:
        say_json(control.model_dump(mode="json"))
    else:
        console = text_console()
        console.print(f"{name}: {_describe_control(control)}", soft_wrap=True, markup=False)
        for line in hold_lines(control_state(read_control(run)).holds, str(run)):
            console.print(line, soft_wrap=True)
    if not goes_on(run):
        hint = f"No run goes on in {name} now: this holds for manyhands resume."
        text_console(stderr=True).print(hint, soft_wrap=True, markup=False)


def _tell_status(folder: RunFolder, name: str, state: ControlState, as_json: bool) -> None:
    running = goes_on(folder.path)
    finished = not running and has_finished(folder, state.added)
    if as_json:
        holds = [{"what": hold.what, **hold.model_dump(mode="json")} for hold in state.holds]
        say_json({"run": name, "goes_on": running, "finished": finished, "held": holds, "added": len(state.added)})
        return
    resume = f"does not go on now: {own_name()} resume {folder.path} goes on with it"
    state_text = "goes on" if running else "has finished: all of its tasks are decided" if finished else resume
    console = text_console()
    console.print(f"{name} {state_text}", soft_wrap=True, markup=False)
    for line in hold_lines(state.holds, str(folder.path)):
        console.print(line, soft_wrap=True)
    if not state.holds:
        console.print("nothing is paused or drained")


def _addition(file: Path | None, phones: tuple[str, ...], tasks: tuple[str, ...], task_ids: set[str]) -> Add:
    if file is None:
        raise BadInput("add takes a file of tasks: manyhands control RUN add TASKS.yaml")
    if phones:
        raise BadInput("--phone: tasks are added for all phones of the run")
    specs = expand_groups(select(read_tasks(file), tasks, ()))
    refuse_matrix(specs)
    refuse_installs(specs)
    twice = [spec.id for spec in specs if spec.id in task_ids]
    if twice:
        raise BadInput(f"{file}: the run has tasks of these ids already: {', '.join(twice)}")
    return Add(at=HOST_CLOCK.now(), tasks=specs)


def _cancellation(phones: tuple[str, ...], tasks: tuple[str, ...], task_ids: set[str]) -> Cancel:
    if phones or not tasks:
        raise BadInput("cancel gives up tasks for good: name each by --task, and leave --phone out")
    _check("--task", tasks, task_ids)
    return Cancel(at=HOST_CLOCK.now(), tasks=tasks, reason=f"cancelled by {own_name()} control")


def _check(option: str, names: Iterable[str], allowed: Collection[str]) -> None:
    for name in names:
        if name not in allowed:
            raise BadInput(f"{option} {name}: the run has {', '.join(sorted(allowed)) or 'none'}")


def _describe_control(control: Pause | Go | Drain | Add | Cancel | SetPriority) -> str:
    if isinstance(control, SetPriority):
        return f"{', '.join(control.tasks)}: priority {control.priority}"
    if isinstance(control, Add):
        return "1 more task" if len(control.tasks) == 1 else f"{len(control.tasks)} more tasks"
    if isinstance(control, Cancel):
        return f"cancel {', '.join(f'task {name}' for name in control.tasks)}"
    about = ", ".join((*(f"phone {name}" for name in control.phones), *(f"task {name}" for name in control.tasks)))
    return f"{control.kind} {about or 'all'}"
