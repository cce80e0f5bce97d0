"""Run the command under test: a child process ``manyhands run``, and ``manyhands resume`` after it was killed."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from manyhands.benchmarks.chaos.processes import RunProcesses, name_of, send
from manyhands.deploy.child_process import ChildProcess

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
