"""``manyhands bench step``: how long a step takes under each schedule, and how short it could be."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from manyhands.deploy.benchmarks.machine import this_machine
from manyhands.deploy.benchmarks.plots import check_plots
from manyhands.deploy.benchmarks.step.figures import (
    NEW_SUBGOALS,
    notes_row,
    outside,
    read_run,
    schedule_figures,
    verified_by_some,
)
from manyhands.deploy.benchmarks.step.plots import draw_step
from manyhands.deploy.benchmarks.step.run import Comparison, play_at_once, play_in_turns
from manyhands.deploy.benchmarks.step.tables import tell_notes, tell_step
from manyhands.deploy.benchmarks.tasks import endless, everyday
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.display import one_line
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, fail, say_json, text_console
from manyhands.deploy.fleet.readers import readers_named
from manyhands.deploy.fleet.run_folder import timed_folder
from manyhands.deploy.settings.fleet import REHEARSED, RehearsalOptions
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.stand_ins.starting import CANNED_PHONES_SOURCE, CANNED_SOURCE, REHEARSED_SOURCE, VIRTUAL_SOURCE
from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.roles import Role
from manyhands.protocol.runs import EpisodeResult, Schedule

EXAMPLE = (
    "Example: manyhands bench step --plot plots, about 25 minutes. Exit codes: 0 everything was played and the share "
    "of new subgoals is as it should be, 1 it is not, 2 bad input."
)
LATENCIES = {Role.PLAN: 3.0, Role.DECIDE: 3.0, Role.REFLECT: 2.5, Role.NOTE: 2.0}
MISTAKES = 0.1
CHEAP_VERDICTS = "unchanged"
"""As in the papers' loops the reflector is asked: schedules are compared, not how often nobody needs to be asked."""
TASKS = ("meeting_note", "two_notes", "lakers_note", "movie_note", "tidy_notes")
"""With these about a third of the steps has a new subgoal."""
CANNED_STEPS = 13
CANNED_CHANGE_EVERY = 3
"""A third of the steps after the first, again."""
CANNED_ROUNDS = 2
NOTES_TAG = "notes_carried"
NOTES_SEEDS = (0, 1, 2)
NOTES_SPEED = 0.1
"""Verdicts and plans are compared there, not times: a tenth of the latencies, in the same proportion."""
NOTES_SIZE = "540x1200"


