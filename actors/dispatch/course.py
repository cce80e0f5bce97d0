"""The course of one turn on one phone: its episode runs, is gone on with where it was interrupted, and is settled."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.batch import Batch
from manyhands.actors.dispatch.hosts import HostPool
from manyhands.actors.dispatch.journals import RunJournals
from manyhands.actors.dispatch.leases import PhoneLeases
from manyhands.actors.dispatch.needs import Lack
from manyhands.actors.dispatch.outcomes import EpisodeIds, unfinished
from manyhands.actors.dispatch.queue import Counts, Left, Owed, Turn
from manyhands.actors.dispatch.recalls import Recalls, Told
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.protocol.base import RETRIED_ENDINGS, Ending
from manyhands.protocol.errors import ActorLost, DeadlinePassed, ManyhandsError, Overloaded
from manyhands.protocol.phones import Lease
from manyhands.protocol.progress import EpisodeProgress
from manyhands.protocol.runs import MOST_RESUMES, EpisodeOrder, EpisodeResult

_MOST_IN_VAIN = 2 * MOST_RESUMES
"""How often an episode is gone on with before its journal is asked whether a step was finished since. It gives up by
itself before that; a host may die before the journal tells that it went on."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Workplace:
    """What all turns of a dispatcher work with."""

    settings: DispatchSettings
    hosts: HostPool
    leases: PhoneLeases
    journals: RunJournals
    recalls: Recalls
    ids: EpisodeIds
    clock: Clock


