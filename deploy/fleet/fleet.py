"""Carry out tasks on a fleet of phones.

::

    async with Fleet(phones=["virtual:4"], mllm_url=["rehearsed"]) as fleet:
        result = await fleet.run("Turn on dark mode.")

Entering starts what was asked for (Ray, virtual phones, the rehearsed model, the actors), leaving stops
all of it again, in reverse order, also after an error or a cancellation. The adb server is left alone.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Self, Unpack

from manyhands.actors.dispatch.calls import to_the_end
from manyhands.actors.remote import LinkedGatewayProxy
from manyhands.deploy.cluster.logs import lines_kept_in
from manyhands.deploy.cluster.shared import joined_ray
from manyhands.deploy.fleet.choosing import ChosenPhones, choose_phones, screen_sizes
from manyhands.deploy.fleet.companions import Companion, companions_of
from manyhands.deploy.fleet.crew import Crew, open_crew
from manyhands.deploy.fleet.fitting import check_urls, fitted
from manyhands.deploy.fleet.gateways import planned_gateways
from manyhands.deploy.fleet.knowledge import check_memory, starting_memory
from manyhands.deploy.fleet.models import RoleModels, checked, role_models, source
from manyhands.deploy.fleet.nodes import directories, nodes_with_phones
from manyhands.deploy.fleet.places import Places, at_nodes
from manyhands.deploy.fleet.progress import FleetProgress
from manyhands.deploy.fleet.readers import Readers
from manyhands.deploy.fleet.recorded import RecordedRun, read_recorded
from manyhands.deploy.fleet.run_folder import TaskBatch, make_run_folder, remove_unused
from manyhands.deploy.fleet.run_lock import only_run_in
from manyhands.deploy.fleet.run_yaml import RunYaml
from manyhands.deploy.fleet.transports import MakeTransport, transport_of
from manyhands.deploy.fleet.virtual import VirtualAmong
from manyhands.deploy.metrics.endpoint import RunMetrics
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.keywords import FleetOptions
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.sites import names_of
from manyhands.deploy.task_groups import first_error
from manyhands.evaluation.summary import summarise
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.progress import RunProgress
from manyhands.protocol.runs import EpisodeResult, Repeated, RunSummary
from manyhands.protocol.tasks import TaskSpec

_ENTER_FIRST = "enter the fleet first: async with Fleet(...) as fleet"
_log = logging.getLogger(__name__)


class Fleet:
    """Hold phones, a model and the actors between them, for as long as the context is open.

    Its keywords are the settings (docs/settings.md), such as ``phones`` and ``mllm_url``. Once it is open, ``folder``
    is the run folder, and ``phones`` are those of the run.
    """

    def __init__(
        self,
        settings: FleetSettings | None = None,
        *,
        readers: Readers | None = None,
        make_transport: MakeTransport = transport_of,
        companions: Sequence[Companion] = (),
        **given: Unpack[FleetOptions],
    ) -> None:
        """``given``: fields of FleetSettings, where no ready-made settings are. Raises BadInput.

        ``readers``: what reads screens instead of our own OCR and icons; its source is written down with the run.
        ``make_transport``: how phones are reached, where settings have no name for it. ``companions``: what is
        started with the fleet and stopped with it, beside the stand-ins that settings ask for by a word.
        """
        if settings is not None and given:
            raise TypeError(f"a fleet takes settings or keywords, not both: {', '.join(given)}")
        self.settings = settings or load_settings(dict(given))
        self.folder = Path()
        self.phones = ChosenPhones(())
        """Those of the run once it is open, and those that were left out."""
        self.metrics: RunMetrics | None = None
        """Where Prometheus finds the figures, if that was asked for."""
        self._make_transport = make_transport
        self._places = Places(self.settings, make_transport)
        self._virtual = VirtualAmong(self._places)
        self._companions = companions
        self._stack = AsyncExitStack()
        self._readers = readers
        self._models: RoleModels = {}
        self._recorded: RecordedRun | None = None
        self._yaml = RunYaml()
        if readers is not None:
            self._yaml.name_source("perception_source", readers.source(self.settings.perception_threads))
        self._crew: Crew | None = None
        self._progress = FleetProgress()

    @classmethod
    def resume(
        cls,
        folder: Path | str,
        *,
        readers: Readers | None = None,
        make_transport: MakeTransport = transport_of,
        companions: Sequence[Companion] = (),
        **given: Unpack[FleetOptions],
    ) -> Self:
        """Return a fleet that goes on with a run that was cut off, once it is open, by ``go_on``. Raises BadInput.

        Its settings are those of the run, apart from those that are ``given`` here; its phones must be there, unless
        others are given. The other arguments are those that the run was made with.
        """
        recorded = read_recorded(Path(folder), given, own_phones=bool(companions))
        if ("perception_source" in recorded.sources) != (readers is not None):
            was = recorded.sources.get("perception_source", "our own perception")
            raise BadInput(f"{folder}: screens of this run were read by other readers ({was}): give the same again")
        fleet = cls(recorded.settings, readers=readers, make_transport=make_transport, companions=companions)
        fleet._recorded, fleet._yaml = recorded, RunYaml(recorded)
        return fleet

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            settings = self.settings
            if self._recorded is not None:
                self.folder = self._recorded.folder
                stack.enter_context(only_run_in(self.folder))
            else:
                self._yaml.memory = starting_memory(settings.tips, settings.shortcuts)
            check_memory(settings.memory, settings.episode.profile)
            virtual = settings.virtual_phones
            there = virtual is None and bool(settings.phones or not self._companions)
            if settings.metrics_port is not None:
                metrics = RunMetrics(settings.metrics_host, settings.metrics_port)
                self.metrics = await stack.enter_async_context(metrics)
            models = await checked(settings, role_models(settings))
            places = await stack.enter_async_context(self._places)
            wait_s, needed = settings.phone_wait_s, () if self._recorded is None else self._recorded.needed
            at_others = at_nodes(settings)  # these cannot be asked before the cluster is joined
            here = names_of([phone for phone in settings.phones if phone not in at_others])
            if there and (here or not at_others):
                self.phones = await choose_phones(places, here, wait_s, needed)
            if self._recorded is None:
                self.folder = make_run_folder(settings)
                stack.callback(remove_unused, self.folder)
                stack.enter_context(only_run_in(self.folder))
                self._yaml.started_at = time.time()
            stack.enter_context(lines_kept_in(self.folder / "logs"))
            sizes = await screen_sizes(places, self.phones) if there else [settings.virtual.pixels] * (virtual or 1)
            node = await stack.enter_async_context(joined_ray(settings.ray_address, sizes))
            settings = await fitted(settings, models, node, own_readers=self._readers is None)
            nodes = nodes_with_phones(at_others) if at_others else {}
            if nodes:
                places.add(await stack.enter_async_context(directories(nodes, settings, self._make_transport)))
                self.phones = self.phones.and_others(await choose_phones(places, at_others, wait_s, needed))
            for companion in (*companions_of(settings), *self._companions):
                settings = await stack.enter_async_context(companion(settings, self.folder / "logs"))
            if not there:  # a companion has started them, or a model server beside those that are plugged in
                self.phones = (
                    ChosenPhones(settings.phones) if settings.phones else await choose_phones(places, (), wait_s)
                )
            started = {role: model for role, model in role_models(settings).items() if role not in models}
            check_urls(started, node)
            self._models = models = {**await checked(settings, started), **models}
            self._yaml.name_source("model_source", source(models))
            if await self._virtual.find(self.serials):
                self._name_phones()
            settings = self._virtual.adapted(settings)
            gateways = planned_gateways(settings, self._make_transport, nodes)
            crew = open_crew(settings, models, gateways, self.folder, node, self._readers)
            self._crew = await stack.enter_async_context(crew)
            if self.metrics is not None:
                self.metrics.describe(id=self.folder.name)
                self.metrics.add("progress", self.progress)
                for role, proxy in self._crew.roles.items():
                    self.metrics.add(role.value, proxy.counts)
                if self._crew.perception is not None:
                    self.metrics.add("perception", self._crew.perception.counts)
                for number, gateway in enumerate(self._crew.linked, start=1):
                    self.metrics.add("cluster" if number == 1 else f"cluster-{number}", gateway.counts)
                # Before the actors end: nobody is to ask them then.
                stack.push_async_callback(self.metrics.ask_no_more)
            self._stack = stack.pop_all()
        return self

    @property
    def linked(self) -> tuple[LinkedGatewayProxy, ...]:
        """Return the gateways to phones behind brokers, once it is open: they tell about their links."""
        return () if self._crew is None else self._crew.linked

    @property
    def serials(self) -> tuple[str, ...]:
        """Return the phones of the run, once it is open."""
        return self.phones.serials

    async def __aexit__(self, *_: object) -> None:
        # A cancellation meanwhile, by a signal say, is told afterwards: cut short, Ray's folder would stay behind.
        await to_the_end(self._stack.aclose())

    async def run(self, task: TaskSpec | str) -> EpisodeResult:
        """Carry out one task, or a goal as a sentence. Several may run side by side."""
        result, *_ = await self.run_batch((self._yaml.named(task) if isinstance(task, str) else task,))
        return result

    async def run_batch(self, tasks: Sequence[TaskSpec], repeated: Repeated | None = None) -> Sequence[EpisodeResult]:
        """Carry out tasks in parallel: the deciding result of each, in the order of ``tasks``.

        What came of them is in ``folder`` when this returns, also when it is cancelled. ``repeated``: the run whose
        failed tasks these are; it stands beside this one in its figures.
        """
        if self._crew is None:
            raise RuntimeError(_ENTER_FIRST)
        self._yaml.repeated = repeated or self._yaml.repeated
        batch = self._yaml.add(tasks)
        self._write_run_yaml()
        return await self._carry_out(self._crew, batch, begun=False)

    async def go_on(self) -> Sequence[EpisodeResult]:
        """Go on with the run of ``resume``: the deciding results of all its tasks, in the order of its run.yaml.

        What has been decided stays, what was cut off goes on, the rest is carried out.
        """
        if self._recorded is None:
            raise RuntimeError("there is nothing to go on with: make the fleet by Fleet.resume(folder)")
        if self._crew is None:
            raise RuntimeError(_ENTER_FIRST)
        self._write_run_yaml()
        crew = self._crew
        room = asyncio.Semaphore(max(1, len(self.serials)))  # no batch can have less than a phone

        async def carry_out(batch: TaskBatch) -> Sequence[EpisodeResult]:
            async with room:
                return await self._carry_out(crew, batch, begun=True)

        with first_error():
            async with asyncio.TaskGroup() as group:
                carried = [group.create_task(carry_out(batch)) for batch in self._recorded.batches]
        return [result for one in carried for result in one.result()]

    async def _carry_out(self, crew: Crew, batch: TaskBatch, begun: bool) -> Sequence[EpisodeResult]:
        """Carry out a batch. ``begun``: some of it may have been carried out before."""
        try:
            async with crew.dispatcher(self.folder.name, self.phones, self._yaml.memory) as dispatcher:
                async with self._progress.with_those_of(dispatcher):
                    return await dispatcher.run(batch.name, batch.tasks, begun)
        finally:
            try:
                if self.phones.away and await self._virtual.find_later(self.phones.away):
                    self._name_phones()
                    self._write_run_yaml()
            except StoreError as error:
                _log.warning("that phones which came later are virtual is not written down: %s", error)
            await self._virtual.save_ledgers(self.folder)

    def _name_phones(self) -> None:
        """Have it written down how many phones are virtual."""
        self._yaml.name_source("phones_source", self._virtual.source(len(self.serials)))

    def _write_run_yaml(self) -> None:
        self._yaml.write(self.folder, self.settings, self.phones, self._models)

    async def progress(self) -> RunProgress:
        """Return where all batches of this fleet stand."""
        return await self._progress.now()

    def summary(self) -> RunSummary:
        """Return the figures so far, from the journals alone; also written to ``summary.json``."""
        return summarise(self.folder)
