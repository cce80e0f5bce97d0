"""End everything that a process has started, once that process is gone for whatever reason.

The reaper is a process of its own, and the process that started it is its owner. If SIGKILL ends the owner, the owner
cannot clean up, but the kernel closes its pipes. So the reaper's standard input is a pipe from the owner, and the
reaper cleans up when this pipe closes:

- ``python process_reaper.py ray FOLDER`` ends the Ray of a private folder and removes the folder. It knows the
  processes of this Ray by the folder, which all of them have in their command line or among their open files; their
  names prove nothing. If SIGKILL ends this reaper too, the next reaper of a folder in the same place does its work.
- ``python process_reaper.py run GRACE COMMAND ...`` starts a command in a process group of its own. It ends the command
  (SIGTERM; after GRACE seconds SIGKILL) when its input closes or a signal arrives. Then it ends the rest of the group,
  because a model server has worker processes. It prints the command's pid on a line, and exits with the command's exit
  code, or 128 + n after signal n. If SIGKILL ends this reaper, nobody ends the command.

The reaper is ready within a few milliseconds, because it imports nothing of Manyhands, and ``COMMAND`` starts Python
without the modules of the environment and the site.
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
"""The command of the reaper, without its arguments."""
PREFIX = "mh-ray-"
MARK = "MH_RAY_FOLDER"
"""The environment variable that marks the processes of a Ray. It holds the folder of this Ray."""
OWNER = "owner"
"""A file in the folder. The owner of the folder keeps this file locked for as long as the owner lives."""
_ASKED_S = 3.0
"""Seconds that processes have to end after SIGTERM."""
_LIMIT_S = 8.0
_LOOK_EVERY_S = 0.1
_GROUP_EVERY_S = 0.05
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


# ---------------------------------------------------------------------------- a command
def run(command: Sequence[str], grace_s: float) -> int:
    """Run a command until standard input closes or a signal arrives; return its exit code.

    The sockets between a server's processes are in a folder of their own. It is removed afterwards, because vLLM does
    not remove them.
    """
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    # A terminal's Ctrl-C is for the parent, which then closes our input; this process is not in the parent's group.
    for number in (*_SIGNALS, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)  # Python writes to the waker only for signals with a handler
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
            process.terminate()  # the command then ends its workers itself, in order
            try:
                process.wait(grace_s)
            except subprocess.TimeoutExpired:
                process.kill()
        code = process.wait()
        _end_group(process.pid)
    return code if code >= 0 else 128 - code


def _wait_for_end(process: subprocess.Popen[bytes], woken: int) -> None:
    """Wait until the process has ended, a signal has arrived, or standard input is closed."""
    while process.poll() is None:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready and {*os.read(woken, 1024)} - {signal.SIGCHLD}:
            return
        if 0 in ready and not os.read(0, 1024):
            return


def _end_group(group: int) -> None:
    """End the workers that a crashed or killed server has left behind."""
    rounds = round(_ASKED_S / _GROUP_EVERY_S)
    for number in (signal.SIGTERM, *[0] * rounds, signal.SIGKILL):
        try:
            os.killpg(group, number)
        except ProcessLookupError:
            return
        time.sleep(_GROUP_EVERY_S)


# ---------------------------------------------------------------------------- a Ray
def _wait_and_clear(folder: str) -> None:
    """Clear folders whose owners are gone, wait until standard input closes, then clear ``folder``."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # signals are meant for the owner, which must end before its Ray
    _clear_abandoned(os.path.dirname(folder))
    while os.read(0, 1024):
        pass
    clear(folder)


def _clear_abandoned(parent: str) -> None:
    """Clear the folders in ``parent`` whose owners are gone."""
    with os.scandir(parent) as entries:
        folders = [entry.path for entry in entries if entry.name.startswith(PREFIX)]
    for folder in folders:
        with contextlib.suppress(OSError):  # another user's folder, or one that is being made or removed
            file = os.open(os.path.join(folder, OWNER), os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                clear(folder)
            finally:
                os.close(file)


def clear(folder: str) -> bool:
    """End the Ray of a folder, and remove the folder. Return whether both are gone within a few seconds."""
    begin = time.monotonic()
    asked_pids: set[int] = set()
    while True:
        waited_s = time.monotonic() - begin
        pids = processes_of(folder)
        for pid in pids:
            if pid not in asked_pids or waited_s > _ASKED_S:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL if waited_s > _ASKED_S else signal.SIGTERM)
                asked_pids.add(pid)
        if not pids:
            shutil.rmtree(folder, ignore_errors=True)
            if not os.path.exists(folder):
                return True
        if waited_s > _LIMIT_S:
            return False
        time.sleep(_LOOK_EVERY_S)


def kill(folder: str) -> None:
    """End the processes of a folder's Ray with SIGKILL. ``clear`` ends processes that these start meanwhile."""
    for pid in processes_of(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def processes_of(folder: str) -> list[int]:
    """Return the ids of the processes of a folder's Ray, without this process."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()] if os.path.isdir("/proc") else []
    return [pid for pid in pids if pid != os.getpid() and _is_of(pid, os.fsencode(folder))]


def _is_of(pid: int, folder: bytes) -> bool:
    try:
        command = _read(pid, "cmdline")
        # A process of Ray has the mark, and uses a file of the folder. Either alone proves nothing: an adb server that
        # a gateway started has the mark, too, and any program may read a log in the folder.
        if folder + b"/" not in command and not _has_open(pid, os.path.realpath(folder) + b"/"):
            return False
        # A process title overwrites the command line, and may overwrite the environment behind it.
        return command.startswith(b"ray::") or os.fsencode(MARK) + b"=" + folder in _read(pid, "environ").split(b"\0")
    except OSError:  # the process has ended, or belongs to another user
        return False


def _has_open(pid: int, below: bytes) -> bool:
    for entry in os.scandir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # the file was closed meanwhile
            if os.fsencode(os.readlink(entry.path)).startswith(below):
                return True
    return False


def _read(pid: int, name: str) -> bytes:
    with open(f"/proc/{pid}/{name}", "rb") as file:
        return file.read()


if __name__ == "__main__":
    if sys.argv[1] == "ray":
        _wait_and_clear(sys.argv[2])
    else:
        sys.exit(run(sys.argv[3:], float(sys.argv[2])))
