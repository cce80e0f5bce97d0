"""Recover a batch that was partly run: the state of each task, from journals and running hosts. Pure."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from manyhands.actors.dispatch.episode_journals import unfinished
from manyhands.actors.dispatch.hosts import HostView
from manyhands.actors.dispatch.lessons import teaches
from manyhands.actors.dispatch.task_queue import Attempt, InterruptedAttempt, PendingLesson, TaskState, state_after
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.effective_records import is_open
from manyhands.protocol.phones import Lease
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeIndex, EpisodeResult, has_failed
from manyhands.protocol.tasks.task import TaskSpec

Running = Mapping[str, tuple[HostView, EpisodeProgress]]
"""The episodes that run, by id."""
RUN_CUT_OFF = "the run was cut off"


@dataclass(frozen=True, slots=True)
class RecoveredBatch:
    """The state of a batch that was partly run."""

    before: Mapping[int, TaskState]
    """The state of each task, by its place. A task without an entry is new."""
    leases: Mapping[str, Lease]
    """The lease of each phone's last episode, if that episode has ended. The lease may not have been given back."""
    open_sessions: Sequence[tuple[str, int]] = ()
    """Episodes that will not be resumed and whose sessions have not ended, each with its epoch."""


def recover_batch(
    batch: str,
    tasks: Sequence[TaskSpec],
    index: Iterable[EpisodeIndex],
    running: Running,
    serials: Sequence[str],
    episode_of: Callable[[Attempt], str],
    learns: bool = False,
    cancelled: Container[str] = (),
) -> RecoveredBatch:
    """Return the state of a batch. ``episode_of`` names the next episode of an attempt.

    A task's newest episode that had a phone decides its state. An episode that runs continues on its host. An episode
    that was cut off, or ended for a reason outside the task, is resumed on its phone if that is one of ``serials``. If
    the run ``learns``, the lesson of a decided task is due unless its journal has it. The end of a ``cancelled`` task
    (its id is there) decides it, also if no phone has had it.
    """
    of_place: dict[int, list[EpisodeIndex]] = {}
    ended_for_good: dict[int, EpisodeIndex] = {}
    for entry in index:
        started = entry.started
        is_current = (
            started.batch == batch and started.place < len(tasks) and tasks[started.place].id == started.task.id
        )
        if is_current and entry.ended is not None and started.task.id in cancelled:
            ended_for_good.setdefault(started.place, entry)
        if is_current and started.on_a_phone:
            of_place.setdefault(started.place, []).append(entry)
    before = {
        place: _recovered_state(place, tasks[place], sorted(entries, key=_recency), learns)
        for place, entries in of_place.items()
    }
    for place, entry in ended_for_good.items():
        started = max((*of_place.get(place, ()), entry), key=_recency).started
        attempt = Attempt(place, tasks[place], started.attempt, started.restarts)
        before[place] = TaskState(started.attempt, result=_result(attempt, entry))
    for place, task in enumerate(tasks):
        before[place] = _attach_running(place, task, before.get(place, TaskState()), running, episode_of)
    stands = _keep_newest_per_phone(before, serials)
    interrupted = {at.interrupted.lease.holder for at in stands.values() if at.interrupted is not None}
    last = _last_by_phone(chain.from_iterable(of_place.values()))
    ended = [_lease(entry) for entry in last if entry.ended is not None and entry.started.episode not in interrupted]
    over = [
        (entry.started.episode, entry.epoch)
        for entry in chain.from_iterable(of_place.values())
        if not entry.session_ended and entry.started.episode not in interrupted
    ]
    return RecoveredBatch(stands, {lease.serial: lease for lease in ended}, over)


def _recency(entry: EpisodeIndex) -> tuple[int, int, float]:
    return entry.started.recency


