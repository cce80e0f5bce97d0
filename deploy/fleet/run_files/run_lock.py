"""Allow one run at a time in a run folder. The kernel holds the lock while the process of the run lives."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from manyhands.protocol.errors import BadInput, store_error
from manyhands.protocol.runs.folder_identity import check_in_place
from manyhands.protocol.utilities import secure_files

FILE = "run.lock"
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
            check_in_place(self._folder, FILE, self._file)
        except OSError as error:
            raise store_error(error, f"run folder {self._folder}") from error

    def release(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)


@contextlib.contextmanager
def only_run_in(folder: Path) -> Iterator[RunLock]:
    """Hold the folder's lock while the context is open. Raises OSError, and BadInput that names the holder."""
    file = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, secure_files.FILE_MODE)
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
        file = os.open(folder / FILE, os.O_RDONLY | os.O_CLOEXEC)
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
