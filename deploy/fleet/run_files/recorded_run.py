"""Read from run.yaml all that it takes to resume an interrupted run, if its folder may use this person's secrets.

A folder may come from anybody. Its run.yaml names hosts, environment variables whose values go to these hosts, and
files of models and memories. A folder is trusted if all of this holds:

- This user began or resumed a run in the folder. run.yaml records the folder's inode for this. Whoever makes an archive
  does not know the inode that the unpacked folder will have.
- This user owns the folder and run.yaml, and nobody else can write them.

The owner alone would prove nothing: unpacked files belong to the person who unpacks them.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from manyhands.actors.memory import initial_memory
from manyhands.actors.store.index import index_of
from manyhands.deploy.cluster.node_facts import paths_in
from manyhands.deploy.fleet.model_servers.resolution import card_hash, read_card
from manyhands.deploy.fleet.run_files.run_folder import TaskBatch, package_versions
from manyhands.deploy.settings.fleet import ENV_PREFIX, FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.deploy.settings.phones import behind_brokers, run_starts, with_addresses
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput, StoreError, explain
from manyhands.protocol.journals import journal
from manyhands.protocol.journals.frames import walk
from manyhands.protocol.journals.journal_file import END, JOURNAL, START, disagreement, read_frames, read_journal
from manyhands.protocol.policy import Policy
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.folder_identity import EPISODES, folder_id
from manyhands.protocol.runs.run_cipher import cipher_of
from manyhands.protocol.runs.run_summary import Repeated, StartUp
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

_LOCAL_RAY = "auto"
"""The cluster that runs on this machine."""
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def _check_trust(
    folder: Path, run_yaml: Mapping[str, Any], settings: FleetSettings, own_names: Collection[str]
) -> None:
    """Raise BadInput if a run would use secrets, a cluster or files that only an untrusted folder names.

    ``asked``: the content of run.yaml. ``settings``: the settings that the resumed run would use. ``given``: the names
    of the settings that the user has given now.
    """
    grants = _grants(run_yaml, settings)
    uses = [*grants, *_foreign_uses(settings, own_names)]
    reason = _distrust(folder, run_yaml) if uses else None
    if reason is None:
        return
    own = load_settings({})
    uses = [*grants, *_foreign_uses(settings, {*own_names, *_named_by_environment(settings, own)})]
    if uses:
        raise BadInput(
            f"{folder}: {reason}, and its run.yaml would have this run {'; '.join(uses)}. Name these yourself by "
            "the options, or confirm with --trust-folder that you know run.yaml"
        )


def _grants(run_yaml: Mapping[str, Any], settings: FleetSettings) -> Sequence[str]:
    """Return what a folder would allow actions to do without a question: only people allow that."""
    texts = {*settings.episode.allow, *(text for task in run_yaml["tasks"] for text in task.get("allow", ()))}
    return [f"allow {', '.join(sorted(texts))} without a question (allow)"] if texts else []


def _foreign_uses(settings: FleetSettings, own_names: Collection[str]) -> Iterator[str]:
    """Yield each use of hosts and files that the user has not given, with the option that names them."""
    if settings.ray_address not in (None, _LOCAL_RAY) and "ray_address" not in own_names:
        yield f"join the Ray cluster {settings.ray_address} (--ray-address)"
    urls = () if "mllm_url" in own_names else settings.mllm_url
    for variable, hosts, option in (
        (settings.api_key_env, urls, "--mllm-url"),
        *((own.api_key_env, own.url or urls, "its role's url") for own in settings.models.values()),
    ):
        named = [host for host in hosts if host != REHEARSED]
        if variable is not None and named:
            yield f"send ${variable} to {', '.join(named)} ({option})"
    if settings.model_sessions_key_env is not None and "model_sessions_url" not in own_names:
        yield f"send ${settings.model_sessions_key_env} to {settings.model_sessions_url} (--model-sessions-url)"
    if settings.otlp_endpoint is not None and "otlp_endpoint" not in own_names:
        yield f"send its traces to {settings.otlp_endpoint} (--otlp-endpoint)"
    if ":" in settings.reward and "reward" not in own_names:
        yield f"import {settings.reward} (--reward)"
    if settings.episode.policy != Policy():
        yield "judge actions by its policy (policy)"
    if settings.secrets and "secrets" not in own_names:
        yield f"type your secrets {', '.join(sorted(settings.secrets))} where it says (secrets)"
    if settings.emulators is not None and settings.emulator_flags and "emulator_flags" not in own_names:
        yield f"start emulators with {' '.join(settings.emulator_flags)} (emulator_flags)"
    for option, path in _files(settings, own_names):
        yield f"use {path} ({option})"
    brokers = () if "phones" in own_names else sorted({one.broker.host for one in behind_brokers(settings.phones)})
    for variable in (settings.mqtt_user_env, settings.mqtt_password_env):
        if variable is not None and brokers:
            yield f"send ${variable} to {', '.join(brokers)} (--phones)"


def _files(settings: FleetSettings, own_names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield files that only run.yaml names, each with its option.

    Such files are a risk: weights may hold code, a run writes to its memory, and a web phone shows a model what is in
    them. Files in the run folder count, too: whoever made the folder put them there.
    """
    if "perception" not in own_names:
        models = settings.perception_settings(None).model_dump()
        yield from (("perception", path) for path in paths_in(models))
    for name in ("memory", "tips", "shortcuts"):
        path = getattr(settings, name)
        if path is not None and name not in own_names:
            yield f"--{name}", str(path)
    if settings.are_web_phones and "virtual" not in own_names:
        pages = (settings.virtual.web, *settings.virtual.web_allow, settings.virtual.web_script)
        yield from (("--phones", str(page)) for page in pages if page is not None)


