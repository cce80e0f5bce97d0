"""Runs a batch: leases phones, hands each a task, and gives the task of a lost phone to another.

The gateway alone knows who may touch a phone; the dispatcher asks for a lease and never counts.

What waits, and who ends it:

- each phone has one task (``_serve``), the only one that tries a lost phone again; asking for a lease is the trial;
- a turn is held only while its phone is asked for and its episode runs, both by a deadline, and then settled or
  released;
- tasks that wait for a turn are given up by one task (``_give_up_in_time``), when something has been missing for too
  long (``needs.py``) or nothing has gone on for ``idle_s``.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Sequence

from pydantic import Field

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.dispatch.batch import Batch
from manyhands.actors.dispatch.calls import answered, to_the_end
from manyhands.actors.dispatch.health import Backoff, FleetHealth
from manyhands.actors.dispatch.hosts import HostPool, HostSlot
from manyhands.actors.dispatch.needs import Lack, Need
from manyhands.actors.dispatch.queue import Turn
from manyhands.actors.seams import Gateway, Host, Store
from manyhands.protocol.base import Ending, Input
from manyhands.protocol.errors import ActorLost, CallError, DeadlinePassed, ManyhandsError, Overloaded, PhoneBusy
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.phones import Lease
from manyhands.protocol.records import EpisodeEnded, EpisodeStarted
from manyhands.protocol.runs import EpisodeOrder, EpisodeProgress, EpisodeResult, EpisodeSettings, RunProgress, RunWait
from manyhands.protocol.tasks import TaskSpec

_PROGRESS_S = 2.0
_PARTING_S = 2.0
"""How long a lease that is on its way is waited for by a run that ends; an attach that takes longer is ended."""
_JOURNAL_S = 60.0
"""How long it may take to journal the tasks that never ran, all together."""
logger = logging.getLogger(__name__)


class DispatchSettings(Input):
    run: str
    serials: tuple[str, ...]
    away: dict[str, str] = Field(default_factory=dict)
    """Those of them that could not be used just now, and why: they are tried before they are given a task."""
    episode: EpisodeSettings = EpisodeSettings()
    no_phone_s: float = Field(default=120.0, gt=0)
    """How long every phone may be lost before the tasks that wait are given up."""
    no_host_s: float = Field(default=60.0, gt=0)
    """How long every episode host may be silent before the tasks that wait are given up."""
    idle_s: float = Field(default=3600.0, gt=0)
    """How long nothing may run, for whatever reason (others hold every phone, say), before the tasks that wait are
    given up. What needs are waited for by a patience of their own does not count."""
    held_s: float = Field(default=2.0, gt=0)
    """How long a phone that another holder has is left alone."""
    attach_s: float = Field(default=60.0, gt=0)
    """How long a phone may take until it is attached, and how long to give it back."""
    overtime_s: float = Field(default=120.0, gt=0)
    """How long after its own time limit an episode may take to end, before its host counts as lost."""
    backoff: Backoff = Backoff()
    """For hosts that were lost."""
    phone_backoff: Backoff = Backoff(first_s=1.0, limit_s=5.0)
    """For phones that were lost: one that is back is to be used within 10 s, so it is asked often."""
    stagger_s: float = Field(default=0.0, ge=0, le=60)
    """A batch's phones begin so much after one another: steps take alike, so they would go on in step, and all
    look, ask and act in the same moments."""


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
        """``needs``: what a task needs beside phones and hosts; while something of it is missing, none begins."""
        self._settings = settings
        self._gateway = gateway
        self._memory = memory
        self._store = store
        self._clock = clock or RealClock()
        self._hosts = HostPool(hosts, settings.backoff, settings.no_host_s, self._clock)
        self._needs: tuple[Need, ...] = (self._hosts, *needs)
        self._batch = self._new_batch(())

    async def start(self) -> None:
        """Nothing to open: what it works with is given."""

    async def stop(self) -> None:
        """Nothing to close."""

    async def run(self, tasks: Sequence[TaskSpec]) -> Sequence[EpisodeResult]:
        """One deciding result per task, in their order. Cancelling it ends all episodes and frees all phones."""
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
            await self._journal_never_ran(batch)
        return batch.queue.results

    async def progress(self) -> RunProgress:
        """Where the batch stands; what a host does not answer soon is left at what is known here."""
        batch = self._batch
        answers = await asyncio.gather(*(_progress_of(host) for host in self._hosts.hosts))
        told = {item.episode: item for answer in answers for item in answer}
        held_up = () if batch.queue.decided else self._missing(batch)
        return RunProgress(
            total=batch.total,
            waiting=len(batch.queue.waiting),
            running=tuple(told.get(episode, item) for episode, item in batch.running.items()),
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
        """Wait while another has the phone. One that is lost is asked for a lease again and again: that is the trial,
        for attaching connects a phone on the network where nothing else would, and adb lists a phone only then.
        """
        while True:
            await self._clock.sleep(batch.health.wait_s(serial, self._clock.now()))
            if not batch.health.is_aside(serial):
                return
            lease = await self._leased(serial, f"{self._settings.run}-trial-{secrets.token_hex(6)}", batch)
            if lease is not None:
                await self._detach(lease)

    async def _try_turn(self, turn: Turn, serial: str, batch: Batch) -> None:
        """Run an episode, if the phone can be had and a host is there; otherwise the turn goes back unsettled."""
        episode = _new_id(turn)
        lease = await self._leased(serial, episode, batch)
        if lease is None:
            return
        try:
            with self._hosts.host() as slot:
                if slot is not None:
                    await self._take_turn(turn, episode, lease, slot, batch)
        finally:
            await self._detach(lease)

    async def _take_turn(self, turn: Turn, episode: str, lease: Lease, slot: HostSlot, batch: Batch) -> None:
        """Run one episode and settle the turn by its result, or leave it unsettled where the host had no room."""
        started_at = self._clock.now()
        batch.running[episode] = EpisodeProgress(
            episode=episode, task=turn.task.id, serial=lease.serial, step=0, doing="starting"
        )

        def settle(ending: Ending, reason: str) -> None:
            result = self._result(turn, episode, lease.serial, ending, reason, started_at)
            batch.settle(turn, result, self._clock.now())

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
        """Raises ActorLost, Overloaded; either way the host is left alone for a while."""
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

    # ------------------------------------------------------------------------ leases
    async def _leased(self, serial: str, holder: str, batch: Batch) -> Lease | None:
        """A lease on the phone. None where it cannot be had, which is written down with the reason."""
        try:
            lease = await self._attach(serial, holder)
        except PhoneBusy as error:
            batch.health.held(serial, self._clock.now(), str(error))
        except ManyhandsError as error:  # also what befalls the gateway itself: its disk, its restart
            batch.health.lost(serial, self._clock.now(), str(error))
        except Exception as error:  # a defect that one phone meets must not end the batch
            logger.exception("attaching %s failed by a defect", serial)
            batch.health.lost(serial, self._clock.now(), f"{type(error).__name__}: {error}")
        else:
            batch.health.attached(serial)
            batch.changed()
            return lease
        batch.changed()
        return None

    async def _attach(self, serial: str, holder: str) -> Lease:
        """Raises what the gateway raises, DeadlinePassed. Cancelled meanwhile, it gives back what it gets: else the
        phone would stay taken until the lease ran out.
        """
        settings = self._settings
        asked = self._gateway.attach(serial, holder, settings.episode.lease_s)
        limit_s, what = settings.attach_s, f"attaching {serial}"
        return await answered(asked, limit_s, what, parting_s=_PARTING_S, too_late=self._give_back)

    async def _detach(self, lease: Lease) -> None:
        """Give the phone back, also while the run is being cancelled."""
        await to_the_end(self._give_back(lease))

    async def _give_back(self, lease: Lease) -> None:
        try:
            await answered(self._gateway.detach(lease), self._settings.attach_s, f"giving {lease.serial} back")
        except ManyhandsError as error:
            logger.warning("%s was not given back, its lease will run out: %s", lease.serial, error)
        except Exception:  # a defect that one phone meets must not end the batch
            logger.exception("%s was not given back by a defect, its lease will run out", lease.serial)

    # ------------------------------------------------------------------------ tasks that never run
    async def _give_up_in_time(self, batch: Batch) -> None:
        """Give up the tasks that wait whenever something has been missing, or nothing has run, for too long."""
        while True:
            now = self._clock.now()
            lacks = [*self._missing(batch), *self._idle(batch)]
            first = min(lacks, key=lambda lack: lack.ends_at, default=None)
            if first is None or not batch.queue.waiting:
                await batch.next_change()
            elif now < first.ends_at:
                await batch.changes_within(first.ends_at - now)
            else:
                self._give_up(batch, first.ending, first.reason)

    def _missing(self, batch: Batch) -> Sequence[Lack]:
        """What tasks wait for now."""
        since = batch.health.none_left_since
        if since is None:
            return batch.lacks
        reason = f"no phone is left: {batch.health.why_none()}"
        return (*batch.lacks, Lack("a phone", since, reason, self._settings.no_phone_s, Ending.NO_PHONE))

    def _idle(self, batch: Batch) -> Sequence[Lack]:
        """That nothing runs: its patience is what bounds a run whatever phones, hosts and others do."""
        if batch.running:
            return ()
        limit_s, refused = self._settings.idle_s, self._hosts.why_none()
        reason = f"nothing ran for {limit_s:g} s: {refused or batch.health.why_none()}"
        ending = Ending.HOST_LOST if refused else Ending.NO_PHONE
        return (Lack("a task that runs", batch.idle_since, reason, limit_s, ending),)

    def _give_up(self, batch: Batch, ending: Ending, reason: str) -> None:
        now = self._clock.now()
        for turn in batch.queue.waiting:
            batch.give_up(turn, self._result(turn, _new_id(turn), "", ending, reason, now))

    async def _journal_never_ran(self, batch: Batch) -> None:
        """So that the journals alone tell how every task ended. A serial of '' stands for no phone."""
        try:
            async with asyncio.timeout(_JOURNAL_S):
                for turn, result in batch.never_ran:
                    await self._journal(turn, result)
        except TimeoutError:
            logger.warning("not every task that never ran is in a journal: the store took over %g s", _JOURNAL_S)

    async def _journal(self, turn: Turn, result: EpisodeResult) -> None:
        settings = self._settings
        started = EpisodeStarted(
            at=result.started_at,
            run=settings.run,
            episode=result.episode,
            attempt=turn.attempt,
            task=turn.task,
            serial="",
            epoch=0,
            profile=settings.episode.profile,
            schedule=settings.episode.schedule,
            memory=LongTermMemory(),
        )
        ended = EpisodeEnded(
            at=result.ended_at, ending=result.ending, reason=result.reason, steps=0, verified=None, rubrics={}
        )
        try:
            await self._store.append(result.episode, [started, ended])
        except ManyhandsError as error:
            logger.warning("the end of %s is not in its journal: %s", result.episode, error)

    def _result(
        self, turn: Turn, episode: str, serial: str, ending: Ending, reason: str, started_at: float
    ) -> EpisodeResult:
        return EpisodeResult(
            episode=episode,
            task=turn.task.id,
            serial=serial,
            attempt=turn.attempt,
            ending=ending,
            reason=reason,
            steps=0,
            verified=None,
            rubrics={},
            started_at=started_at,
            ended_at=self._clock.now(),
        )


def _new_id(turn: Turn) -> str:
    """Unique over all runs: action keys begin with it, and gateways remember keys."""
    return f"{turn.task.id}-{turn.attempt}-{secrets.token_hex(6)}"


async def _progress_of(host: Host) -> Sequence[EpisodeProgress]:
    try:
        async with asyncio.timeout(_PROGRESS_S):
            return await host.progress()
    except (CallError, TimeoutError):
        return ()
