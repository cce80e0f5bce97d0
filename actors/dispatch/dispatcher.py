"""Runs a batch: leases phones, hands each a task, and gives the task of a lost phone to another.

Nothing is kept that is not in journals and hosts too: a dispatcher that is started again takes the batch up from there.

Each wait is ended by one owner:

- each phone has one coroutine (``_serve``), which alone tries a lost phone again, by asking for a lease;
- a turn is held only for its ``Course``, whose waits (for the phone, for a host, for the episode) have deadlines, and
  then settled or released;
- what an episode has taught is waited for by its scope alone, and has a deadline (``Lessons``);
- tasks that wait for a turn are given up by one coroutine (``_give_up_in_time``), when something has been missing for
  too long (``needs.py``) or nothing has run for ``idle_s``.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections.abc import Mapping, Sequence
from functools import partial

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.dispatch.batch import Batch
from manyhands.actors.dispatch.begun import Begun, begun
from manyhands.actors.dispatch.calls import asked_again
from manyhands.actors.dispatch.control import SAID_BY, Steering
from manyhands.actors.dispatch.course import Course, Workplace
from manyhands.actors.dispatch.health import FleetHealth
from manyhands.actors.dispatch.hosts import HostPool, progress_of
from manyhands.actors.dispatch.journals import RunJournals
from manyhands.actors.dispatch.leases import PhoneLeases
from manyhands.actors.dispatch.lessons import Lessons
from manyhands.actors.dispatch.needs import Lack, Need
from manyhands.actors.dispatch.outcomes import EpisodeIds, journal_never_ran, unfinished
from manyhands.actors.dispatch.queue import TaskQueue, Turn
from manyhands.actors.dispatch.recalls import Recalls
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.seams import Gateway, Host, Learning, Store
from manyhands.protocol.base import Ending
from manyhands.protocol.control import FIRST_BATCH
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.phones import Lease
from manyhands.protocol.progress import RunProgress, RunWait, TasksDone, latest
from manyhands.protocol.runs import EpisodeResult
from manyhands.protocol.tasks import TaskSpec

_PROGRESS_S = 2.0
_ANSWER_S = 10.0
"""How long hosts may take to tell a new dispatcher what they run; what a silent one ran goes on elsewhere."""
logger = logging.getLogger(__name__)


class Dispatcher:
    """Implements the Dispatch seam. One batch at a time."""

    def __init__(
        self,
        settings: DispatchSettings,
        hosts: Sequence[Host],
        gateway: Gateway,
        memory: LongTermMemory,
        store: Store,
        clock: Clock | None = None,
        needs: Sequence[Need] = (),
        learning: Learning | None = None,
    ) -> None:
        """``memory``: what tasks know from the start where ``learning`` does not say it, or there is none.

        ``needs``: what tasks need beside phones and hosts; while any of it is missing, none begins.
        """
        self._settings = settings
        self._store = store
        self._clock = clock or RealClock()
        self._leases = PhoneLeases(gateway, settings, self._clock)
        self._hosts = HostPool(hosts, settings.backoff, settings.no_host_s, settings.episode.lease_s, self._clock)
        self._ids = EpisodeIds(settings.nonce)
        self._journals = RunJournals(store, settings.no_store_s)
        self._learning = learning
        recalls = Recalls(learning, memory, settings, self._clock)
        self._workplace = Workplace(
            settings, self._hosts, self._leases, self._journals, recalls, self._ids, self._clock
        )
        self._steering = Steering(settings.control, settings.serials, self._clock)
        self._needs: tuple[Need, ...] = (self._steering, self._hosts, *needs)
        self._batch = self._new_batch("", TaskQueue(()))

    async def start(self) -> None:
        """Do nothing: all collaborators are given."""

    async def stop(self) -> None:
        """Do nothing: there is nothing to close."""

    async def run(self, batch: str, tasks: Sequence[TaskSpec], begun: bool = False) -> Sequence[EpisodeResult]:
        """Return one deciding result per task, in their order. Cancelling ends all episodes and frees all phones.

        Results of tasks that were added meanwhile follow. Raises StoreError where what there is of the batch cannot be
        read: a task that had been added would be taken for a new one.
        """
        await asked_again(self._steering.read, self._settings.no_store_s, "reading what the run is told")
        added = self._added(batch)
        tasks = (*tasks, *added)
        found = await self._begun(batch, tasks) if begun else Begun({}, {})
        taken_up = self._new_batch(batch, TaskQueue(tasks, found.before))
        for place, before in found.before.items():
            if before.owed is not None:
                taken_up.lessons.owe(place, tasks[place], before.owed)
        return await self._run(taken_up, found.leases, len(added))

    async def _run(self, batch: Batch, leases: Mapping[str, Lease], added: int) -> Sequence[EpisodeResult]:
        self._batch = batch
        try:
            async with asyncio.TaskGroup() as group:
                at_work = [
                    group.create_task(self._serve(serial, number * self._settings.stagger_s, leases.get(serial), batch))
                    for number, serial in enumerate(self._settings.serials)
                ]
                at_work += [group.create_task(need.watch(batch.changed)) for need in self._needs]
                at_work.append(group.create_task(self._give_up_in_time(batch)))
                at_work.append(group.create_task(self._take_added(batch, added)))
                at_work.append(group.create_task(batch.lessons.teach(batch.changed)))
                at_work.append(group.create_task(self._recall_ahead(batch)))
                await batch.until(lambda: batch.over)
                for task in at_work:
                    task.cancel()
        except asyncio.CancelledError:
            self._give_up(batch, Ending.CANCELLED, "the run was cancelled before the task ran")
            raise
        except BaseException as error:
            self._give_up(batch, Ending.INTERNAL_ERROR, f"the run ended by a defect: {error!r}")
            raise
        finally:
            settings = self._settings
            await journal_never_ran(self._store, settings.run, batch.name, settings.episode, batch.never_ran)
        return batch.queue.results

    async def progress(self) -> RunProgress:
        """Return the batch's progress; for hosts that do not answer soon, the last that is known."""
        batch = self._batch
        answers = await asyncio.gather(*(progress_of(slot, _PROGRESS_S) for slot in self._hosts.slots))
        reported = {item.episode: item for answer in answers for item in answer}
        held_up = () if batch.queue.decided else self._missing(batch)
        return RunProgress(
            total=batch.queue.total,
            waiting=len(batch.queue.waiting),
            running=tuple(reported.get(episode, item) for episode, item in batch.running.items()),
            done=TasksDone.of(batch.queue.results),
            latest=latest(batch.queue.results),
            held_up=tuple(RunWait(what=lack.what, since=lack.since, reason=lack.reason) for lack in held_up),
            away=batch.health.away,
        )

    def _new_batch(self, name: str, queue: TaskQueue) -> Batch:
        settings, now = self._settings, self._clock.now()
        health = FleetHealth(settings.serials, settings.phone_backoff, settings.held_s, now)
        for serial in settings.serials:
            if serial in settings.away:
                health.lost(serial, now, settings.away[serial])
        lessons = Lessons(self._learning, queue, settings, self._clock)
        return Batch(name, queue, health, self._steering, lessons, self._needs, now)

    # ------------------------------------------------------------------------ a batch that was begun before
    async def _begun(self, batch: str, tasks: Sequence[TaskSpec]) -> Begun:
        """Return where the tasks stand. Hosts are asked first: what ends meanwhile stands in its journal."""
        answers = await asyncio.gather(*(progress_of(slot, _ANSWER_S) for slot in self._hosts.slots))
        running = {
            progress.episode: (slot, progress)
            for slot, answer in zip(self._hosts.slots, answers, strict=True)
            for progress in answer
        }
        index = await self._journals.index()
        names, learns = partial(self._ids.of, batch), self._learning is not None
        return begun(batch, tasks, index, running, self._settings.serials, names, learns)

    # ------------------------------------------------------------------------ tasks that are added
    def _added(self, batch: str) -> Sequence[TaskSpec]:
        """Return the tasks that were added to a batch so far; a run's first batch has them all."""
        return self._steering.orders.added if batch == FIRST_BATCH else ()

    async def _take_added(self, batch: Batch, taken: int) -> None:
        while True:
            more = self._added(batch.name)[taken:]
            if more:
                batch.queue.add(more)
                taken += len(more)
                batch.changed()
            await batch.next_change(None)

    async def _recall_ahead(self, batch: Batch) -> None:
        """Have what the next task of each phone is to know chosen while it waits."""
        async with asyncio.TaskGroup() as group:
            while self._learning is not None:
                for turn in batch.queue.ready(len(self._settings.serials)):
                    self._workplace.recalls.ahead(turn.task, self._ids.of(batch.name, turn), group)
                await batch.next_hand_out()

    # ------------------------------------------------------------------------ one phone
    async def _serve(self, serial: str, first_s: float, lease: Lease | None, batch: Batch) -> None:
        """Give one phone task after task, beginning in ``first_s``; what was left there is gone on with at once.

        ``lease``: one that a dispatcher before may not have given back.
        """
        if lease is not None:
            await self._leases.give_back(lease)
        if not batch.queue.has_left(serial):
            await self._clock.sleep(first_s)
        while True:
            if not batch.queue.has_left(serial):
                await self._until_usable(serial, batch)
            turn = await batch.next_turn(serial)
            try:
                await Course(self._workplace, turn, serial, batch).run()
            finally:
                batch.release(turn)

    async def _until_usable(self, serial: str, batch: Batch) -> None:
        """Wait while another holder has the phone, and try a lost one again and again.

        The trial is a lease: attaching connects a phone on the network, and adb lists such a phone only then.
        """
        while True:
            await self._clock.sleep(batch.health.wait_s(serial, self._clock.now()))
            if not batch.health.is_aside(serial):
                return
            lease = await self._leases.take(serial, f"{self._settings.run}-trial-{secrets.token_hex(6)}", batch)
            if lease is not None:
                await self._leases.give_back(lease)

    # ------------------------------------------------------------------------ waiting tasks
    async def _give_up_in_time(self, batch: Batch) -> None:
        """Give up the waiting tasks whenever something has been missing, or nothing has run, for too long."""
        while True:
            now = self._clock.now()
            for turn in batch.queue.waiting:
                if self._steering.drops(turn.task):
                    self._give_up_turn(batch, turn, Ending.CANCELLED, f"drained by {SAID_BY}")
            lacks = [*self._missing(batch), *self._idle(batch)]
            first = min(lacks, key=lambda lack: lack.ends_at, default=None)
            if first is None or not batch.queue.waiting:
                await batch.next_change(None)
            elif now < first.ends_at:
                await batch.next_change(first.ends_at - now if first.ends_at < math.inf else None)
            else:
                self._give_up(batch, first.ending, first.reason)

    def _missing(self, batch: Batch) -> Sequence[Lack]:
        """Return what tasks wait for now."""
        since = batch.health.none_left_since
        if since is None:
            return batch.lacks
        reason = f"no phone is left: {batch.health.why_none()}"
        return (*batch.lacks, Lack("a phone", since, reason, self._settings.no_phone_s, Ending.NO_PHONE))

    def _idle(self, batch: Batch) -> Sequence[Lack]:
        """Return a lack while nothing runs: its patience bounds a run, whatever phones, hosts and others do.

        A lesson has a deadline of its own.
        """
        if batch.running or not batch.queue.all_taught:
            return ()
        limit_s, refused = self._settings.idle_s, self._hosts.why_none()
        reason = f"nothing ran for {limit_s:g} s: {refused or batch.health.why_none()}"
        ending = Ending.HOST_LOST if refused else Ending.NO_PHONE
        return (Lack("a task that runs", batch.idle_since, reason, limit_s, ending),)

    def _give_up(self, batch: Batch, ending: Ending, reason: str) -> None:
        for turn in batch.queue.waiting:
            self._give_up_turn(batch, turn, ending, reason)

    def _give_up_turn(self, batch: Batch, turn: Turn, ending: Ending, reason: str) -> None:
        now = self._clock.now()
        batch.give_up(turn, unfinished(turn, self._ids.never_ran(turn), "", ending, reason, now, now))
