"""Keep a fleet open for a service: begin a run or continue the last one, and open the fleet again after a failure."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from manyhands.actors.clock import Clock, RealClock
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.keywords import FleetOptions
from manyhands.protocol.errors import BadInput, CallError, ManyhandsError, first_error
from manyhands.protocol.messages import PartialReply
from manyhands.protocol.runs.interventions import EpisodeControl, Intervention
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.fleet import ModelStatus, PhoneStatus, ServiceStatus
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.backoff import Backoff
from manyhands.service.coordinator import Coordinator
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.event_repository import EventRepository
from manyhands.service.fleet_control import FleetControl, FleetCounts
from manyhands.service.fleet_queue import FleetQueue
from manyhands.service.phone_readings import EVERY_S
from manyhands.service.recurring_work import RecurringWork

RUNS = "runs"
"""The folder of run folders, within the service's folder."""
PAUSES = Backoff(first_s=1.0, longest_s=60.0)
"""The waits before a fleet that failed is opened again."""
MOST_TASKS_OF_A_RUN, LOOK_S = 10_000, 60.0
"""After how many tasks the service begins another run as soon as none is open, and how often it looks."""
logger = logging.getLogger(__name__)


class RunFull(ManyhandsError):
    """Signal that a run has so many tasks that the next one is to begin."""

    code = "run_full"