def _recovered_state(place: int, task: TaskSpec, entries: Sequence[EpisodeIndex], learns: bool) -> TaskState:
    """Return the state of a task from its newest episode, the last of ``entries``, which no longer runs."""
    entry = entries[-1]
    started = entry.started
    ends = {one.started.attempt: one for one in entries}
    retry = sum(_has_failed(end) for number, end in ends.items() if number < started.attempt)
    attempt = Attempt(place, task, started.attempt, started.restarts, retry)
    result = _result(attempt, entry)
    if not is_open(result.ending, entry.failure) or result.afresh:
        at = state_after(attempt, result)
        if learns and at.result is not None and teaches(at.result) and not entry.taught:
            return replace(at, lesson_due=PendingLesson(started.episode, entry.epoch))
        return at
    if entry.session_ended:  # its trainer was told that it is over
        return TaskState(started.attempt, started.restarts + 1, retry)
    cut_off = entry.ended is None or entry.ended.ending is Ending.CANCELLED
    interrupted = InterruptedAttempt(result, _lease(entry), run_cut_off=cut_off)
    return TaskState(started.attempt, started.restarts, retry, interrupted)


def _has_failed(entry: EpisodeIndex) -> bool:
    """Return whether this episode ended an attempt that did not pass because of the task itself."""
    ended, task = entry.ended, entry.started.task
    if ended is None or ended.afresh or task.sample:  # a group's task has no retries
        return False
    return has_failed(ended.ending, ended.verified, task.check is not None, entry.failure, ended.answered)


def _attach_running(
    place: int, task: TaskSpec, at: TaskState, running: Running, episode_of: Callable[[Attempt], str]
) -> TaskState:
    """Return ``at`` with the host that runs the task's episode, if a host does.

    The journal may not show that episode yet.
    """
    if at.result is not None and at.result.episode not in running:
        return at
    earlier = at.interrupted.result.episode if at.interrupted else at.result.episode if at.result else None
    attempt = Attempt(place, task, at.attempt, at.restarts, at.retry)
    episode = earlier or episode_of(attempt)
    if episode not in running:
        return at
    view, progress = running[episode]
    result = _cut_off(attempt, episode, progress.serial, 0)
    lease = Lease(serial=progress.serial, holder=episode, epoch=progress.epoch, expires_at=0)
    return TaskState(at.attempt, at.restarts, at.retry, InterruptedAttempt(result, lease, view))


def _keep_newest_per_phone(before: Mapping[int, TaskState], serials: Sequence[str]) -> dict[int, TaskState]:
    """Drop an episode to resume if its phone is not in the run, or has run another episode since."""
    newest: dict[str, InterruptedAttempt] = {}
    for at in before.values():
        if at.interrupted is not None and at.interrupted.lease.serial in serials:
            other = newest.get(at.interrupted.lease.serial)
            if other is None or (other.view is None, -other.lease.epoch) > (
                at.interrupted.view is None,
                -at.interrupted.lease.epoch,
            ):
                newest[at.interrupted.lease.serial] = at.interrupted
    newest_ids = {id(interrupted) for interrupted in newest.values()}
    return {
        place: at
        if at.interrupted is None or id(at.interrupted) in newest_ids
        else replace(at, restarts=at.restarts + 1, interrupted=None)
        for place, at in before.items()
    }


def _last_by_phone(entries: Iterable[EpisodeIndex]) -> Iterable[EpisodeIndex]:
    last: dict[str, EpisodeIndex] = {}
    for entry in entries:
        serial = entry.started.serial
        if serial not in last or last[serial].epoch < entry.epoch:
            last[serial] = entry
    return last.values()


def _lease(entry: EpisodeIndex) -> Lease:
    started = entry.started
    return Lease(serial=started.serial, holder=started.episode, epoch=entry.epoch, expires_at=0)


def _result(attempt: Attempt, entry: EpisodeIndex) -> EpisodeResult:
    started = entry.started
    if entry.ended is None:
        return _cut_off(attempt, started.episode, started.serial, started.at)
    return EpisodeResult.of(
        entry.ended,
        episode=started.episode,
        task=started.task,
        serial=started.serial,
        attempt=started.attempt,
        in_vain=entry.in_vain,
        failure=entry.failure,
        started_at=started.at,
    )


def _cut_off(attempt: Attempt, episode: str, serial: str, at: float) -> EpisodeResult:
    return unfinished(attempt, episode, serial, Ending.HOST_LOST, RUN_CUT_OFF, at, at)
