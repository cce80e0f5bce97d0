"""Make a run folder, write into it what the run was asked for, and allow one run at a time in it.

The kernel holds the lock while the process of the run lives.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.metadata
import itertools
import json
import os
import platform
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol import PROTOCOL_VERSION
from manyhands.protocol.errors import BadInput, store_error
from manyhands.protocol.runs.folder_identity import check_in_place
from manyhands.protocol.runs.run_cipher import KEY
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities import secure_files

LOCK = "run.lock"
_TRIES = 5
_AGAIN_S = 0.05
"""Seconds between two tries to take the lock. ``goes_on`` holds a lock for a far shorter time."""


class RunLock:
    """Hold the lock of a run folder, and notice if somebody moves or replaces the folder while it is locked."""

    def __init__(self, folder: Path, file: int) -> None:
        self._folder = folder
        self._file: int | None = file

    def check(self) -> None:
        """Raise StoreError if the path leads to another folder or to none. Does nothing once the lock is released."""
        if self._file is None:
            return
        try:
            check_in_place(self._folder, LOCK, self._file)
        except OSError as error:
            raise store_error(error, f"run folder {self._folder}") from error

    def release(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)


@contextlib.contextmanager
def only_run_in(folder: Path) -> Iterator[RunLock]:
    """Hold the folder's lock while the context is open. Raises OSError, and BadInput that names the holder."""
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, secure_files.FILE_MODE)
    lock = RunLock(folder, file)
    try:
        if not _is_locked(file):
            raise BadInput(f"{folder}: its run still goes on: {_holder(file)}")
        holder = {"host": socket.gethostname(), "pid": os.getpid(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        os.ftruncate(file, 0)
        os.pwrite(file, json.dumps(holder).encode(), 0)
        yield lock
    finally:
        lock.release()


def goes_on(folder: Path) -> bool:
    """Return whether a run holds the folder's lock. Raises OSError.

    This function takes a shared lock for a moment. Several processes may do so at once. A run that starts at this
    moment waits until the shared lock is gone.
    """
    try:
        file = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def _is_locked(file: int) -> bool:
    """Take the lock. Return False if somebody else holds it through all tries."""
    for further in reversed(range(_TRIES)):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if further:
                time.sleep(_AGAIN_S)
    return False


def _holder(file: int) -> str:
    try:
        holder = json.loads(os.pread(file, 1024, 0))
        return f"process {holder['pid']} on {holder['host']} has it, since {holder['since']}"
    except (ValueError, KeyError, TypeError):  # the holder has not written its name yet
        return "another process has it"


_VERSIONED = ("ray", "aiohttp", "rapidocr", "onnxruntime", "adbutils", "pydantic")
_PARTS = ("episodes", "screens", "thumbnails", "logs")


def timed_folder(name: str) -> Path:
    """Return ``runs/<time>_<name>`` without making it."""
    return Path("runs") / f"{time.strftime('%Y%m%d-%H%M%S')}_{name}"


def make_run_folder(settings: FleetSettings) -> Path:
    """Make a new folder: ``--out``, or ``runs/<time>_<name>``. Raises BadInput if it cannot be made or is in use.

    Two runs never share a folder: only one of them can make ``episodes`` in it.
    """
    if settings.out is not None:
        if not _make(settings.out):
            raise BadInput(f"--out {settings.out}: exists and is not empty; name another folder")
        return settings.out.resolve()
    stem = timed_folder(settings.name)
    with contextlib.suppress(OSError):  # what is wrong with the folder is told below
        stem.parent.mkdir(exist_ok=True)
        secure_files.ignore_in_git(stem.parent)
    for number in itertools.count(2):
        folder = stem if number == 2 else stem.with_name(f"{stem.name}-{number - 1}")
        if _make(folder):
            return folder.resolve()
    raise AssertionError("unreachable")


def _make(folder: Path) -> bool:
    """Make a run folder and its parts. Return False if the folder already holds something."""
    try:
        secure_files.make_folder(folder)
        if any(folder.iterdir()):
            return False
        for part in _PARTS:
            secure_files.make_folder(folder / part, exist_ok=False)
    except FileExistsError as error:
        if folder.is_dir():
            return False
        raise BadInput(f"--out {folder}: is no folder") from error
    except OSError as error:
        raise BadInput(f"--out {folder}: {error.strerror or error}") from error
    return True


def remove_unused(folder: Path) -> None:
    """Remove a run folder that holds nothing but its lock and key, so that the same ``--out`` can be used again."""
    parts = [folder / part for part in _PARTS]
    files = [folder / LOCK, folder / KEY]
    if all(part.is_dir() and not any(part.iterdir()) for part in parts) and {*folder.iterdir()} <= {*parts, *files}:
        for part in parts:
            part.rmdir()
        for file in files:
            file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # a mount point, for instance: it stays, but empty
            folder.rmdir()


def package_versions() -> dict[str, str]:
    """Return the versions of Manyhands, Python and the libraries that affect the figures."""
    versions = {"protocol": str(PROTOCOL_VERSION), "python": platform.python_version()}
    for name in ("manyhands", *_VERSIONED):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


@dataclass(frozen=True, slots=True)
class TaskBatch:
    """Hold the tasks of one call of ``run_batch``, and the name of this batch in journals."""

    name: str
    tasks: tuple[TaskSpec, ...]


def write_run_yaml(folder: Path, head: Mapping[str, Any], batches: Sequence[TaskBatch]) -> Mapping[str, Any]:
    """Write run.yaml: what the run was asked for, with versions. Return its content.

    run.yaml holds enough to repeat or resume the run. The tasks of all batches are in one list, and
    each batch gives the number of its tasks. Raises StoreError.
    """
    tasks = [task for batch in batches for task in batch.tasks]
    content: dict[str, Any] = {
        "run_id": folder.name,
        **head,
        "versions": package_versions(),
        "batches": [{"name": batch.name, "tasks": len(batch.tasks)} for batch in batches],
        "tasks": [task.model_dump(mode="json", by_alias=True, exclude_defaults=True) for task in tasks],
    }
    text = yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=120)
    try:
        secure_files.replace_text(folder / "run.yaml", text)  # a crash leaves the old file or the new one
    except OSError as error:
        raise store_error(error, str(folder / "run.yaml")) from error
    return content
