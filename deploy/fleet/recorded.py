"""What run.yaml says of a run that was cut off: all that it takes to go on with it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from manyhands.actors.memory import initial_memory
from manyhands.deploy.fleet.run_folder import TaskBatch, versions
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.sites import with_addresses
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol import PROTOCOL_VERSION
from manyhands.protocol.errors import BadInput, explain
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.runs import Repeated
from manyhands.protocol.tasks import TaskSpec

_SOURCES = ("model_source", "phones_source", "perception_source")


class _RecordedSettings(FleetSettings):
    """Settings as a run had them: what the environment says now is for other runs."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """Hold a run as it was asked for, with its settings as they are to be from now on."""

    folder: Path
    settings: FleetSettings
    batches: tuple[TaskBatch, ...]
    needed: frozenset[str]
    """Phones that must be there: those of the run, unless others were named."""
    started_at: float
    resumed: tuple[Mapping[str, Any], ...]
    """When it was gone on with, and by which versions, with this time."""
    repeated: Repeated | None
    sources: Mapping[str, str]
    """What phones, model and perception were so far."""
    memory: LongTermMemory
    """What its tasks know from the start."""


def read_recorded(folder: Path, given: Mapping[str, Any], own_phones: bool = False) -> RecordedRun:
    """Read a run folder; ``given``: settings that are others now. Raises BadInput for one that cannot be gone on with.

    ``own_phones``: something that is started with the run brings its phones, where the settings name none.
    """
    asked = RunFolder(folder).asked
    _check_version(folder, asked)
    if not isinstance(asked.get("batches"), list):
        raise BadInput(f"{folder}: run.yaml names no batches: its run was made before runs could be resumed")
    try:
        return _read(folder.resolve(), asked, given, own_phones)
    except ValidationError as error:
        raise BadInput(f"{folder}: run.yaml: {explain(error, FleetSettings)}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{folder}: run.yaml does not hold what it should: {error!r}") from error


def _read(folder: Path, asked: Mapping[str, Any], given: Mapping[str, Any], own_phones: bool) -> RecordedRun:
    settings = {**asked["settings"], **given, "out": folder}
    stand_ins = any(phone.startswith("virtual") for phone in settings["phones"])
    named = "phones" in given or stand_ins or (own_phones and not settings["phones"])
    phones = settings["phones"] if named else asked["phones"]
    addressed = phones if named else with_addresses(phones, asked["settings"]["phones"])
    return RecordedRun(
        folder=folder,
        settings=_RecordedSettings(**{**settings, "phones": addressed}),
        batches=_batches(asked),
        needed=frozenset() if named else frozenset(phones) - asked["phones_away"].keys(),
        started_at=asked["started_at"],
        resumed=(*(asked.get("resumed") or ()), {"at": time.time(), "versions": versions()}),
        repeated=None if asked.get("repeated") is None else Repeated.model_validate(asked["repeated"]),
        sources={name: asked[name] for name in _SOURCES if asked.get(name)},
        memory=LongTermMemory.model_validate(asked["memory"]) if "memory" in asked else initial_memory(),
    )


def _check_version(folder: Path, asked: Mapping[str, Any]) -> None:
    written = str((asked.get("versions") or {}).get("protocol", ""))
    if not written.partition(".")[0].isdecimal():
        raise BadInput(f"{folder}: run.yaml does not say by which version the run was made")
    if int(written.partition(".")[0]) > int(PROTOCOL_VERSION.partition(".")[0]):
        raise BadInput(
            f"{folder}: the run was made by a newer version (its records are those of {written}, ours of "
            f"{PROTOCOL_VERSION}): go on with that one"
        )


def _batches(asked: Mapping[str, Any]) -> tuple[TaskBatch, ...]:
    tasks: Sequence[Any] = asked["tasks"]
    batches, first = [], 0
    for batch in asked["batches"]:
        last = first + int(batch["tasks"])
        batches.append(TaskBatch(str(batch["name"]), tuple(map(TaskSpec.model_validate, tasks[first:last]))))
        first = last
    if first != len(tasks):
        raise ValueError(f"{len(tasks)} tasks, {first} in batches")
    return tuple(batches)
