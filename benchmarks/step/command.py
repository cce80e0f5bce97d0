"""``manyhands bench step``: measure how long a step takes under each schedule."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer
from rich.console import Console
from rich.table import Table

from manyhands.benchmarks.step.figures import (
    NEW_SUBGOALS,
    ScheduleFigures,
    outside,
    ratios_beside,
    read_run,
    schedule_figures,
    verified_by_some,
)
from manyhands.benchmarks.step.gantt import draw_steps, panels
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.display import counting_bar
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.command_line.result_lines import one_line
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.deploy.settings.loading import load_settings, merged
from manyhands.deploy.settings.models import REHEARSED
from manyhands.evaluation.plots import check_plots
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import STEP_ROLES, Role, role_of
from manyhands.protocol.runs.episode_settings import Schedule
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.benchmarks.step.player import ScheduleComparison

EXAMPLE = (
    "Example: manyhands bench step --plot plots, about 25 minutes. Exit codes: 0 everything was played and the share "
    "of new subgoals is as it should be, 1 it is not, 2 bad input."
)
LATENCIES = dict.fromkeys(STEP_ROLES, 2.0) | {Role.PLAN: 3.0, Role.DECIDE: 3.0, Role.REFLECT: 2.5}
MISTAKES = 0.1
CHEAP_VERDICTS = "unchanged"
"""The reflector is asked almost always, as in the papers' loops: schedules are compared, not verdicts without a model.
"""
_TOKEN_COSTS = ("input_token_ms", "output_token_ms", "picture_ms")
"""Settings with which a reply takes the time of its tokens. The roles then have no latencies of their own."""
TASKS = ("meeting_note", "two_notes", "lakers_note", "movie_note", "tidy_notes")
"""In these tasks about a third of the steps has a new subgoal."""


@options.with_settings("bench step", cheap_verdicts=[CHEAP_VERDICTS], mistakes=MISTAKES)
def command(
    read_settings: options.ReadGiven,
    task: Annotated[
        list[str] | None, typer.Option("--task", help="Tasks of the everyday suite; repeatable. Default: five of them.")
    ] = None,
    schedule: Annotated[
        list[str] | None,
        typer.Option(
            "--schedule", help="serial, overlap, speculate; repeatable. Default: all that the profile can follow."
        ),
    ] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option("--beside", help="Another profile to play under the same schedules; repeatable."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw a step of each schedule (PNG and SVG) into this folder.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Play the same tasks under each schedule on virtual phones, with the rehearsed model and its latencies."""
    check_plots(plot)
    flags = read_settings()
    slower = flags["rehearsal"].get("latency_s", {})
    by_token = any(flags["rehearsal"].get(name) for name in _TOKEN_COSTS)
    latencies = ({} if by_token else LATENCIES) | {role_of(role): seconds for role, seconds in slower.items()}
    flags["rehearsal"]["latency_s"] = {role.value: seconds for role, seconds in latencies.items()}
    comparison = _comparison(flags, task or TASKS, schedule, beside or ())
    carry_out(lambda: _compare(comparison, latencies, plot, as_json), as_json)


def _comparison(
    flags: options.Given, task: Sequence[str], schedule: Sequence[str] | None, beside: Sequence[str]
) -> ScheduleComparison:
    """Return the comparison that the command's parameters ask for. Raises BadInput."""
    from manyhands.benchmarks.step.player import ScheduleComparison
    from manyhands.benchmarks.testbed import everyday

    out = flags.pop("out", None)
    flags |= {"phones": ["virtual:1"], "mllm_url": [REHEARSED]}
    others = [merged(flags, {"episode": {"profile": profile}}) for profile in beside]
    also = [
        f"{profile} {name}"
        for profile, other in zip(beside, others, strict=True)
        for name in _schedules(other, schedule)
    ]
    return ScheduleComparison(
        settings=load_settings(flags),
        schedules=(*_schedules(flags, schedule), *also),
        batches=tuple((one,) for one in everyday(task)),
        out=out or timed_folder("bench_step"),
    )


