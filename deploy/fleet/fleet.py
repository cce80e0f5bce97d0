"""Carry out tasks on a fleet of phones.

::

    async with Fleet(phones=["virtual:4"], mllm_url=["rehearsed"]) as fleet:
        result = await fleet.run("Turn on dark mode.")

Entering starts what was asked for (Ray, virtual phones, the rehearsed model, the actors), leaving stops
all of it again, in reverse order, also after an error or a cancellation. The adb server is left alone.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Collection, Iterable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self, Unpack

from manyhands.actors.dispatch.calls import to_the_end
from manyhands.actors.remote import DispatchProxy
from manyhands.deploy.cluster.shared import joined_ray
from manyhands.deploy.fleet.choosing import ChosenPhones, choose_phones, screen_sizes
from manyhands.deploy.fleet.companions import Companion, companions_of
from manyhands.deploy.fleet.crew import Crew, open_crew
from manyhands.deploy.fleet.models import (
    RoleModels,
    asked_models,
    checked,
    role_models,
    source,
)
from manyhands.deploy.fleet.readers import Readers
from manyhands.deploy.fleet.run_folder import make_run_folder, remove_unused, write_run_yaml
from manyhands.deploy.fleet.tasks import goal_id, tasks_from_goals
from manyhands.deploy.fleet.transports import MakeTransport, transport_of
from manyhands.deploy.fleet.virtual import VirtualAmong
from manyhands.deploy.metrics.endpoint import RunMetrics
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.keywords import FleetOptions
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.summary import summarise
from manyhands.protocol.errors import PhoneError
from manyhands.protocol.runs import EpisodeResult, RunProgress, RunSummary, RunWait
from manyhands.protocol.tasks import TaskSpec

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
        self._transport = make_transport(self.settings)
        self._virtual = VirtualAmong(self._transport)
        self._companions = companions
        self._stack = AsyncExitStack()
        self._readers = readers
        self._sources: dict[str, str] = {}
        if readers is not None:
            self._sources["perception_source"] = readers.source(self.settings.perception_threads)
        self._models: RoleModels = {}
        self._tasks: list[TaskSpec] = []
        self._goals = itertools.count(1)
        self._crew: Crew | None = None
        self._dispatchers: list[DispatchProxy] = []
        self._past: list[RunProgress] = []

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            settings = self.settings
            virtual, transport = settings.virtual_phones, self._transport
            there = virtual is None and bool(settings.phones or not self._companions)
            if settings.metrics_port is not None:
                metrics = RunMetrics(settings.metrics_host, settings.metrics_port)
                self.metrics = await stack.enter_async_context(metrics)
            models = await checked(settings, role_models(settings))
            await transport.ensure_running()
            await transport.start()
            stack.push_async_callback(transport.stop)
            if there:
                self.phones = await choose_phones(transport, settings.phones, settings.phone_wait_s)
            self.folder = make_run_folder(settings)
            stack.callback(remove_unused, self.folder)
            sizes = await screen_sizes(transport, self.phones) if there else [settings.virtual.pixels] * (virtual or 1)
            node = await stack.enter_async_context(joined_ray(settings.ray_address, sizes))
            for companion in (*companions_of(settings), *self._companions):
                settings = await stack.enter_async_context(companion(settings, self.folder / "logs"))
            if not there:  # a companion has started them, or a model server beside those that are plugged in
                self.phones = (
                    ChosenPhones(settings.phones)
                    if settings.phones
                    else await choose_phones(transport, (), settings.phone_wait_s)
                )
            started = {role: model for role, model in role_models(settings).items() if role not in models}
            self._models = models = {**await checked(settings, started), **models}
            self._sources["model_source"] = source(models)
            await self._find_virtual(self.serials)
            settings = self._virtual.adapted(settings)
            crew = open_crew(settings, models, self._make_transport(settings), self.folder, node, self._readers)
            self._crew = await stack.enter_async_context(crew)
            if self.metrics is not None:
                self.metrics.describe(id=self.folder.name)
                self.metrics.add("progress", self.progress)
                for role, proxy in self._crew.roles.items():
                    self.metrics.add(role.value, proxy.counts)
                if self._crew.perception is not None:
                    self.metrics.add("perception", self._crew.perception.counts)
                # Before the actors end: nobody is to ask them then.
                stack.push_async_callback(self.metrics.ask_no_more)
            self._stack = stack.pop_all()
        return self

    @property
    def serials(self) -> tuple[str, ...]:
        """Return the phones of the run, once it is open."""
        return self.phones.serials

    async def __aexit__(self, *_: object) -> None:
        # A cancellation meanwhile, by a signal say, is told afterwards: cut short, Ray's folder would stay behind.
        await to_the_end(self._stack.aclose())

    async def run(self, task: TaskSpec | str) -> EpisodeResult:
        """Carry out one task, or a goal as a sentence. Several may run side by side."""
        (result,) = await self.run_batch((self._named(task) if isinstance(task, str) else task,))
        return result

    def _named(self, goal: str) -> TaskSpec:
        """Return a task with an id that none of this fleet has had: goal-1, goal-2, ..."""
        taken = {task.id for task in self._tasks}
        number = next(number for number in self._goals if goal_id(number) not in taken)
        (task,) = tasks_from_goals([goal], number)
        return task

    async def run_batch(self, tasks: Sequence[TaskSpec]) -> Sequence[EpisodeResult]:
        """Carry out tasks in parallel: the deciding result of each, in the order of ``tasks``.

        What came of them is in ``folder`` when this returns, also when it is cancelled.
        """
        if self._crew is None:
            raise RuntimeError("enter the fleet first: async with Fleet(...) as fleet")
        self._tasks.extend(tasks)
        write_run_yaml(self.folder, self._asked(), self._tasks)
        try:
            async with self._crew.dispatcher(self.folder.name, self.phones) as dispatcher:
                self._dispatchers.append(dispatcher)
                try:
                    return await dispatcher.run(tasks)
                finally:
                    await self._retire(dispatcher)
        finally:
            try:
                if self.phones.away and await self._find_virtual(self.phones.away):  # of those that came later
                    write_run_yaml(self.folder, self._asked(), self._tasks)
            except PhoneError as error:
                _log.warning("whether phones that came later are virtual is not known: %s", error)
            await self._virtual.save_ledgers(self.folder)

    async def _find_virtual(self, serials: Collection[str]) -> bool:
        """Write down which phones are virtual, and return whether any was not known before."""
        found = await self._virtual.find(serials)
        if found:
            self._sources["phones_source"] = self._virtual.source(len(self.serials))
        return found

    def _asked(self) -> dict[str, Any]:
        """Return what run.yaml has of the whole run."""
        return {
            "profile": self.settings.episode.profile,
            "schedule": self.settings.episode.schedule,
            "phones": list(self.serials),
            "phones_away": dict(self.phones.away),
            "phones_left_out": dict(self.phones.left_out),
            **self._sources,
            "models": {role: model.model_dump(mode="json") for role, model in asked_models(self._models).items()},
            "settings": self.settings.model_dump(mode="json", exclude={"out"}),
        }

    async def _retire(self, dispatcher: DispatchProxy) -> None:
        try:
            last = await dispatcher.progress()
        except BaseException:
            self._dispatchers.remove(dispatcher)
            raise
        # At once, for whoever asks meanwhile is to count its tasks once.
        self._dispatchers.remove(dispatcher)
        self._past.append(last)

    async def progress(self) -> RunProgress:
        """Return where all batches of this fleet stand."""
        past = tuple(self._past)
        asked = await asyncio.gather(*(dispatcher.progress() for dispatcher in self._dispatchers))
        parts = [*past, *asked]
        return RunProgress(
            total=sum(part.total for part in parts),
            waiting=sum(part.waiting for part in parts),
            running=tuple(item for part in parts for item in part.running),
            done=tuple(item for part in parts for item in part.done),
            held_up=_each(wait for part in asked for wait in part.held_up),
            away=_each(wait for part in asked for wait in part.away),
        )

    def summary(self) -> RunSummary:
        """Return the figures so far, from the journals alone; also written to ``summary.json``."""
        return summarise(self.folder)


def _each(waits: Iterable[RunWait]) -> tuple[RunWait, ...]:
    """Return what several batches wait for, each once."""
    return tuple({wait.what: wait for wait in waits}.values())
