"""Read the files of a run folder: journals, screens, run.yaml, injected faults. Tell whether the run is complete."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, NonNegativeInt, ValidationError

from manyhands.evaluation.episodes import Attempted, RecordedEpisode, attempted, episodes_of, start_of
from manyhands.protocol import PROTOCOL_VERSION
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.journals.effective_records import is_open, last_failure, written_at
from manyhands.protocol.journals.frames import Damage
from manyhands.protocol.journals.journal import Scan, scan
from manyhands.protocol.journals.journal_file import JOURNAL, disagreement, read_journal
from manyhands.protocol.journals.records import Learned, Record
from manyhands.protocol.phones import LOGCAT
from manyhands.protocol.runs.folder_identity import EPISODES
from manyhands.protocol.runs.run_cipher import RunCipher, cipher_of
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.yaml_document import find_problems, read_yaml

FAULTS_FILE = "faults.jsonl"
_BATCH = re.compile(r"b\d+(\..+)?")
"""An id of a batch or task of a service."""


class _AskedTask(BaseModel):
    id: str
    goal: str = ""
    human_operations: list[Any] | None = None


class _EpisodePart(BaseModel):
    profile: str | None = None
    paper_exact: bool | None = None
    without: list[str] | None = None


class _SettingsPart(BaseModel):
    episode: _EpisodePart | None = None
    models: dict[str, dict[str, Any] | None] | None = None


class _Resumption(BaseModel):
    at: float
    folder: str | None = None


class _AskedBatch(BaseModel):
    name: str
    tasks: NonNegativeInt


class _RunYaml(BaseModel):
    """Validate the parts of run.yaml that figures use."""

    run_id: str | None = None
    profile: str | None = None
    schedule: str | None = None
    started_at: float | None = None
    folder: str | None = None
    phones: list[str] | None = None
    phones_left_out: dict[str, str] | None = None
    tasks: list[_AskedTask] | None = None
    batches: list[_AskedBatch] | None = None
    resumed: list[_Resumption] | None = None
    repeated: dict[str, Any] | None = None
    models: dict[str, dict[str, Any]] | None = None
    versions: dict[str, str] | None = None
    settings: _SettingsPart | None = None
    model_source: str | None = None
    phones_source: str | None = None
    perception_source: str | None = None


class InjectedFault(Message):
    """Hold a fault that a benchmark injected: what it hit, when, and which episodes were running."""

    kind: str
    at: float
    """Unix seconds."""
    over: float
    """When the part that failed was back. For a kill this equals ``at``."""
    hit: dict[str, str] = Field(default_factory=dict)
    """The episodes that were running on the phones that the fault hit, by serial."""
    pair: tuple[str, ...] = ()
    """The kinds of two faults that were injected together; empty for a single fault."""
    clock_s: float = 0.0
    """How far the clock of the run's processes was off during the fault."""
    note: str = ""
    """What was killed, and anything unexpected."""

    @property
    def seconds(self) -> float:
        """Return for how many seconds the part was away."""
        return self.over - self.at


