"""Show batches, tasks, phones and schedules of a service as tables, and follow a batch with the live display."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from manyhands.deploy.command_line.moments import show_moment, show_moment_in, show_seconds
from manyhands.deploy.command_line.output import EXIT_FAILED, own_name, say_json, table
from manyhands.protocol.base import Ending
from manyhands.protocol.service.batches import BatchPhase, BatchStatus, TaskPhase, TaskStatus
from manyhands.protocol.service.fleet import PhonePhase, PhoneStatus, ServiceStatus
from manyhands.protocol.service.schedules import ScheduleStatus
from manyhands.protocol.tasks.selectors import selects
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:  # it needs libraries that take a while to import
    from manyhands.service.client.async_client import AsyncClient


NO_HOLDS: Mapping[str, str] = MappingProxyType({})
_BATCH_COLUMNS = (
    "batch",
    "name",
    "owner",
    "phase",
    "tasks",
    "waiting",
    "running",
    "done",
    "failed",
    "cancelled",
    "submitted",
)
_TASK_COLUMNS = ("task", "phase", "phone", "steps", "result", "doing, or why")
_PHONE_COLUMNS = ("phone", "phase", "task", "doing, or why", "labels")
_SCHEDULE_COLUMNS = ("schedule", "name", "when", "next", "submitted", "skipped", "last batch")


def batch_table(batches: Iterable[BatchStatus]) -> Table:
    """Return a row for each batch."""
    return table(None, _BATCH_COLUMNS, map(_batch_cells, batches))


def task_table(tasks: Iterable[TaskStatus], holds: Mapping[str, str] = NO_HOLDS) -> Table:
    """Return a row for each task. ``holds``: as of ``find_holds``."""
    return table(None, _TASK_COLUMNS, (_task_cells(task, holds.get(task.id)) for task in tasks))


async def find_holds(client: AsyncClient, tasks: Iterable[TaskStatus]) -> Mapping[str, str]:
    """Return, for each of these tasks whose episode a person holds, ``paused by ann`` or ``taken over by ann``.

    Where the agent asks for a person: the command that answers, and the question.
    """
    if all(task.phase is not TaskPhase.RUNNING for task in tasks):
        return NO_HOLDS
    holds = dict[str, str]()
    for phone in await client.phones():
        if phone.task is not None and (phone.is_paused or phone.taken_over_by is not None):
            if phone.question:
                how = f" --allow {phone.consent.id}" if phone.consent else ""
                holds[phone.task] = f"asks ({own_name()} episode answer {phone.episode}{how}): {phone.question}"
                continue
            hold = "paused" if phone.is_paused else "taken over"
            holds[phone.task] = f"{hold} by {phone.held_by}" if phone.held_by else hold
    return holds


def phone_table(phones: Iterable[PhoneStatus]) -> Table:
    """Return a row for each phone."""
    return table(None, _PHONE_COLUMNS, map(_phone_cells, phones))


def schedule_table(schedules: Iterable[ScheduleStatus]) -> Table:
    """Return a row for each schedule."""
    return table(None, _SCHEDULE_COLUMNS, map(_schedule_cells, schedules))


def service_lines(status: ServiceStatus, server: str) -> Iterator[str]:
    """Yield lines about a service as a whole."""
    since = show_seconds(HOST_CLOCK.now() - status.started_at)
    ready = "its fleet opens"
    if status.is_ready:
        ready = "ready" if status.phones else f"no phone: tasks wait until {own_name()} attach brings one"
    yield f"{server}: version {status.version}, {ready}, up for {since}; {count_noun(status.phones, 'phone')}"
    yield f"{count_noun(status.waiting, 'task')} waiting, {status.running} running, {status.ended} ended"
    yield from (f"waiting for {what}" for what in status.waiting_for)


def batch_line(batch: BatchStatus) -> str:
    """Return a batch in one line: ``b17 (errands): open, 2 of 10 tasks done, 1 failed, 3 running``."""
    name = f" ({batch.name})" if batch.name else ""
    counts = f"{batch.done} of {count_noun(batch.tasks - batch.retried, 'task')} done"
    names = ("failed", "cancelled", "running", "waiting")
    more = {name: getattr(batch, name) for name in names}
    others = "".join(f", {count} {what}" for what, count in more.items() if count)
    warning = f"; {batch.deadline_warning}" if batch.deadline_warning else ""
    return f"{batch.id}{name}: {batch.phase}, {counts}{others}{warning}"


def task_line(task: TaskStatus) -> str:
    """Return a task in one line: ``b17.buy: ended, done``."""
    result = f", {_result(task)}" if task.is_done is not None else ""
    retried = f" (again {task.retry_of})" if task.retry_of else ""
    return f"{task.id}{retried}: {task.phase}{result}"


def ended_line(item: BatchStatus | TaskStatus, verb: str) -> str | None:
    """Return that a batch or a task had ended before it was to be changed; None if it had not.

    ``verb``: what it was asked, such as ``cancel``. What has been cancelled is not said to have ended by ``cancel``.
    """
    if item.phase not in (BatchPhase.CANCELLED, BatchPhase.ENDED, TaskPhase.ENDED):
        return None
    is_cancelled = item.phase is BatchPhase.CANCELLED
    is_cancelled |= isinstance(item, TaskStatus) and item.ending is Ending.CANCELLED
    if is_cancelled and verb == "cancel":
        return None
    return f"{item.id} {'was cancelled' if is_cancelled else 'has ended'}: there is nothing to {verb}"


def task_details(task: TaskStatus) -> Iterator[str]:
    """Yield what the row of a task has no room for: its goal, its answer, why it is not done, and what to do then."""
    yield f"goal: {task.goal}"
    if task.answer is not None:
        yield f"answer: {task.answer}"
    if task.is_done is False:
        yield from (f"check: {unmet}" for unmet in map(str, task.unmet) if unmet not in (task.reason or ""))
        if task.reason:
            yield f"reason: {task.reason}"
        yield f"Next: {own_name()} retry {task.id}"


async def follow_batch(client: AsyncClient, batch: str | None, console: Console, as_json: bool) -> int:
    """Show the live display until a batch has ended, print the outcome, and return the exit code.

    Without a batch, show all work until this is cancelled.
    """
    from manyhands.deploy.command_line.display import RunDisplay
    from manyhands.service.client.service_progress import ServiceProgress

    watched = ServiceProgress(client, batch)
    display = RunDisplay(console, watched.progress, batch or client.server, watched.goals)
    drawing = asyncio.create_task(display.run())
    try:
        ended = await watched.follow()
    except asyncio.CancelledError:
        if batch is not None:
            console.print(f"{batch} goes on. Watch it again: {own_name()} watch {batch}", soft_wrap=True)
        raise
    finally:
        drawing.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(drawing, return_exceptions=True)
        display.finish(await watched.progress())
    assert ended is not None  # only a batch has an end
    if as_json:
        say_json(ended.model_dump(mode="json"))
    else:
        console.print(batch_line(ended), soft_wrap=True)
        console.print(f"Next: {own_name()} results {ended.id} --server {client.server}", soft_wrap=True)
    return exit_code_of(ended)


def exit_code_of(batch: BatchStatus) -> int:
    """Return the exit code for a batch that has ended: 0 if all of its tasks are done, or later tries of them."""
    return 0 if batch.done + batch.retried == batch.tasks else EXIT_FAILED


def _batch_cells(batch: BatchStatus) -> Sequence[str]:
    counts = (batch.tasks, batch.waiting, batch.running, batch.done, batch.failed, batch.cancelled)
    when = show_moment(batch.submitted_at)
    return (batch.id, batch.name or "-", batch.owner, batch.phase.value, *map(str, counts), when)


def _task_cells(task: TaskStatus, hold: str | None) -> Sequence[str]:
    why = task.doing or "; ".join(map(str, task.unmet)) or (task.reason or "" if not task.is_done else "")
    result = "-" if task.is_done is None else _result(task)
    return (task.id, hold or task.phase.value, task.phone or "-", _steps(task), result, why)


def _steps(task: TaskStatus) -> str:
    """Return the number of the step that a task is at, or how many steps it took: numbers begin at 0, counts do not."""
    if task.step is not None:
        return f"step {task.step}"
    return "-" if task.steps is None else count_noun(task.steps, "step")


def _result(task: TaskStatus) -> str:
    if task.is_done or task.ending is None:
        return "done" if task.is_done else "not done"
    if task.ending is not Ending.FINISHED:
        return f"not done ({task.ending.value})"
    return "not done (undecided)" if task.verified is None else "not done (check failed)"


def _phone_cells(phone: PhoneStatus) -> Sequence[str]:
    until = f", until {show_moment(phone.reserved_until)}" if phone.reserved_until else ""
    reserved = f"reserved for {phone.reserved_for}{until}" if phone.reserved_for else ""
    reason = "" if phone.phase is PhonePhase.RESERVED else phone.reason  # it says for whom, too
    why = phone.doing or "; ".join(filter(None, (reason, reserved)))
    return (phone.serial, phone.phase.value, phone.task or "-", why, _labels(phone.labels))


def _labels(labels: Mapping[str, str]) -> str:
    """Return the labels of a phone, but not its serial, which has a column; of its apps only the number."""
    own_labels = {
        name: value for name, value in sorted(labels.items()) if name != "serial" and not name.startswith("app:")
    }
    texts = [f"{name}={value}" if value else name for name, value in own_labels.items()]
    if apps := sum(name.startswith("app:") for name in labels):
        texts.append(f"app:... ({apps}; see --json)")
    return ", ".join(texts)


def _schedule_cells(schedule: ScheduleStatus) -> Sequence[str]:
    following = (
        f"paused ({schedule.zone})"
        if schedule.paused
        else show_moment_in(next(iter(schedule.next_times), None), schedule.zone)
    )
    counts = (str(schedule.submitted), str(schedule.skipped))
    last = schedule.last_batch or "-"
    return (schedule.id, schedule.name, schedule.when, following, *counts, last)


async def misfit_lines(client: AsyncClient, batch: BatchStatus) -> list[str]:
    """Return a line if tasks of a batch wait, and none of the phones that the service has now fits its selector."""
    if not batch.phones or not batch.waiting:
        return []
    phones = await client.phones()
    if not phones or any(selects(batch.phones, phone.labels) for phone in phones):
        return []
    count = count_noun(len(phones), "phone")
    return [
        f"No phone fits {batch.phones} now; {batch.id} waits for one. The service has {count}: "
        f"{own_name()} phones --server {client.server}"
    ]
