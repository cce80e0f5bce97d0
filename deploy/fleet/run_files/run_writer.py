"""Make or reopen the folder of a run, lock it, and write all files in it that episodes do not write."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from manyhands.deploy.cluster.logs import lines_kept_in
from manyhands.deploy.fleet.given_parts import ScreenReaders
from manyhands.deploy.fleet.model_servers.resolution import RoleModels, asked_models, model_source
from manyhands.deploy.fleet.phones.phone_selection import ChosenPhones
from manyhands.deploy.fleet.phones.virtual import VirtualPhones
from manyhands.deploy.fleet.placement import PlacedFleet
from manyhands.deploy.fleet.run_files.recorded_run import RecordedRun
from manyhands.deploy.fleet.run_files.run_folder import TaskBatch, make_run_folder, remove_unused
from manyhands.deploy.fleet.run_files.run_lock import RunLock, only_run_in
from manyhands.deploy.fleet.run_files.run_yaml import RunYaml
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.evaluation.summary import summarise
from manyhands.protocol.errors import StoreError
from manyhands.protocol.runs.run_summary import AskedModel, Repeated, RunSummary
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

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
