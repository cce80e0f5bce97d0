"""``manyhands bench fleet``: measure how throughput grows with the number of phones on this machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console

from manyhands.benchmarks.cpu import GROUPS, group_of
from manyhands.benchmarks.fleet_throughput import (
    GOOD,
    FleetLoad,
    FleetRow,
    Tell,
    measure,
    saturated_at,
    with_efficiency,
)
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.display import counting_bar
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.roles.role import STEP_ROLES, Role, role_of
from manyhands.protocol.utilities.terminal_text import count_noun

EXAMPLE = (
    "Example: manyhands bench fleet --phones 1,64. About 3 minutes a row. Exit codes: 0 all as it should "
    "be, 1 a fleet failed or episodes ended before their last step, 2 bad input."
)
LATENCIES = dict.fromkeys(STEP_ROLES, 2.0) | {Role.PLAN: 2.6, Role.DECIDE: 2.6, Role.REFLECT: 2.2}
"""With these latencies a step of ``e`` on a virtual phone takes about 8 s under the schedule overlap."""
SIZE = "540x1200"
REAL = "real"


@options.with_settings("bench fleet", size=SIZE)
def command(
    read_settings: options.ReadGiven,
    phones: Annotated[str, typer.Option("--phones", help="Sizes of the fleet, smallest first.")] = "1,4,16,64",
    tokens_per_s: Annotated[
        float | None, typer.Option("--tokens-per-s", min=0.1, help="Also with a model of this capacity, shared by all.")
    ] = None,
    perception: Annotated[
        str, typer.Option("--perception", help="modelled:SECONDS[:THREADS]; real: doubles the fleet until saturated.")
    ] = "modelled:0.3",
    episode_steps: Annotated[int, typer.Option("--episode-steps", min=2, help="Steps of each episode.")] = 4,
    episodes: Annotated[int, typer.Option("--episodes", min=3, help="Episodes of each phone.")] = 4,
    as_json: options.AsJson = False,
) -> None:
    """Run fleets of virtual phones with a canned model: episodes per hour, efficiency, CPU by process."""
    from manyhands.benchmarks.modelled_perception import readers_named

    sizes = fleet_sizes(phones)
    flags = read_settings()
    slower = flags.pop("rehearsal", {}).get("latency_s", {})
    latencies = LATENCIES | {role_of(role): seconds for role, seconds in slower.items()}
    folder = flags.pop("out", None) or timed_folder("bench_fleet")
    # All steps must take the same time, so no verdict is made without the model.
    flags.setdefault("episode", {})["cheap_verdicts"] = ()
    settings = load_settings(flags)
    readers_named(perception)
    load = FleetLoad(settings, latencies, episode_steps, episodes, perception, folder)
    capacities = (None,) if tokens_per_s is None else (None, tokens_per_s)
    carry_out(lambda: _run(load, sizes, capacities, as_json), as_json)


def fleet_sizes(text: str) -> tuple[int, ...]:
    """Read ``1,4,16`` as numbers, smallest first. Raises BadInput."""
    parts = text.split(",")
    if not all(part.isdecimal() and 1 <= int(part) <= 1000 for part in parts):
        raise BadInput(f"--phones {text}: write numbers from 1 to 1000, separated by commas")
    return tuple(sorted({int(part) for part in parts}))


def doubled(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes that a search for saturation tries: they double from the smallest up to the largest."""
    return tuple(sizes[0] * 2**power for power in range(11) if sizes[0] * 2**power <= sizes[-1])


@dataclass(frozen=True, slots=True)
class Measured:
    """Hold the fleets that were measured, and the reason if a later one failed."""

    rows: tuple[FleetRow, ...]
    failed: str | None = None


async def _run(load: FleetLoad, sizes: Sequence[int], capacities: Sequence[float | None], as_json: bool) -> int:
    provenance = Provenance(sources(load), this_machine(), load.out)
    measured = await measure_all(load, sizes, capacities, text_console(stderr=as_json), measure)
    return show(measured, load, provenance, as_json)


async def measure_all(
    load: FleetLoad,
    sizes: Sequence[int],
    capacities: Sequence[float | None],
    console: Console,
    measure_one: Callable[[FleetLoad, int, float | None, Tell], Awaitable[FleetRow]],
) -> Measured:
    """Measure one fleet after another until one fails. Raises the error of the first fleet if that one fails."""
    rows: tuple[FleetRow, ...] = ()
    for tokens_per_s in capacities:
        for phones in doubled(sizes) if load.perception == REAL else sizes:
            name = f"{count_noun(phones, 'phone')}, {_capacity(tokens_per_s)}"
            try:
                with _bar(console, name) as tell:
                    rows = with_efficiency((*rows, await measure_one(load, phones, tokens_per_s, tell)))
            except ManyhandsError as error:
                if not rows:
                    raise
                return Measured(rows, f"{name}: {' '.join(str(error).split())}")
            if load.perception == REAL and saturated_at(rows[-1:]):
                break
    return Measured(rows)


