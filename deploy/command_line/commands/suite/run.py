"""``manyhands suite run``: carry out a suite, once for each seed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands import run
from manyhands.deploy.command_line.commands.suite.choosing import (
    Levels,
    Names,
    chosen_instructions,
    instructed,
    played,
    variables,
)
from manyhands.deploy.command_line.display import tell_unused
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.deploy.fleet.knowledge import with_knowledge
from manyhands.deploy.fleet.tasks import limited
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings, merged
from manyhands.evaluation.suites.instructions import Instruction
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs import Repeated, RunSummary
from manyhands.protocol.tasks import TaskSpec
from manyhands.protocol.wording import counted

EXAMPLE = (
    "Example: manyhands suite run mobile_eval_e --phones virtual:8 --mllm-url rehearsed --seeds 3. "
    "Exit codes: 0 all tasks done, 1 some were not, 2 bad input."
)


@options.with_settings("run")
def command(
    given: options.ReadGiven,
    names: Names = None,
    level: Levels = None,
    seeds: Annotated[
        int,
        typer.Option("--seeds", min=1, max=100, help="Runs, each with a seed and a folder of its own, from --seed up."),
    ] = 1,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="A value for a placeholder, as address=me@example.com; repeatable."),
    ] = None,
    max_steps: options.MaxSteps = None,
    inject: options.Inject = None,
    failed: options.FailedOf = None,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Carry out instructions of the papers: on virtual phones the tasks that play them, on real ones word for word."""
    instructions = chosen_instructions(names or [], level or [])
    settings = load_settings(given(), config)
    tell_unused(settings)
    tasks = limited(_tasks(settings, instructions, variables(set_ or [])), max_steps)
    tasks, repeated = with_knowledge(tasks, inject, failed)
    runs = [load_settings(merged(given(), one), config) for one in _each_seed(settings, seeds)]
    _say(settings, instructions, tasks, as_json)
    carry_out(lambda: _run_all(runs, tasks, repeated, as_json), as_json)


def _tasks(
    settings: FleetSettings, instructions: Sequence[Instruction], values: dict[str, str]
) -> tuple[TaskSpec, ...]:
    if settings.virtual_phones is None:
        return instructed(instructions, values)
    if values:
        raise BadInput("--set: virtual phones play tasks with values of their own; real ones take them")
    return played(instructions)


def _each_seed(settings: FleetSettings, seeds: int) -> list[options.Given]:
    """Return the settings in which the runs differ: seed, and its part of the folder's name."""
    if seeds == 1:
        return [{}]
    numbers = range(settings.seed, settings.seed + seeds)
    return [
        {
            **options.given_settings("run", {"seed": number}),
            **({} if settings.out is None else {"out": settings.out / f"seed-{number}"}),
            "name": f"{settings.name}_seed-{number}",
        }
        for number in numbers
    ]


def _say(
    settings: FleetSettings, instructions: Sequence[Instruction], tasks: Sequence[TaskSpec], as_json: bool
) -> None:
    if settings.virtual_phones is not None:
        left = sum(one.task is None for one in instructions)
        text_console(stderr=as_json).print(
            f"Instructions: {len(instructions)}, of which {len(instructions) - left} are played, by "
            f"{counted(len(tasks), 'task')}; {left} cannot be played on virtual phones (docs/suites.md)"
        )


async def _run_all(
    runs: Sequence[FleetSettings], tasks: Sequence[TaskSpec], repeated: Repeated | None, as_json: bool
) -> int:
    """Run one seed after another and return the highest exit code."""
    told = _Told()
    code = 0
    try:
        for settings in runs:
            told.seed = settings.seed
            code = max(code, await run.run_tasks(settings, tasks, as_json, told.tell, repeated))
    finally:
        if as_json and told.runs:
            say_json({"runs": told.runs})
    return code


class _Told:
    """Tell of each run: as text at once, as JSON together."""

    def __init__(self) -> None:
        self.seed = 0
        self.runs: list[dict[str, Any]] = []

    def tell(self, console: Console, folder: Path, summary: RunSummary, as_json: bool) -> None:
        """Print the table of a run, or keep its summary."""
        if as_json:
            self.runs.append({"seed": self.seed, "out": str(folder), **summary.model_dump(mode="json")})
        else:
            run.tell(console, folder, summary, as_json)
