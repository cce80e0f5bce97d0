"""``python guard.py FOLDER``: ends the Ray of a private folder once standard input closes, and removes the folder.

A process that is killed with SIGKILL cannot end the Ray that it has started, and some of Ray's helpers stay then, but
the kernel closes its pipes. So this process waits at the end of one. It knows the Ray by its folder, which all of its
processes have in their command line or among their open files; what they are called is nothing to go by alone. Where
this process was killed as well, the next one for a folder beside it does its work. It imports nothing of Manyhands, so
that it starts at once.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import sys
import time

PREFIX = "mh-ray-"
MARK = "MH_RAY_FOLDER"
"""The variable that names the folder to the processes of its Ray."""
OWNER = "owner"
"""A file in the folder, locked by its owner for as long as that lives."""
_ASKED_S = 3.0
"""How long processes have to end after SIGTERM."""
_LIMIT_S = 8.0
_LOOK_EVERY_S = 0.1


def main(folder: str) -> None:
    """Wait for the end of standard input, then clear the folder; before that, those of owners who are gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # they are for the owner, and its Ray must not go before it
    clear_abandoned(os.path.dirname(folder))
    while os.read(0, 1024):
        pass
    clear(folder)


def clear_abandoned(parent: str) -> None:
    """Clear the folders in ``parent`` whose owners are gone."""
    with os.scandir(parent) as entries:
        folders = [entry.path for entry in entries if entry.name.startswith(PREFIX)]
    for folder in folders:
        with contextlib.suppress(OSError):  # another's folder, or one that is being made or removed
            file = os.open(os.path.join(folder, OWNER), os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                clear(folder)
            finally:
                os.close(file)


def clear(folder: str) -> bool:
    """End the Ray of a folder, and remove the folder; return whether nothing is left of both after a while."""
    begun = time.monotonic()
    asked: set[int] = set()
    while True:
        waited_s = time.monotonic() - begun
        left = processes_of(folder)
        for pid in left:
            if pid not in asked or waited_s > _ASKED_S:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL if waited_s > _ASKED_S else signal.SIGTERM)
                asked.add(pid)
        if not left:
            shutil.rmtree(folder, ignore_errors=True)
            if not os.path.exists(folder):
                return True
        if waited_s > _LIMIT_S:
            return False
        time.sleep(_LOOK_EVERY_S)


def processes_of(folder: str) -> list[int]:
    """Return the processes of the Ray of a folder, but never this one."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()] if os.path.isdir("/proc") else []
    return [pid for pid in pids if pid != os.getpid() and _is_of(pid, os.fsencode(folder))]


def _is_of(pid: int, folder: bytes) -> bool:
    try:
        command = _read(pid, "cmdline")
        # A program that another thread of the owner has started has the mark, too, and so has an adb server that a
        # gateway has started; but neither has a file of the folder. Somebody who reads a log there has only that.
        if folder + b"/" not in command and not _has_open(pid, os.path.realpath(folder) + b"/"):
            return False
        # A title, which is set by writing over the command line, may have gone on over the environment.
        return command.startswith(b"ray::") or os.fsencode(MARK) + b"=" + folder in _read(pid, "environ").split(b"\0")
    except OSError:  # it has ended, or is another user's
        return False


def _has_open(pid: int, below: bytes) -> bool:
    for entry in os.scandir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # it was closed meanwhile
            if os.fsencode(os.readlink(entry.path)).startswith(below):
                return True
    return False


def _read(pid: int, name: str) -> bytes:
    with open(f"/proc/{pid}/{name}", "rb") as file:
        return file.read()


if __name__ == "__main__":
    main(sys.argv[1])