def _named_by_environment(settings: FleetSettings, own: FleetSettings) -> Iterator[str]:
    """Yield the settings whose hosts this person's environment names as well."""
    if settings.ray_address == own.ray_address:
        yield "ray_address"
    if {*settings.mllm_url} <= {*own.mllm_url}:
        yield "mllm_url"
    for name in ("otlp_endpoint", "emulator_flags", "secrets"):
        if getattr(settings, name) == getattr(own, name):
            yield name
    own_brokers = {phone.broker for phone in behind_brokers(own.phones)}
    if {phone.broker for phone in behind_brokers(settings.phones)} <= own_brokers:
        yield "phones"


def _distrust(folder: Path, run_yaml: Mapping[str, Any]) -> str | None:
    """Return why a folder is not trusted; None if it is trusted."""
    there, file_stat = folder.stat(), (folder / "run.yaml").stat()
    if file_stat.st_uid != os.geteuid() or there.st_uid != os.geteuid():
        return "another user owns it"
    if file_stat.st_mode & _OTHERS or there.st_mode & stat.S_IWOTH:
        return "others can write it"
    again = run_yaml.get("resumed") or ()
    last = again[-1] if again else run_yaml
    if last.get("folder") != folder_id(folder):  # only the last one: a forged list could hold every possible inode
        return "no run of yours was begun in it (it was copied or unpacked)"
    return None


_PYTHON = "perception_python"
"""The setting that names the Python for perception.

A resumed run never takes this program from the run folder, because the folder may come from anybody.
"""
_log = logging.getLogger(__name__)
_SOURCES = ("model_source", "phones_source", "perception_source")


class _RecordedSettings(FleetSettings):
    """Hold the settings that run.yaml records. The present environment does not change them."""

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
    """Hold what run.yaml says of an interrupted run, and the settings that the run uses from now on."""

    folder: Path
    settings: FleetSettings
    batches: tuple[TaskBatch, ...]
    needed: frozenset[str]
    """Phones that must be there: those of the run, unless the user names others."""
    started_at: float
    made_in: str | None
    """The id (``folder_id``) of the folder in which the run began; None if run.yaml does not say."""
    resumed: tuple[Mapping[str, Any], ...]
    """The resumptions, including this one, each with its time, its versions and the id of its folder."""
    repeated: Repeated | None
    sources: Mapping[str, str]
    """Descriptions of the phones, model and perception so far."""
    memory: LongTermMemory
    """What the run's tasks know from the start."""
    start_up: StartUp | None = None
    """How long the run took to begin; None for a run that began without tasks."""


def read_recorded(
    folder: Path, own_options: Mapping[str, Any], own_phones: bool = False, trusted: bool = True
) -> RecordedRun:
    """Read a run folder. Raises BadInput if its run cannot be resumed.

    ``given``: settings that replace recorded settings. ``own_phones``: whether a sidecar brings the phones if the
    settings name none. ``trusted``: whether secrets may go to hosts that the folder names, whoever made the folder.
    """
    run_yaml = RunFolder(folder).asked
    if "protocol" not in (run_yaml.get("versions") or {}):
        raise BadInput(f"{folder}: run.yaml does not say by which version the run was made")
    _check_journals(folder)
    try:
        run = _read(folder.resolve(), run_yaml, own_options, own_phones)
    except ValidationError as error:
        raise BadInput(f"{folder}: run.yaml: {explain(error, FleetSettings)}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{folder}: run.yaml does not hold what it should: {error!r}") from error
    _check_card(folder, run_yaml, run.settings)
    if not trusted:
        _check_trust(folder, run_yaml, run.settings, own_options.keys())
    return run


