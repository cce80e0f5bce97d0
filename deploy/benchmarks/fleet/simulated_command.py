"""The half of ``manyhands bench fleet`` that runs in virtual time."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Sequence
from multiprocessing.pool import Pool
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from manyhands.deploy.benchmarks.fleet.modelled import Simulation
from manyhands.deploy.benchmarks.fleet.simulated_figures import (
    ALLOWED,
    SimulatedRow,
    against_overlap,
    plot_simulated,
    too_low,
)
from manyhands.deploy.benchmarks.fleet.simulation import simulate
from manyhands.deploy.benchmarks.footer import tell_footer
from manyhands.deploy.benchmarks.machine import this_machine
from manyhands.deploy.command_line.output import EXIT_FAILED, say_json, table, text_console
from manyhands.protocol.runs import Schedule

COMPARED: tuple[Schedule, ...] = ("overlap", "speculate")
SOURCE = (
    "virtual time: stages, perception and the model server are modelled; the graph, the schedules and the model "
    "client's admission, cap and room are the real ones"
)


async def run_simulations(wanted: Sequence[Simulation], plot: Path | None, as_json: bool) -> int:
    """Simulate on all cores; the exit code: 1 if ``speculate`` lost more than 1 % against ``overlap`` anywhere."""
    machine, console = this_machine(), text_console(stderr=as_json)
    rows = against_overlap(await _simulate_all(wanted, console))
    plots = () if plot is None else await asyncio.to_thread(plot_simulated, rows, plot)
    low = too_low(rows)
    if as_json:
        asked = wanted[0].model_dump(mode="json", include={"each_per_s", "slowest_per_s", "prompt_cost", "modelled"})
        said = {"simulated": [row.model_dump(mode="json") for row in rows], "source": SOURCE, "settings": asked}
        told = {**said, "too_low": [row.model_dump(mode="json") for row in low], "plots": [str(path) for path in plots]}
        say_json({**told, "machine": machine.model_dump(mode="json")})
    else:
        columns = ("phones", "load", "schedule", "step", "episodes/h", "by overlap's", "model busy", "ahead", "kept")
        console.print(table("Fleet in virtual time", (*columns, "no room", "wasted tokens", ""), map(_cells, rows)))
        tell_footer(console, {"fleet": SOURCE}, machine, plots)
    for row in low:
        text = f"{row.phones} phones, load {row.load:g}: {row.schedule} gave {row.against_overlap:.3f} of overlap"
        text_console(stderr=True).print(f"error: {text}, less than {ALLOWED:g}", soft_wrap=True)
    return EXIT_FAILED if low else 0


async def _simulate_all(wanted: Sequence[Simulation], console: Console) -> list[SimulatedRow]:
    columns = (TextColumn("simulations"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    rows: list[SimulatedRow] = []
    # Processes of their own, spawned: we have threads, and each simulation has an event loop.
    context = multiprocessing.get_context("spawn")
    with (
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar,
        context.Pool(min(os.cpu_count() or 1, len(wanted))) as pool,  # leaving it ends what still runs
    ):
        task = bar.add_task("simulations", total=len(wanted))
        # The longest first, so that no core is left with one at the end.
        longest_first = sorted(wanted, key=lambda one: one.phones, reverse=True)
        for done in asyncio.as_completed([_begun(pool, one) for one in longest_first]):
            rows.append(await done)
            bar.advance(task)
            row = rows[-1]
            if not console.is_terminal:
                console.print(f"{row.phones} phones, load {row.load:g}, {row.schedule}: {row.episodes_per_hour:.0f}/h")
    return rows


def _begun(pool: Pool, one: Simulation) -> asyncio.Future[SimulatedRow]:
    """The row of a simulation that a process of the pool works on."""
    loop = asyncio.get_running_loop()
    row: asyncio.Future[SimulatedRow] = loop.create_future()

    def end(found: SimulatedRow | BaseException) -> None:
        if row.done():
            return
        if isinstance(found, BaseException):
            row.set_exception(found)
        else:
            row.set_result(found)

    def ended(found: SimulatedRow | BaseException) -> None:
        """In a thread of the pool."""
        loop.call_soon_threadsafe(end, found)

    pool.apply_async(simulate, (one,), callback=ended, error_callback=ended)
    return row


def _cells(row: SimulatedRow) -> tuple[str, ...]:
    return (
        str(row.phones),
        f"{row.load:g}",
        row.schedule,
        f"{row.step_s:.1f} s",
        f"{row.episodes_per_hour:.0f}",
        "-" if row.against_overlap is None else f"{row.against_overlap:.3f}",
        f"{row.busy:.0%}",
        f"{row.ahead:.0%}",
        "-" if row.kept_share is None else f"{row.kept_share:.0%}",
        str(row.refused),
        f"{row.wasted_output_tokens:.0f}",
        f"{row.wasted_share:.1%} of its work",
    )
