"""The public API: a fleet of phones that carries out tasks.

::

    async with Fleet(phones=["virtual:4"], mllm_url=["rehearsed"]) as fleet:
        result = await fleet.run("Turn on dark mode.")

Entering starts what was asked for (Ray, virtual phones, the rehearsed model, the actors), leaving stops
all of it again, in reverse order, also after an error or a cancellation. The adb server is left alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from actors.remote import DispatchProxy
from evaluation.summary import summarise
from protocol.runs import EpisodeResult, RunProgress, RunSummary
from protocol.tasks import TaskSpec

from .adb import AdbServer, choose_serials
from .crew import Crew, open_crew
from .folder import make_run_folder, write_run_yaml
from .inputs import tasks_from_goals
from .metrics import RunMetrics
from .models import RoleModels, asked_models, checked, rehearsed_models, rehearsed_roles, role_models, source
from .readers import Readers
from .settings import FleetSettings, load_settings
from .stand_ins import (
    VirtualPhones,
    canned_among,
    describe_phones,
    rehearsed_model,
    save_ledgers,
    virtual_among,
    virtual_providers,
)


class Fleet:
    """Phones, a model and the actors between them, for as long as the context is open."""

    def __init__(
        self,
        settings: FleetSettings | None = None,
        *,
        readers: Readers | None = None,
        **given: Any,
    ) -> None:
        """``given``: fields of FleetSettings, where no ready-made settings are. Raises BadInput.

        ``readers``: what reads screens instead of our own OCR and icons; its source is written down with the run.
        """
        self.settings = settings or load_settings(given)
        self.folder = Path()
        self.serials: tuple[str, ...] = ()
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
        self._crew: Crew | None = None
        self._virtual: tuple[str, ...] = ()
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
                self.serials = await choose_serials(adb, settings.phones)
            self.folder = make_run_folder(settings)
            logs = self.folder / "logs"
            if virtual is not None:
                phones = await stack.enter_async_context(VirtualPhones(virtual, settings.virtual, adb, logs))
                self.serials = phones.serials
            self._virtual = await virtual_among(adb, self.serials)
            if self._virtual:
                settings = virtual_providers(settings)
                canned = await canned_among(adb, self._virtual)
                self._sources["phones_source"] = describe_phones(len(self._virtual), len(canned), len(self.serials))
            if rehearsed:
                url = await stack.enter_async_context(rehearsed_model(settings.rehearsal, logs))
                models = {**await checked(settings, rehearsed_models(settings, url)), **models}
            self._models = models
            self._sources["model_source"] = source(models)
            crew = open_crew(settings, models, self.folder, self._readers)
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

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def run(self, task: TaskSpec | str) -> EpisodeResult:
        """Carry out one task, or a goal as a sentence. Several may run side by side."""
        tasks = tasks_from_goals([task]) if isinstance(task, str) else (task,)
        (result,) = await self.run_batch(tasks)
        return result

    async def run_batch(self, tasks: Sequence[TaskSpec]) -> Sequence[EpisodeResult]:
        """Carry out tasks in parallel: the deciding result of each, in the order of ``tasks``.

        What came of them is in ``folder`` when this returns, also when it is cancelled.
        """
        if self._crew is None:
            raise RuntimeError("enter the fleet first: async with Fleet(...) as fleet")
        self._tasks.extend(tasks)
        write_run_yaml(self.folder, self._asked(), self._tasks)
        try:
            async with self._crew.dispatcher(self.folder.name, self.serials) as dispatcher:
                self._dispatchers.append(dispatcher)
                try:
                    return await dispatcher.run(tasks)
                finally:
                    await self._retire(dispatcher)
        finally:
            if self._virtual:
                await save_ledgers(self._adb, self._virtual, self.folder)

    def _asked(self) -> dict[str, Any]:
        """What run.yaml says of the whole run."""
        return {
            "profile": self.settings.episode.profile,
            "schedule": self.settings.episode.schedule,
            "phones": list(self.serials),
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
        )

    def summary(self) -> RunSummary:
        """The figures so far, from the journals alone; also written to ``summary.json``."""
        return summarise(self.folder)
