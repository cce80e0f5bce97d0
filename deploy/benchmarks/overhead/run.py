"""Fleets on canned phones with a canned model and perception off: what is left is Manyhands' own work."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path

from manyhands.deploy.benchmarks.cpu import CpuReading, CpuWatch, group_of
from manyhands.deploy.benchmarks.overhead.figures import OverheadFigures, overhead_figures
from manyhands.deploy.benchmarks.overhead.samples import Profile, Sampled, Stack, profile, read_stacks
from manyhands.deploy.benchmarks.overhead.sampling import RATE_HZ, py_spy, read_folder, sampled
from manyhands.deploy.benchmarks.stand_ins import canned_model, canned_phones
from manyhands.deploy.benchmarks.tasks import endless
from manyhands.deploy.command_line.output import counted
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.stand_ins.modelled_perception import modelled_readers
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import CallError

EPISODE_STEPS = 30
"""Steps of an episode: what its beginning and end cost is in the figures, spread over as many."""
BEGUN_STEPS = 3
"""A phone that has come so far has connections and buffers."""
BEGIN_TIMEOUT_S = 180.0
_MOST_STEPS_PER_S = 100
_POLL_S = 0.5
_TOP = 15
"""Lines of each list of a profile."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class OverheadLoad:
    """What is measured, for how long."""

    settings: FleetSettings
    """Without phones and model; the size is that of virtual phones."""
    phones: int
    warm_up_s: float
    seconds: float
    profile: bool
    out: Path
    """The run folder, logs and samples are made in it."""

    @property
    def samples(self) -> Path:
        return self.out / "samples"


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures, and where the time went if that was asked for."""

    figures: OverheadFigures
    profile: Profile | None


@dataclass(frozen=True, slots=True)
class _Window:
    """The beginning and the end of the measurement, and what each process was, by pid."""

    begin: CpuReading
    end: CpuReading
    kinds: dict[int, str]


async def measure(load: OverheadLoad, say: Say) -> Measured:
    """Measure. Raises BadInput, what a fleet raises that does not start, CallError where it stops by itself."""
    if load.profile:
        py_spy()  # before the minute that a fleet takes to warm up
    async with AsyncExitStack() as stack:
        logs = load.out / "logs"
        url = await stack.enter_async_context(canned_model(logs / "canned_model.log"))
        phones = canned_phones(load.settings, load.phones, logs / "canned_phones.log")
        serials = await stack.enter_async_context(phones)
        settings = load.settings.model_copy(
            update={"phones": tuple(serials), "mllm_url": (url,), "out": load.out / "run", "name": "overhead"}
        )
        fleet = await stack.enter_async_context(Fleet(settings, readers=modelled_readers(0.0)))
        window = await _steady(load, fleet, say)
    journals = [scan.records for scan in RunFolder(load.out / "run").journals.values()]
    figures = overhead_figures(window.begin, window.end, journals)
    found = _profile(load, window, figures.steps) if load.profile else None
    return Measured(figures, found)


async def _steady(load: OverheadLoad, fleet: Fleet, say: Say) -> _Window:
    watch = CpuWatch(load.settings.adb_port)
    whole = load.warm_up_s + load.seconds + BEGIN_TIMEOUT_S
    episodes = load.phones + round(whole * _MOST_STEPS_PER_S / EPISODE_STEPS)
    batch = asyncio.create_task(fleet.run_batch(endless(episodes, EPISODE_STEPS)))
    try:
        async with asyncio.timeout(BEGIN_TIMEOUT_S):
            while not await _begun(fleet, load.phones):
                await _or_ended(batch, _POLL_S)
        say(f"{counted(load.phones, 'phone')} at work; warming up for {load.warm_up_s:g} s")
        await _or_ended(batch, load.warm_up_s)
        kinds = await asyncio.to_thread(watch.pids)
        own = [pid for pid, kind in kinds.items() if group_of(kind) == "own"]
        async with sampled(own, load.samples) if load.profile else nullcontext():
            begin = await asyncio.to_thread(watch.sample)
            say(f"measuring for {load.seconds:g} s")
            await _or_ended(batch, load.seconds)
            end = await asyncio.to_thread(watch.sample)
    except TimeoutError as error:
        raise CallError(f"not all phones came to step {BEGUN_STEPS} within {BEGIN_TIMEOUT_S:.0f} s") from error
    finally:
        batch.cancel()
        await asyncio.gather(batch, return_exceptions=True)
    return _Window(begin, end, kinds)


async def _begun(fleet: Fleet, phones: int) -> bool:
    running = (await fleet.progress()).running
    return len(running) == phones and all(item.step >= BEGUN_STEPS for item in running)


async def _or_ended(batch: asyncio.Task[object], seconds: float) -> None:
    """Wait so long. Raises what the batch ended with, or CallError if it ended."""
    done, _ = await asyncio.wait({batch}, timeout=seconds)
    if done:
        batch.result()
        raise CallError("the fleet had nothing left to do before the measurement was over")


def _profile(load: OverheadLoad, window: _Window, steps: int) -> Profile:
    """Sort what was sampled of our own processes by kind."""
    stacks: dict[str, Counter[Stack]] = {}
    for pid, text in read_folder(load.samples).items():
        stacks.setdefault(window.kinds[pid], Counter()).update(read_stacks(text))
    begin, end = window.begin.seconds, window.end.seconds
    found = {kind: Sampled(seen, 1000 * (end[kind] - begin.get(kind, 0.0))) for kind, seen in stacks.items()}
    return profile(found, 1000 / RATE_HZ, steps, _TOP)
