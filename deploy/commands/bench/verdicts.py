"""``manyhands bench verdicts``: how often cheap verdicts are wrong, and what they save."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from deploy import options
from deploy.bench.tasks import everyday
from deploy.bench.verdicts import play_seeds
from deploy.display import one_line
from deploy.inputs import limited
from deploy.output import EXIT_FAILED, carry_out, fail, say_json, table, text_console
from deploy.settings import REHEARSED, FleetSettings, load_settings
from deploy.stand_ins import REHEARSED_SOURCE, VIRTUAL_SOURCE
from evaluation.bench.machine import Machine, this_machine
from evaluation.bench.verdicts import VerdictFigures, verdict_figures
from protocol.errors import BadInput, ManyhandsError
from protocol.runs import EpisodeResult
from protocol.tasks import TaskSpec

EXAMPLE = (
    "Example: manyhands bench verdicts --phones 2 --seed 0 --seed 1; manyhands bench verdicts --run runs/X judges a "
    "run on virtual phones that is there already. Exit codes: 0 judged, 1 a task was left out, 2 bad input."
)
MISTAKES = 0.2
SEEDS = (0, 1)
SIZE = "540x1200"
PHONES = 2
SHOWN = 20
"""Wrong verdicts that the table lists; the JSON has all."""
SOURCES = {"model": REHEARSED_SOURCE, "phones": VIRTUAL_SOURCE, "perception": "real OCR"}


def command(
    context: typer.Context,
    task: Annotated[
        list[str] | None, typer.Option("--task", help="Tasks of the everyday suite; repeatable. Default: all.")
    ] = None,
    phones: Annotated[int, typer.Option("--phones", min=1, max=64, help="Virtual phones.")] = PHONES,
    seed: Annotated[
        list[int] | None, typer.Option("--seed", help="Of mistakes, wordings and contents; repeatable: 0 and 1.")
    ] = None,
    mistakes: options.Mistakes = MISTAKES,
    schedule: options.Schedule = None,
    cheap_verdicts: options.CheapVerdicts = None,
    max_steps: options.MaxSteps = None,
    size: options.Size = SIZE,
    run: Annotated[
        list[Path] | None, typer.Option("--run", help="Play nothing: judge this run folder; repeatable.")
    ] = None,
    out: options.Out = None,
    adb_port: options.AdbPort = None,
    as_json: options.AsJson = False,
) -> None:
    """Hold each verdict that was made without the model against what was true on the virtual phone."""
    machine = this_machine()
    try:
        if run:
            _tell(text_console(), verdict_figures(run), None, machine, tuple(run), as_json)
            return
        given = {**context.params, "phones": [f"virtual:{phones}"], "mllm_url": [REHEARSED], "seed": None, "out": None}
        settings = load_settings(options.run_flags(given))
        tasks = limited(everyday(task or ()), max_steps)
        seeds = tuple(dict.fromkeys(seed or SEEDS))
        folder = out or Path("runs") / f"{time.strftime('%Y%m%d-%H%M%S')}_bench_verdicts"
        if folder.exists():
            raise BadInput(f"--out {folder}: it is there already")
    except ManyhandsError as error:
        fail(error, as_json)
    carry_out(lambda: _bench(settings, seeds, tasks, folder, machine, as_json), as_json)


async def _bench(
    settings: FleetSettings,
    seeds: Sequence[int],
    tasks: Sequence[TaskSpec],
    out: Path,
    machine: Machine,
    as_json: bool,
) -> int:
    told = text_console(stderr=as_json)
    played = 0
    told.print(f"Playing {len(tasks)} tasks for each of {len(seeds)} seeds")

    def tell(seed: int, results: Sequence[EpisodeResult]) -> None:
        nonlocal played
        played += len(results)
        for result in results:
            told.print(f"seed {seed:<4}", one_line(result), soft_wrap=True)

    folders = await play_seeds(settings, seeds, tasks, out, tell)
    figures = await asyncio.to_thread(verdict_figures, folders)
    _tell(text_console(), figures, settings, machine, folders, as_json)
    return 0 if played == len(tasks) * len(seeds) else EXIT_FAILED


# ---------------------------------------------------------------------------- telling
def _tell(
    console: Console,
    figures: VerdictFigures,
    settings: FleetSettings | None,
    machine: Machine,
    folders: Sequence[Path],
    as_json: bool,
) -> None:
    """``settings``: None for runs that were there already."""
    if as_json:
        asked: dict[str, Any] = {"runs_judged": [str(folder) for folder in folders]}
        if settings is not None:
            asked |= {"settings": settings.model_dump(mode="json", exclude={"out"}), "sources": SOURCES}
        say_json({**figures.model_dump(mode="json"), **asked, "machine": machine.model_dump(mode="json")})
        return
    console.print(_checks(figures))
    console.print()
    rules = ", ".join(f"{name} {count}" for name, count in figures.by_rule.items()) or "none"
    for line in (
        f"{figures.judged} steps with a verdict: {figures.by_model} by the model, without it: {rules}",
        f"{figures.saved_share:.0%} of the steps needed no model because of these rules: "
        f"{figures.saved_calls} calls, {figures.saved_tokens:,} input tokens and {figures.saved_s:.0f} s of the "
        "reflector, by the mean of those that were asked",
    ):
        console.print(line, soft_wrap=True, markup=False)
    for wrong in figures.wrong[:SHOWN]:
        where = f"{wrong.run}, {wrong.episode}, step {wrong.step}"
        console.print(
            f"wrong: {where}: {wrong.check} said {wrong.outcome.value}: {wrong.why}", soft_wrap=True, markup=False
        )
    if settings is not None:
        for what, source in SOURCES.items():
            console.print(f"{what}: {source}", style="dim", markup=False, soft_wrap=True)
    console.print(f"machine: {machine.line()}", style="dim", markup=False, soft_wrap=True)
    for folder in folders:
        console.print(f"Run folder: {folder}", markup=False, soft_wrap=True)


def _checks(figures: VerdictFigures) -> Any:
    columns = ("rule", "verdicts", "A", "B", "C", "compared", "wrong", "at most, 95 %")
    rows = [
        (
            name,
            str(found.verdicts),
            *(str(found.outcomes.get(letter, 0)) for letter in "ABC"),
            str(found.compared),
            str(found.wrong),
            "-" if found.at_most is None else f"{found.at_most:.1%}",
        )
        for name, found in figures.checks.items()
    ]
    return table("Cheap verdicts against what was true on the phone", columns, rows)