class FleetKeeper(FleetControl):
    """Keeps one fleet open. While no fleet is open, changes of phones raise CallError.

    Changes of tasks need no open fleet: the database has them, and the coordinator tells the fleet once it is open.
    """

    def __init__(
        self,
        folder: Path,
        settings: FleetSettings,
        batches: BatchRepository,
        events: EventRepository,
        clock: Clock | None = None,
    ) -> None:
        """``folder``: the service's folder. ``settings``: those of the fleet. Their ``out`` is not used."""
        self._runs = folder / RUNS
        self._settings = settings
        self._batches = batches
        self._events = events
        self._clock = clock or RealClock()
        self._started_at = self._clock.now()
        self._queue: FleetQueue | None = None
        self._coordinator: Coordinator | None = None
        self._is_first = True
        """Whether no fleet of this service has been opened yet, and no run is to be continued."""
        self._trouble = "it is being opened"

    async def run(self) -> None:
        """Keep a fleet open until cancelled. Raises BadInput for settings that cannot be used."""
        pauses = PAUSES.pauses()
        while True:
            opened_at = self._clock.now()
            try:
                with first_error():
                    await self._run_once()
            except RunFull:
                continue
            except ManyhandsError as error:
                if isinstance(error, BadInput) and self._is_first:
                    raise  # later, phones and servers that are away may come back
                self._trouble = f"it has failed and is opened again: {error}"
                logger.warning("the fleet: %s", self._trouble)
            except Exception as error:  # a defect of the fleet must not end what the service still answers
                self._trouble = f"it has failed by a defect and is opened again: {error!r}"
                logger.exception("the fleet has failed by a defect; it is opened again")
            if self._clock.now() - opened_at > PAUSES.longest_s:
                pauses = PAUSES.pauses()
            await self._clock.sleep(next(pauses))

    def wake(self) -> None:
        """Hand over the batches that were just accepted, if the fleet is open."""
        if self._coordinator is not None:
            self._coordinator.wake()

    async def _run_once(self) -> None:
        async with self._open_fleet() as fleet:
            queue = FleetQueue(fleet)
            coordinator = Coordinator(self._batches, self._events, queue, self._clock)
            self._queue, self._coordinator = queue, coordinator
            self._is_first = False
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(fleet.run_queue())
                    group.create_task(coordinator.run())
                    reading = RecurringWork.every(EVERY_S, "reading batteries", queue.read_batteries, self._clock)
                    group.create_task(reading.run())
                    group.create_task(self._end_full_run(queue))
            finally:
                self._queue = self._coordinator = None

    async def _end_full_run(self, queue: FleetQueue) -> None:
        """Raise RunFull once the run has many tasks and all have ended: what it keeps of each takes memory."""
        while True:
            await self._clock.sleep(LOOK_S)
            if await queue.count_tasks() > MOST_TASKS_OF_A_RUN:
                totals = await self._batches.totals()
                if not totals.waiting + totals.running:
                    raise RunFull(f"the run has over {MOST_TASKS_OF_A_RUN} tasks, and all have ended")

    @contextlib.asynccontextmanager
    async def _open_fleet(self) -> AsyncIterator[Fleet]:
        """Continue the last run if some of its tasks have not ended; else begin a new one."""
        await asyncio.to_thread(secure_files.make_folder, self._runs)
        # No episode runs before the fleet is open, and it opens once phones and models are there.
        await self._batches.record_interruptions(await self._batches.running_tasks(), self._clock.now())
        last = await asyncio.to_thread(_last_run, self._runs)
        totals = await self._batches.totals()
        if last is not None and totals.waiting + totals.running:
            self._is_first = False
            resume = partial(Fleet.resume, last, trust_folder=True, **self._own_settings())
            async with await asyncio.to_thread(resume) as fleet:  # it reads all journals
                yield fleet
            return
        number = 1 if last is None else int(last.name.partition("_")[0]) + 1
        settings = self._settings.model_copy(
            update={"out": self._runs / f"{number:06d}_{timed_folder('service').name}"}
        )
        async with Fleet(settings) as fleet:
            if last is not None:
                await FleetQueue(fleet).copy_phones(last)
            yield fleet

    def _own_settings(self) -> FleetOptions:
        """Return the settings that were given to the service: they replace those of the last run."""
        return cast(FleetOptions, self._settings.model_dump(exclude_unset=True, exclude={"out"}))

    # ------------------------------------------------------------------------ as the application sees it
    async def hold(self, tasks: Sequence[str]) -> None:
        if self._queue is not None:
            await self._queue.hold(tasks)

    async def release(self, tasks: Sequence[str]) -> None:
        if self._queue is not None:
            await self._queue.release(tasks)

    async def prioritize(self, priorities: Mapping[str, int]) -> None:
        if self._queue is not None:
            await self._queue.prioritize(priorities)

    async def cancel(self, tasks: Sequence[str], reason: str) -> None:
        if self._queue is not None:
            await self._queue.cancel(tasks, reason)

    async def intervene(self, episode: str, intervention: Intervention) -> EpisodeControl:
        return await self._open_queue().intervene(episode, intervention)

    async def set_aside(self, serial: str, reason: str) -> PhoneStatus:
        phone = await self._open_queue().set_aside(serial, reason)
        await self._tell(EventKind.PHONE_ASIDE, serial, {"reason": reason})
        return phone

    async def release_phone(self, serial: str) -> PhoneStatus:
        phone = await self._open_queue().release_phone(serial)
        await self._tell(EventKind.PHONE_RELEASED, serial, {})
        return phone

    async def reserve(self, serial: str, owner: str, until: float) -> PhoneStatus:
        return await self._open_queue().reserve(serial, owner, until)

    async def label(self, serial: str, labels: Mapping[str, str]) -> PhoneStatus:
        return await self._open_queue().label(serial, labels)

    async def attach(self, serial: str) -> PhoneStatus:
        return await self._open_queue().attach(serial)

    async def detach(self, serial: str) -> None:
        await self._open_queue().detach(serial)

    async def phones(self) -> Sequence[PhoneStatus]:
        return [] if self._queue is None else await self._queue.phones()

    async def picture(self, serial: str) -> bytes:
        return await self._open_queue().picture(serial)

    async def models(self) -> Sequence[ModelStatus]:
        return [] if self._queue is None else await self._queue.models()

    async def counts(self) -> FleetCounts | None:
        return None if self._queue is None else await self._queue.counts()

    async def partial_replies(self, episode: str) -> Sequence[PartialReply]:
        return () if self._queue is None else await self._queue.partial_replies(episode)

    async def status(self) -> ServiceStatus:
        queue, totals = self._queue, await self._batches.totals()
        waits: tuple[str, ...] = () if queue is not None else (f"the fleet ({self._trouble})",)
        phones = 0
        if queue is not None:
            with contextlib.suppress(CallError):
                progress = await queue.progress()
                phones = progress.phones
                waits = tuple(f"{wait.what}: {wait.reason}" if wait.reason else wait.what for wait in progress.held_up)
        return ServiceStatus(
            version=importlib.metadata.version("manyhands"),
            started_at=self._started_at,
            run=None if queue is None else queue.run,
            is_ready=queue is not None,
            waiting_for=waits,
            phones=phones,
            waiting=totals.waiting,
            running=totals.running,
            ended=totals.ended,
        )

    async def _tell(self, kind: EventKind, serial: str, data: dict[str, JsonValue]) -> None:
        await self._events.append([ServiceEvent(id=0, at=self._clock.now(), kind=kind, phone=serial, data=data)])

    def _open_queue(self) -> FleetQueue:
        if self._queue is None:
            raise CallError(f"the fleet is not open ({self._trouble}): try again in a moment")
        return self._queue


def _last_run(runs: Path) -> Path | None:
    """Return the newest run folder; None if there is none. The names begin with a number."""
    return max((path.parent for path in runs.glob("[0-9]*_*/run.yaml")), default=None)
