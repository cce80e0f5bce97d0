"""Run fleets of growing size; compute how many episodes they do in an hour while all phones are busy.

A phone's first episode does not count, because the phone is still warming up. The phone's last episode does not count
either, because other phones may have nothing left to do then. So a phone's rate covers whole episodes: from the start
of its second episode to the start of its last one.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from manyhands.benchmarks.cpu import CpuReading, CpuWatch
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.timing import StepTime, moments_sent, percentiles, steps_of
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput, CallError, first_error
from manyhands.protocol.journals.records import Record
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.progress import RunProgress

if TYPE_CHECKING:
    from manyhands.deploy.fleet.fleet import Fleet

HOUR_S = 3600.0
GOOD = 0.8
"""A fleet has saturated its machine if a phone's rate is below this share of the rate in the smallest fleet."""


@dataclass(frozen=True, slots=True)
class EpisodeTimes:
    """Hold when one episode began, and when each of its steps sent an action, both in Unix seconds."""

    serial: str
    started_at: float
    sent: Sequence[float]
    steps: Sequence[StepTime]
    ending: str


@dataclass(frozen=True, slots=True)
class Window:
    start: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.start

    def holds(self, at: float) -> bool:
        return self.start <= at < self.end


class StoreUse(Message):
    """Hold how full Ray's object store was. It holds screenshots."""

    size_mib: float
    taken_mib: float
    """The most that was in use at any time."""
    spills: int
    """How often objects were written to disk for lack of room."""


class FleetRow(Message):
    """Hold the figures of one size of fleet."""

    phones: int
    tokens_per_s: float | None
    """The model's capacity, shared by all phones; None is unlimited."""
    episodes: int
    endings: dict[str, int]
    steps: int
    """Steps whose action was sent while all phones were busy."""
    window_s: float
    """Seconds in which all phones were busy."""
    episodes_per_hour: float
    efficiency: float | None = None
    """Episodes per hour and phone, relative to the smallest fleet; 1 for the smallest fleet itself."""
    step_p50_ms: float | None
    step_p95_ms: float | None
    cpu_ms_per_step: dict[str, float]
    """By kind of process."""
    memory_mib: dict[str, float]
    """Unshared memory at the end, by kind of process."""
    store: StoreUse | None = None

    @property
    def cpu_ms(self) -> float:
        """Return the CPU of all processes together for one step."""
        return sum(self.cpu_ms_per_step.values())


def episode_times(records: Sequence[Record]) -> EpisodeTimes | None:
    """Read the times of one journal; None if it has no start, and for a task that never had a phone."""
    episode = episode_of(records)
    if episode is None or not episode.on_a_phone:
        return None
    started = episode.started
    return EpisodeTimes(started.serial, started.at, moments_sent(records), steps_of(records), episode.ending.value)


def episodes_of(folder: Path) -> tuple[EpisodeTimes, ...]:
    """Read all episodes of a run, in the order in which they began. Raises BadInput."""
    all_times = (episode_times(journal.records) for journal in RunFolder(folder).journals.values())
    return tuple(episode for episode in all_times if episode is not None)


def _starts(episodes: Iterable[EpisodeTimes]) -> list[list[float]]:
    """Return when each phone's episodes began. Raises BadInput if a phone had fewer than three."""
    by_phone: defaultdict[str, list[float]] = defaultdict(list)
    for episode in episodes:
        by_phone[episode.serial].append(episode.started_at)
    if not by_phone or min(map(len, by_phone.values())) < 3:
        raise BadInput("some phone had fewer than three episodes: nothing is left to count; give more --episodes")
    return [sorted(starts) for starts in by_phone.values()]


def steady(episodes: Iterable[EpisodeTimes]) -> Window:
    """Return the window in which each phone has begun its second episode, and none has begun its last episode.

    Raises BadInput if the phones were never all busy.
    """
    starts = _starts(episodes)
    window = Window(max(own[1] for own in starts), min(own[-1] for own in starts))
    if window.seconds <= 0:
        raise BadInput("the phones were never all busy at a time; give more --episodes")
    return window


def episodes_per_hour(episodes: Iterable[EpisodeTimes]) -> float:
    """Add up the rates of all phones. A phone's rate covers the phone's own whole episodes. Raises BadInput."""
    return sum((len(own) - 2) / (own[-1] - own[1]) for own in _starts(episodes)) * HOUR_S


def fleet_row(
    folder: Path,
    phones: int,
    tokens_per_s: float | None,
    cpu_ms: Mapping[str, float],
    memory_mib: Mapping[str, float],
    store: StoreUse | None = None,
) -> FleetRow:
    """Compute the figures of one run. ``cpu_ms``: within the window of ``steady``, by kind. Raises BadInput."""
    episodes = episodes_of(folder)
    window = steady(episodes)
    steps = sum(window.holds(at) for episode in episodes for at in episode.sent)
    took = [step.ms for episode in episodes for step in episode.steps if window.holds(step.start)]
    spread = percentiles(took)
    return FleetRow(
        phones=phones,
        tokens_per_s=tokens_per_s,
        episodes=len(episodes),
        endings=dict(Counter(episode.ending for episode in episodes)),
        steps=steps,
        window_s=window.seconds,
        episodes_per_hour=episodes_per_hour(episodes),
        step_p50_ms=spread.p50 if spread else None,
        step_p95_ms=spread.p95 if spread else None,
        cpu_ms_per_step={kind: ms / max(steps, 1) for kind, ms in cpu_ms.items()},
        memory_mib=dict(memory_mib),
        store=store,
    )


def with_efficiency(rows: Sequence[FleetRow]) -> tuple[FleetRow, ...]:
    """Compare each row with the smallest fleet whose model had the same capacity. Keep the order."""
    least: dict[float | None, FleetRow] = {}
    for row in sorted(rows, key=lambda row: row.phones):
        least.setdefault(row.tokens_per_s, row)
    return tuple(row.model_copy(update={"efficiency": _efficiency(row, least[row.tokens_per_s])}) for row in rows)


def _efficiency(row: FleetRow, least: FleetRow) -> float:
    return (row.episodes_per_hour / row.phones) / (least.episodes_per_hour / least.phones)


def saturated_at(rows: Iterable[FleetRow]) -> int | None:
    """Return the least number of phones with an efficiency below ``GOOD``; None if there is none."""
    bad = [row.phones for row in rows if row.efficiency is not None and row.efficiency < GOOD]
    return min(bad, default=None)


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
    from manyhands.benchmarks.modelled_perception import readers_named
    from manyhands.benchmarks.testbed import canned_model, endless
    from manyhands.deploy.fleet.fleet import Fleet

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
    import ray

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
