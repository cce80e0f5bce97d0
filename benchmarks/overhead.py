"""``manyhands bench overhead``: measure what a step costs in Manyhands' own processes.

A fleet runs on canned phones with a canned model and perception off, so that only Manyhands' own work remains.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from manyhands.benchmarks.cpu import GROUPS, CpuReading, CpuWatch, Group, group_of
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.timing import moments_sent
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput, CallError
from manyhands.protocol.journals.records import Record
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.deploy.fleet.fleet import Fleet

EXAMPLE = (
    "Example: manyhands bench overhead --phones 8 --seconds 30. How to read it: docs/overhead.md. "
    "Exit codes: 0 measured, 1 it could not be, 2 bad input."
)


@options.with_settings("bench overhead", size="360x800")
def command(
    read_settings: options.ReadGiven,
    phones: Annotated[int, typer.Option("--phones", min=1, max=256, help="Canned phones at work at a time.")] = 8,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="How long is measured.")] = 30.0,
    warm_up: Annotated[float, typer.Option("--warm-up", min=0, help="Seconds before that.")] = 10.0,
    as_json: options.AsJson = False,
) -> None:
    """Measure steps per second and CPU per step with phones, model and perception that cost next to nothing."""
    flags = read_settings()
    folder = flags.pop("out", None) or timed_folder("bench_overhead")
    load = OverheadLoad(load_settings(flags), phones, warm_up, seconds, folder)
    carry_out(lambda: _run(load, as_json), as_json)


async def _run(load: OverheadLoad, as_json: bool) -> int:
    from manyhands.benchmarks.testbed import CANNED_SOURCES

    console = text_console(stderr=as_json)
    provenance = Provenance(CANNED_SOURCES, this_machine(), load.out)
    figures = await measure(load, lambda line: console.print(line, markup=False))
    if as_json:
        settings = {
            "phones": load.phones,
            "size": load.settings.virtual.size,
            "seconds": load.seconds,
            "warm_up_s": load.warm_up_s,
            "schedule": load.settings.episode.schedule,
        }
        say_json({**figures.model_dump(mode="json"), "settings": settings, **provenance.as_json()})
    else:
        _show(console, load, figures)
        provenance.print(console)
    return 0


def _show(console: Console, load: OverheadLoad, figures: OverheadFigures) -> None:
    rows = [(share.group, share.kind, f"{share.cpu_ms_per_step:.2f}") for share in figures.by_process]
    console.print(table("CPU by process", ("group", "process", "ms per step"), rows))
    step = "" if figures.step_p50_ms is None else f"; a step takes {figures.step_p50_ms:.0f} ms (p50) on its phone"
    console.print(
        f"\n{figures.steps_per_s:.1f} steps per second, {figures.steps} in {figures.seconds:.1f} s on {load.phones} "
        f"phones of {load.settings.virtual.size}, schedule {load.settings.episode.schedule}{step}\n"
        f"{figures.cpu_ms_per_step:.1f} ms of CPU per step in Manyhands' own processes (driver and actors); beside "
        f"them {figures.ray_ms_per_step:.1f} ms in Ray's daemons, {figures.adb_ms_per_step:.1f} ms in the adb server, "
        f"{figures.stand_ins_ms_per_step:.1f} ms in the stand-ins",
        soft_wrap=True,
    )


class ProcessShare(Message):
    """Hold the cost of the processes of one kind."""

    group: Group
    kind: str
    cpu_ms_per_step: float


class OverheadFigures(Message):
    """Hold the figures of ``bench overhead``. CPU is in milliseconds of one core."""

    seconds: float
    """Length of the measurement, without the warm-up."""
    steps: int
    steps_per_s: float
    step_p50_ms: float | None
    """The time from one action sent to the next; None if no episode sent two actions."""
    cpu_ms_per_step: float
    """What Manyhands' own processes use: the driver and the actors."""
    ray_ms_per_step: float
    """What Ray's daemons use beside them."""
    adb_ms_per_step: float
    """What the adb server uses. It may serve other programs, too."""
    stand_ins_ms_per_step: float
    """What canned phones and the canned model use."""
    by_process: tuple[ProcessShare, ...]
    """The most expensive first within each group."""


