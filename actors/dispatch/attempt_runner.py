"""Run one attempt on one phone: start its episode, resume it after interruptions, settle the attempt."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.batch import Batch
from manyhands.actors.dispatch.episode_journals import EpisodeIds, RunJournals, unfinished
from manyhands.actors.dispatch.episode_sessions import EpisodeSessions
from manyhands.actors.dispatch.hosts import HostPool
from manyhands.actors.dispatch.leases import PhoneLeases
from manyhands.actors.dispatch.lessons import MemoryRecall, RecalledMemory
from manyhands.actors.dispatch.missing_requirements import MissingRequirement
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.dispatch.task_queue import Attempt, CountedAs, InterruptedAttempt, PendingLesson
from manyhands.protocol.base import RETRIED_ENDINGS, Ending
from manyhands.protocol.errors import ActorLost, DeadlinePassed, ManyhandsError, ModelError, ModelRefused, Overloaded
from manyhands.protocol.messages import ModelSession, SessionFacts
from manyhands.protocol.phones import Lease
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import MOST_RESUMES, EpisodeOrder, EpisodeResult

_MOST_IN_VAIN = 2 * MOST_RESUMES
"""How often an episode is resumed before its journal is checked for a newly finished step. Usually the episode itself
gives up earlier. But it does not notice a resumption that its journal lacks, because the host died first."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AttemptServices:
    """The collaborators that all attempts of a dispatcher share."""

    settings: DispatchSettings
    hosts: HostPool
    leases: PhoneLeases
    journals: RunJournals
    memory_recall: MemoryRecall
    ids: EpisodeIds
    sessions: EpisodeSessions
    clock: Clock


