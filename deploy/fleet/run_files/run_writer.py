"""Make or reopen the folder of a run, lock it, and write all files in it that episodes do not write.

``run.yaml`` says what the run was asked for, batch after batch, and what carried it out.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from manyhands.deploy.cluster.logs import lines_kept_in
from manyhands.deploy.fleet.given_parts import ScreenReaders
from manyhands.deploy.fleet.model_servers.resolution import RoleModels, asked_models, model_source
from manyhands.deploy.fleet.phones.phone_selection import ChosenPhones
from manyhands.deploy.fleet.phones.virtual import VirtualPhones
from manyhands.deploy.fleet.plan import PlacedFleet
from manyhands.deploy.fleet.run_files.recorded_run import RecordedRun
from manyhands.deploy.fleet.run_files.run_folder import (
    RunLock,
    TaskBatch,
    make_run_folder,
    only_run_in,
    remove_unused,
    write_run_yaml,
)
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.evaluation.summary import summarise
from manyhands.protocol.errors import StoreError
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.folder_identity import folder_id
from manyhands.protocol.runs.run_cipher import make_key
from manyhands.protocol.runs.run_summary import AskedModel, Repeated, RunSummary, StartUp
from manyhands.protocol.tasks.task import TaskSpec, batch_name, goal_id, tasks_from_goals
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

_THEN = "; then "
"""Stands between two descriptions of a run's phones or model: from before and from after the run was resumed."""


class RunYaml:
    """Hold the content of run.yaml. It can be written again whenever more is known."""

    def __init__(self, recorded: RecordedRun | None = None) -> None:
        """Prepare. ``recorded``: the content so far, if the run is resumed."""
        self.memory = LongTermMemory() if recorded is None else recorded.memory
        self.started_at = 0.0 if recorded is None else recorded.started_at
        self.opening: tuple[float, float] | None = None
        """How many seconds the fleet took to open, and how many of these model servers were waited for and tried."""
        self._start_up: StartUp | None = None if recorded is None else recorded.start_up
        self.repeated: Repeated | None = None if recorded is None else recorded.repeated
        self._batches: list[TaskBatch] = [] if recorded is None else list(recorded.batches)
        self._made_in = None if recorded is None else recorded.made_in
        self._is_new = recorded is None
        self._resumed = () if recorded is None else recorded.resumed
        self._before: Mapping[str, str] = {} if recorded is None else recorded.sources
        self._sources = dict(self._before)
        self._goals = itertools.count(1)
        self.content: Mapping[str, Any] = {}
        """The content that was written last. It stays valid even if somebody changes the file."""

    def named(self, goal: str) -> TaskSpec:
        """Return a task with an id that no task of the run has had: goal-1, goal-2, ..."""
        used_ids = {task.id for batch in self._batches for task in batch.tasks}
        number = next(number for number in self._goals if goal_id(number) not in used_ids)
        (task,) = tasks_from_goals([goal], number)
        return task

    def add(self, tasks: Sequence[TaskSpec]) -> TaskBatch:
        """Add a batch and return it."""
        if tasks and not self._batches and self.opening is not None:
            opening_s, models_s = self.opening
            self._start_up = StartUp(opening_s=opening_s, models_s=models_s, tasks_at=HOST_CLOCK.now())
        self._batches.append(TaskBatch(batch_name(len(self._batches) + 1), tuple(tasks)))
        return self._batches[-1]

    def name_source(self, kind: str, source: str) -> None:
        """Record a description of the phones, the model or perception. In a resumed run, it follows the earlier one."""
        before = self._before.get(kind, "")
        self._sources[kind] = (
            (before or source) if before.rpartition(_THEN)[2] in ("", source) else f"{before}{_THEN}{source}"
        )

    def write(self, folder: Path, settings: FleetSettings, phones: ChosenPhones, models: RoleModels) -> None:
        """Write run.yaml. Raises StoreError."""
        made_in = folder_id(folder) if self._is_new else self._made_in
        head: dict[str, Any] = {
            "started_at": self.started_at,
            **({} if made_in is None else {"folder": made_in}),
            **({"resumed": list(self._resumed)} if self._resumed else {}),
            **({} if self._start_up is None else {"start_up": self._start_up.model_dump(mode="json")}),
            "profile": settings.episode.profile,
            "schedule": settings.episode.schedule,
            "phones": list(phones.serials),
            "phones_away": dict(phones.away),
            "phones_left_out": dict(phones.left_out),
            **({} if self.repeated is None else {"repeated": self.repeated.model_dump()}),
            **self._sources,
            "models": {role: model.model_dump(mode="json") for role, model in asked_models(models).items()},
            "memory": self.memory.model_dump(mode="json", exclude_defaults=True),
            "settings": settings.model_dump(mode="json", exclude={"out"}),
        }
        self.content = write_run_yaml(folder, head, self._batches)