class Course:
    """One turn on one phone. Run it once.

    The phone is ours from the first lease to the end, also while an interrupted episode waits for a host: a lease that
    replaces another of the same holder voids that one, and tells whether anybody had the phone between.
    """

    def __init__(self, workplace: Workplace, turn: Turn, serial: str, batch: Batch) -> None:
        self._work = workplace
        self._settings = workplace.settings
        self._turn = turn
        self._serial = serial
        self._batch = batch
        self._episode = turn.left.result.episode if turn.left else workplace.ids.of(batch.name, turn)
        self._lease: Lease | None = None
        self._started_at = workplace.clock.now()
        self._steps = self._in_vain = 0
        self._told: Told | None = None
        """What the episode is to know, of one that begins."""
        self._teaches = False

    async def run(self) -> None:
        """Settle the turn; it stays unsettled if the phone cannot be had, or no host has room."""
        left = self._turn.left
        if left is None:
            self._told = await self._work.recalls.of(self._turn.task, self._episode)
            self._lease = await self._work.leases.take(self._serial, self._episode, self._batch)
            if self._lease is None:
                return
        else:
            self._lease = left.lease
        self._tell("starting")
        try:
            await self._play(left)
        except asyncio.CancelledError:
            self._settle(self._unfinished(Ending.CANCELLED, "the run was cancelled"))
            raise
        except Exception as error:  # a defect of ours in one episode must not end the batch
            logger.exception("%s ended by a defect", self._episode)
            self._settle(self._unfinished(Ending.INTERNAL_ERROR, f"{type(error).__name__}: {error}"))
        finally:
            del self._batch.running[self._episode]
            try:
                await self._work.leases.give_back(self._lease)
            finally:
                if self._teaches:
                    self._batch.owe(self._turn, Owed(self._episode, self._lease.epoch))

    async def _play(self, left: Left | None) -> None:
        """Run the episode until it ends by itself, cannot be gone on with, or finds no host."""
        settings = self._settings.episode
        full_since: float | None = None
        while True:
            if left is not None and left.slot is None:
                lack = await self._host_there()
                if lack is not None:
                    self._settle(self._unfinished(lack.ending, lack.reason))
                    return
                if not await self._have_phone_again():
                    self._let_go(left.result)
                    return
            asked_at = self._work.clock.now()
            try:
                result = await self._ask(left)
            except Overloaded as error:
                logger.warning("%s: %s; the task waits", self._episode, error)
                if left is None:
                    return
                full_since = full_since or asked_at
                if asked_at - full_since >= self._settings.no_host_s:
                    self._let_go(left.result)
                    return
                assert self._lease is not None
                left = replace(left, lease=self._lease, slot=None)
                continue  # it did not go on, so that was not in vain
            except ActorLost as error:
                result = self._unfinished(Ending.HOST_LOST, str(error))
            except DeadlinePassed as error:
                self._settle(self._unfinished(Ending.HOST_LOST, str(error)), Counts.AS_AN_ATTEMPT)
                return
            else:
                self._judge_phone(result)
                if result.ending not in RETRIED_ENDINGS or result.afresh:
                    self._settle(result)
                    return
                waited_s = self._work.clock.now() - asked_at
                if left is not None and result.ending is Ending.HOST_LOST and waited_s >= settings.disk_wait_s:
                    # It told so itself, after all its patience with the run folder: another would wait no better.
                    self._settle(result, Counts.AS_THE_LAST)
                    return
            full_since = None
            self._in_vain += left is not None
            if self._in_vain >= _MOST_IN_VAIN and not await self._has_got_further():
                self._let_go(result)
                return
            assert self._lease is not None
            left = Left(result, self._lease)

    async def _ask(self, left: Left | None) -> EpisodeResult:
        """Have a host run the episode, or go on with it. Raises ActorLost, Overloaded, DeadlinePassed."""
        slot = left.slot if left is not None and left.slot is not None else self._work.hosts.least_busy()
        if slot is None:
            raise Overloaded("no episode host is left")
        assert self._lease is not None
        turn, settings = self._turn, self._settings
        told = self._told or self._work.recalls.nothing  # what is gone on with knows what its journal says
        order = EpisodeOrder(
            run=settings.run,
            episode=self._episode,
            attempt=turn.attempt,
            task=turn.task,
            lease=self._lease,
            memory=told.memory,
            recalled=told.recalled,
            settings=settings.episode,
            batch=self._batch.name,
            place=turn.index,
            restarts=turn.restarts,
            resume=None if left is None else left.result.reason or left.result.ending.value,
            run_cut_off=left is not None and left.run_cut_off,
        )
        if left is not None:
            logger.warning("%s goes on on %s: %s", self._episode, self._serial, order.resume)
        self._tell("starting" if left is None else "going on")
        limit_s = turn.task.limits.wall_s + settings.overtime_s
        return await self._work.hosts.run_episode(slot, order, limit_s, self._batch.paused_s)

    # ------------------------------------------------------------------------ between two hosts
    async def _host_there(self) -> Lack | None:
        """Wait for a host; return the lack once that has outlasted its patience."""
        while (lack := self._work.hosts.lack()) is not None:
            left_s = lack.ends_at - self._work.clock.now()
            if left_s <= 0:
                return lack
            self._tell("waiting for an episode host")
            await self._batch.next_change(left_s)
        return None

    async def _have_phone_again(self) -> bool:
        """Take the phone again, within ``in_place_s``; return whether nobody has had it since the episode was left."""
        clock, leases, health = self._work.clock, self._work.leases, self._batch.health
        ends_at = clock.now() + self._settings.in_place_s
        self._tell("waiting for its phone")
        while (left_s := ends_at - clock.now()) > 0:
            await clock.sleep(min(health.wait_s(self._serial, clock.now()), left_s))
            limit_s = max(1.0, ends_at - clock.now())
            lease = await leases.take(self._serial, self._episode, self._batch, limit_s)
            if lease is not None:
                self._lease = lease
                return lease.undisturbed
        return False

    async def _has_got_further(self) -> bool:
        """Return whether a step was finished since it was asked last: a host that dies does not tell."""
        before, self._in_vain = self._steps, 0
        self._tell("reading its journal")
        try:
            self._steps = await self._work.journals.finished_steps(self._episode)
        except ManyhandsError as error:
            logger.warning("%s: nobody knows how far it got: %s", self._episode, error)
        return self._steps > before

    # ------------------------------------------------------------------------ the end
    def _let_go(self, result: EpisodeResult) -> None:
        """Have the task begun anew, unless that would count; an end of an earlier run decides nothing in this one."""
        if result.ending in RETRIED_ENDINGS:
            self._settle(result)

    def _settle(self, result: EpisodeResult, counts: Counts = Counts.AS_IT_ENDED) -> None:
        self._teaches = self._batch.settle(self._turn, result, counts, self._work.clock.now())

    def _judge_phone(self, result: EpisodeResult) -> None:
        now = self._work.clock.now()
        if result.ending == Ending.PHONE_LOST:
            self._batch.health.lost(result.serial, now, result.reason)
        elif result.ending == Ending.LEASE_LOST:
            self._batch.health.held(result.serial, now, result.reason)
        else:
            self._batch.health.served(result.serial)

    def _unfinished(self, ending: Ending, reason: str) -> EpisodeResult:
        now = self._work.clock.now()
        return unfinished(self._turn, self._episode, self._serial, ending, reason, self._started_at, now)

    def _tell(self, doing: str) -> None:
        self._batch.running[self._episode] = EpisodeProgress(
            episode=self._episode, task=self._turn.task.id, serial=self._serial, step=0, doing=doing
        )