class RunFolder:
    """Read a run from its folder. Raises BadInput if the path is no run folder."""

    def __init__(self, path: Path) -> None:
        if not (path / "run.yaml").is_file():
            runs = ", ".join(sorted(one.parent.name for one in path.glob("*/run.yaml")))
            why = f"runs are in it: {runs}" if runs else "it has no run.yaml"
            if _BATCH.fullmatch(str(path)) and not path.exists():
                why += f"; the results of a batch of a service: manyhands results {path.name} --server URL"
            raise BadInput(f"{path}: not a run folder ({why})")
        self.path = path

    @cached_property
    def cipher(self) -> RunCipher:
        """Return what decrypts the folder's files. Raises BadInput if they are encrypted and nobody names the key."""
        return cipher_of(self.path)

    @cached_property
    def asked(self) -> dict[str, Any]:
        """Return the content of run.yaml.

        Raises BadInput if it cannot be read, for example because it was cut off, or if another version wrote the run.
        """
        path = self.path / "run.yaml"
        read = read_yaml(path)
        read.refuse(())
        if not isinstance(read.data, dict):
            raise BadInput(f"{path}: not a mapping")
        try:
            _RunYaml.model_validate(read.data)
        except ValidationError as error:
            read.refuse(find_problems(error, _RunYaml))
        _refuse_other_version(path, read.data.get("versions") or {})
        return read.data

    @cached_property
    def journals(self) -> dict[str, Scan]:
        """Return each episode's journal by the episode's id, in the order of the episodes' starts."""
        scans = {path.parent.name: _scan(path, self.cipher) for path in self.path.glob("episodes/*/journal.mh")}
        return dict(sorted(scans.items(), key=lambda item: (_started(item[1].records), item[0])))

    @property
    def episode_names(self) -> list[str]:
        """Return the ids of the episodes that have a journal, in the order of the alphabet. No journal is read."""
        return sorted(path.parent.name for path in self.path.glob(f"{EPISODES}/*/{JOURNAL}"))

    def journal(self, episode: str) -> Scan | None:
        """Return one episode's journal; None if there is none. Raises OSError and StoreError."""
        path = self.path / EPISODES / episode / JOURNAL
        return _scan(path, self.cipher) if path.is_file() else None

    def journals_of(self, tasks: Collection[str]) -> dict[str, Scan]:
        """Return the journals of some tasks by the episode's id, in the order of their starts. Others are not read.

        The name of an episode is that of its task, the number of the attempt, and a part that makes it unique.
        """
        task_ids = frozenset(tasks)
        names = [path.name for path in os.scandir(self.path / EPISODES) if path.name.rsplit("-", 2)[0] in task_ids]
        scans = {name: scan_of_name for name in names if (scan_of_name := self.journal(name)) is not None}
        return dict(sorted(scans.items(), key=lambda item: (_started(item[1].records), item[0])))

    @property
    def copied_after(self) -> float | None:
        """Return when this folder and its copies may begin to differ, in Unix seconds; None if this is no copy.

        The copies may differ from the last record on that was written before a copy was resumed. A folder that was
        moved to another file system counts as a copy.
        """
        folder = self.asked.get("folder")
        for again in self.asked.get("resumed") or ():
            if None not in (folder, again.get("folder")) and again["folder"] != folder:
                records = [record for scan in self.journals.values() for record in scan.records]
                before = [at for record in records if (at := written_at(record)) < again["at"]]
                return max(before, default=float(again["at"]))
            folder = again.get("folder", folder)
        return None

    def screen_path(self, content_id: str) -> Path:
        """Return the path of a screenshot's PNG, whether or not it was written."""
        return self.path / "screens" / f"{content_id}.png"

    def thumbnail_path(self, content_id: str) -> Path:
        """Return where a screen's small JPEG is, 180 pixels wide."""
        return self.path / "thumbnails" / f"{content_id}.jpg"

    def has_screen(self, content_id: str) -> bool:
        """Return whether the PNG of a screenshot was written."""
        return self.screen_path(content_id).is_file()

    def screen_png(self, content_id: str) -> bytes | None:
        """Return the PNG of a screenshot; None if the run was cut off before the PNG was written."""
        return self._read_picture(self.screen_path(content_id))

    def thumbnail_jpeg(self, content_id: str) -> bytes | None:
        """Return a screen's small JPEG; None if there is none."""
        return self._read_picture(self.thumbnail_path(content_id))

    def phone_log(self, episode: str) -> bytes | None:
        """Return what an episode's phone has logged, with the header line; None if nothing was recorded."""
        return self._read_if_there(self.path / EPISODES / episode / LOGCAT)

    def read(self, path: Path) -> bytes:
        """Return the content of a file of the folder that is no journal. Raises OSError, StoreError and BadInput."""
        return self.cipher.read(path)

    def _read_if_there(self, path: Path) -> bytes | None:
        return self.read(path) if path.is_file() else None

    def _read_picture(self, path: Path) -> bytes | None:
        """Return the content of a picture. One that cannot be decrypted is damaged, as others are that cannot be read.

        So it is returned as it is.
        """
        try:
            return self._read_if_there(path)
        except StoreError:
            return path.read_bytes()


