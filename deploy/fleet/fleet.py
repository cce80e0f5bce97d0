"""The public API: a fleet of phones that carries out tasks.

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
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

from manyhands.actors.dispatch.calls import to_the_end
from manyhands.actors.remote import DispatchProxy
from manyhands.deploy.cluster.shared import joined_ray
from manyhands.deploy.fleet.adb_server import AdbServer, screen_sizes
from manyhands.deploy.fleet.choosing import ChosenPhones, choose_phones
from manyhands.deploy.fleet.crew import Crew, open_crew
from manyhands.deploy.fleet.inputs import goal_id, tasks_from_goals
from manyhands.deploy.fleet.models import (
    RoleModels,
    asked_models,
    checked,
    rehearsed_models,
    rehearsed_roles,
    role_models,
    source,
)
from manyhands.deploy.fleet.readers import Readers
from manyhands.deploy.fleet.run_folder import make_run_folder, remove_unused, write_run_yaml
from manyhands.deploy.metrics.run import RunMetrics
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.keywords import FleetOptions
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.stand_ins.starting import (
    VirtualPhones,
    canned_among,
    describe_phones,
    rehearsed_model,
    save_ledgers,
    virtual_among,
    virtual_providers,
)
from manyhands.evaluation.summary import summarise
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.runs import EpisodeResult, RunProgress, RunSummary, RunWait
from manyhands.protocol.tasks import TaskSpec

_log = logging.getLogger(__name__)


class Fleet:
    """Phones, a model and the actors between them, for as long as the context is open."""

    def __init__(
        self,
        settings: FleetSettings | None = None,
        *,
        readers: Readers | None = None,
        **given: Unpack[FleetOptions],
    ) -> None:
        """``given``: fields of FleetSettings, where no ready-made settings are. Raises BadInput.

        ``readers``: what reads screens instead of our own OCR and icons; its source is written down with the run.
        """
        if settings is not None and given:
            raise TypeError(f"a fleet takes settings or keywords, not both: {', '.join(given)}")
        self.settings = settings or load_settings(dict(given))
        self.folder = Path()
        self.phones = ChosenPhones(())
        """Those of the run once it is open, and those that were left out."""
        self.metrics: RunMetrics | None = None
        """Where Prometheus finds the figures, if that was asked for."""
        self._adb = AdbServer(self.settings.adb_host, self.settings.adb_port)
        self._stack = AsyncExitStack()
        self._readers = readers
        self._sources: dict[str, str] = {}
        if readers is not None:
            self._sources["perception_source"] = readers.source(self.settings.perception_threads)
        self._models: RoleModels = {}
        self._tasks: list[TaskSpec] = []
        self._goals = itertools.count(1)
        self._crew: Crew | None = None
        self._virtual: tuple[str, ...] = ()
        self._canned: tuple[str, ...] = ()
        self._dispatchers: list[DispatchProxy] = []
        self._past: list[RunProgress] = []

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            settings = self.settings
            virtual, rehearsed = settings.virtual_phones, rehearsed_roles(settings)
            adb = self._adb
            if settings.metrics_port is not None:
                metrics = RunMetrics(settings.metrics_host, settings.metrics_port)
                self.metrics = await stack.enter_async_context(metrics)
            models = await checked(settings, role_models(settings))
            await adb.ensure()
            if virtual is None:
                self.phones = await choose_phones(adb, settings.phones, settings.phone_wait_s)
            self.folder = make_run_folder(settings)
            stack.callback(remove_unused, self.folder)
            logs = self.folder / "logs"
            sizes = await screen_sizes(adb, self.serials) if virtual is None else [settings.virtual.pixels] * virtual
            node = await stack.enter_async_context(joined_ray(settings.ray_address, sizes))
            if virtual is not None:
                phones = await stack.enter_async_context(VirtualPhones(virtual, settings.virtual, adb, logs))
                self.phones = ChosenPhones(phones.serials)
            await self._know_virtual(self.serials)
            if self._virtual:
                settings = virtual_providers(settings)
            if rehearsed:
                url = await stack.enter_async_context(rehearsed_model(settings.rehearsal, logs))
                models = {**await checked(settings, rehearsed_models(settings, url)), **models}
            self._models = models
            self._sources["model_source"] = source(models)
            crew = open_crew(settings, models, self.folder, node, self._readers)
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
        """The phones of the run, once it is open."""
        return self.phones.serials

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A cancellation meanwhile, by a signal say, is told afterwards: cut short, Ray's folder would stay behind.
        await to_the_end(self._stack.aclose())

    async def run(self, task: TaskSpec | str) -> EpisodeResult:
        """Carry out one task, or a goal as a sentence. Several may run side by side."""
        (result,) = await self.run_batch((self._named(task) if isinstance(task, str) else task,))
        return result

    def _named(self, goal: str) -> TaskSpec:
        """A task with an id that none of this fleet has had: goal-1, goal-2, ..."""
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
                if await self._know_virtual(self.phones.away):  # of those that came later
                    write_run_yaml(self.folder, self._asked(), self._tasks)
            except StateUnavailable as error:
                _log.warning("a virtual phone is gone before it was told whether it is a canned one: %s", error)
            if self._virtual:
                await save_ledgers(self._adb, self._virtual, self.folder)

    async def _know_virtual(self, serials: Iterable[str]) -> bool:
        """Find those of the phones that are virtual, and say so of the run; whether any was not known before.

        One that is away is not found yet.
        """
        found = await virtual_among(self._adb, tuple(serial for serial in serials if serial not in self._virtual))
        if not found:
            return False
        self._virtual += found
        self._canned += await canned_among(self._adb, found)
        counts = (len(self._virtual), len(self._canned), len(self.serials))
        self._sources["phones_source"] = describe_phones(*counts)
        return True

    def _asked(self) -> dict[str, Any]:
        """What run.yaml says of the whole run."""
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
        """Where all batches of this fleet stand."""
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
        """The figures so far, from the journals alone; also written to ``summary.json``."""
        return summarise(self.folder)


def _each(waits: Iterable[RunWait]) -> tuple[RunWait, ...]:
    """What several batches wait for, told once."""
    return tuple({wait.what: wait for wait in waits}.values())
