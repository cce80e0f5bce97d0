"""Remove old run folders. A removal that is cut off leaves nothing that another command takes for a run.

A folder is renamed first, then loses its ``run.yaml``, without which it is no run, then all else, and last its lock.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from manyhands.deploy.fleet.run_files.run_folder import LOCK, goes_on, only_run_in
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.folder_identity import EPISODES

RUN_YAML = "run.yaml"
_BLOCK = 512
"""The bytes of a block of ``st_blocks``, on every file system."""
_HEAD = 1 << 16
"""How much of a ``run.yaml`` is looked at."""
_REMAINS = re.compile(r"\..+\.pruned")
Fate = Literal["removed", "kept", "goes on", "failed"]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """Hold a run folder, or the remains of one whose removal was cut off."""

    path: Path
    written_at: float
    """When something in it was last written, in Unix seconds."""
    size: int
    """The bytes that its files take on the disk."""
    fate: Fate = "kept"
    problem: str = ""

    @property
    def is_remains(self) -> bool:
        """Return whether it is what a removal has left."""
        return _REMAINS.fullmatch(self.path.name) is not None


def find_runs(folders: Iterable[Path]) -> Sequence[StoredRun]:
    """Return the runs in folders, the oldest first. A folder may also be a run folder itself.

    Links are not followed, and whatever else lies in a folder is left alone. Raises BadInput for a folder that is a
    link, and for one that is no run folder and holds other things alone.
    """
    paths: dict[Path, None] = {}
    for folder in folders:
        if folder.is_symlink():
            raise BadInput(f"{folder}: is a link; name the folder that it leads to: {folder.resolve()}")
        if not folder.is_dir():
            raise BadInput(f"{folder}: is no folder")
        runs = [folder] if _is_run(folder) else [path for path in sorted(folder.iterdir()) if _is_run(path)]
        if not runs and any(not path.name.startswith(".") for path in folder.iterdir()):
            raise BadInput(f"{folder}: is no run folder (run.yaml, run.lock, episodes/), and none is in it")
        paths |= dict.fromkeys(path.resolve() for path in runs)
    return sorted(map(_measure, paths), key=lambda run: (run.written_at, run.path.name))


def choose_runs(
    runs: Iterable[StoredRun], now: float, older_than_s: float | None, most_bytes: int | None
) -> Iterator[StoredRun]:
    """Yield the runs to remove, the oldest first; ``runs``: in this order.

    These are runs into which nothing was written for ``older_than_s``, and as many more as the rest has more than
    ``most_bytes``. Remains of runs count as old. A run that goes on is never chosen. Raises OSError.
    """
    stored = list(runs)
    size = sum(run.size for run in stored)
    for run in stored:
        is_old = run.is_remains or (older_than_s is not None and now - run.written_at > older_than_s)
        if (is_old or (most_bytes is not None and size > most_bytes)) and not goes_on(run.path):
            size -= run.size
            yield run


def remove_run(run: StoredRun) -> StoredRun:
    """Remove a run folder, and say what became of it. A run that goes on stays."""
    try:
        with only_run_in(run.path):
            path = run.path
            if not run.is_remains:
                path = path.rename(path.with_name(f".{path.name}.pruned"))
            (path / RUN_YAML).unlink(missing_ok=True)
            for part in path.iterdir():
                if part.is_symlink() or not part.is_dir():
                    if part.name != LOCK:
                        part.unlink()
                else:
                    shutil.rmtree(part)
            (path / LOCK).unlink()
            path.rmdir()
    except BadInput as error:
        return replace(run, fate="goes on", problem=str(error))
    except OSError as error:
        return replace(run, fate="failed", problem=f"{run.path}: {error.strerror or error}")
    return replace(run, fate="removed")


def _is_run(path: Path) -> bool:
    """Return whether a path is a run folder or the remains of one, and no link."""
    if path.is_symlink() or not path.is_dir():
        return False
    if _REMAINS.fullmatch(path.name):
        return _is_own(path / LOCK) or not any(path.iterdir())
    return _is_own(path / LOCK) and (path / EPISODES).is_dir() and _names_run(path / RUN_YAML)


def _is_own(path: Path) -> bool:
    """Return whether a path is a file, and no link. What may not be looked at is none of ours."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _names_run(path: Path) -> bool:
    """Return whether a file is a run's ``run.yaml``. Other programs have files of this name, too."""
    if not _is_own(path):
        return False
    with path.open("rb") as file:
        return any(line.startswith(b"run_id:") for line in file.read(_HEAD).splitlines())


def _measure(path: Path) -> StoredRun:
    newest, size = path.lstat().st_mtime, 0
    for folder, _, files in os.walk(path):  # it passes over what vanishes meanwhile, and follows no links
        for name in files:
            try:
                status = os.lstat(os.path.join(folder, name))
            except FileNotFoundError:
                continue
            size += status.st_blocks * _BLOCK
            newest = max(newest, status.st_mtime)
    return StoredRun(path, newest, size)