def _refuse_other_version(path: Path, versions: Mapping[str, str]) -> None:
    """Raise BadInput if the run's records are of another version than this program reads."""
    written = versions.get("protocol", str(PROTOCOL_VERSION))
    if written == str(PROTOCOL_VERSION):
        return
    is_newer = written.isdecimal() and int(written) > PROTOCOL_VERSION
    age, mend = ("a newer", "use that version") if is_newer else ("an older", "its runs are no longer read")
    raise BadInput(
        f"{path}: {age} version of Manyhands wrote the run (its records are of version {written}, and this program"
        f" reads {PROTOCOL_VERSION}): {mend}"
    )


def _scan(path: Path, cipher: RunCipher) -> Scan:
    """Read a journal. Records of another episode count as damage: the file was put into the wrong folder."""
    data = read_journal(path, cipher)
    scanned = scan(data)
    differs = disagreement(path, data, cipher)
    if differs is not None:
        scanned = replace(scanned, damage=(Damage(0, 0, f"the journal {differs}"), *scanned.damage))
    name = path.parent.name
    others = {envelope.episode for envelope in scanned.envelopes if envelope.episode is not None} - {name}
    if not others:
        return scanned
    reason = f"the folder of {name} holds records of {', '.join(sorted(others))}"
    return replace(scanned, damage=(Damage(0, 0, reason), *scanned.damage))


def _started(records: tuple[Record, ...]) -> float:
    started = start_of(records)
    return started.at if started is not None else 0.0


def has_finished(folder: RunFolder, added: Collection[str], learns: bool = False) -> bool:
    """Return whether every task is decided, so that ``resume`` would start none.

    ``added``: the ids of the tasks that the run was given while it was running. With ``learns``, each task must also
    have had its lesson.
    """
    episodes = episodes_of(scan.records for scan in folder.journals.values())
    begun_tasks = {episode.started.task.id for episode in episodes}
    tasks = attempted(folder.asked, episodes)
    earned = Counter((task.batch, task.base_id) for task in tasks if task.attempts and task.attempts[-1].fault is None)
    decided = all(_is_decided(task, learns) or _is_surplus(task, earned) for task in tasks)
    return bool(tasks) and decided and begun_tasks.issuperset(added)


def _is_decided(task: Attempted, learns: bool) -> bool:
    """Return whether a task of run.yaml is decided. If people renamed the task there, its episodes do not count."""
    last = task.attempts[-1] if task.attempts else None
    same = last is not None and task.asked.get("id") in (None, last.started.task.id)
    if last is None or not same:
        return False
    spec, number = last.started.task, last.started.attempt
    retried = last.has_failed and len(task.failed_before) < spec.retries
    replaced = spec.sample > 0 and last.fault is not None and number < spec.attempts
    return not retried and not replaced and _decides(last, learns)


def _is_surplus(task: Attempted, earned: Mapping[tuple[str, str], int]) -> bool:
    """Return whether enough episodes of the task's group have ended. ``earned``: their number, by batch and group."""
    enough = task.attempts[-1].started.task.group_enough if task.attempts else task.asked.get("group_enough")
    return enough is not None and earned.get((task.batch, task.base_id), 0) >= enough


def _decides(episode: RecordedEpisode, learns: bool) -> bool:
    if episode.ended is None or episode.ended.afresh or is_open(episode.ending, last_failure(episode.records)):
        return False
    taught = any(isinstance(record, Learned) for record in episode.records)
    return taught or not learns or not episode.steps


def append_fault(path: Path, fault: InjectedFault) -> None:
    """Append a fault to a file. Raises OSError."""
    with secure_files.open_to_append(path) as file:
        file.write(fault.model_dump_json().encode() + b"\n")


def read_faults(folder: Path) -> Sequence[InjectedFault]:
    """Return the injected faults of a run; most runs have none. Raises StoreError."""
    path = folder / FAULTS_FILE
    if not path.is_file():
        return ()
    try:
        whole, _, _ = path.read_bytes().rpartition(b"\n")  # the last line may be incomplete: its writer may have died
        return [InjectedFault.model_validate_json(line) for line in whole.splitlines()]
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
    except ValidationError as error:
        raise StoreError(f"{path} holds a line that is no fault; remove the file, or that line of it") from error
