"""``manyhands bench verdicts``: how often cheap verdicts are wrong, and what they save."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from deploy import options
from deploy.adb import AdbServer
from deploy.bench.gestures import play_gestures
from deploy.bench.tasks import everyday
from deploy.commands.bench.footer import tell_footer
from deploy.display import one_line
from deploy.folder import timed_folder
from deploy.inputs import limited
from deploy.output import EXIT_FAILED, carry_out, fail, say_json, table, text_console
from deploy.settings import REHEARSED, FleetSettings, load_settings
from evaluation.bench.machine import Machine, this_machine
from evaluation.bench.verdicts import VerdictFigures, sources_of, verdict_figures
from protocol.errors import BadInput, ManyhandsError
from protocol.runs import EpisodeResult
from protocol.tasks import TaskSpec

EXAMPLE = (
    "Example: manyhands bench verdicts --seed 0 --seed 1; --no-tasks --gestures 500 only plays random actions; --run "
    "runs/X judges a run that is there already. Exit codes: 0 judged, 1 a task was left out, 2 bad input."
)
MISTAKES = 0.2
SEEDS = (0, 1)
SIZE = "540x1200"
PHONES = 2
GESTURES = 200
SHOWN = 20
"""Wrong verdicts that the table lists; the JSON has all."""


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
    tasks: Annotated[bool, typer.Option("--tasks/--no-tasks", help="Play tasks with the rehearsed model.")] = True,
    gestures: Annotated[
        int, typer.Option("--gestures", min=0, help="Random actions on one virtual phone, judged by the rules alone.")
    ] = GESTURES,
    transitions: Annotated[
        str | None, typer.Option("--transitions", help="How pages come in: bursts, pauses. Default: 0.25 s, at once.")
    ] = None,
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
            found = _Found(verdict_figures(run), None, tuple(run), sources_of(run))
            _tell(found, None, machine, as_json)
            return
        given = {**context.params, "phones": [f"virtual:{phones}"], "mllm_url": [REHEARSED], "seed": None, "out": None}
        flags = options.run_flags(given)
        flags["virtual"]["transitions"] = transitions
        settings = load_settings(flags)
        chosen = limited(everyday(task or ()), max_steps) if tasks else ()
        if not chosen and not gestures:
            raise BadInput("--no-tasks --gestures 0: nothing is left to judge")
        folder = out or timed_folder("bench_verdicts")
        if folder.exists():
            raise BadInput(f"--out {folder}: it is there already")
    except ManyhandsError as error:
        fail(error, as_json)
    bench = _Bench(settings, chosen, tuple(dict.fromkeys(seed or SEEDS)), gestures, folder)
    carry_out(lambda: _play(bench, machine, as_json), as_json)


@dataclass(frozen=True, slots=True)
class _Bench:
    """What is played. ``seeds`` are those of the tasks, the first one that of the gestures."""

    settings: FleetSettings
    tasks: Sequence[TaskSpec]
    seeds: Sequence[int]
    gestures: int
    out: Path


@dataclass(frozen=True, slots=True)
class _Found:
    """Figures of tasks and of gestures, where there were any, their run folders and what these were played with."""

    tasks: VerdictFigures | None
    gestures: VerdictFigures | None
    folders: Sequence[Path]
    sources: Mapping[str, str]


async def _play(bench: _Bench, machine: Machine, as_json: bool) -> int:
    played: list[EpisodeResult] = []
    gestured = await _gestures(bench, as_json) if bench.gestures else ()
    folders: Sequence[Path] = ()
    if bench.tasks:
        # Ray takes a second to import: not where nothing is played, nor before the input was found to be good.
        from deploy.bench.verdicts import play_seeds

        told = text_console(stderr=as_json)
        told.print(f"Playing {len(bench.tasks)} tasks for each of {len(bench.seeds)} seeds")

        def tell(seed: int, results: Sequence[EpisodeResult]) -> None:
            played.extend(results)
            for result in results:
                told.print(f"seed {seed:<4}", one_line(result), soft_wrap=True)

        folders = await play_seeds(bench.settings, bench.seeds, bench.tasks, bench.out, tell)
    all_folders = (*gestured, *folders)
    found = _Found(
        await asyncio.to_thread(verdict_figures, folders) if folders else None,
        await asyncio.to_thread(verdict_figures, gestured) if gestured else None,
        all_folders,
        await asyncio.to_thread(sources_of, all_folders),
    )
    _tell(found, bench.settings, machine, as_json)
    return 0 if len(played) == len(bench.tasks) * len(bench.seeds) else EXIT_FAILED


async def _gestures(bench: _Bench, as_json: bool) -> tuple[Path, ...]:
    console = text_console(stderr=as_json)
    console.print(f"Playing {bench.gestures} random actions")
    virtual = bench.settings.virtual.model_copy(update={"seed": bench.seeds[0]})
    settings = bench.settings.model_copy(update={"virtual": virtual})
    adb = AdbServer(settings.adb_host, settings.adb_port)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        shown = bar.add_task("actions", total=bench.gestures)
        folder = await play_gestures(
            settings, bench.gestures, adb, bench.out / "gestures", lambda done: bar.update(shown, completed=done)
        )
    return (folder,)


# ---------------------------------------------------------------------------- telling
def _tell(found: _Found, settings: FleetSettings | None, machine: Machine, as_json: bool) -> None:
    """``settings``: None for runs that were there already."""
    if as_json:
        asked: dict[str, Any] = {
            "runs_judged": [str(folder) for folder in found.folders],
            "sources": dict(found.sources),
        }
        if settings is not None:
            asked["settings"] = settings.model_dump(mode="json", exclude={"out"})
        figures = found.tasks.model_dump(mode="json") if found.tasks else {}
        gestures = found.gestures.model_dump(mode="json", include={"checks", "wrong"}) if found.gestures else None
        say_json({**figures, "gestures": gestures, **asked, "machine": machine.model_dump(mode="json")})
        return
    console = text_console()
    if found.gestures is not None:
        console.print(_checks("Cheap verdicts on random actions", found.gestures))
        _tell_wrong(console, found.gestures)
        console.print()
    if found.tasks is not None:
        console.print(_checks("Cheap verdicts in tasks", found.tasks))
        _tell_wrong(console, found.tasks)
        console.print()
        _tell_saved(console, found.tasks)
    tell_footer(console, found.sources, machine, folders=found.folders)


def _tell_wrong(console: Console, figures: VerdictFigures) -> None:
    for wrong in figures.wrong[:SHOWN]:
        where = f"{wrong.run}, {wrong.episode}, step {wrong.step}"
        said = f"{wrong.check} said {wrong.outcome.value}"
        console.print(f"wrong: {where}: {said}: {wrong.why}", soft_wrap=True, markup=False)


def _tell_saved(console: Console, figures: VerdictFigures) -> None:
    rules = ", ".join(f"{name} {count}" for name, count in figures.by_rule.items()) or "none"
    for line in (
        f"{figures.judged} steps with a verdict: {figures.by_model} by the model, without it: {rules}",
        f"{figures.saved_share:.0%} of the steps needed no model because of these rules: "
        f"{figures.saved_calls} calls, {figures.saved_tokens:,} input tokens and {figures.saved_s:.0f} s of the "
        "reflector, by the mean of those that were asked",
    ):
        console.print(line, soft_wrap=True, markup=False)


def _checks(title: str, figures: VerdictFigures) -> Table:
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
    return table(title, columns, rows)