def overhead_figures(begin: CpuReading, end: CpuReading, journals: Iterable[Sequence[Record]]) -> OverheadFigures:
    """Compute what the steps between two readings cost, from the journals of all episodes.

    A step is an action that was sent. Raises BadInput if none was.
    """
    moments_by_journal = [[at for at in moments_sent(records) if begin.at <= at < end.at] for records in journals]
    steps = sum(map(len, moments_by_journal))
    seconds = end.at - begin.at
    if steps == 0 or seconds <= 0:
        raise BadInput("no step was made while the measurement ran; measure for longer")
    times = [(after - before) * 1000 for moments in moments_by_journal for before, after in pairwise(moments)]
    shares = _shares(begin, end, steps)
    group_ms = {group: sum(share.cpu_ms_per_step for share in shares if share.group == group) for group in GROUPS}
    return OverheadFigures(
        seconds=seconds,
        steps=steps,
        steps_per_s=steps / seconds,
        step_p50_ms=median(times) if times else None,
        cpu_ms_per_step=group_ms["own"],
        ray_ms_per_step=group_ms["ray"],
        adb_ms_per_step=group_ms["adb"],
        stand_ins_ms_per_step=group_ms["stand-ins"],
        by_process=shares,
    )


def _shares(begin: CpuReading, end: CpuReading, steps: int) -> tuple[ProcessShare, ...]:
    shares = [
        ProcessShare(
            group=group_of(kind), kind=kind, cpu_ms_per_step=(used - begin.seconds.get(kind, 0.0)) * 1000 / steps
        )
        for kind, used in end.seconds.items()
    ]
    return tuple(sorted(shares, key=lambda share: (GROUPS.index(share.group), -share.cpu_ms_per_step, share.kind)))


EPISODE_STEPS = 30
"""Steps of an episode. The cost of its start and end is spread over these steps."""
BEGUN_STEPS = 3
"""From this step on, all connections and buffers of a phone exist."""
BEGIN_TIMEOUT_S = 180.0
_MOST_STEPS_PER_S = 100
_POLL_S = 0.5

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class OverheadLoad:
    """Describe a measurement of overhead, and how long it lasts."""

    settings: FleetSettings
    """Settings without phones and model; the size is that of virtual phones."""
    phones: int
    warm_up_s: float
    seconds: float
    out: Path
    """The folder for the run folder and logs."""


async def measure(load: OverheadLoad, say: Say) -> OverheadFigures:
    """Run the measurement.

    Raises BadInput, the error of a fleet that does not start, CallError if the fleet stops early.
    """
    from manyhands.benchmarks.testbed import canned_fleet

    async with canned_fleet(load.settings, load.phones, load.out, "overhead") as fleet:
        begin, end = await _readings(load, fleet, say)
    return overhead_figures(begin, end, [scan.records for scan in RunFolder(load.out / "run").journals.values()])


async def _readings(load: OverheadLoad, fleet: Fleet, say: Say) -> tuple[CpuReading, CpuReading]:
    """Read CPU times before and after ``load.seconds`` in which all phones are at work."""
    from manyhands.benchmarks.testbed import endless

    watch = CpuWatch(load.settings.adb_port)
    whole = load.warm_up_s + load.seconds + BEGIN_TIMEOUT_S
    episodes = load.phones + round(whole * _MOST_STEPS_PER_S / EPISODE_STEPS)
    batch = asyncio.create_task(fleet.run_batch(endless(episodes, EPISODE_STEPS)))
    try:
        async with asyncio.timeout(BEGIN_TIMEOUT_S):
            while not await _has_begun(fleet, load.phones):
                await _or_ended(batch, _POLL_S)
        say(f"{count_noun(load.phones, 'phone')} at work; warming up for {load.warm_up_s:g} s")
        await _or_ended(batch, load.warm_up_s)
        begin = await asyncio.to_thread(watch.sample)
        say(f"measuring for {load.seconds:g} s")
        await _or_ended(batch, load.seconds)
        return begin, await asyncio.to_thread(watch.sample)
    except TimeoutError as error:
        raise CallError(f"not all phones came to step {BEGUN_STEPS} within {BEGIN_TIMEOUT_S:.0f} s") from error
    finally:
        batch.cancel()
        await asyncio.gather(batch, return_exceptions=True)


async def _has_begun(fleet: Fleet, phones: int) -> bool:
    running = (await fleet.progress()).running
    return len(running) == phones and all(item.step >= BEGUN_STEPS for item in running)


async def _or_ended(batch: asyncio.Task[object], seconds: float) -> None:
    """Wait for so many seconds. Raises the error of the batch, or CallError, if the batch ends meanwhile."""
    finished, _ = await asyncio.wait({batch}, timeout=seconds)
    if finished:
        batch.result()
        raise CallError("the fleet had nothing left to do before the measurement was over")