def _check_journals(folder: Path) -> None:
    """Raise BadInput if a journal is missing or does not name its task. That task would silently run again."""
    cipher = cipher_of(folder)
    for copy in sorted(path for name in (START, END) for path in folder.glob(f"{EPISODES}/*/{name}")):
        if not copy.with_name(JOURNAL).exists():  # copies are written after their journal
            raise BadInput(
                f"{copy.with_name(JOURNAL)}: is missing, but {copy.name} beside it says that there was an episode; put "
                f"it back, or move {copy.parent} out of the run folder to have that task done again"
            )
    for path in sorted(folder.glob(f"{EPISODES}/*/{JOURNAL}")):
        try:
            data = read_journal(path, cipher)
        except (OSError, StoreError) as error:
            raise BadInput(str(error)) from error
        index, walked = index_of(data), walk(data)
        name = path.parent.name
        if index is None and (walked.frames or (walked.damage and walked.torn_at is None)):
            raise BadInput(
                f"{path}: its first record is damaged, and nothing tells which task it is of; move {path.parent} out "
                "of the run folder to have that task done again"
            )
        if index is not None and index.started.episode != name:
            raise BadInput(f"{path}: is the journal of {index.started.episode}, in the folder of {name}: move it back")
        differs = disagreement(path, data, cipher)
        if differs is not None:
            raise BadInput(f"{path}: {differs}; remove the one that is wrong")


def _check_card(folder: Path, run_yaml: Mapping[str, Any], settings: FleetSettings) -> None:
    """Raise BadInput if the file of ``--system-prompt`` is not the one with which the run began."""
    path, models = settings.groups.model.system_prompt, run_yaml.get("models") or {}
    recorded = (models.get(Role.DECIDE.value) or {}).get("system_prompt_sha256")
    if path is not None and recorded is not None and card_hash(read_card(path)) != recorded:
        raise BadInput(f"{folder}: {path} is no longer the system prompt with which the run began; put it back")


def written_last(folder: Path) -> float:
    """Return when a run's newest record was written (Unix seconds); 0 if there is no record. Raises BadInput."""
    newest, cipher = 0.0, cipher_of(folder)
    for path in folder.glob("episodes/*/journal.mh"):
        with suppress(OSError, StoreError):  # the store also reads this file, and reports the error
            newest = max(newest, journal.written_last(read_frames(path, cipher)))
    return newest


def _read(folder: Path, run_yaml: Mapping[str, Any], own_options: Mapping[str, Any], own_phones: bool) -> RecordedRun:
    settings = {
        **run_yaml["settings"],
        _PYTHON: _python(folder, run_yaml["settings"], own_options),
        **own_options,
        "out": folder,
    }
    named = "phones" in own_options or run_starts(settings["phones"]) or (own_phones and not settings["phones"])
    phones = settings["phones"] if named else run_yaml["phones"]
    addressed = phones if named else with_addresses(phones, run_yaml["settings"]["phones"])
    return RecordedRun(
        folder=folder,
        settings=_RecordedSettings(**{**settings, "phones": addressed}),
        batches=_batches(run_yaml),
        needed=frozenset() if named else frozenset(phones) - run_yaml["phones_away"].keys(),
        started_at=run_yaml["started_at"],
        made_in=run_yaml.get("folder"),
        resumed=(*(run_yaml.get("resumed") or ()), _resumption(folder)),
        repeated=None if run_yaml.get("repeated") is None else Repeated.model_validate(run_yaml["repeated"]),
        sources={name: run_yaml[name] for name in _SOURCES if run_yaml.get(name)},
        memory=LongTermMemory.model_validate(run_yaml["memory"]) if "memory" in run_yaml else initial_memory(),
        start_up=None if run_yaml.get("start_up") is None else StartUp.model_validate(run_yaml["start_up"]),
    )


def _resumption(folder: Path) -> Mapping[str, Any]:
    return {"at": HOST_CLOCK.now(), "folder": folder_id(folder), "versions": package_versions()}


def _python(folder: Path, recorded: Mapping[str, Any], own_options: Mapping[str, Any]) -> str | None:
    """Return the Python for perception that the environment names. Warn that the folder's Python is not used."""
    own = os.environ.get(ENV_PREFIX + _PYTHON.upper())
    if recorded.get(_PYTHON) and own is None and _PYTHON not in own_options:
        _log.warning(
            "%s: run.yaml names perception_python %r, which is not taken from a run folder: perception runs in this "
            "Python; --perception-python names another",
            folder, str(recorded[_PYTHON]),
        )  # fmt: skip
    return own


def _batches(run_yaml: Mapping[str, Any]) -> tuple[TaskBatch, ...]:
    tasks: Sequence[Any] = run_yaml["tasks"]
    batches, first = [], 0
    for batch in run_yaml["batches"]:
        last = first + int(batch["tasks"])
        batches.append(TaskBatch(str(batch["name"]), tuple(map(TaskSpec.model_validate, tasks[first:last]))))
        first = last
    if first != len(tasks):
        raise ValueError(f"{len(tasks)} tasks, {first} in batches")
    return tuple(batches)
