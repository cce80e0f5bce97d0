"""Run the command under test, ``manyhands run`` and then ``manyhands resume``, and find the processes of its run.

Those are the driver's descendants and the processes that use the run's Ray folder, and no others.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from manyhands.deploy.child_process import ChildProcess

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


GONE_S = 12.0
"""Seconds in which a driver's processes must end after the driver's death. Later they count as left over."""
_STOP_S = 60.0
_POLL_S = 0.2


class Driver:
    """Start the commands of one run, and know the run's processes."""

    def __init__(self, processes: RunProcesses, environment: Mapping[str, str], logs: Path, name: str) -> None:
        """Prepare; ``name`` is the round, for the names of output files."""
        self.processes = processes
        self._environment = dict(environment)
        self._logs = logs
        self._name = name
        self._starts = 0
        self._child: ChildProcess | None = None
        self._output = Path()

    async def start(self, *words: str) -> None:
        """Start ``manyhands WORDS``."""
        self._starts += 1
        self._output = self._logs / f"{self._name}-{self._starts}.json"
        self._child = ChildProcess(
            f"manyhands {words[0]}",
            (sys.executable, "-m", "manyhands", *words),
            self._output.with_suffix(".log"),
            environment=self._environment,
            output=self._output,
            ends_with_stdin=False,
            stop_s=_STOP_S,
        )
        await self._child.start()
        self.processes.driver = self._child.pid

    @property
    def ended(self) -> bool:
        return self._child is None or self._child.returncode is not None

    @property
    def was_killed(self) -> bool:
        return self._child is not None and self._child.returncode == -signal.SIGKILL

    async def wait(self) -> int:
        """Wait until the command has ended, and return its exit code."""
        assert self._child is not None
        return await self._child.wait()

    def values(self) -> tuple[Any, ...]:
        """Return the JSON value on standard output; if it is no JSON, return its lines as text."""
        text = self._output.read_text(errors="replace").strip()
        try:
            return (json.loads(text),)
        except ValueError:
            return tuple(text.splitlines())

    async def kill(self) -> Sequence[psutil.Process]:
        """Kill the command with SIGKILL, and return all processes that the run had."""
        assert self._child is not None
        had = await asyncio.to_thread(self.processes.everything)
        await self._child.kill()
        self.processes.driver = None
        return had

    async def stop(self) -> None:
        """Stop the command in order if it still runs, then end what is left of the run."""
        if self._child is not None:
            await self._child.stop()
            await self.sweep()

    async def sweep(self) -> Sequence[str]:
        """Wait until the run has no process. After GONE_S kill those that are left, and return their names."""
        self.processes.driver = None
        give_up_at = asyncio.get_running_loop().time() + GONE_S
        while remaining := await asyncio.to_thread(self.processes.everything):
            if asyncio.get_running_loop().time() > give_up_at:
                return end(remaining)
            await asyncio.sleep(_POLL_S)
        return ()


def end(processes: Iterable[psutil.Process]) -> Sequence[str]:
    """Kill those of these processes that are still there, and return their names."""
    named = [(name, process) for process in processes if (name := name_of(process))]
    for _, process in named:
        send(process, signal.SIGCONT)
        send(process, signal.SIGKILL)
    return sorted(name for name, _ in named)
