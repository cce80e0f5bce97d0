"""Find the processes of one run and of no other: the driver's descendants, and those that use its Ray folder."""

from __future__ import annotations

import re
import signal
from collections import defaultdict
from pathlib import Path

import psutil

_ACTOR = re.compile(r"ray::([A-Za-z]+)")


class RunProcesses:
    """Find the processes that a run started. ``ray_root``: the folder in which only this run makes its Ray folder."""

    def __init__(self, ray_root: Path) -> None:
        self._ray_root = str(ray_root)
        self.driver: int | None = None
        """The process id of the run's own command, while it runs."""
        self._seen: set[psutil.Process] = set()

    def everything(self) -> list[psutil.Process]:
        """Return the driver, processes that name the Ray folder, their descendants, and those found earlier.

        The adb server is not included: it outlives whoever starts it.
        """
        children: defaultdict[int, list[psutil.Process]] = defaultdict(list)
        processes: dict[int, psutil.Process] = {}
        for process in psutil.process_iter(["ppid", "cmdline"]):
            children[process.info["ppid"]].append(process)
            if process.pid == self.driver or self._ray_root in " ".join(process.info["cmdline"] or ()):
                processes[process.pid] = process
        waiting = list(processes.values())
        while waiting:
            for child in children[waiting.pop().pid]:
                if child.pid not in processes:
                    processes[child.pid] = child
                    waiting.append(child)
        own = {process for process in {*processes.values(), *self._seen} if _is_own(process)}
        self._seen = own
        return sorted(own, key=lambda process: process.pid)

    def actors(self, kind: str) -> list[psutil.Process]:
        """Return the processes of actors of a class, by the titles that Ray gives them."""
        return [process for process in self.everything() if name_of(process) == kind]


def name_of(process: psutil.Process) -> str:
    """Return the class of an actor, or the program of another process; empty if the process has ended."""
    try:
        words = process.cmdline() if process.is_running() else ()  # another process may have its id now
    except psutil.Error:
        return ""
    title = _ACTOR.match(" ".join(words))
    return title[1] if title else Path(words[0]).name if words else ""


def _is_own(process: psutil.Process) -> bool:
    return name_of(process) not in ("", "adb")  # a process that has ended has no name


def listener(port: int) -> psutil.Process | None:
    """Return the process that listens on a TCP port of this machine; None if there is none that we may inspect."""
    for connection in psutil.net_connections("tcp"):
        if (
            connection.status == psutil.CONN_LISTEN
            and connection.laddr
            and connection.laddr.port == port
            and connection.pid is not None
        ):
            return psutil.Process(connection.pid)
    return None


def send(process: psutil.Process, number: signal.Signals) -> bool:
    """Send a signal to exactly this process, not to another with the same id. Return False if it is gone."""
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return False
    return True
