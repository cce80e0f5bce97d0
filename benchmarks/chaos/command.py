"""``manyhands bench chaos``: kill, freeze and starve a run in every way, and judge its results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from manyhands.benchmarks.chaos.growth import ProcessGrowth
from manyhands.benchmarks.chaos.plan import kinds_named
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from manyhands.protocol.utilities import secure_files

if TYPE_CHECKING:
    from manyhands.benchmarks.chaos.run import ChaosLoad
    from manyhands.benchmarks.chaos.verdict import ChaosFigures

EXAMPLE = (
    "Example: manyhands bench chaos --minutes 10 --phones 4 --seed 1. How to read it: docs/benchmarks.md. "
    "Exit codes: 0 every figure is as it must be, 1 one is not, 2 bad input."
)
MODEL_S = 1.0
SIZE = "540x1200"
LEASE_S = 6.0
AWAY_S = 5.0


@options.with_settings("bench chaos", size=SIZE)
def command(
    read_settings: options.ReadGiven,
    minutes: Annotated[float, typer.Option("--minutes", min=0.5, help="How long faults come.")] = 10.0,
    phones: Annotated[int, typer.Option("--phones", min=1, max=64, help="How many virtual phones.")] = 4,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Fixes which fault comes when.")] = 0,
    faults: Annotated[
        str | None,
        typer.Option(
            "--faults",
            help="Kinds with commas, or kill, freeze, folder, clock, ray, broker, link, gateway; or none.",
            show_default="all that need no broker",
        ),
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option("--task", help="A task of the everyday suite; repeatable. Default: all.")
    ] = None,
    lease_s: Annotated[float, typer.Option("--lease-s", min=2, help="A phone's lease; freezes last longer.")] = LEASE_S,
    away_s: Annotated[
        float, typer.Option("--away-s", min=1, help="How long a phone, the model or room on the disk is away.")
    ] = AWAY_S,
    as_json: options.AsJson = False,
) -> None:
    """Kill and freeze each part of a run, and what it works with, again and again; judge the results of its tasks."""
    from manyhands.benchmarks.chaos.run import ChaosLoad
    from manyhands.benchmarks.chaos.world import lacks
    from manyhands.benchmarks.testbed import everyday

    kinds = kinds_named(faults)
    flags = read_settings()
    folder = flags.pop("out", None) or timed_folder("bench_chaos")
    flags.setdefault("episode", {})["lease_s"] = lease_s
    slower = flags.pop("rehearsal", {}).get("latency_s", {})
    flags["rehearsal"] = {"latency_s": {role.value: MODEL_S for role in Role} | slower}
    console = text_console(stderr=True)
    lacking = {kind: lack for kind in kinds if (lack := lacks(kind)) is not None}
    for kind, lack in lacking.items():
        console.print(f"{kind} is left out: it needs {lack}", markup=False)
    kinds = tuple(kind for kind in kinds if kind not in lacking)
    if lacking and not kinds:
        raise BadInput(f"--faults {faults}: no fault is left")
    specs = everyday(task or [])
    load = ChaosLoad(load_settings(flags), specs, phones, minutes, away_s, kinds, seed, folder.resolve())
    carry_out(lambda: _run(load, console, as_json), as_json)


async def _run(load: ChaosLoad, progress: Console, as_json: bool) -> int:
    from manyhands.benchmarks.chaos.run import CHOSEN, play
    from manyhands.benchmarks.chaos.verdict import judged
    from manyhands.deploy.fleet.model_servers.resolution import REHEARSED_SOURCE
    from manyhands.deploy.fleet.phones.virtual import VIRTUAL_SOURCE

    sources = {"phones": VIRTUAL_SOURCE, "model": REHEARSED_SOURCE}
    provenance = Provenance(sources, this_machine(), load.out)
    played = await play(load, lambda line: progress.print(line, markup=False, soft_wrap=True))
    figures = judged(played)
    settings = {
        "minutes": load.minutes,
        "phones": load.phones,
        "seed": load.seed,
        "faults": list(load.kinds),
        "size": load.settings.virtual.size,
        "vendors": list(load.settings.virtual.vendors),
        "lease_s": load.settings.episode.lease_s,
        "away_s": load.away_s,
        **load.settings.episode.model_dump(mode="json", include=set(CHOSEN)),
        "latency_s": {role.value: seconds for role, seconds in load.settings.rehearsal.latency_s.items()},
    }
    value = {**figures.model_dump(mode="json"), "settings": settings, **provenance.as_json()}
    secure_files.write_text(load.out / "chaos.json", json.dumps(value, ensure_ascii=False, indent=2) + "\n")
    if as_json:
        say_json(value)
    else:
        _show(text_console(), figures)
        if figures.failures:
            text_console().print(f"Failed: {', '.join(figures.failures)}", markup=False, soft_wrap=True)
        provenance.print(text_console())
    return 0 if figures.is_clean else EXIT_FAILED


def _show(console: Console, figures: ChaosFigures) -> None:
    if figures.rows:
        _show_faults(console, figures)
    if figures.processes:
        _show_growth(console, figures.processes)
    _show_results(console, figures)


def _show_faults(console: Console, figures: ChaosFigures) -> None:
    columns = (
        "fault",
        "times",
        "in pairs",
        "episodes hit",
        "next p50 s",
        "next p95 s",
        "done again",
        "lost",
        "repeated",
        "wrong",
    )
    rows: Sequence[Sequence[str]] = [
        (
            row.fault,
            str(row.times),
            str(row.in_pairs),
            str(row.episodes),
            *("-" if s is None else f"{s:.1f}" for s in (row.next_p50_s, row.next_p95_s)),
            *map(str, (row.redone, row.lost, row.repeated, row.wrong)),
        )
        for row in figures.rows
    ]
    console.print(table("Faults", columns, rows))


def _show_growth(console: Console, processes: Sequence[ProcessGrowth]) -> None:
    """Print the processes that kept memory or files."""
    growing = [row for row in processes if not row.is_steady]
    rows = [
        (
            row.kind,
            f"{row.minutes:.0f}",
            f"{row.early_mib:.1f}",
            f"{row.late_mib:.1f}",
            f"{row.growth:+.1%}",
            f"{row.early_files:g}",
            f"{row.late_files:g}",
        )
        for row in growing
    ]
    if rows:
        columns = ("process", "minutes", "MiB early", "MiB at the end", "more", "files", "at the end")
        console.print(table("Processes that grew", columns, rows))
    console.print(f"\n{len(growing)} of {len(processes)} processes that lived for ten minutes grew", soft_wrap=True)


def _show_results(console: Console, figures: ChaosFigures) -> None:
    console.print(
        f"\n{figures.faults_total} faults in {figures.rounds} runs of {figures.tasks} tasks: {figures.verified} "
        f"verified, {figures.not_verified} not, {figures.lost} lost, {figures.wrong} wrong\n"
        f"{figures.repeated} keys repeated; {figures.redone} of {figures.actions} actions done again "
        f"({figures.redone_share:.1%})\n"
        f"{figures.continuations} times an episode went on in place, {figures.begun_anew} were begun anew; "
        f"{figures.unrecovered} faults without recovery\n{figures.left_over} drivers left processes behind, "
        f"{figures.not_json} commands did not print one JSON value; {figures.damaged} damaged places in journals",
        soft_wrap=True,
    )
    for task, description in figures.told_otherwise.items():
        console.print(f"  {task}: {description}", markup=False, soft_wrap=True)
    for name, code in figures.wrong_exits.items():
        console.print(f"  {name}: exit code {code}", markup=False)
    for what, why in (
        *figures.lost_tasks.items(),
        *((wrong.task, f"wrong: {wrong}") for wrong in figures.wrong_results),
    ):
        console.print(f"  {what}: {why}", markup=False, soft_wrap=True)
    for kind, count in figures.contradictions.items():
        console.print(f"  ledgers against journals: {kind} {count}", markup=False)
