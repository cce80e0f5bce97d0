"""The processes of one run, and of nobody else's: found from its driver down, and by its own Ray folder."""

from __future__ import annotations

import re
import signal
from collections import defaultdict
from pathlib import Path

import psutil

_ACTOR = re.compile(r"ray::([A-Za-z]+)")


class RunProcesses:
    """Find what a run started. ``ray_root``: the folder in which it alone makes its Ray folder."""

    def __init__(self, ray_root: Path) -> None:
        self._ray_root = str(ray_root)
        self.driver: int | None = None
        """The process id of the run's own command, while it runs."""
        self._seen: set[psutil.Process] = set()

    def everything(self) -> list[psutil.Process]:
        """Return the driver, all that name the Ray folder, all that descend from these, and those that once did.

        The adb server is none of them: it outlives whoever starts it, as adb servers do.
        """
        children: defaultdict[int, list[psutil.Process]] = defaultdict(list)
        found: dict[int, psutil.Process] = {}
        for process in psutil.process_iter(["ppid", "cmdline"]):
            children[process.info["ppid"]].append(process)
            if process.pid == self.driver or self._ray_root in " ".join(process.info["cmdline"] or ()):
                found[process.pid] = process
        waiting = list(found.values())
        while waiting:
            for child in children[waiting.pop().pid]:
                if child.pid not in found:
                    found[child.pid] = child
                    waiting.append(child)
        own = {process for process in {*found.values(), *self._seen} if _is_own(process)}
        self._seen = own
        return sorted(own, key=lambda process: process.pid)

    def actors(self, kind: str) -> list[psutil.Process]:
        """Return the processes of actors of a class, as Ray titles them."""
        return [process for process in self.everything() if name_of(process) == kind]


def name_of(process: psutil.Process) -> str:
    """Return the class of an actor, or the program of another process; empty for one that has ended."""
    try:
        words = process.cmdline() if process.is_running() else ()  # another may have got its id
    except psutil.Error:
        return ""
    title = _ACTOR.match(" ".join(words))
    return title[1] if title else Path(words[0]).name if words else ""


def _is_own(process: psutil.Process) -> bool:
    return name_of(process) not in ("", "adb")  # one that has ended has no words


def listener(port: int) -> psutil.Process | None:
    """Return the process that listens on a port of this machine, if any that we may look at."""
    for found in psutil.net_connections("tcp"):
        if found.status == psutil.CONN_LISTEN and found.laddr and found.laddr.port == port and found.pid is not None:
            return psutil.Process(found.pid)
    return None


def send(process: psutil.Process, number: signal.Signals) -> bool:
    """Send a signal to exactly this process, not to another that got its id; False if it is gone."""
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return False
    return True
