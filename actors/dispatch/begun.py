"""What became of a batch before: of what the journals hold and hosts run, where each task stands. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from manyhands.actors.dispatch.host_slot import HostSlot
from manyhands.actors.dispatch.lessons import teaches
from manyhands.actors.dispatch.outcomes import unfinished
from manyhands.actors.dispatch.queue import Before, Left, Owed, Turn, after
from manyhands.protocol.base import OUTSIDE_ENDINGS, Ending
from manyhands.protocol.phones import Lease
from manyhands.protocol.progress import EpisodeProgress
from manyhands.protocol.runs import EpisodeIndex, EpisodeResult
from manyhands.protocol.tasks import TaskSpec

Running = Mapping[str, tuple[HostSlot, EpisodeProgress]]
"""The episodes that run, by id."""
CUT_OFF = "the run was cut off"


@dataclass(frozen=True, slots=True)
class Begun:
    """Where a batch stands that was carried out in part."""

    before: Mapping[int, Before]
    """By the tasks' places. A task without an entry is new."""
    leases: Mapping[str, Lease]
    """By phone, that of the last episode there, if it has ended: perhaps nobody was left to give it back."""


def begun(
    batch: str,
    tasks: Sequence[TaskSpec],
    index: Iterable[EpisodeIndex],
    running: Running,
    serials: Sequence[str],
    episode_of: Callable[[Turn], str],
    learns: bool = False,
) -> Begun:
    """Return where the tasks of a batch stand. ``episode_of`` names the next episode of a turn.

    The newest episode of a task that had a phone tells. One that runs is joined; one that was cut off, or ended for a
    reason outside of the task, is left to be gone on with on its phone, if that is one of ``serials``. Where the run
    ``learns``, a decided task has still to teach whose journal does not say what it taught.
    """
    of_place: dict[int, list[EpisodeIndex]] = {}
    for entry in index:
        started = entry.started
        known = started.batch == batch and started.place < len(tasks) and tasks[started.place].id == started.task.id
        if known and started.on_a_phone:
            of_place.setdefault(started.place, []).append(entry)
    before = {
        place: _stands(place, tasks[place], max(entries, key=lambda entry: entry.started.turn), learns)
        for place, entries in of_place.items()
    }
    for place, task in enumerate(tasks):
        before[place] = _joined(place, task, before.get(place, Before()), running, episode_of)
    stands = _one_a_phone(before, serials)
    left = {at.left.lease.holder for at in stands.values() if at.left is not None}
    last = _last_on_phones(chain.from_iterable(of_place.values()))
    ended = [_lease(entry) for entry in last if entry.ended is not None and entry.started.episode not in left]
    return Begun(stands, {lease.serial: lease for lease in ended})


def _stands(place: int, task: TaskSpec, entry: EpisodeIndex, learns: bool) -> Before:
    """Return where a task stands by its newest episode, if that runs no more."""
    started = entry.started
    turn = Turn(place, task, started.attempt, started.restarts)
    result = _result(turn, entry)
    if result.ending not in OUTSIDE_ENDINGS or result.afresh:
        at = after(turn, result)
        if learns and at.result is not None and teaches(at.result) and not entry.taught:
            return replace(at, owed=Owed(started.episode, entry.epoch))
        return at
    cut_off = entry.ended is None or entry.ended.ending is Ending.CANCELLED
    return Before(started.attempt, started.restarts, Left(result, _lease(entry), run_cut_off=cut_off))


def _joined(place: int, task: TaskSpec, at: Before, running: Running, episode_of: Callable[[Turn], str]) -> Before:
    """Return the same with the host that runs the task's episode, if one does, though its journal may not tell yet."""
    if at.result is not None and at.result.episode not in running:
        return at
    known = at.left.result.episode if at.left else at.result.episode if at.result else None
    turn = Turn(place, task, at.attempt, at.restarts)
    episode = known or episode_of(turn)
    if episode not in running:
        return at
    slot, progress = running[episode]
    result = _cut_off(turn, episode, progress.serial, 0)
    lease = Lease(serial=progress.serial, holder=episode, epoch=progress.epoch, expires_at=0)
    return Before(at.attempt, at.restarts, Left(result, lease, slot))


def _one_a_phone(before: Mapping[int, Before], serials: Sequence[str]) -> dict[int, Before]:
    """Let go of episodes whose phone is none of the run's, or has had another one since."""
    newest: dict[str, Left] = {}
    for at in before.values():
        if at.left is not None and at.left.lease.serial in serials:
            other = newest.get(at.left.lease.serial)
            if other is None or (other.slot is None, -other.lease.epoch) > (at.left.slot is None, -at.left.lease.epoch):
                newest[at.left.lease.serial] = at.left
    kept = {id(left) for left in newest.values()}
    return {
        place: at if at.left is None or id(at.left) in kept else replace(at, restarts=at.restarts + 1, left=None)
        for place, at in before.items()
    }


def _last_on_phones(entries: Iterable[EpisodeIndex]) -> Iterable[EpisodeIndex]:
    last: dict[str, EpisodeIndex] = {}
    for entry in entries:
        serial = entry.started.serial
        if serial not in last or last[serial].epoch < entry.epoch:
            last[serial] = entry
    return last.values()


def _lease(entry: EpisodeIndex) -> Lease:
    started = entry.started
    return Lease(serial=started.serial, holder=started.episode, epoch=entry.epoch, expires_at=0)


def _result(turn: Turn, entry: EpisodeIndex) -> EpisodeResult:
    started = entry.started
    if entry.ended is None:
        return _cut_off(turn, started.episode, started.serial, started.at)
    return EpisodeResult.of(
        entry.ended,
        episode=started.episode,
        task=started.task.id,
        serial=started.serial,
        attempt=started.attempt,
        in_vain=entry.in_vain,
        started_at=started.at,
    )


def _cut_off(turn: Turn, episode: str, serial: str, at: float) -> EpisodeResult:
    return unfinished(turn, episode, serial, Ending.HOST_LOST, CUT_OFF, at, at)
