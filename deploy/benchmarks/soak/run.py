"""Run a fleet of canned phones for long, with a canned model and perception off, to find what processes keep."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from manyhands.deploy.benchmarks.cpu import CpuWatch
from manyhands.deploy.benchmarks.soak.figures import Reading, SoakFigures, is_compared, soak_figures
from manyhands.deploy.benchmarks.testbed import canned_fleet, endless
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import CallError

EPISODE_STEPS = 30
READ_EVERY_S = 1.0
"""Seconds between two readings. Several readings are compared, because a single one may fall into a burst."""
TELL_EVERY_S = 15.0

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SoakLoad:
    """Describe a soak: what runs, and for how long."""

    settings: FleetSettings
    """Settings without phones and model; the size is that of virtual phones."""
    phones: int
    steps: int
    early: int
    out: Path
    """The folder for the run folder and logs."""


async def measure(load: SoakLoad, say: Say) -> SoakFigures:
    """Run the measurement.

    Raises BadInput, the error of a fleet that does not start, CallError if the fleet stops early.
    """
    async with canned_fleet(load.settings, load.phones, load.out, "soak") as fleet:
        began = time.monotonic()
        # Twice as many as needed, so that all phones are at work until the end, however many steps an episode has.
        tasks = endless(load.phones + 2 * load.steps // EPISODE_STEPS, EPISODE_STEPS)
        batch = asyncio.create_task(fleet.run_batch(tasks))
        try:
            readings = await _readings(load, fleet, batch, say)
        finally:
            batch.cancel()
            await asyncio.gather(batch, return_exceptions=True)
    return soak_figures(readings, load.early, readings[-1].steps, time.monotonic() - began)


async def _readings(load: SoakLoad, fleet: Fleet, batch: asyncio.Task[object], say: Say) -> list[Reading]:
    """Return only the readings that are compared. To keep the others would make this process grow."""
    watch = CpuWatch(load.settings.adb_port)
    readings: list[Reading] = []
    told_at, steps = time.monotonic(), 0
    while steps < load.steps:
        done, _ = await asyncio.wait({batch}, timeout=READ_EVERY_S)
        if done:
            batch.result()
            raise CallError(f"the fleet had nothing left to do after {steps} steps")
        progress = await fleet.progress()
        steps = progress.done.steps + sum(item.step for item in progress.running)
        reading = Reading(steps, await asyncio.to_thread(watch.resident))
        if is_compared(reading, load.early, load.steps):
            readings.append(reading)
        if time.monotonic() - told_at > TELL_EVERY_S:
            told_at = time.monotonic()
            say(f"{steps} of {load.steps} steps")
    return readings
