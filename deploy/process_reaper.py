"""End what a process has started once that process is gone, however it went: a process of its own beside it.

A process that is killed with SIGKILL cannot end what it has started, but the kernel closes its pipes. So this one reads
the other end of such a pipe as its standard input, and does its work when that closes:

- ``python process_reaper.py ray FOLDER`` ends the Ray of a private folder, and removes the folder. It knows the Ray by
  its folder, which all of its processes have in their command line or among their open files; what they are called is
  nothing to go by alone. Where this process was killed as well, the next one for a folder beside it does its work.
- ``python process_reaper.py run GRACE COMMAND ...`` stands between its parent and a command, which it starts as a
  process group. It ends the command (SIGTERM; after GRACE seconds SIGKILL), also when a signal asks for that, and then
  what is left of the group, because a model server has worker processes. It prints the command's pid on a line, and
  ends with its exit code, 128 + n after signal n. SIGKILL for this process as well is not covered.

It imports nothing of Manyhands, and ``COMMAND`` starts it without the modules of the environment and the site: so it
is there within a few milliseconds.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

COMMAND = (sys.executable, "-I", "-S", os.path.abspath(__file__))
"""Before the arguments."""
PREFIX = "mh-ray-"
MARK = "MH_RAY_FOLDER"
"""The variable that names the folder to the processes of its Ray."""
OWNER = "owner"
"""A file in the folder, locked by its owner for as long as that lives."""
_ASKED_S = 3.0
"""How long processes have to end after SIGTERM."""
_LIMIT_S = 8.0
_LOOK_EVERY_S = 0.1
_GROUP_EVERY_S = 0.05
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


# ---------------------------------------------------------------------------- a command
def run(command: Sequence[str], grace_s: float) -> int:
    """Run a command until standard input closes or a signal asks for its end; return its exit code.

    The sockets between a server's processes lie in a folder of their own, which is removed afterwards, because vLLM
    leaves them behind.
    """
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    # A terminal's Ctrl-C is for the parent, which then closes our input; we are in its group no more.
    for number in (*_SIGNALS, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)  # for the waker, which hears of those alone that are not ignored
    signal.set_wakeup_fd(waker)
    with tempfile.TemporaryDirectory(prefix="manyhands-", ignore_cleanup_errors=True) as sockets:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            env={"VLLM_RPC_BASE_PATH": sockets, **os.environ},
            start_new_session=True,
        )
        sys.stdout.write(f"{process.pid}\n")
        sys.stdout.flush()
        _wait_for_end(process, woken)
        if process.poll() is None:
            process.terminate()  # it ends its workers itself, in order
            try:
                process.wait(grace_s)
            except subprocess.TimeoutExpired:
                process.kill()
        code = process.wait()
        _end_group(process.pid)
    return code if code >= 0 else 128 - code


def _wait_for_end(process: subprocess.Popen[bytes], woken: int) -> None:
    """Return once the process has ended, a signal has come, or standard input is closed."""
    while process.poll() is None:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready and {*os.read(woken, 1024)} - {signal.SIGCHLD}:
            return
        if 0 in ready and not os.read(0, 1024):
            return


def _end_group(group: int) -> None:
    """End what a server that crashed or was killed has left behind: its workers."""
    rounds = round(_ASKED_S / _GROUP_EVERY_S)
    for number in (signal.SIGTERM, *[0] * rounds, signal.SIGKILL):
        try:
            os.killpg(group, number)
        except ProcessLookupError:
            return
        time.sleep(_GROUP_EVERY_S)


# ---------------------------------------------------------------------------- a Ray
def wait_and_clear(folder: str) -> None:
    """Wait for the end of standard input, then clear the folder; before that, those of owners who are gone."""
    for number in _SIGNALS:
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


def kill(folder: str) -> None:
    """End the processes of the Ray of a folder with SIGKILL; what they start meanwhile is left to ``clear``."""
    for pid in processes_of(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


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
    if sys.argv[1] == "ray":
        wait_and_clear(sys.argv[2])
    else:
        sys.exit(run(sys.argv[3:], float(sys.argv[2])))
