"""Runs a batch: leases phones, hands each a task, and gives the task of a lost phone to another.

The gateway alone knows who may touch a phone; the dispatcher asks for a lease and never counts.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Sequence

from pydantic import Field

from actors.dispatch.batch import Batch
from actors.dispatch.health import Backoff, FleetHealth
from actors.dispatch.hosts import HostPool, HostSlot, NoHost
from actors.dispatch.queue import Turn
from actors.episode.clock import Clock, RealClock
from actors.seams import Gateway, Host, Store
from protocol.base import Ending, Input
from protocol.errors import ActorLost, CallError, ManyhandsError, Overloaded, PhoneBusy
from protocol.memory import LongTermMemory
from protocol.phones import Lease
from protocol.records import EpisodeEnded, EpisodeStarted
from protocol.runs import EpisodeOrder, EpisodeProgress, EpisodeResult, EpisodeSettings, RunProgress
from protocol.tasks import TaskSpec

_PROGRESS_S = 2.0
logger = logging.getLogger(__name__)


class DispatchSettings(Input):
    run: str
    serials: tuple[str, ...]
    episode: EpisodeSettings = EpisodeSettings()
    no_phone_s: float = Field(default=120.0, gt=0)
    """How long every phone may be lost before the tasks that wait are given up."""
    no_host_s: float = Field(default=60.0, gt=0)
    """How long every episode host may be silent before the tasks that wait are given up."""
    held_s: float = Field(default=2.0, gt=0)
    """How long a phone that another holder has is left alone."""
    overtime_s: float = Field(default=120.0, gt=0)
    """How long after its own time limit an episode may take to end, before its host counts as lost."""
    backoff: Backoff = Backoff()
    """For phones and hosts that were lost."""
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
    ) -> None:
        self._settings = settings
        self._gateway = gateway
        self._memory = memory
        self._store = store
        self._clock = clock or RealClock()
        self._hosts = HostPool(hosts, settings.backoff, settings.no_host_s, self._clock)
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
                idle = [
                    group.create_task(self._serve(serial, number * self._settings.stagger_s, batch))
                    for number, serial in enumerate(self._settings.serials)
                ]
                idle.append(group.create_task(self._watch(batch)))
                await batch.until(lambda: batch.queue.decided)
                for task in idle:
                    task.cancel()
        except asyncio.CancelledError:
            self._give_up(batch, Ending.CANCELLED, "the run was cancelled before the task ran")
            raise
        finally:
            await self._journal_never_ran(batch)
        return batch.queue.results

    async def progress(self) -> RunProgress:
        """Where the batch stands; what a host does not answer soon is left at what is known here."""
        batch = self._batch
        answers = await asyncio.gather(*(_progress_of(host) for host in self._hosts.hosts))
        told = {item.episode: item for answer in answers for item in answer}
        return RunProgress(
            total=batch.total,
            waiting=len(batch.queue.waiting),
            running=tuple(told.get(episode, item) for episode, item in batch.running.items()),
            done=batch.queue.results,
        )

    def _new_batch(self, tasks: Sequence[TaskSpec]) -> Batch:
        settings = self._settings
        return Batch(tasks, FleetHealth(settings.serials, settings.backoff, settings.held_s, self._clock.now()))

    # ------------------------------------------------------------------------ one phone
    async def _serve(self, serial: str, first_s: float, batch: Batch) -> None:
        """Give one phone task after task, beginning in ``first_s``."""
        await self._clock.sleep(first_s)
        while True:
            await self._until_usable(serial, batch)
            turn = await batch.next_turn()
            try:
                async with self._hosts.host() as slot:
                    await self._try_turn(turn, serial, slot, batch)
            except NoHost as error:
                batch.release(turn)
                self._give_up(batch, Ending.HOST_LOST, str(error))
            finally:
                batch.release(turn)

    async def _try_turn(self, turn: Turn, serial: str, slot: HostSlot, batch: Batch) -> None:
        episode = _new_id(turn)
        try:
            lease = await self._attach(serial, episode)
        except PhoneBusy:
            batch.health.held(serial, self._clock.now())
        except ManyhandsError as error:  # also what befalls the gateway itself: its disk, its restart
            batch.health.lost(serial, self._clock.now(), str(error))
        else:
            batch.health.attached(serial)
            batch.changed()
            await self._take_turn(turn, episode, lease, slot, batch)

    async def _until_usable(self, serial: str, batch: Batch) -> None:
        """Wait while the phone is held or put aside; one put aside is used again once adb lists it as usable."""
        while True:
            await self._clock.sleep(batch.health.wait_s(serial, self._clock.now()))
            if not batch.health.is_aside(serial):
                return
            try:
                states = {phone.serial: phone.state for phone in await self._gateway.phones()}
            except ManyhandsError as error:
                states = {serial: str(error)}
            if states.get(serial) == "device":
                batch.health.back(serial)
            else:
                batch.health.lost(serial, self._clock.now(), states.get(serial, "not listed by adb"))
            batch.changed()

    async def _take_turn(self, turn: Turn, episode: str, lease: Lease, slot: HostSlot, batch: Batch) -> None:
        """One episode, from lease to result."""
        started_at = self._clock.now()
        batch.running[episode] = EpisodeProgress(
            episode=episode, task=turn.task.id, serial=lease.serial, step=0, doing="starting"
        )

        def ended(ending: Ending, reason: str) -> EpisodeResult:
            return self._result(turn, episode, lease.serial, ending, reason, started_at)

        try:
            try:
                result = await self._run_episode(turn, episode, lease, slot)
            finally:
                await self._detach(lease)
        except Overloaded as error:
            logger.warning("%s: %s; the task waits", episode, error)
        except ActorLost as error:
            batch.settle(turn, ended(Ending.HOST_LOST, str(error)))
        except asyncio.CancelledError:
            batch.settle(turn, ended(Ending.CANCELLED, "the run was cancelled"))
            raise
        except Exception as error:  # a defect of ours in one episode must not end the batch
            logger.exception("%s ended by a defect", episode)
            batch.settle(turn, ended(Ending.INTERNAL_ERROR, f"{type(error).__name__}: {error}"))
        else:
            self._judge_phone(result, batch)
            batch.settle(turn, result)
        finally:
            del batch.running[episode]

    async def _run_episode(self, turn: Turn, episode: str, lease: Lease, slot: HostSlot) -> EpisodeResult:
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
            async with asyncio.timeout(limit_s) as limit:
                result = await slot.host.run_episode(order)
        except TimeoutError as error:
            if not limit.expired():
                raise
            late = f"the episode had not ended after {limit_s:.0f} s"
            self._hosts.failed(slot, late)
            raise ActorLost(late) from error
        except (ActorLost, Overloaded) as error:
            self._hosts.failed(slot, str(error))
            raise
        self._hosts.served(slot)
        return result

    def _judge_phone(self, result: EpisodeResult, batch: Batch) -> None:
        if result.ending == Ending.PHONE_LOST:
            batch.health.lost(result.serial, self._clock.now(), result.reason)
        elif result.ending == Ending.LEASE_LOST:
            batch.health.held(result.serial, self._clock.now())
        else:
            batch.health.served(result.serial)

    async def _attach(self, serial: str, holder: str) -> Lease:
        """Cancelled meanwhile, it gives back what it gets: else the phone would stay taken until the lease ran out."""
        attaching = asyncio.ensure_future(self._gateway.attach(serial, holder, self._settings.episode.lease_s))
        try:
            return await asyncio.shield(attaching)
        except asyncio.CancelledError:
            await asyncio.wait({attaching})
            if attaching.exception() is None:
                await self._detach(attaching.result())
            raise

    async def _detach(self, lease: Lease) -> None:
        try:
            await self._gateway.detach(lease)
        except ManyhandsError as error:
            logger.warning("%s was not given back, its lease will run out: %s", lease.serial, error)

    # ------------------------------------------------------------------------ tasks that never run
    async def _watch(self, batch: Batch) -> None:
        """Give up all tasks once every phone has been lost for too long."""
        while True:
            await batch.until(lambda: batch.health.none_left_since is not None)
            give_up_at = (batch.health.none_left_since or 0.0) + self._settings.no_phone_s
            try:
                async with asyncio.timeout(max(0.0, give_up_at - self._clock.now())):
                    await batch.until(lambda: batch.health.none_left_since is None)
            except TimeoutError:
                self._give_up(batch, Ending.NO_PHONE, f"no phone is left: {batch.health.why_none()}")
                return

    def _give_up(self, batch: Batch, ending: Ending, reason: str) -> None:
        now = self._clock.now()
        for turn in batch.queue.waiting:
            batch.give_up(turn, self._result(turn, _new_id(turn), "", ending, reason, now))

    async def _journal_never_ran(self, batch: Batch) -> None:
        """So that the journals alone tell how every task ended. A serial of '' stands for no phone."""
        settings = self._settings
        for turn, result in batch.never_ran:
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
