"""Take something away for a while, or spoil it: the model, the disk, the run folder, the clock, a broker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path

from manyhands.benchmarks.chaos.plan import FaultKind, PlannedFault
from manyhands.benchmarks.chaos.world import World

HOUR_S = 3600
STEPS_S = (2 * HOUR_S, 8 * 24 * HOUR_S)
"""The two steps of a clock, in seconds.

Both are longer than a round, so that times before and after the step cannot be confused. The second step is also longer
than the time for which action keys are stored.
"""

Outage = Callable[[], Awaitable[str | None]]
"""Takes something away, and returns once that is back. The result is None, or a text about what went wrong."""


def outage_of(planned: PlannedFault, world: World, folder: Path, away_s: float) -> Outage | None:
    """Return the outage of a fault that takes something away; None for any other fault."""
    outages: dict[FaultKind, Callable[[], Awaitable[str | None]]] = {
        FaultKind.KILL_MODEL: partial(_quiet, partial(world.model.kill_for, away_s)),
        FaultKind.MOVED_FOLDER: partial(move_for, folder, away_s),
    }
    if world.hostile is not None:
        outages[FaultKind.HOSTILE_MODEL] = partial(_quiet, partial(world.hostile.hostile_for, away_s))
    if world.disk is not None:
        outages[FaultKind.DISK_FULL] = partial(_quiet, partial(world.disk.full_for, away_s))
    if world.interposer is not None:
        interposer, off = world.interposer, partial(world.interposer.clock_off_for, away_s)
        outages[FaultKind.READ_ONLY_FOLDER] = partial(_quiet, partial(interposer.read_only_for, away_s))
        outages[FaultKind.BROKEN_FOLDER] = partial(_quiet, partial(interposer.broken_for, away_s))
        if (offset_s := clock_offset(planned)) is not None:
            outages[planned.kind] = partial(_quiet, partial(off, offset_s))
    if world.edge is not None:
        edge = world.edge
        outages |= {
            FaultKind.KILL_BROKER: partial(_quiet, edge.kill_broker),
            FaultKind.FREEZE_BROKER: partial(_quiet, edge.freeze_broker),
            FaultKind.CUT_LINK: partial(_quiet, edge.cut_link),
            FaultKind.KILL_EDGE: partial(_quiet, partial(edge.kill_gateway, away_s)),
        }
    return outages.get(planned.kind)


def clock_offset(planned: PlannedFault) -> int | None:
    """Return the seconds by which a fault steps the clock; None if it does not."""
    signs: Mapping[FaultKind, int] = {FaultKind.CLOCK_FORWARD: 1, FaultKind.CLOCK_BACK: -1}
    sign = signs.get(planned.kind)
    return None if sign is None else sign * STEPS_S[planned.choose(len(STEPS_S))]


async def move_for(folder: Path, seconds: float) -> str | None:
    """Move a folder away for so many seconds.

    If somebody makes a folder at the old place meanwhile, keep that folder under another name.
    """
    away = folder.with_name(f"{folder.name}.moved")
    await asyncio.to_thread(folder.rename, away)
    try:
        await asyncio.sleep(seconds)
    finally:
        new_place = await asyncio.to_thread(_bring_back, away, folder)
    return None if new_place is None else f"its old place was made anew, now {new_place.name}"


def _bring_back(away: Path, folder: Path) -> Path | None:
    """Rename a folder back. If another folder was at its place, move that one and return its new path."""
    new_place = None
    if folder.exists():
        number = sum(1 for _ in folder.parent.glob(f"{folder.name}.anew-*")) + 1
        new_place = folder.rename(folder.with_name(f"{folder.name}.anew-{number}"))
    away.rename(folder)
    return new_place


async def _quiet(take_away: Callable[[], Awaitable[None]]) -> None:
    """Carry out an outage that has nothing to report."""
    await take_away()
