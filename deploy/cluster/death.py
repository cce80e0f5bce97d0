"""Notice when this process's Ray is dead: when its GCS, or the raylet of this node, is gone.

Ray itself reports little: calls stay unanswered, and a minute after the GCS is gone Ray ends this process.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ray
from ray._private import ray_constants, worker

LOOK_EVERY_S = 0.5
CONNECT_S = 5.0
"""Seconds that a connection may take."""
RAYLET_AWAY_S = 5.0
"""Seconds without an answer after which a raylet is dead. Nobody restarts a raylet at its old address."""
GCS_AWAY_S = 45.0
"""Seconds without an answer after which the GCS is dead.

They are more than for a raylet, because a cluster may restart its GCS (with Redis, on Kubernetes). They are fewer than
60, because Ray ends this process after 60 s without a GCS.
"""
_NAMES = {ray_constants.PROCESS_TYPE_GCS_SERVER: "GCS", ray_constants.PROCESS_TYPE_RAYLET: "raylet"}


@dataclass(frozen=True, slots=True)
class Listener:
    """Describe a process of a cluster by the address at which it must answer."""

    name: str
    host: str
    port: int
    away_s: float
    """The process is dead if nobody has answered there for so many seconds."""


def started_here() -> Mapping[str, subprocess.Popen[bytes]]:
    """Return, by name, the GCS and the raylet that this process has started; nothing if it has joined a cluster."""
    node = worker._global_node
    processes = {} if node is None else node.all_processes
    return {name: processes[kind][0].process for kind, name in _NAMES.items() if processes.get(kind)}


def why_dead(processes: Mapping[str, subprocess.Popen[bytes]]) -> str | None:
    """Return which process has ended, and how; None while all are alive."""
    for name, process in processes.items():
        code = process.poll()
        if code is not None:
            how = f"was killed by signal {-code} ({_signal(-code)})" if code < 0 else f"ended with code {code}"
            return f"Ray's {name} {how}"
    return None


def listeners() -> Sequence[Listener]:
    """Return the processes of a joined cluster that must answer; nothing if Ray was started here. Blocks."""
    if started_here():
        return ()
    context = ray.get_runtime_context()
    host, _, port = str(context.gcs_address).rpartition(":")
    all_listeners = [Listener("GCS", host.strip("[]"), int(port), GCS_AWAY_S)]
    for node in ray.nodes():
        if node["NodeID"] == context.get_node_id():
            all_listeners.append(Listener("raylet", node["NodeManagerAddress"], node["NodeManagerPort"], RAYLET_AWAY_S))
    return all_listeners


async def until_ended(processes: Mapping[str, subprocess.Popen[bytes]]) -> str:
    """Wait until a process has ended; return which one, and how it ended."""
    while True:
        why = why_dead(processes)
        if why is not None:
            return why
        await asyncio.sleep(LOOK_EVERY_S)


async def until_silent(watched: Sequence[Listener]) -> str:
    """Wait until nobody has answered for a listener for too long; return which one."""
    last = {listener: time.monotonic() for listener in watched}
    while True:
        answers = await asyncio.gather(*map(_answers, watched))
        now = time.monotonic()
        for listener, there in zip(watched, answers, strict=True):
            if there:
                last[listener] = now
            elif now - last[listener] > listener.away_s:
                where = f"{listener.host}:{listener.port}"
                return f"Ray's {listener.name} at {where} has not answered for {now - last[listener]:.0f} s"
        await asyncio.sleep(LOOK_EVERY_S)


async def _answers(listener: Listener) -> bool:
    """Return whether anybody accepts a connection there."""
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_connection(listener.host, listener.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return "no name"
