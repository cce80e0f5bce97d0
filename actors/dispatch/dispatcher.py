"""Runs a batch: leases phones, gives each a task, and moves the task of a lost phone to another.

Journals and hosts hold all of a dispatcher's state too. So a restarted dispatcher continues the batch from them.

Each wait is ended by one owner:

- each phone has one coroutine (``_serve``), which alone retries a lost phone, by asking for a lease;
- an attempt belongs to its ``AttemptRunner``. The runner waits for the phone, a host and the episode, each by a
  deadline. In the end it settles or releases the attempt;
- only tasks of the same memory scope wait for the lesson of an episode, which has a deadline (``Lessons``);
- one coroutine (``_give_up_in_time``) gives up tasks that wait for an attempt: when a requirement has been missing for
  too long (``missing_requirements.py``), or nothing has run for ``idle_s``.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections.abc import Container, Mapping, Sequence
from functools import partial

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.dispatch.attempt_runner import AttemptRunner, AttemptServices
from manyhands.actors.dispatch.batch import Batch
from manyhands.actors.dispatch.batch_recovery import RecoveredBatch, recover_batch
from manyhands.actors.dispatch.deadlines import finish, retry
from manyhands.actors.dispatch.episode_journals import (
    EpisodeIds,
    RunJournals,
    find_without_end,
    unfinished,
    write_never_ran,
)
from manyhands.actors.dispatch.episode_sessions import EpisodeSessions, RewardOf, earns_nothing
from manyhands.actors.dispatch.hosts import HostPool, progress_of
from manyhands.actors.dispatch.leases import PhoneLeases
from manyhands.actors.dispatch.lessons import Lessons, MemoryRecall
from manyhands.actors.dispatch.missing_requirements import MissingRequirement, ReaderRequirement, Requirement
from manyhands.actors.dispatch.phone_health import FleetHealth
from manyhands.actors.dispatch.run_control import RunControl
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.dispatch.start_rule import StartRule
from manyhands.actors.dispatch.task_queue import Attempt, TaskQueue
from manyhands.actors.interfaces import Gateway, Host, Learning, ModelSessions, Store
from manyhands.protocol.base import Ending
from manyhands.protocol.phones import Lease
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.control import FIRST_BATCH
from manyhands.protocol.runs.interventions import EpisodeControl, Intervention
from manyhands.protocol.runs.progress import LATEST, Decisions, RunProgress, RunWait, latest
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec

_PROGRESS_S = 2.0
MOST_DECISIONS = 1000
"""The most results of one answer of ``decisions``."""
_ANSWER_S = 10.0
"""How long hosts may take to report their episodes to a new dispatcher. Episodes of a host that does not report in time
continue on other hosts."""
logger = logging.getLogger(__name__)


class Dispatcher:
    """Implements the Dispatch interface. One batch at a time."""

    def __init__(
        self,
        settings: DispatchSettings,
        hosts: Sequence[Host],
        gateway: Gateway,
        memory: LongTermMemory,
        store: Store,
        clock: Clock | None = None,
        requirements: Sequence[Requirement] = (),
        learning: Learning | None = None,
        sessions: ModelSessions | None = None,
        reward_of: RewardOf = earns_nothing,
    ) -> None:
        """``memory``: what tasks know from the start. They get it alone if ``learning`` is None or does not answer.

        ``requirements``: what tasks need besides phones and hosts. While one of them is missing, no task starts.
        ``sessions``: a trainer's gateway at which each episode has a session; it is told the reward by ``reward_of``.
        """
        self._settings = settings
        self._store = store
        self._clock = clock or RealClock()
        self._leases = PhoneLeases(gateway, settings, self._clock)
        self._hosts = HostPool(
            hosts, settings.backoff, settings.patience_s.host_s, settings.episode.lease_s, self._clock
        )
        self._ids = EpisodeIds(settings.nonce)
        self._journals = RunJournals(store, settings.no_store_s)
        self._learning = learning
        memory_recall = MemoryRecall(learning, memory, settings, self._clock)
        self._sessions = EpisodeSessions(sessions, reward_of, store, settings, self._clock)
        self._services = AttemptServices(
            settings, self._hosts, self._leases, self._journals, memory_recall, self._ids, self._sessions, self._clock
        )
        self._control = RunControl(settings.control, settings.serials, self._clock)
        self._read = 0
        """How many results of the batch a reader has taken."""
        reader = ReaderRequirement(settings.most_unread, self._count_unread, self._clock)
        own = (self._control, reader, self._hosts, self._sessions)
        self._requirements: tuple[Requirement, ...] = (*own, *requirements)
        self._batch = self._new_batch("", TaskQueue(()), StartRule())
        self._id = secrets.token_hex(8)
        """Tells this dispatcher from the one that a restart puts in its place."""

    async def start(self) -> None:
        """Do nothing: all collaborators are given."""

    async def stop(self) -> None:
        """Do nothing: there is nothing to close."""

    async def run(self, batch: str, tasks: Sequence[TaskSpec], recover: bool = False) -> Sequence[EpisodeResult]:
        """Return one deciding result per task, in their order. Cancelling ends all episodes and frees all phones.

        The results of tasks that people added to the run follow. Raises StoreError if the run's commands or journals
        cannot be read: tasks that already ran would then count as new.
        """
        await retry(self._control.read, self._settings.no_store_s, "reading what the run is told")
        start_rule = StartRule(tasks[: self._settings.canary], self._settings.max_failed_tasks)
        added = self._added(batch)
        tasks = (*tasks, *added)
        recovered = await self._recover(batch, tasks) if recover else RecoveredBatch({}, {})
        await self._sessions.end_all(recovered.open_sessions)
        state = self._control.state
        queue = TaskQueue(tasks, recovered.before, state.owner_of, state.priority_of)
        taken_up = self._new_batch(batch, queue, start_rule)
        for place, before in recovered.before.items():
            if before.lesson_due is not None:
                taken_up.lessons.add(place, tasks[place], before.lesson_due)
        return await self._run(taken_up, recovered.leases, len(added))

    async def _run(self, batch: Batch, leases: Mapping[str, Lease], added: int) -> Sequence[EpisodeResult]:
        self._batch = batch
        try:
            async with asyncio.TaskGroup() as group:
                workers = [group.create_task(self._serve_phones(batch, leases))]
                workers += [group.create_task(requirement.watch(batch.changed)) for requirement in self._requirements]
                workers.append(group.create_task(self._give_up_in_time(batch)))
                workers.append(group.create_task(self._take_added(batch, added)))
                workers.append(group.create_task(self._follow_priorities(batch)))
                workers.append(group.create_task(self._cancel_attempts(batch)))
                workers.append(group.create_task(batch.lessons.teach(batch.changed)))
                workers.append(group.create_task(self._recall_ahead(batch)))
                await batch.until(lambda: batch.over)
                for task in workers:
                    task.cancel()
        except asyncio.CancelledError:
            if not batch.is_open_ended:  # whoever opened it goes on with it later
                self._give_up(batch, Ending.CANCELLED, "the run was cancelled before the task ran")
            raise
        except BaseException as error:
            self._give_up(batch, Ending.INTERNAL_ERROR, f"the run ended by a defect: {error!r}")
            raise
        finally:
            settings = self._settings
            never_ran = [*batch.never_ran, *await find_without_end(self._store, batch.lost, self._ids)]
            await write_never_ran(self._store, settings.run, batch.name, settings.episode, never_ran)
        return batch.queue.results

    async def progress(self) -> RunProgress:
        """Return the batch's progress. A host that does not answer soon counts with its last known progress."""
        batch = self._batch
        answers = await asyncio.gather(*(progress_of(view, _PROGRESS_S) for view in self._hosts.views))
        reported = {item.episode: item for answer in answers for item in answer}
        held_up = () if batch.queue.decided else self._missing(batch)
        return RunProgress(
            total=batch.queue.total,
            waiting=batch.queue.waiting_count,
            running=tuple(reported.get(episode, item) for episode, item in batch.running.items()),
            done=batch.done,
            latest=latest(batch.decided[-LATEST:]),
            held_up=tuple(
                RunWait(what=missing.what, since=missing.since, reason=missing.reason) for missing in held_up
            ),
            away=batch.health.away,
            holds=() if batch.queue.decided else self._control.state.holds,
            phones=len(self._control.serials),
            losses=batch.health.losses,
        )

    async def decisions(self, last: Decisions) -> Decisions:
        """Return the results of the batch that follow the ``last`` answer, in the order of their decisions.

        If another dispatcher gave that answer, all results count as new: a restarted dispatcher numbers them in another
        order.
        """
        start = last.after if last.dispatcher == self._id else 0
        if start != self._read:
            self._read = start
            self._batch.changed()
        results = tuple(self._batch.decided[start : start + MOST_DECISIONS])
        return Decisions(dispatcher=self._id, after=start + len(results), results=results)

    async def intervene(self, episode: str, intervention: Intervention) -> EpisodeControl:
        """Pass on what a person asks of a running episode. Raises what the episode's host raises.

        Raises EpisodeNotRunning if the episode does not run now.
        """
        return await self._hosts.intervene(episode, intervention)

    def _count_unread(self) -> int:
        """Return how many episodes run, or have decided their task and were not read."""
        return self._batch.queue.running_count + len(self._batch.decided) - self._read

    def _new_batch(self, name: str, queue: TaskQueue, start_rule: StartRule) -> Batch:
        settings, now = self._settings, self._clock.now()
        health = FleetHealth(settings.serials, settings.phone_backoff, settings.held_s, now)
        for serial in settings.serials:
            if serial in settings.away:
                health.lost(serial, now, settings.away[serial])
        lessons = Lessons(self._learning, queue, settings, self._clock)
        is_open_ended, control = settings.is_open_ended, self._control
        return Batch(name, queue, health, control, start_rule, lessons, self._requirements, now, is_open_ended)

    # ------------------------------------------------------------------------ recovery of a batch
    async def _recover(self, batch: str, tasks: Sequence[TaskSpec]) -> RecoveredBatch:
        """Return the state of the tasks.

        Ask the hosts before reading the journals: the journals then show the end of an episode that ends in between.
        """
        answers = await asyncio.gather(*(progress_of(view, _ANSWER_S) for view in self._hosts.views))
        running = {
            progress.episode: (view, progress)
            for view, answer in zip(self._hosts.views, answers, strict=True)
            for progress in answer
        }
        index = await self._journals.index()
        names, learns = partial(self._ids.of, batch), self._learning is not None

        def recovered(cancelled: Container[str]) -> RecoveredBatch:
            return recover_batch(batch, tasks, index, running, self._control.serials, names, learns, cancelled)

        cancelled = self._control.state.cancelled.keys()
        surplus = TaskQueue(tasks, recovered(cancelled).before).surplus
        return recovered(cancelled | surplus)

    # ------------------------------------------------------------------------ tasks that are added
    def _added(self, batch: str) -> Sequence[TaskSpec]:
        """Return the tasks that people have added to a batch so far. They are added to a run's first batch only."""
        return self._control.added if batch == FIRST_BATCH else ()

    async def _take_added(self, batch: Batch, count: int) -> None:
        while True:
            more = self._added(batch.name)[count:]
            if more:
                batch.queue.add(more)
                count += len(more)
                batch.changed()
            await batch.next_change(None)

    async def _follow_priorities(self, batch: Batch) -> None:
        """Order the waiting tasks again whenever people give tasks another priority."""
        changes = 0
        while True:
            if changes != self._control.state.priority_changes:
                changes = self._control.state.priority_changes
                batch.queue.reorder()
                batch.changed()
            await batch.next_change(None)

    async def _recall_ahead(self, batch: Batch) -> None:
        """Recall the memory of each phone's next task while that task waits."""
        async with asyncio.TaskGroup() as group:
            while self._learning is not None:
                for attempt in batch.queue.ready(len(self._control.serials)):
                    self._services.memory_recall.ahead(attempt.task, self._ids.of(batch.name, attempt), group)
                await batch.next_hand_out()

    # ------------------------------------------------------------------------ one phone
    async def _serve_phones(self, batch: Batch, leases: Mapping[str, Lease]) -> None:
        """Give tasks to all phones, also to those that people attach later."""
        served: set[str] = set()
        async with asyncio.TaskGroup() as group:
            while True:
                for number, serial in enumerate(self._control.serials):
                    if serial not in served:
                        first_s = number * self._settings.stagger_s if serial in self._settings.serials else 0.0
                        batch.health.add(serial)
                        group.create_task(self._serve(serial, first_s, leases.get(serial), batch))
                        served.add(serial)
                await batch.next_change(None)

    async def _serve(self, serial: str, first_s: float, lease: Lease | None, batch: Batch) -> None:
        """Give one phone task after task, from ``first_s`` seconds on.

        An interrupted episode of this phone is resumed at once.

        ``lease``: a lease that an earlier dispatcher may not have given back.
        """
        if lease is not None:
            await self._leases.give_back(lease)
        if not batch.queue.has_interrupted(serial):
            await self._clock.sleep(first_s)
        while True:
            if not batch.queue.has_interrupted(serial):
                await self._until_usable(serial, batch)
            attempt = await batch.next_attempt(serial)
            try:
                await self._run_attempt(attempt, serial, batch)
            finally:
                batch.release(attempt)

    async def _run_attempt(self, attempt: Attempt, serial: str, batch: Batch) -> None:
        """Run an attempt to its end, also if people cancel its task meanwhile."""
        call = asyncio.create_task(AttemptRunner(self._services, attempt, serial, batch).run())
        try:
            await asyncio.sleep(0)  # cancelled before its first step, a coroutine would skip its own clean-up
            batch.calls[call] = attempt.task.id
            batch.changed()  # people may have cancelled the task before
            await asyncio.wait({call})
        except asyncio.CancelledError:
            call.cancel()
            await finish(asyncio.wait({call}))
            raise
        finally:
            batch.calls.pop(call, None)
        if not call.cancelled():
            call.result()

    async def _until_usable(self, serial: str, batch: Batch) -> None:
        """Wait while another holder has the phone, and retry a lost phone until it can be leased.

        Only a lease shows that a lost phone is back: taking it connects a network phone, and adb lists such a phone
        only after that.
        """
        while True:
            await self._clock.sleep(batch.health.wait_s(serial, self._clock.now()))
            if not batch.health.is_aside(serial):
                return
            lease = await self._leases.take(serial, f"{self._settings.run}-trial-{secrets.token_hex(6)}", batch)
            if lease is not None:
                await self._leases.give_back(lease)

    # ------------------------------------------------------------------------ waiting tasks
    async def _cancel_attempts(self, batch: Batch) -> None:
        """End the attempts of tasks that people cancel, or that their group no longer needs. Cancel each call once."""
        cancelled: set[asyncio.Task[None]] = set()
        while True:
            refused = {call for call, task in batch.calls.items() if batch.cancelled(task) is not None}
            for call in refused - cancelled:
                call.cancel()
            cancelled = refused
            await batch.next_change(None)

    async def _give_up_in_time(self, batch: Batch) -> None:
        """Give up the waiting tasks whenever a requirement has been missing, or nothing has run, for too long."""
        while True:
            now = self._clock.now()
            for attempt in batch.queue.waiting_of(lambda task: batch.refusal(task) is not None):
                if (refusal := batch.refusal(attempt.task.id)) is not None:
                    self._give_up_attempt(batch, attempt, *refusal)
            missing = [*self._missing(batch), *self._idle(batch)]
            first = min(missing, key=lambda missing: missing.ends_at, default=None)
            if first is None or batch.queue.waiting_count <= batch.queue.interrupted_count:
                await batch.next_change(None)
            elif now < first.ends_at:
                await batch.next_change(first.ends_at - now if first.ends_at < math.inf else None)
            else:
                for attempt in batch.queue.waiting_of(lambda _: True):
                    self._give_up_attempt(batch, attempt, first.ending, first.reason)

    def _missing(self, batch: Batch) -> Sequence[MissingRequirement]:
        """Return the requirements that tasks wait for now."""
        since = batch.health.none_left_since
        if since is None:
            return batch.missing
        reason = f"no phone is left: {batch.health.why_none()}"
        return (
            *batch.missing,
            MissingRequirement("a phone", since, reason, self._settings.patience_s.phone_s, Ending.NO_PHONE),
        )

    def _idle(self, batch: Batch) -> Sequence[MissingRequirement]:
        """Return what is missing while nothing runs. Its time limit ends every run, whatever phones and hosts do.

        A lesson that is being learned has a deadline of its own.
        """
        if batch.running or not batch.queue.all_taught:
            return ()
        limit_s, refused = self._settings.patience_s.idle_s, self._hosts.why_none()
        reason = f"nothing ran for {limit_s:g} s: {refused or batch.health.why_none()}"
        ending = Ending.HOST_LOST if refused else Ending.NO_PHONE
        return (MissingRequirement("a task that runs", batch.idle_since, reason, limit_s, ending),)

    def _give_up(self, batch: Batch, ending: Ending, reason: str) -> None:
        for attempt in batch.queue.waiting:
            self._give_up_attempt(batch, attempt, ending, reason)

    def _give_up_attempt(self, batch: Batch, attempt: Attempt, ending: Ending, reason: str) -> None:
        now = self._clock.now()
        batch.give_up(attempt, unfinished(attempt, self._ids.never_ran(attempt), "", ending, reason, now, now))
