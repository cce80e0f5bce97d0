"""Make a run folder, and write into it what the run was asked for."""

from __future__ import annotations

import contextlib
import importlib.metadata
import itertools
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from manyhands.deploy.fleet.run_files import run_lock
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol import PROTOCOL_VERSION
from manyhands.protocol.errors import BadInput, store_error
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities import secure_files

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
    """Remove a run folder that holds nothing but its lock, so that the same ``--out`` can be used again."""
    parts = [folder / part for part in _PARTS]
    lock = folder / run_lock.FILE
    if all(part.is_dir() and not any(part.iterdir()) for part in parts) and {*folder.iterdir()} <= {*parts, lock}:
        for part in parts:
            part.rmdir()
        lock.unlink(missing_ok=True)
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