class AttemptRunner:
    """Runs one attempt on one phone, once.

    The runner keeps the phone from the first lease to the end of the attempt, even while an interrupted episode waits
    for a host. When the runner leases the phone again, the new lease voids the old one. It also shows whether another
    holder had the phone between the two leases.
    """

    def __init__(self, services: AttemptServices, attempt: Attempt, serial: str, batch: Batch) -> None:
        self._services = services
        self._settings = services.settings
        self._attempt = attempt
        self._serial = serial
        self._batch = batch
        self._episode = (
            attempt.interrupted.result.episode if attempt.interrupted else services.ids.of(batch.name, attempt)
        )
        self._lease: Lease | None = None
        self._started_at = services.clock.now()
        self._steps = self._in_vain = 0
        self._recalled_memory: RecalledMemory | None = None
        """The memory that a new episode starts with."""
        self._session: ModelSession | None = None
        self._ends_session = attempt.interrupted is not None
        """Whether the episode's session ends with this attempt: it may be open, and the episode will not be resumed."""
        self._may_have_begun = attempt.interrupted is not None
        """Whether a host may have begun the episode, so that it may have a journal."""
        self._teaches = False

    async def run(self) -> None:
        """Settle the attempt. If the phone cannot be leased, or no host has room, the attempt stays unsettled."""
        try:
            await self._run(self._attempt.interrupted)
        finally:
            try:
                if self._ends_session:
                    epoch = self._lease.epoch if self._lease is not None and self._may_have_begun else None
                    await self._services.sessions.end(self._episode, epoch)
            finally:
                if self._teaches and self._lease is not None:
                    self._batch.add_lesson(self._attempt, PendingLesson(self._episode, self._lease.epoch))

    async def _run(self, interrupted: InterruptedAttempt | None) -> None:
        if interrupted is None:
            self._recalled_memory = await self._services.memory_recall.of(self._attempt.task, self._episode)
            if not await self._open_session():  # before the lease, which would run out meanwhile
                return
            self._lease = await self._services.leases.take(self._serial, self._episode, self._batch)
            if self._lease is None:
                return
        else:
            self._lease = interrupted.lease
        self._report("starting")
        try:
            await self._play(interrupted)
        except asyncio.CancelledError:
            task = self._attempt.task.id
            cancelled = self._batch.cancelled(task)
            self._settle(self._unfinished(Ending.CANCELLED, cancelled or self._batch.control.reason_of(task)))
            self._ends_session = cancelled is not None  # a cancelled run can be resumed, and its episodes with it
            raise
        except Exception as error:  # a defect of ours in one episode must not end the batch
            logger.exception("%s ended by a defect", self._episode)
            self._settle(self._unfinished(Ending.INTERNAL_ERROR, f"{type(error).__name__}: {error}"))
        finally:
            del self._batch.running[self._episode]
            await self._services.leases.give_back(self._lease)

    async def _play(self, interrupted: InterruptedAttempt | None) -> None:
        """Run the episode until it ends by itself, cannot be resumed, or finds no host."""
        settings = self._settings.episode
        full_since: float | None = None
        while True:
            if interrupted is not None and interrupted.view is None:
                missing = await self._await_host()
                if missing is not None:
                    self._settle(self._unfinished(missing.ending, missing.reason))
                    return
                if self._session is None and not await self._open_session():
                    return
                if not await self._retake_phone():
                    self._abandon(interrupted.result)
                    return
            asked_at = self._services.clock.now()
            try:
                result = await self._ask(interrupted)
            except Overloaded as error:
                logger.warning("%s: %s; the task waits", self._episode, error)
                if interrupted is None:
                    self._may_have_begun = False
                    return
                full_since = full_since or asked_at
                if asked_at - full_since >= self._settings.no_host_s:
                    self._abandon(interrupted.result)
                    return
                assert self._lease is not None
                interrupted = replace(interrupted, lease=self._lease, view=None)
                continue  # no episode was resumed, so no resumption was in vain
            except ActorLost as error:
                result = self._unfinished(Ending.HOST_LOST, str(error))
            except DeadlinePassed as error:
                self._settle(self._unfinished(Ending.HOST_LOST, str(error)), CountedAs.AS_AN_ATTEMPT)
                return
            else:
                self._judge_phone(result)
                if result.ending not in RETRIED_ENDINGS or result.afresh:
                    self._settle(result)
                    return
                waited_s = self._services.clock.now() - asked_at
                if interrupted is not None and result.ending is Ending.HOST_LOST and waited_s >= settings.disk_wait_s:
                    # The episode has waited its whole budget for the run folder. Another host would get the same
                    # folder.
                    self._settle(result, CountedAs.AS_THE_LAST)
                    return
            full_since = None
            self._in_vain += interrupted is not None
            if self._in_vain >= _MOST_IN_VAIN and not await self._has_progressed():
                self._abandon(result)
                return
            assert self._lease is not None
            interrupted = InterruptedAttempt(result, self._lease)

    async def _ask(self, interrupted: InterruptedAttempt | None) -> EpisodeResult:
        """Ask a host to run or resume the episode. Raises ActorLost, Overloaded, DeadlinePassed."""
        view = (
            interrupted.view
            if interrupted is not None and interrupted.view is not None
            else self._services.hosts.least_busy()
        )
        if view is None:
            raise Overloaded("no episode host is left")
        assert self._lease is not None
        attempt, settings = self._attempt, self._settings
        # A resumed episode reads its memory from its journal.
        recalled_memory = self._recalled_memory or self._services.memory_recall.nothing
        order = EpisodeOrder(
            run=settings.run,
            episode=self._episode,
            attempt=attempt.number,
            task=attempt.task,
            lease=self._lease,
            memory=recalled_memory.memory,
            recalled=recalled_memory.record,
            settings=settings.episode,
            batch=self._batch.name,
            place=attempt.index,
            restarts=attempt.restarts,
            resume=None if interrupted is None else interrupted.result.reason or interrupted.result.ending.value,
            run_cut_off=interrupted is not None and interrupted.run_cut_off,
            session=self._session,
        )
        if interrupted is not None:
            logger.warning("%s goes on on %s: %s", self._episode, self._serial, order.resume)
        self._report("starting" if interrupted is None else "going on")
        self._may_have_begun = True
        limit_s = attempt.task.limits.wall_s + settings.overtime_s
        return await self._services.hosts.run_episode(view, order, limit_s, self._batch.paused_s)

    async def _open_session(self) -> bool:
        """Open the episode's session, if episodes have some. Return whether the attempt may go on, or was settled.

        It is settled if the gateway refuses, or if no session of any episode was opened for too long.
        """
        task, sessions = self._attempt.task, self._services.sessions
        facts = SessionFacts(
            run=self._settings.run,
            episode=self._episode,
            task=task.id,
            group=task.base_id,
            attempt=self._attempt.number,
        )
        self._ends_session = True
        while True:
            began_at = self._services.clock.now()
            try:
                self._session = await sessions.open(facts)
                return True
            except ModelError as error:
                logger.warning("%s has no session: %s", self._episode, error)
                if isinstance(error, ModelRefused) or not sessions.has_opened_since(began_at):
                    self._settle(self._unfinished(Ending.NO_MODEL, str(error)))
                    self._ends_session = False  # a gateway that is away is not told; a resumed run asks it again
                    return False

    # ------------------------------------------------------------------------ between two hosts
    async def _await_host(self) -> MissingRequirement | None:
        """Wait for a host. Return the missing requirement if the wait reaches its limit."""
        while (missing := self._services.hosts.missing()) is not None:
            left_s = missing.ends_at - self._services.clock.now()
            if left_s <= 0:
                return missing
            self._report("waiting for an episode host")
            await self._batch.next_change(left_s)
        return None

    async def _retake_phone(self) -> bool:
        """Lease the phone again, within ``in_place_s``.

        Return whether no other holder has had it since the interruption.
        """
        clock, leases, health = self._services.clock, self._services.leases, self._batch.health
        ends_at = clock.now() + self._settings.in_place_s
        self._report("waiting for its phone")
        while (left_s := ends_at - clock.now()) > 0:
            await clock.sleep(min(health.wait_s(self._serial, clock.now()), left_s))
            limit_s = max(1.0, ends_at - clock.now())
            lease = await leases.take(self._serial, self._episode, self._batch, limit_s)
            if lease is not None:
                self._lease = lease
                return lease.undisturbed
        return False

    async def _has_progressed(self) -> bool:
        """Return whether a step was finished since the last check.

        The journal tells it, because a dead host reports no steps.
        """
        before, self._in_vain = self._steps, 0
        self._report("reading its journal")
        try:
            self._steps = await self._services.journals.finished_steps(self._episode)
        except ManyhandsError as error:
            logger.warning("%s: nobody knows how far it got: %s", self._episode, error)
        return self._steps > before

    # ------------------------------------------------------------------------ the end
    def _abandon(self, result: EpisodeResult) -> None:
        """Start the task again, unless a restart would count as an attempt.

        An ending of an earlier run decides nothing here.
        """
        if result.ending in RETRIED_ENDINGS:
            self._settle(result)

    def _settle(self, result: EpisodeResult, counts: CountedAs = CountedAs.AS_IT_ENDED) -> None:
        self._teaches = self._batch.settle(self._attempt, result, counts, self._services.clock.now())

    def _judge_phone(self, result: EpisodeResult) -> None:
        now = self._services.clock.now()
        if result.ending == Ending.PHONE_LOST:
            self._batch.health.lost(result.serial, now, result.reason)
        elif result.ending == Ending.LEASE_LOST:
            self._batch.health.held(result.serial, now, result.reason)
        else:
            self._batch.health.served(result.serial)

    def _unfinished(self, ending: Ending, reason: str) -> EpisodeResult:
        now = self._services.clock.now()
        return unfinished(self._attempt, self._episode, self._serial, ending, reason, self._started_at, now)

    def _report(self, doing: str) -> None:
        self._batch.running[self._episode] = EpisodeProgress(
            episode=self._episode,
            task=self._attempt.task.id,
            serial=self._serial,
            step=0,
            doing=doing,
            stage_since=self._services.clock.now(),
        )
