"""Run fleets of virtual phones of growing size, with a canned model; measure how they use Ray's object store."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import psutil
import ray

from manyhands.benchmarks.cpu import CpuReading, CpuWatch
from manyhands.benchmarks.fleet.figures import FleetRow, StoreUse, Window, episodes_of, fleet_row, steady
from manyhands.benchmarks.testbed import canned_model, endless
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.stand_ins.modelled_perception import readers_named
from manyhands.protocol.errors import CallError, first_error
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.progress import RunProgress

SAMPLE_S = 2.0
"""Seconds between two readings of CPU time while a fleet works."""

Tell = Callable[[RunProgress], None]


@dataclass(frozen=True, slots=True)
class FleetLoad:
    """Describe the work of every fleet of a benchmark, whatever its size."""

    settings: FleetSettings
    """Settings without phones and model, which differ from row to row."""
    latency_s: Mapping[Role, float]
    episode_steps: int
    episodes: int
    """Mean number of episodes of each phone."""
    perception: str
    out: Path
    """The folder in which each row gets its run folder."""


async def measure(load: FleetLoad, phones: int, tokens_per_s: float | None, tell: Tell) -> FleetRow:
    """Run ``load`` on ``phones`` virtual phones. Raises BadInput, and the error of a fleet that does not start."""
    capacity, arguments = "", list[str]()
    if tokens_per_s is not None:
        capacity, arguments = f"_{tokens_per_s:g}_tokens_per_s", ["--tokens-per-s", str(tokens_per_s)]
    folder = load.out / f"{phones}_phones{capacity}"
    watch = CpuWatch(load.settings.adb_port)
    async with canned_model(load.out / f"{folder.name}_model.log", load.latency_s, arguments) as url:
        settings = load.settings.model_copy(
            update={"phones": (f"virtual:{phones}",), "mllm_url": (url,), "out": folder}
        )
        async with Fleet(settings, readers=readers_named(load.perception)) as fleet:
            samples: list[CpuReading] = []
            with first_error():
                async with asyncio.TaskGroup() as group:
                    sampling = group.create_task(_sample(watch, samples, fleet, tell))
                    await fleet.run_batch(endless(phones * load.episodes, load.episode_steps, "fleet"))
                    sampling.cancel()
            memory = await asyncio.to_thread(watch.memory_mib)
            store = await asyncio.to_thread(store_use)
            samples.append(await asyncio.to_thread(watch.sample))
            await asyncio.to_thread(fleet.summary)
    window = steady(episodes_of(folder))
    return fleet_row(folder, phones, tokens_per_s, cpu_ms(samples, window), memory, store)


async def _sample(watch: CpuWatch, samples: list[CpuReading], fleet: Fleet, tell: Tell) -> None:
    while True:
        samples.append(await asyncio.to_thread(watch.sample))
        tell(await fleet.progress())
        await asyncio.sleep(SAMPLE_S)


def cpu_ms(samples: list[CpuReading], window: Window) -> dict[str, float]:
    """Return the CPU time (ms) of each kind of process within the window. Between two samples, assume an even use."""
    used: dict[str, float] = {}
    for before, after in pairwise(samples):
        shared = min(after.at, window.end) - max(before.at, window.start)
        if shared <= 0:
            continue
        for kind, seconds in after.seconds.items():
            spent = seconds - before.seconds.get(kind, 0.0)
            used[kind] = used.get(kind, 0.0) + 1000 * spent * shared / (after.at - before.at)
    return used


MIB = 1 << 20
_STATE_S = 30.0
"""Ray writes its state to a file every ten seconds."""
_POLL_S = 0.2
_SPILLS = re.compile(r"^- cumulative spill requests: (\d+)$", re.MULTILINE)


def store_use() -> StoreUse:
    """Return the use of the object store of this process's local Ray, since Ray's start. Blocks; raises CallError.

    The store is a file, and its blocks are never freed. So the number of blocks tells the most that was ever in use.
    """
    raylets = [each for each in psutil.Process().children(recursive=True) if each.name() == "raylet"]
    if len(raylets) != 1:
        raise CallError(f"this process has {len(raylets)} local Rays, not one")
    size = sum(each["Resources"].get("object_store_memory", 0) for each in ray.nodes())
    return StoreUse(
        size_mib=size / MIB, taken_mib=_taken_bytes(raylets[0].pid) / MIB, spills=_spills(raylets[0].cmdline())
    )


def _taken_bytes(raylet: int) -> int:
    """Return the bytes of the store's file, a deleted file that the raylet holds open: Ray unlinks it at once."""
    size = 0
    for link in Path(f"/proc/{raylet}/fd").iterdir():
        try:
            if "plasma" in os.readlink(link) and os.readlink(link).endswith("(deleted)"):
                size += link.stat().st_blocks * 512
        except OSError:  # the file was closed meanwhile
            continue
    return size


def _spills(command: list[str]) -> int:
    """Return how often objects were written to disk, from the next state that Ray writes."""
    session = next(word.partition("=")[2] for word in command if word.startswith("--session_dir="))
    state, asked_at = Path(session) / "logs" / "debug_state.txt", time.time()
    while time.time() < asked_at + _STATE_S:
        if state.exists() and state.stat().st_mtime > asked_at and (match := _SPILLS.search(state.read_text())):
            return int(match[1])
        time.sleep(_POLL_S)
    raise CallError(f"Ray did not write {state} within {_STATE_S:.0f} s")
