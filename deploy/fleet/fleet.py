"""Carry out tasks on a fleet of phones.

::

    async with Fleet(phones=["virtual:4"], mllm_url=["rehearsed"]) as fleet:
        result = await fleet.run("Turn on dark mode.")

On entry, a fleet starts what was asked for: Ray, virtual phones, the rehearsed model, the actors. On exit, it stops all
of them in reverse order, also after an error or a cancellation. It never stops the adb server.

A fleet opens in three steps, and each step makes its result from the one before: FleetPlan (what settings ask for,
checked) and PlacedFleet (where phones, gateways and models are), both in ``plan.py``, and FleetRuntime (the actors), in
``runtime.py``.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, nullcontext, suppress
from pathlib import Path
from typing import Self, Unpack

from pydantic import JsonValue

from manyhands.actors.dispatch.deadlines import finish
from manyhands.actors.interfaces import Dispatch
from manyhands.actors.perception.counts import PerceptionCounts
from manyhands.actors.remote import LinkedGatewayProxy
from manyhands.deploy.fleet.given_parts import GivenParts, OnStart, ScreenReaders, Sidecar, ignore_start
from manyhands.deploy.fleet.phones.phone_locations import PhoneLocations
from manyhands.deploy.fleet.phones.phone_selection import ChosenPhones
from manyhands.deploy.fleet.phones.secret_check import check_before_ray
from manyhands.deploy.fleet.phones.transports import MakeTransport, transport_of
from manyhands.deploy.fleet.phones.virtual import VirtualPhones
from manyhands.deploy.fleet.plan import expected_screens, phones_here, place_fleet, plan_fleet
from manyhands.deploy.fleet.progress import BatchProgress, BatchReader, FleetProgress
from manyhands.deploy.fleet.run_files.recorded_run import read_recorded, written_last
from manyhands.deploy.fleet.run_files.run_folder import TaskBatch
from manyhands.deploy.fleet.run_files.run_writer import RunWriter
from manyhands.deploy.fleet.runtime import FleetRuntime
from manyhands.deploy.fleet.supervisor import FleetTelemetry, RaySupervisor
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.keywords import FleetOptions
from manyhands.deploy.settings.loading import keyword_errors, load_settings
from manyhands.deploy.telemetry.metrics_endpoint import RunMetrics
from manyhands.protocol.errors import BadInput, CallError, EpisodeNotRunning, RayLost, first_error
from manyhands.protocol.messages import CallCounts, ModelCounts, PartialReply
from manyhands.protocol.runs.interventions import EpisodeControl, Intervention
from manyhands.protocol.runs.progress import Decisions, RunChanges, RunEvent, RunProgress
from manyhands.protocol.runs.results import BatchResult, EpisodeResult
from manyhands.protocol.runs.run_summary import AskedModel, Repeated, RunSummary
from manyhands.protocol.tasks.build_files import find_builds
from manyhands.protocol.tasks.repeats import expand_groups
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.rollouts.trajectories import RewardFunction, RunTrajectories, Trajectory, load_reward

_EVENTS_S = 0.5
_log = logging.getLogger(__name__)
_ENTER_FIRST = "the fleet is not open: call this within async with Fleet(...) as fleet"


class Fleet:
    """Hold phones, a model and the actors between them, for as long as the context is open.

    Its keywords are the settings (docs/settings.md), such as ``phones`` and ``mllm_url``. In an open fleet, ``folder``
    is the run folder and ``phones`` are the phones of the run.
    """

    def __init__(
        self,
        settings: FleetSettings | None = None,
        *,
        readers: ScreenReaders | None = None,
        make_transport: MakeTransport = transport_of,
        sidecars: Sequence[Sidecar] = (),
        on_start: OnStart = ignore_start,
        tasks: Sequence[TaskSpec] = (),
        **own_options: Unpack[FleetOptions],
    ) -> None:
        """Take ready-made ``settings``, or fields of FleetSettings as keywords (``given``). Raises BadInput.

        ``readers``: what reads screens in place of our own OCR and icon finder; run.yaml records its name.
        ``make_transport``: makes the transport to phones, if settings have no name for it.
        ``sidecars``: what starts and stops with the fleet, besides the stand-ins that settings name (``virtual:N``,
        ``rehearsed``).
        ``on_start``: called with a line before each part starts, such as ``Starting Ray``.
        ``tasks``: those that will be given to the fleet, as far as they are known. If they name secrets that the phones
        cannot get, the fleet does not open.
        """
        if settings is not None and own_options:
            raise TypeError(f"a fleet takes settings or keywords, not both: {', '.join(own_options)}")
        self._names_errors = nullcontext if settings is not None else keyword_errors
        with self._names_errors():
            self.settings = settings or load_settings(dict(own_options))
        self._telemetry = FleetTelemetry(self.settings)
        self._parts = GivenParts(readers, make_transport, tuple(sidecars))
        self._locations = PhoneLocations(self.settings, make_transport)
        self._virtual = VirtualPhones(self._locations)
        self._on_start = on_start
        self._tasks = tuple(tasks)
        self._stack = AsyncExitStack()
        self._is_open = False
        self._writer = RunWriter(self.settings, self._virtual)
        if readers is not None:
            self._writer.name_readers(readers)
        self._supervisor = RaySupervisor(self.settings.ray_address)
        self._progress = FleetProgress()
        self._batches: set[asyncio.Task[Sequence[EpisodeResult]]] = set()
        """The batches that are being carried out."""
        self._dispatchers: list[Dispatch] = []
        """The dispatchers of the batches that are being carried out."""
        self._queue = BatchReader()
        """Reads the results of ``run_queue``."""
        self._reward: RewardFunction | None = None
        """The user's function that says rewards, once the fleet is open."""
        self._rewarded: RunTrajectories | None = None
        """Knows which episodes were asked for after batches."""
        self._rewarding = asyncio.Lock()
        self._room = asyncio.Semaphore(1)
        """How many batches may run at a time, of those that may wait: each needs a phone."""
        self._batches_ended = asyncio.Event()
        """Set when the fleet closes, once no batch is carried out any more."""

    @classmethod
    def resume(
        cls,
        folder: Path | str,
        *,
        readers: ScreenReaders | None = None,
        make_transport: MakeTransport = transport_of,
        sidecars: Sequence[Sidecar] = (),
        trust_folder: bool = False,
        on_start: OnStart = ignore_start,
        **own_options: Unpack[FleetOptions],
    ) -> Self:
        """Return a fleet that continues an interrupted run: open it, then call ``run_remaining``. Raises BadInput.

        The fleet has the settings of the run, except those that are ``given`` here. The phones of the run must be
        there, unless ``given`` names other phones. ``trust_folder``: send secrets also to hosts that only run.yaml
        names, even if this user began no run in the folder. ``on_start`` is as for a first fleet. The other arguments
        must be the same as for the first fleet of the run.
        """
        HOST_CLOCK.advance_to(written_last(Path(folder)))  # since then, the machine's clock may have been set back
        recorded = read_recorded(Path(folder), own_options, own_phones=bool(sidecars), trusted=trust_folder)
        if ("perception_source" in recorded.sources) != (readers is not None):
            was = recorded.sources.get("perception_source", "our own perception")
            raise BadInput(f"{folder}: screens of this run were read by other readers ({was}): give the same again")
        fleet = cls(
            recorded.settings, readers=readers, make_transport=make_transport, sidecars=sidecars, on_start=on_start
        )
        fleet._writer = RunWriter(recorded.settings, fleet._virtual, recorded)
        fleet._tasks = tuple(task for batch in recorded.batches for task in batch.tasks)
        return fleet

    async def __aenter__(self) -> Self:
        began = time.monotonic()
        async with AsyncExitStack() as stack:
            stack.enter_context(self._names_errors())
            self._writer.lock_recorded(stack)
            await self._telemetry.open_metrics(stack)
            self._on_start("Checking settings and model servers")
            self._reward = load_reward(self.settings.reward)
            plan = await plan_fleet(self.settings, self._parts, self._writer.recorded, self._on_start)
            locations = await stack.enter_async_context(self._locations)
            if plan.looks_here:
                self._on_start("Looking for phones")
            phones_at_start = await phones_here(plan, locations)
            await check_before_ray(locations, phones_at_start.serials, self._tasks, self.settings.secrets)
            self._writer.open(stack)
            await self._telemetry.open_traces(stack, self.folder)
            stack.push_async_callback(self._supervisor.close_ray)
            self._on_start(
                f"Joining Ray at {self.settings.ray_address}" if self.settings.ray_address else "Starting Ray"
            )
            node = await self._supervisor.open_ray(await expected_screens(plan, locations, phones_at_start))
            placed = await stack.enter_async_context(
                place_fleet(plan, locations, self._virtual, phones_at_start, self.folder, node, self._on_start)
            )
            self._writer.note(placed)
            stack.push_async_callback(self._supervisor.close_runtime)
            self._on_start("Starting the actors")
            await self._supervisor.open_runtime(lambda node: FleetRuntime(placed, node), self._count)
            if self.metrics is not None:
                # Stop asking before the actors end, because ended actors give no figures.
                stack.push_async_callback(self.metrics.ask_no_more)
            stack.push_async_callback(self._cancel_batches)
            self._writer.note_opening(time.monotonic() - began, placed.models_s)
            self._room = asyncio.Semaphore(max(1, len(self.serials)))
            self._is_open = True
            self._stack = stack.pop_all()
        return self

    def _count(self, runtime: FleetRuntime) -> None:
        self._telemetry.count(runtime, self.folder.name, self.progress)

    @property
    def metrics(self) -> RunMetrics | None:
        """Return the server of the figures for Prometheus, if settings ask for one."""
        return self._telemetry.metrics

    @property
    def folder(self) -> Path:
        """Return the run folder; only an open fleet has one."""
        return self._writer.folder

    @property
    def phones(self) -> ChosenPhones:
        """Return the phones of the run and those that were left out; only an open fleet has them."""
        return self._writer.phones

    @property
    def models(self) -> Mapping[str, AskedModel]:
        """Return the model of each role, by the role's name; only an open fleet has them."""
        return self._writer.models

    async def call_counts(self) -> Sequence[CallCounts]:
        """Return the counts of calls to models so far, for each role, process and server that answers now."""
        roles = await self.model_counts()
        return [calls for clients in roles.values() for counts in clients for calls in counts.calls]

    async def model_counts(self) -> Mapping[str, Sequence[ModelCounts]]:
        """Return the counts of each process of a role that answers now, by the role's name."""
        runtime = self._supervisor.runtime
        roles = {} if runtime is None else dict(runtime.roles)
        answers = await asyncio.gather(*(role.counts() for role in roles.values()))
        return {role.value: answer for role, answer in zip(roles, answers, strict=True)}

    async def look(self, serial: str, source: str) -> Mapping[str, JsonValue]:
        """Return a phone's state at an address such as ``phone://state/battery``, whether or not it has a task.

        Raises StateUnavailable, PhoneLost, and CallError if nobody answers.
        """
        runtime = self._supervisor.runtime
        if runtime is None:
            raise CallError(f"{serial} cannot be asked now: the fleet's actors are being started")
        return await runtime.look(serial, source)

    async def partial_replies(self, episode: str) -> Sequence[PartialReply]:
        """Return what models are writing now for an episode, the call that began last at the end."""
        runtime = self._supervisor.runtime
        roles = () if runtime is None else tuple(runtime.roles.values())
        answers = await asyncio.gather(*(role.partial_replies(episode) for role in roles))
        return sorted((text for answer in answers for text in answer), key=lambda text: text.since)

    async def perception_counts(self) -> Sequence[PerceptionCounts]:
        """Return the counts of the processes that read screens; empty if none answers, or if none is needed."""
        runtime = self._supervisor.runtime
        return () if runtime is None or runtime.perception is None else await runtime.perception.counts()

    @property
    def linked(self) -> tuple[LinkedGatewayProxy, ...]:
        """Return the gateways to phones behind brokers, for the figures of links; empty before the fleet opens."""
        return () if self._supervisor.runtime is None else self._supervisor.runtime.linked

    @property
    def serials(self) -> tuple[str, ...]:
        """Return the serials of the run's phones; only an open fleet has them."""
        return self.phones.serials

    async def __aexit__(self, *_: object) -> None:
        # A cancellation meanwhile, for instance by a signal, takes effect afterwards. Else Ray's folder would stay
        # behind.
        await finish(self._stack.aclose())

    async def _cancel_batches(self) -> None:
        """Cancel all batches that still run, and wait for their end.

        This must happen before anything else ends: a batch needs actors and Ray to free its phones and to close its
        journals.
        """
        self._is_open = False
        for batch in self._batches:
            batch.cancel()
        if self._batches:
            await asyncio.wait(self._batches)
        self._batches_ended.set()

    async def run(self, task: TaskSpec | str) -> EpisodeResult:
        """Carry out one task, or a goal as a sentence. Several calls may run side by side."""
        result, *_ = await self.run_batch((self._writer.task_of(task) if isinstance(task, str) else task,))
        return result

    async def run_batch(self, tasks: Sequence[TaskSpec], repeated: Repeated | None = None) -> BatchResult:
        """Carry out tasks in parallel, and return the deciding result of each, in the order of ``tasks``.

        A task with a ``group`` has a result for each of its episodes, one with a ``matrix`` for each value of it.
        The results so far are in ``folder`` when this method ends, also if it is cancelled. ``repeated``: the earlier
        run in which these tasks failed, if any; the figures of this run show that run as well. Raises BadInput if a
        task's ``phones`` fit no phone of the run.
        """
        if not self._is_open:
            raise RuntimeError(_ENTER_FIRST)
        tasks = await asyncio.to_thread(find_builds, expand_groups(tasks))
        if (runtime := self._supervisor.runtime) is not None:
            tasks = await runtime.labels.expand(tasks)
            await runtime.check(tasks)
        return BatchResult(await self._carry_out(self._writer.add(tasks, repeated), recover=False))

    async def run_remaining(self) -> BatchResult:
        """Continue the run of ``resume``; return the deciding results of all its tasks, in the order of its run.yaml.

        Tasks that have a result keep it. Interrupted tasks continue. The others are carried out.
        """
        recorded = self._writer.recorded
        if recorded is None:
            raise RuntimeError("there is nothing to go on with: make the fleet by Fleet.resume(folder)")
        if not self._is_open:
            raise RuntimeError(_ENTER_FIRST)
        if (runtime := self._supervisor.runtime) is not None:
            await runtime.check_secrets(self._tasks)
        self._writer.write()
        with first_error():
            async with asyncio.TaskGroup() as group:
                carried = [
                    group.create_task(self._carry_out_in_turn(batch, recover=True)) for batch in recorded.batches
                ]
        return BatchResult(result for one in carried for result in one.result())

    async def run_queue(self) -> None:
        """Carry out tasks that are added to the run (``protocol.runs.control``), until the run is drained or cancelled.

        They belong to the run's first batch. A fleet of ``resume`` continues that batch. The tasks wait without a limit
        for phones and models. ``decisions`` gives their results.
        """
        if not self._is_open:
            raise RuntimeError(_ENTER_FIRST)
        recorded = self._writer.recorded
        batch = self._writer.add((), None) if recorded is None else recorded.batches[0]
        self._writer.write()
        await self._carry_out(batch, recover=recorded is not None, is_open_ended=True, reader=self._queue)

    async def decisions(self, last: Decisions) -> Decisions:
        """Return the results of ``run_queue`` that follow the ``last`` answer, in the order of their decisions.

        Each answer holds at most 1,000 results. After a restart within the fleet, results may come again. Raises
        CallError if nobody answers.
        """
        return await self._queue.decisions(last)

    async def rollouts(
        self, tasks: Sequence[TaskSpec], group: int | None = None, enough: int | None = None, ahead: int | None = None
    ) -> AsyncGenerator[Trajectory, None]:
        """Carry out tasks as ``run_batch`` does, and yield the trajectory of each episode that decided one, as it ends.

        ``group`` and ``enough`` replace ``group`` and ``group_enough`` of the tasks. ``ahead``: how many episodes may
        run or wait to be read, twice the phones without it; a slow reader holds the fleet up. An episode that was
        cancelled before it had a phone has no trajectory. Closing the iterator cancels the rest. If more iterators than
        phones are open, the last ones wait. Raises BadInput.
        """
        if not self._is_open:
            raise RuntimeError(_ENTER_FIRST)
        tasks = await asyncio.to_thread(find_builds, expand_groups(tasks, group, enough))
        if (runtime := self._supervisor.runtime) is not None:
            tasks = await runtime.labels.expand(tasks)
            await runtime.check(tasks)
        batch = self._writer.add(tasks, None)
        trajectories = await asyncio.to_thread(RunTrajectories, self.folder, self._reward)
        reader = BatchReader(ahead or 2 * max(1, len(self.serials)))
        carried = asyncio.create_task(self._carry_out_in_turn(batch, recover=False, reader=reader))
        try:
            async for result in reader.results(carried):
                async with self._rewarding:
                    trajectory = await asyncio.to_thread(trajectories.trajectory, result.episode)
                if trajectory is not None and result.serial:
                    yield trajectory
        finally:
            carried.cancel()
            await finish(asyncio.wait({carried}))
            if not carried.cancelled():
                carried.exception()  # who reads the stream has seen it, or has left

    async def intervene(self, episode: str, intervention: Intervention) -> EpisodeControl:
        """Carry out what a person asks of a running episode: pause, stop, take over, act, hand back.

        The answer to ``StopEpisode`` comes when the episode has ended. Raises InterventionRefused, EpisodeNotRunning,
        BadInput, and CallError if nobody answers.
        """
        for dispatcher in tuple(self._dispatchers):
            with suppress(EpisodeNotRunning):
                return await dispatcher.intervene(episode, intervention)
        raise EpisodeNotRunning(f"{episode} does not run now")

    async def _carry_out_in_turn(
        self, batch: TaskBatch, recover: bool, reader: BatchReader | None = None
    ) -> Sequence[EpisodeResult]:
        """Carry out a batch as soon as fewer such batches run than there are phones."""
        async with self._room:
            return await self._carry_out(batch, recover, reader=reader)

    async def _carry_out(
        self, batch: TaskBatch, recover: bool, is_open_ended: bool = False, reader: BatchReader | None = None
    ) -> Sequence[EpisodeResult]:
        """Carry out a batch until the fleet closes, which cancels the caller. Raises RayLost.

        ``recover``: whether parts of the batch may have been carried out before. ``is_open_ended``: whether tasks may
        come until the run is drained. ``reader``: what reads the batch's results meanwhile.
        """
        carried = asyncio.create_task(self._carry_out_open(batch, recover, is_open_ended, reader or BatchReader()))
        self._batches.add(carried)
        carried.add_done_callback(self._batches.discard)
        return await carried

    async def _carry_out_open(
        self, batch: TaskBatch, recover: bool, is_open_ended: bool, reader: BatchReader
    ) -> Sequence[EpisodeResult]:
        batch_progress = BatchProgress()

        async def work(runtime: FleetRuntime, recover: bool) -> Sequence[EpisodeResult]:
            if is_open_ended or any(task.asks_judge for task in batch.tasks):
                await runtime.ensure_judge()
            async with runtime.dispatcher(batch.tasks, is_open_ended, reader.most_unread) as dispatcher:
                async with batch_progress.told_by(dispatcher, lambda: runtime.is_abandoned):
                    reader.dispatcher = dispatcher
                    self._dispatchers.append(dispatcher)
                    try:
                        return await dispatcher.run(batch.name, batch.tasks, recover)
                    finally:
                        reader.dispatcher = None
                        self._dispatchers.remove(dispatcher)

        try:
            async with self._progress.with_those_of(batch_progress):
                results = await self._supervisor.carry_out(work, recover)
            if not is_open_ended:
                await self._record_rewards()
            return results
        except RayLost as error:
            raise RayLost(f"{error}; tasks go on where they stopped by: manyhands resume {self.folder}") from error
        finally:
            await self._writer.write_after_batch()

    async def _record_rewards(self) -> None:
        """Ask the user's function, if there is one, for the rewards that are missing. Raises StoreError."""
        if self._reward is not None:
            async with self._rewarding:
                if self._rewarded is None:
                    self._rewarded = await asyncio.to_thread(RunTrajectories, self.folder, self._reward)
                await asyncio.to_thread(self._rewarded.record_rewards)

    async def progress(self) -> RunProgress:
        """Return where all batches of this fleet stand."""
        now = await self._progress.now()
        wait = self._supervisor.wait
        return now if wait is None else now.model_copy(update={"held_up": (*now.held_up, wait)})

    async def events(self) -> AsyncIterator[RunEvent]:
        """Yield events until the fleet closes. The first events tell the present state.

        The fleet is looked at twice a second. If more than 64 tasks end between two looks, only the last 64 of them are
        yielded.
        """
        if not self._is_open:
            raise RuntimeError(_ENTER_FIRST)
        changes = RunChanges()
        is_last = False
        while not is_last:
            is_last = self._batches_ended.is_set()
            try:
                now = await self.progress()
            except CallError:  # a dispatcher that is too busy to answer is asked again
                _log.debug("no progress for now")
            else:
                for event in changes.since_last(now):
                    yield event
            with suppress(TimeoutError):
                async with asyncio.timeout(_EVENTS_S):
                    await self._batches_ended.wait()

    def summary(self) -> RunSummary:
        """Return the figures so far, from the journals and run.yaml, and write them to ``summary.json``.

        Raises StoreError if the run folder has been moved or replaced.
        """
        return self._writer.summary()
