"""Runs a batch: leases phones, hands each a task, and gives the task of a lost phone to another.

Each wait is ended by one owner:

- each phone has one coroutine (``_serve``), which alone tries a lost phone again, by asking for a lease;
- a turn is held only while its phone is leased and its episode runs, both by a deadline, and then settled or released;
- tasks that wait for a turn are given up by one coroutine (``_give_up_in_time``), when something has been missing for
  too long (``needs.py``) or nothing has run for ``idle_s``.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Sequence

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.dispatch.batch import Batch
from manyhands.actors.dispatch.calls import answered
from manyhands.actors.dispatch.health import FleetHealth
from manyhands.actors.dispatch.hosts import HostPool, HostSlot
from manyhands.actors.dispatch.leases import PhoneLeases
from manyhands.actors.dispatch.needs import Lack, Need
from manyhands.actors.dispatch.outcomes import journal_never_ran, new_episode_id, unfinished
from manyhands.actors.dispatch.queue import Turn
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.seams import Gateway, Host, Store
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, CallError, DeadlinePassed, Overloaded
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.phones import Lease
from manyhands.protocol.runs import EpisodeOrder, EpisodeProgress, EpisodeResult, RunProgress, RunWait
from manyhands.protocol.tasks import TaskSpec

_PROGRESS_S = 2.0
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
    ) -> None:
        """``needs``: what tasks need beside phones and hosts; while any of it is missing, none begins."""
        self._settings = settings
        self._memory = memory
        self._store = store
        self._clock = clock or RealClock()
        self._leases = PhoneLeases(gateway, settings, self._clock)
        self._hosts = HostPool(hosts, settings.backoff, settings.no_host_s, self._clock)
        self._needs: tuple[Need, ...] = (self._hosts, *needs)
        self._batch = self._new_batch(())

    async def start(self) -> None:
        """Do nothing: all collaborators are given."""

    async def stop(self) -> None:
        """Do nothing: there is nothing to close."""

    async def run(self, tasks: Sequence[TaskSpec]) -> Sequence[EpisodeResult]:
        """Return one deciding result per task, in their order. Cancelling ends all episodes and frees all phones."""
        batch = self._batch = self._new_batch(tasks)
        try:
            async with asyncio.TaskGroup() as group:
                at_work = [
                    group.create_task(self._serve(serial, number * self._settings.stagger_s, batch))
                    for number, serial in enumerate(self._settings.serials)
                ]
                at_work += [group.create_task(need.watch(batch.changed)) for need in self._needs]
                at_work.append(group.create_task(self._give_up_in_time(batch)))
                await batch.until(lambda: batch.queue.decided)
                for task in at_work:
                    task.cancel()
        except asyncio.CancelledError:
            self._give_up(batch, Ending.CANCELLED, "the run was cancelled before the task ran")
            raise
        except BaseException as error:
            self._give_up(batch, Ending.INTERNAL_ERROR, f"the run ended by a defect: {error!r}")
            raise
        finally:
            await journal_never_ran(self._store, self._settings.run, self._settings.episode, batch.never_ran)
        return batch.queue.results

    async def progress(self) -> RunProgress:
        """Return the batch's progress; for hosts that do not answer soon, the last that is known."""
        batch = self._batch
        answers = await asyncio.gather(*(_progress_of(host) for host in self._hosts.hosts))
        reported = {item.episode: item for answer in answers for item in answer}
        held_up = () if batch.queue.decided else self._missing(batch)
        return RunProgress(
            total=batch.total,
            waiting=len(batch.queue.waiting),
            running=tuple(reported.get(episode, item) for episode, item in batch.running.items()),
            done=batch.queue.results,
            held_up=tuple(RunWait(what=lack.what, since=lack.since, reason=lack.reason) for lack in held_up),
            away=batch.health.away,
        )

    def _new_batch(self, tasks: Sequence[TaskSpec]) -> Batch:
        settings, now = self._settings, self._clock.now()
        health = FleetHealth(settings.serials, settings.phone_backoff, settings.held_s, now)
        for serial in settings.serials:
            if serial in settings.away:
                health.lost(serial, now, settings.away[serial])
        return Batch(tasks, health, self._needs, now)

    # ------------------------------------------------------------------------ one phone
    async def _serve(self, serial: str, first_s: float, batch: Batch) -> None:
        """Give one phone task after task, beginning in ``first_s``."""
        await self._clock.sleep(first_s)
        while True:
            await self._until_usable(serial, batch)
            turn = await batch.next_turn()
            try:
                await self._try_turn(turn, serial, batch)
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

    async def _try_turn(self, turn: Turn, serial: str, batch: Batch) -> None:
        """Run an episode, if the phone can be had and a host is there; otherwise the turn goes back unsettled."""
        episode = new_episode_id(turn)
        lease = await self._leases.take(serial, episode, batch)
        if lease is None:
            return
        try:
            with self._hosts.host() as slot:
                if slot is not None:
                    await self._take_turn(turn, episode, lease, slot, batch)
        finally:
            await self._leases.give_back(lease)

    async def _take_turn(self, turn: Turn, episode: str, lease: Lease, slot: HostSlot, batch: Batch) -> None:
        """Run one episode and settle the turn by its result, or leave it unsettled if the host refused it."""
        started_at = self._clock.now()
        batch.running[episode] = EpisodeProgress(
            episode=episode, task=turn.task.id, serial=lease.serial, step=0, doing="starting"
        )

        def settle(ending: Ending, reason: str) -> None:
            now = self._clock.now()
            batch.settle(turn, unfinished(turn, episode, lease.serial, ending, reason, started_at, now), now)

        try:
            result = await self._run_episode(turn, episode, lease, slot, batch)
        except Overloaded as error:
            logger.warning("%s: %s; the task waits", episode, error)
        except ActorLost as error:
            settle(Ending.HOST_LOST, str(error))
        except asyncio.CancelledError:
            settle(Ending.CANCELLED, "the run was cancelled")
            raise
        except Exception as error:  # a defect of ours in one episode must not end the batch
            logger.exception("%s ended by a defect", episode)
            settle(Ending.INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        else:
            self._judge_phone(result, batch)
            batch.settle(turn, result, self._clock.now())
        finally:
            del batch.running[episode]

    async def _run_episode(self, turn: Turn, episode: str, lease: Lease, slot: HostSlot, batch: Batch) -> EpisodeResult:
        """Run an episode on a host. Raises ActorLost, Overloaded; either way the host is left alone for a while."""
        order = EpisodeOrder(
            run=self._settings.run,
            episode=episode,
            attempt=turn.attempt,
            task=turn.task,
            lease=lease,
            memory=self._memory,
            settings=self._settings.episode,
        )
        limit_s = turn.task.limits.wall_s + self._settings.overtime_s
        try:
            result = await answered(slot.host.run_episode(order), limit_s, episode, uncounted_s=batch.paused_s)
        except DeadlinePassed as error:
            late = f"the episode had not ended after {limit_s:.0f} s"
            self._hosts.failed(slot, late)
            raise ActorLost(late) from error
        except (ActorLost, Overloaded) as error:
            self._hosts.failed(slot, str(error))
            raise
        self._hosts.served(slot)
        return result

    def _judge_phone(self, result: EpisodeResult, batch: Batch) -> None:
        now = self._clock.now()
        if result.ending == Ending.PHONE_LOST:
            batch.health.lost(result.serial, now, result.reason)
        elif result.ending == Ending.LEASE_LOST:
            batch.health.held(result.serial, now, result.reason)
        else:
            batch.health.served(result.serial)

    # ------------------------------------------------------------------------ waiting tasks
    async def _give_up_in_time(self, batch: Batch) -> None:
        """Give up the waiting tasks whenever something has been missing, or nothing has run, for too long."""
        while True:
            now = self._clock.now()
            lacks = [*self._missing(batch), *self._idle(batch)]
            first = min(lacks, key=lambda lack: lack.ends_at, default=None)
            if first is None or not batch.queue.waiting:
                await batch.next_change(None)
            elif now < first.ends_at:
                await batch.next_change(first.ends_at - now)
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
        """Return a lack while nothing runs: its patience bounds a run, whatever phones, hosts and others do."""
        if batch.running:
            return ()
        limit_s, refused = self._settings.idle_s, self._hosts.why_none()
        reason = f"nothing ran for {limit_s:g} s: {refused or batch.health.why_none()}"
        ending = Ending.HOST_LOST if refused else Ending.NO_PHONE
        return (Lack("a task that runs", batch.idle_since, reason, limit_s, ending),)

    def _give_up(self, batch: Batch, ending: Ending, reason: str) -> None:
        now = self._clock.now()
        for turn in batch.queue.waiting:
            batch.give_up(turn, unfinished(turn, new_episode_id(turn), "", ending, reason, now, now))


async def _progress_of(host: Host) -> Sequence[EpisodeProgress]:
    try:
        async with asyncio.timeout(_PROGRESS_S):
            return await host.progress()
    except (CallError, TimeoutError):
        return ()
