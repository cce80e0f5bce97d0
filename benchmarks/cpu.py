"""Measure CPU time and memory of all processes that a run started, by kind."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

DRIVER = "driver"
ADB_SERVER = "adb server"
RAY = "Ray itself"
_RAY_WORKER = re.compile(r"ray::([A-Za-z]+)")
_RAY_OWN = frozenset(("IDLE", "DashboardAgent", "RuntimeEnvAgent"))
_KINDS = (
    ("manyhands.simulator.fleet", "virtual phones"),
    ("manyhands.simulator.canned.phones", "canned phones"),
    ("manyhands.simulator.canned.model", "canned model"),
    ("manyhands.simulator.rehearsal.ocr_worker", "rehearsed model"),
    ("manyhands.simulator.rehearsal", "rehearsed model"),
)
_STAND_INS = frozenset(kind for _, kind in _KINDS)
Group = Literal["own", "ray", "adb", "stand-ins"]
"""``own``: the driver and our actors. ``ray``: Ray's daemons. ``stand-ins``: stand-ins for phones and the model."""
GROUPS: tuple[Group, ...] = ("own", "ray", "adb", "stand-ins")


def group_of(kind: str) -> Group:
    """Return the group of a kind of process."""
    if kind in _STAND_INS:
        return "stand-ins"
    groups: dict[str, Group] = {ADB_SERVER: "adb", RAY: "ray"}
    return groups.get(kind, "own")


@dataclass(frozen=True, slots=True)
class CpuReading:
    """Hold the CPU seconds that each kind of process had used at ``at`` (Unix seconds)."""

    at: float
    seconds: Mapping[str, float]


class CpuWatch:
    """Measure this process, its descendants, and the adb server at a port. Not thread-safe."""

    def __init__(self, adb_port: int) -> None:
        self._adb_port = adb_port
        self._adb: psutil.Process | None = None
        self._used: dict[psutil.Process, tuple[str, float]] = {}

    def sample(self) -> CpuReading:
        """Return the CPU use up to now. For a process that has ended, the last sample before its end counts."""
        for kind, process in self._processes():
            try:
                times = process.cpu_times()
            except psutil.Error:
                continue
            self._used[process] = (kind, times.user + times.system)
        seconds: defaultdict[str, float] = defaultdict(float)
        for kind, used in self._used.values():
            seconds[kind] += used
        return CpuReading(time.time(), dict(seconds))

    def memory_mib(self) -> dict[str, float]:
        """Return, by kind of process, the MiB of memory that the processes do not share with others (USS)."""
        mib_by_kind: defaultdict[str, float] = defaultdict(float)
        for kind, process in self._processes():
            try:
                mib_by_kind[kind] += process.memory_full_info().uss / 2**20
            except psutil.Error:
                continue
        return dict(mib_by_kind)

    def _processes(self) -> Iterator[tuple[str, psutil.Process]]:
        own = psutil.Process()
        yield DRIVER, own
        for process in own.children(recursive=True):
            try:
                words = process.cmdline()
            except psutil.Error:
                continue
            # The adb server may be our child if it was started for us. It is yielded below.
            if not words or process == self._adb:
                continue
            yield kind_of(words), process
        adb = self._adb_server()
        if adb is not None:
            yield ADB_SERVER, adb

    def _adb_server(self) -> psutil.Process | None:
        if self._adb is None or not self._adb.is_running():
            self._adb = next((one for one in psutil.process_iter() if self._serves_adb(one)), None)
        return self._adb

    def _serves_adb(self, process: psutil.Process) -> bool:
        try:
            words = process.cmdline()
            if not words or not words[0].endswith("adb") or "server" not in " ".join(words):
                return False
            listens = process.net_connections("tcp")
        except psutil.Error:
            return False
        return any(one.status == psutil.CONN_LISTEN and one.laddr.port == self._adb_port for one in listens)


def kind_of(words: list[str]) -> str:
    """Return the kind of a process from its command line. Ray titles actors with their class."""
    line = " ".join(words)
    worker = _RAY_WORKER.match(line)
    if worker:
        return RAY if worker[1] in _RAY_OWN else worker[1]
    return next((kind for module, kind in _KINDS if module in words), RAY if _is_ray(line) else "other")


def _is_ray(line: str) -> bool:
    return "/ray/" in line or "raylet" in line or "gcs_server" in line or "ray.util" in line


def resident_mib(process: psutil.Process) -> float:
    """Return the resident memory of a process in MiB, without shared memory. Raises psutil.Error.

    Shared memory belongs to Ray's object store, which has a fixed size. It would count for every process that ever got
    an object from there.
    """
    return (process.memory_info().rss - _shared_memory(process.pid)) / 2**20


def _shared_memory(pid: int) -> int:
    """Return how many of a process's resident bytes are shared memory; 0 if the system does not tell."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    match = re.search(r"^RssShmem:\s+(\d+) kB$", status, re.MULTILINE)
    return int(match[1]) * 1024 if match else 0