def show(measured: Measured, load: FleetLoad, provenance: Provenance, as_json: bool) -> int:
    """Print the figures, and return the exit code."""
    rows = measured.rows
    if as_json:
        say_json(
            {
                "rows": [{**row.model_dump(mode="json"), "cpu_ms": row.cpu_ms} for row in rows],
                "failed": measured.failed,
                "saturated_at": saturated_at(rows),
                "latency_s": {role.value: seconds for role, seconds in load.latency_s.items()},
                "episode_steps": load.episode_steps,
                "episodes": load.episodes,
                "settings": load.settings.model_dump(mode="json", exclude={"out"}),
                **provenance.as_json(),
            }
        )
    else:
        _show_tables(text_console(), rows, load)
        provenance.print(text_console())
    errors = [*_early_ends(rows), *([measured.failed] if measured.failed else [])]
    for line in errors:
        text_console(stderr=True).print(f"error: {line}", markup=False, soft_wrap=True)
    return EXIT_FAILED if errors else 0


def _early_ends(rows: Sequence[FleetRow]) -> list[str]:
    """Return a line for each fleet in which episodes ended before their last step: its figures mean nothing."""
    return [
        f"{count_noun(row.phones, 'phone')}: episodes ended so: "
        + ", ".join(f"{count} {ending}" for ending, count in sorted(row.endings.items()))
        for row in rows
        if set(row.endings) != {Ending.STEP_LIMIT}
    ]


def sources(load: FleetLoad) -> dict[str, str]:
    """Return what stood in for phones, model and perception."""
    from manyhands.benchmarks.modelled_perception import readers_named
    from manyhands.deploy.fleet.model_servers.resolution import CANNED_SOURCE
    from manyhands.deploy.fleet.phones.virtual import VIRTUAL_SOURCE

    modelled = readers_named(load.perception)
    return {
        "phones": VIRTUAL_SOURCE,
        "model": CANNED_SOURCE,
        "perception": "real OCR" if modelled is None else modelled.source(load.settings.perception_threads),
    }


@contextmanager
def _bar(console: Console, name: str) -> Iterator[Tell]:
    """Show a bar on a terminal, otherwise a line. Yield the function that takes a run's progress."""
    console.print(name)
    with counting_bar("episodes", console, transient=True) as bar:
        task = bar.add_task("episodes", total=None)
        yield lambda progress: bar.update(task, total=progress.total, completed=progress.done.tasks)


def _capacity(tokens_per_s: float | None) -> str:
    return "unlimited model" if tokens_per_s is None else f"model of {tokens_per_s:g} tokens/s"


def _show_tables(console: Console, rows: Sequence[FleetRow], load: FleetLoad) -> None:
    columns = ["phones", "model", "steps", "episodes/h", "efficiency", "p50", "p95"]
    console.print(table("Fleet", (*columns, "CPU a step", "memory", "screenshots"), map(_cells, rows)))
    kinds = {kind for row in rows for kind in row.cpu_ms_per_step}
    names = [f"{row.phones}, {_capacity(row.tokens_per_s)}" for row in rows]
    cells = (
        (kind, *(f"{row.cpu_ms_per_step.get(kind, 0.0):.1f}" for row in rows))
        for kind in sorted(kinds, key=lambda kind: (GROUPS.index(group_of(kind)), kind))
    )
    console.print(table("CPU, ms a step, by process", ("process", *names), cells))
    if load.perception == REAL:
        limit = saturated_at(rows)
        console.print(
            f"Saturated at {count_noun(limit, 'phone')} (efficiency below {GOOD})." if limit else "Not saturated yet."
        )


def _cells(row: FleetRow) -> tuple[str, ...]:
    seconds = ("-" if ms is None else f"{ms / 1000:.1f} s" for ms in (row.step_p50_ms, row.step_p95_ms))
    return (
        str(row.phones),
        _capacity(row.tokens_per_s),
        str(row.steps),
        f"{row.episodes_per_hour:.0f}",
        "-" if row.efficiency is None else f"{row.efficiency:.3f}",
        *seconds,
        f"{row.cpu_ms:.0f} ms",
        f"{sum(row.memory_mib.values()):.0f} MiB",
        "-" if row.store is None else f"{row.store.taken_mib:.0f} MiB, {count_noun(row.store.spills, 'spill')}",
    )
