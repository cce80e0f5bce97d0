"""Keep the content of run.yaml: what the run was asked for, batch after batch, and what carried it out."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from manyhands.deploy.fleet.model_servers.resolution import RoleModels, asked_models
from manyhands.deploy.fleet.phones.phone_selection import ChosenPhones
from manyhands.deploy.fleet.run_files.recorded_run import RecordedRun
from manyhands.deploy.fleet.run_files.run_folder import TaskBatch, write_run_yaml
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.folder_identity import folder_id
from manyhands.protocol.runs.run_summary import Repeated, StartUp
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