@options.with_settings("bench step", cheap_verdicts=[CHEAP_VERDICTS], mistakes=MISTAKES)
def command(
    given: options.ReadGiven,
    task: Annotated[
        list[str] | None, typer.Option("--task", help="Tasks of the everyday suite; repeatable. Default: five of them.")
    ] = None,
    schedule: Annotated[
        list[str] | None, typer.Option("--schedule", help="serial, overlap, speculate; repeatable. Default: all.")
    ] = None,
    phones: Annotated[
        int, typer.Option("--phones", min=1, max=64, help="More than one: a canned model instead of the rehearsed one.")
    ] = 1,
    perception: Annotated[
        str, typer.Option("--perception", help="real, or modelled:SECONDS[:THREADS]: uses no CPU, finds nothing.")
    ] = "real",
    compare_notes: Annotated[
        bool,
        typer.Option("--compare-notes", help="Instead: what one-step-older inputs cost, in verified tasks, 3 seeds."),
    ] = False,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """Play the same tasks under each schedule on virtual phones, with a stand-in for the model and its latencies."""
    try:
        check_plots(plot)
        readers_named(perception)
        flags = given()
        slower = flags["rehearsal"].get("latency_s", {})
        speed = NOTES_SPEED if compare_notes else 1.0
        latencies = {role: slower.get(role, seconds * speed) for role, seconds in LATENCIES.items()}
        flags["rehearsal"]["latency_s"] = {role.value: seconds for role, seconds in latencies.items()}
        comparison = _comparison(flags, phones, task, compare_notes, schedule, perception)
    except ManyhandsError as error:
        fail(error, as_json)
    if compare_notes:
        carry_out(lambda: _compare_notes(comparison, latencies, as_json), as_json)
    carry_out(lambda: _compare_steps(comparison, latencies, plot, as_json), as_json)


def _comparison(
    flags: options.Given,
    phones: int,
    task: Sequence[str] | None,
    compare_notes: bool,
    schedule: Sequence[str] | None,
    perception: str,
) -> Comparison:
    """Return what the command's parameters ask for. Raises BadInput."""
    canned = phones > 1
    if compare_notes and canned:
        raise BadInput("--compare-notes: on one phone for each schedule; leave out --phones")
    if canned and task:
        raise BadInput("--task: with --phones a canned model answers, which plays tasks of its own; leave out --task")
    out = flags.pop("out", None)
    flags |= {"phones": [f"virtual:{phones}"], "mllm_url": [REHEARSED]}
    if canned or compare_notes:
        flags["virtual"] = {"size": NOTES_SIZE, **flags.get("virtual", {})}
    settings = load_settings(flags)
    if canned:
        batches = (endless(phones, CANNED_STEPS + 1),) * CANNED_ROUNDS
    elif compare_notes:
        batches = (everyday(task or (), [NOTES_TAG]),)
    else:
        batches = tuple((one,) for one in everyday(task or TASKS))
    return Comparison(
        settings=settings,
        schedules=_schedules(schedule),
        batches=batches,
        out=out or timed_folder("bench_step"),
        perception=perception,
        canned=_canned(settings.rehearsal) if canned else None,
    )


def _schedules(asked: Sequence[str] | None) -> tuple[str, ...]:
    """Those asked for, or all, in the order of how much runs together. Raises BadInput."""
    known: tuple[str, ...] = get_args(Schedule)
    for name in asked or ():
        if name not in known:
            raise BadInput(f"--schedule {name}: there are {', '.join(known)}")
    return tuple(name for name in known if not asked or name in asked)


def _canned(asked: RehearsalOptions) -> tuple[str, ...]:
    """Return the arguments of a canned model that is as slow and as wrong as the rehearsed one would be."""
    slow = [word for role, seconds in asked.latency_s.items() for word in ("--latency", f"{role.value}={seconds}")]
    drawn = ("--mistakes", str(asked.mistakes), "--change-every", str(CANNED_CHANGE_EVERY), "--seed", str(asked.seed))
    return (*slow, *drawn, "--finish-at", str(CANNED_STEPS))


# ---------------------------------------------------------------------------- running
async def _compare_steps(
    comparison: Comparison, latencies: Mapping[Role, float], plot: Path | None, as_json: bool
) -> int:
    machine = this_machine()
    with _Display(len(comparison.batches) * len(comparison.schedules), as_json) as display:
        played = await play_in_turns(comparison, display.tell)
    runs = {name: await asyncio.to_thread(read_run, run.folder) for name, run in played.items()}
    figures = schedule_figures(runs, latencies, {name: run.server_tokens for name, run in played.items()})
    wrong = outside(figures, *NEW_SUBGOALS)
    plots = await asyncio.to_thread(draw_step, runs, figures, plot) if plot is not None else ()
    said = {
        "schedules": {name: found.model_dump(mode="json") for name, found in figures.items()},
        "verified_by_some": verified_by_some(figures),
        "new_subgoals_wanted": NEW_SUBGOALS,
        "outside": wrong,
        "plots": [str(path) for path in plots],
        **_asked(comparison, latencies),
        "machine": machine.model_dump(mode="json"),
    }
    if as_json:
        say_json(said)
    else:
        tell_step(text_console(), figures, said["sources"], machine, comparison.out, plots)
    for line in wrong:
        text_console(stderr=True).print(f"error: {line}", markup=False, soft_wrap=True)
    return EXIT_FAILED if wrong else 0


async def _compare_notes(comparison: Comparison, latencies: Mapping[Role, float], as_json: bool) -> int:
    machine = this_machine()
    folders: dict[str, dict[int, Path]] = {name: {} for name in comparison.schedules}
    with _Display(len(NOTES_SEEDS) * len(comparison.schedules), as_json) as display:
        for seed in NOTES_SEEDS:
            played = await play_at_once(comparison.with_seed(seed), display.tell)
            for name, run in played.items():
                folders[name][seed] = run.folder
    rows = {name: await asyncio.to_thread(notes_row, found) for name, found in folders.items()}
    asked = _asked(comparison, latencies)
    if as_json:
        said = {name: row.model_dump(mode="json") for name, row in rows.items()}
        say_json({"notes": said, **asked, "machine": machine.model_dump(mode="json")})
    else:
        tell_notes(text_console(), rows, asked["sources"], machine, comparison.out)
    return 0


def _asked(comparison: Comparison, latencies: Mapping[Role, float]) -> dict[str, Any]:
    """What was played and by whom."""
    settings, batches = comparison.settings, comparison.batches
    modelled = readers_named(comparison.perception)
    return {
        "tasks": [[task.id for task in batch] for batch in batches],
        "sources": {
            "model": REHEARSED_SOURCE if comparison.canned is None else CANNED_SOURCE,
            "phones": VIRTUAL_SOURCE if comparison.canned is None else CANNED_PHONES_SOURCE,
            "perception": "real OCR" if modelled is None else modelled.source(settings.perception_threads),
        },
        "latency_s": {role.value: seconds for role, seconds in latencies.items()},
        "out": str(comparison.out),
        "settings": settings.model_dump(mode="json", exclude={"out"}),
    }


class _Display:
    """A bar on a terminal, elsewhere a line for each task that has ended; both on stderr if JSON is to be printed."""

    def __init__(self, total: int, as_json: bool) -> None:
        self._console = text_console(stderr=as_json)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=self._console, transient=True, disable=not self._console.is_terminal)
        self._task = self._bar.add_task("batches", total=total)

    def __enter__(self) -> _Display:
        self._console.print("Starting a fleet for each schedule")
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def tell(self, schedule: str, results: Sequence[EpisodeResult]) -> None:
        self._bar.advance(self._task)
        for result in results:
            self._console.print(f"{schedule:<10}", one_line(result), soft_wrap=True)