def _schedules(flags: options.Given, names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the schedules asked for, else all that the settings allow. The first ones run fewer stages side by side.

    ``speculate`` needs a profile that declares assumptions, and is not possible with ``paper_exact``. Raises BadInput.
    """
    all_names: tuple[str, ...] = get_args(Schedule)
    for name in names or ():
        if name not in all_names:
            raise BadInput(f"--schedule {name}: there are {', '.join(all_names)}")
        _check_schedule(flags, name)
    return tuple(name for name in all_names if (name in names if names else _allowed(flags, name)))


def _check_schedule(flags: options.Given, schedule: str) -> None:
    """Raise BadInput if the settings do not allow a schedule."""
    load_settings(merged(flags, {"episode": {"schedule": schedule}}))


def _allowed(flags: options.Given, schedule: str) -> bool:
    try:
        _check_schedule(flags, schedule)
    except BadInput:
        return False
    return True


async def _compare(
    comparison: ScheduleComparison, latencies: Mapping[Role, float], plot: Path | None, as_json: bool
) -> int:
    from manyhands.benchmarks.step.player import play_in_turns
    from manyhands.deploy.fleet.model_servers.resolution import REHEARSED_SOURCE
    from manyhands.deploy.fleet.phones.virtual import VIRTUAL_SOURCE

    machine, console = this_machine(), text_console(stderr=as_json)
    console.print("Starting a fleet for each schedule")
    with counting_bar("batches", console, transient=True) as bar:
        played_batches = bar.add_task("batches", total=len(comparison.batches) * len(comparison.schedules))

        def tell(schedule: str, results: Sequence[EpisodeResult]) -> None:
            bar.advance(played_batches)
            for result in results:
                console.print(f"{schedule:<10}", one_line(result), soft_wrap=True)

        played = await play_in_turns(comparison, tell)
    runs = {name: await asyncio.to_thread(read_run, run.folder) for name, run in played.items()}
    figures = schedule_figures(runs, {name: run.server_tokens for name, run in played.items()})
    wrong = outside(figures, *NEW_SUBGOALS)
    plots = await asyncio.to_thread(draw_steps, panels(runs), plot) if plot is not None else ()
    sources = {"model": REHEARSED_SOURCE, "phones": VIRTUAL_SOURCE, "perception": "real OCR"}
    provenance = Provenance(sources, machine, comparison.out, plots)
    if as_json:
        say_json(
            {
                "schedules": {name: each.model_dump(mode="json") for name, each in figures.items()},
                "verified_by_some": verified_by_some(figures),
                "new_subgoals_wanted": NEW_SUBGOALS,
                "outside": wrong,
                "beside": ratios_beside(figures),
                "tasks": [[task.id for task in batch] for batch in comparison.batches],
                "latency_s": {role.value: seconds for role, seconds in latencies.items()},
                "settings": comparison.settings.model_dump(mode="json", exclude={"out"}),
                **provenance.as_json(),
            }
        )
    else:
        show_steps(text_console(), figures)
        provenance.print(text_console())
    for line in wrong:
        text_console(stderr=True).print(f"error: {line}", markup=False, soft_wrap=True)
    return EXIT_FAILED if wrong else 0


def show_steps(console: Console, figures: Mapping[str, ScheduleFigures]) -> None:
    """Print the figures by schedule, and the time of each stage."""
    columns = ("schedule", "p50 s", "p95 s", "mean s", "to serial", "p95 to serial", "mean to serial")
    rows = [
        (
            name,
            _seconds(one.p50_ms),
            _seconds(one.p95_ms),
            _seconds(one.mean_ms),
            _ratio(one.ratio_to_serial),
            _ratio(one.p95_ratio_to_serial),
            _ratio(one.mean_ratio_to_serial),
        )
        for name, one in figures.items()
    ]
    console.print(table("Step time, from one action sent to the next one sent", columns, rows))
    console.print()
    for name, ratios in ratios_beside(figures).items():
        console.print(
            f"Beside {name}: a step takes {ratios['step']:.2f} of its time (mean {ratios['mean_step']:.2f}), the model "
            f"{ratios['model']:.2f}.",
            markup=False,
        )
    console.print(_steps_table(figures))
    console.print()
    console.print(_calls_table(figures))
    for line in _verified_lines(figures):
        console.print(line, soft_wrap=True, markup=False)
    names = tuple(dict.fromkeys(stage for one in figures.values() for stage in one.stage_ms))
    stages = [(name, *(_milliseconds(one.stage_ms.get(stage)) for stage in names)) for name, one in figures.items()]
    console.print()
    console.print(table("Median work of each stage, ms", ("schedule", *names), stages))
    console.print()


def _steps_table(figures: Mapping[str, ScheduleFigures]) -> Table:
    columns = ("schedule", "verified", "steps", "new subgoal", "outcome B, C", "kept", "tokens", "wasted")
    rows = [
        (
            name,
            "-" if one.verified is None else f"{one.verified}/{one.tasks}",
            str(one.steps),
            "-" if one.new_subgoals is None else f"{one.new_subgoals:.0%}",
            f"{one.disagreed:.0%}",
            "-" if one.kept_share is None else f"{one.kept_share:.0%} of {one.kept + one.dropped}",
            f"{one.tokens:,}",
            _wasted(one),
        )
        for name, one in figures.items()
    ]
    return table("What the steps were, and what was asked ahead of time", columns, rows)


def _calls_table(figures: Mapping[str, ScheduleFigures]) -> Table:
    rows = [
        (
            name,
            f"{one.calls_per_step:.2f}",
            f"{one.calls_per_action:.2f}",
            _seconds(one.action_ms),
            _seconds(one.model_ms_per_step),
            f"{one.uncached_tokens_per_step:,.0f}",
        )
        for name, one in figures.items()
    ]
    columns = ("schedule", "calls", "calls an action", "s an action", "model s", "new tokens")
    return table("What a step asked of the model, in the mean", columns, rows)


def _verified_lines(figures: Mapping[str, ScheduleFigures]) -> list[str]:
    different = verified_by_some(figures)
    if different is None:
        return []
    if not different:
        tasks = next(iter(figures.values())).verified_tasks
        return [f"All schedules verified the same {count_noun(len(tasks), 'task')}."]
    differing = "; ".join(f"{task} by {_times(by_schedule)}" for task, by_schedule in different.items())
    return [f"The schedules did not verify the same tasks: {differing}."]


def _times(by_schedule: Mapping[str, int]) -> str:
    """Name the schedules that verified a task, with counts if one verified it more than once."""
    often = max(by_schedule.values()) > 1
    return ", ".join(
        f"{name} {count_noun(count, 'time')}" if often else name for name, count in by_schedule.items() if count
    )


def _seconds(ms: float) -> str:
    return f"{ms / 1000:.2f}"


def _milliseconds(ms: float | None) -> str:
    return "-" if ms is None else f"{ms:.0f}"


def _ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


def _wasted(one: ScheduleFigures) -> str:
    if one.wasted_tokens is None:
        return "unknown"
    return f"{one.wasted_tokens:,} ({one.wasted_share or 0:.0%})"
