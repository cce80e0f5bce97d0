"""Check that a run folder is still the same one: people may move, delete or replace it while its run goes on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from manyhands.protocol.errors import StoreError

EPISODES = "episodes"
"""The folder of the journals in a run folder."""


class FolderIdentity(NamedTuple):
    """Identify a folder, so that another folder at the same path is noticed."""

    device: int
    inode: int


def folder_id(folder: Path) -> str:
    """Return an id that differs between a run folder and its copies. Holders of leases and run.yaml store it.

    Raises OSError.
    """
    return f"{folder.stat().st_ino:x}"


def identity_of(folder: Path) -> FolderIdentity:
    """Return the identity of a run folder: the identity of its folder of journals. Raises OSError."""
    return _identity(os.stat(folder / EPISODES))


def check_in_place(folder: Path, part: str, file: int) -> None:
    """Raise StoreError unless ``part`` of a run folder is the file or folder open as ``file``. Raises OSError."""
    status = os.fstat(file)
    try:
        there = os.stat(folder / part)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _away(folder, part, file) from error
    if _identity(there) != _identity(status):
        now = _now_at(part, file)
        raise _replaced(folder, "" if now is None else f", it is now {now}")


def check_identity(folder: Path, identity: FolderIdentity) -> None:
    """Raise StoreError if the path leads to another folder or to none. Raises OSError."""
    if not folder.is_dir():
        raise StoreError(f"run folder {folder} is gone: it was moved or deleted while its run goes on")
    try:
        there = identity_of(folder)
    except FileNotFoundError as error:
        raise _replaced(folder, "") from error
    if there != identity:
        raise _replaced(folder, "")


def _away(folder: Path, part: str, file: int) -> StoreError:
    now = _now_at(part, file)
    if now is None:
        return StoreError(f"run folder {folder} is gone: it was deleted while its run goes on")
    return StoreError(f"run folder {folder} is now {now}: move it back, or stop the run and resume it there")


def _replaced(folder: Path, now: str) -> StoreError:
    return StoreError(
        f"run folder {folder}: another folder stands in its place{now}: put that of the run back, or stop the run and "
        "resume it where it is"
    )


def _now_at(part: str, file: int) -> Path | None:
    """Return where the run folder is now; None if it was deleted or the system does not tell."""
    try:
        now = Path(os.readlink(f"/proc/self/fd/{file}"))
    except OSError:
        return None
    return now.parent if now.name == part and now.exists() else None


def _identity(stat: os.stat_result) -> FolderIdentity:
    return FolderIdentity(stat.st_dev, stat.st_ino)