_log = logging.getLogger(__name__)


class RunWriter:
    """Write the folder of a run: run.yaml, the ledgers of virtual phones and the summary, under its lock."""

    def __init__(self, settings: FleetSettings, virtual: VirtualPhones, recorded: RecordedRun | None = None) -> None:
        """Prepare. ``recorded``: what the folder says of the run, if a run is resumed."""
        self.folder = Path()
        self.phones = ChosenPhones(())
        self.recorded = recorded
        self._settings = settings
        self._virtual = virtual
        self._models: RoleModels = {}
        self._yaml = RunYaml(recorded)
        self._lock: RunLock | None = None

    def name_readers(self, readers: ScreenReaders) -> None:
        """Record which readers read the screens, if they are not our own."""
        self._yaml.name_source("perception_source", readers.source(self._settings.perception_threads))

    def lock_recorded(self, stack: AsyncExitStack) -> None:
        """Lock the folder of a run that is resumed, before anything starts. Raises BadInput."""
        if self.recorded is not None:
            self.folder = self.recorded.folder
            self._lock = stack.enter_context(only_run_in(self.folder))

    def open(self, stack: AsyncExitStack) -> None:
        """Make and lock the folder of a new run. If the folder stays empty, it is removed when ``stack`` closes.

        For a new run and for a resumed one, write Ray's log lines into the folder.
        """
        if self.recorded is None:
            self.folder = make_run_folder(self._settings)
            stack.callback(remove_unused, self.folder)
            self._lock = stack.enter_context(only_run_in(self.folder))
            if self._settings.encrypt_with:
                make_key(self.folder, self._settings.encrypt_with)
            self._yaml.started_at = HOST_CLOCK.now()
        stack.enter_context(lines_kept_in(self.folder / "logs"))

    def note(self, placed: PlacedFleet) -> None:
        """Record what run.yaml says of settings, phones, models and memory."""
        self._settings = placed.plan.settings
        self.phones, self._models = placed.phones, placed.models
        self._yaml.memory = placed.plan.memory
        self._yaml.name_source("model_source", model_source(placed.models))
        if self._virtual.serials:
            self._name_phones()

    def note_opening(self, seconds: float, models_s: float) -> None:
        """Record how long the fleet took to open, and how long of that model servers were waited for and tried."""
        self._yaml.opening = (seconds, models_s)

    @property
    def models(self) -> Mapping[str, AskedModel]:
        """Return the checked model of each role, by the role's name."""
        return asked_models(self._models)

    def task_of(self, goal: str) -> TaskSpec:
        """Return a task for a goal, with an id that no task of the run has had."""
        return self._yaml.named(goal)

    def add(self, tasks: Sequence[TaskSpec], repeated: Repeated | None) -> TaskBatch:
        """Record another batch and return it. ``repeated``: the earlier run in which these tasks failed, if any."""
        self._yaml.repeated = repeated or self._yaml.repeated
        batch = self._yaml.add(tasks)
        self.write()
        return batch

    def write(self) -> None:
        """Write run.yaml. Raises StoreError."""
        self._check()
        self._yaml.write(self.folder, self._settings, self.phones, self._models)

    async def write_after_batch(self) -> None:
        """Write what is known only after a batch. Log what cannot be written."""
        try:
            self._check()
        except StoreError as error:
            _log.warning("what virtual phones received is not written down: %s", error)
            return
        try:
            if self.phones.away and await self._virtual.find_later(self.phones.away):
                self._name_phones()
                self.write()
        except StoreError as error:
            _log.warning("that phones which came later are virtual is not written down: %s", error)
        await self._virtual.save_ledgers(self.folder)

    def summary(self) -> RunSummary:
        """Return the figures so far, also written to ``summary.json``. Raises StoreError."""
        self._check()
        return summarise(self.folder, self._yaml.content)

    def _name_phones(self) -> None:
        """Record how many phones are virtual."""
        self._yaml.name_source("phones_source", self._virtual.source(len(self.phones.serials)))

    def _check(self) -> None:
        """Raise StoreError if the run folder has been moved or replaced since it was opened."""
        if self._lock is not None:
            self._lock.check()
