"""``manyhands suite run``: carry out a suite, once for each seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands import run
from manyhands.deploy.command_line.commands.suite.dry_run import preview_suite
from manyhands.deploy.command_line.commands.suite.instructions import (
    Levels,
    Names,
    chosen_instructions,
    instructed,
    played,
    printed_values,
    task_goals,
    variables,
    without_value,
)
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings, merged
from manyhands.evaluation.suites.coverage import count_wordings, describe_wordings
from manyhands.evaluation.suites.instructions import Instruction
from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.runs.run_summary import Repeated, RunSummary
from manyhands.protocol.tasks.task import TaskSpec, limit_steps, read_tasks
from manyhands.protocol.utilities.terminal_text import count_noun

EXAMPLE = (
    "Example: manyhands suite run mobile_eval_e --phones virtual:8 --mllm-url rehearsed --seeds 3. "
    "Exit codes: 0 all tasks done, 1 some not, 2 bad input, 130 stopped."
)


@options.with_settings("run")
@options.reads_runs
def command(
    read_settings: options.ReadGiven,
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
    human: Annotated[
        Path | None,
        typer.Option(
            "--human",
            help="A file of 'suite record-human': a person's operations, with which CR and RE compare the agent.",
            show_default=False,
        ),
    ] = None,
    unseen: Annotated[
        Path | None,
        typer.Option(
            "--unseen",
            help="Afterwards, the tasks of this file, in a run of their own: they recall what all scenarios taught.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Start nothing: say what would run where, and what is missing (exit code 2)."),
    ] = False,
    max_steps: options.MaxSteps = None,
    inject: options.Inject = None,
    failed: options.FailedOf = None,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Carry out instructions of the papers: on virtual phones the tasks that play them, on real ones word for word."""
    from manyhands.deploy.command_line.display import tell_unused
    from manyhands.deploy.fleet.initial_memory import with_knowledge

    instructions = chosen_instructions(names or [], level or [])

    def load(changed: options.Given) -> FleetSettings:
        return run.name_run(load_settings(changed, config), _suite_name(names or []))

    settings = load(read_settings())
    tell_unused(settings)
    values = variables(set_ or [])
    real = settings.virtual_phones is None
    missing = without_value(instructions, values) if dry_run and real else {}
    filled = {**printed_values(instructions), **values} if missing else values
    tasks = limit_steps(_tasks(settings, instructions, filled, human), max_steps)
    tasks, repeated = with_knowledge(tasks, inject, failed)
    later = () if unseen is None else limit_steps(_read_unseen(unseen, settings, tasks), max_steps)
    runs = [merged(read_settings(), one) for one in _each_seed(settings, seeds)]
    _say(settings, instructions, tasks, as_json)
    if dry_run:
        numbers = range(settings.seed, settings.seed + seeds)
        carry_out(lambda: preview_suite(settings, instructions, tasks, numbers, missing, as_json), as_json)
    carry_out(lambda: _run_all(runs, load, tasks, later, repeated, as_json), as_json)


def _suite_name(names: Sequence[str]) -> str:
    """Return the suites of the chosen instructions, each once: ``mobile_eval_e`` of ``mobile_eval_e.1_bouldering``."""
    return "_".join(dict.fromkeys(name.partition(".")[0] for name in names))


def _tasks(
    settings: FleetSettings, instructions: Sequence[Instruction], values: dict[str, str], human: Path | None
) -> tuple[TaskSpec, ...]:
    from manyhands.evaluation.suites.human_operations import read_human_operations

    if settings.virtual_phones is None:
        recorded = {} if human is None else read_human_operations(human)
        return instructed(instructions, values, recorded)
    if values or human is not None:
        option = "--set" if values else "--human"
        raise BadInput(f"{option}: virtual phones play tasks with values and operations of their own")
    return played(instructions)


def _read_unseen(path: Path, settings: FleetSettings, tasks: Sequence[TaskSpec]) -> tuple[TaskSpec, ...]:
    """Return the tasks of a file, which recall what all scenarios of ``tasks`` taught. Raises BadInput."""
    from manyhands.actors.profiles import profile_of

    profile = settings.episode.profile
    if not profile_of(profile).learns:
        raise BadInput(f"--unseen: profile {profile!r} learns nothing that could be recalled; choose e+evo")
    scopes = tuple(dict.fromkeys(task.memory_scope for task in tasks if task.memory_scope is not None))
    if not scopes:
        raise BadInput("--unseen: none of these tasks belongs to a scenario; mobile_eval_e has five")
    return tuple(task.model_copy(update={"recall_scopes": scopes}) for task in read_tasks(path))


def _each_seed(settings: FleetSettings, seeds: int) -> list[options.Given]:
    """Return the settings in which the runs differ: the seed, and the name of the folder."""
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
        unplayed = sum(one.task is None for one in instructions)
        classes = describe_wordings(count_wordings(instructions, task_goals()))
        text_console(stderr=as_json).print(
            f"Instructions: {len(instructions)}, of which {len(instructions) - unplayed} are played, by "
            f"{count_noun(len(tasks), 'task')} ({classes}); {unplayed} cannot be played on virtual phones "
            "(docs/suites.md)"
        )


async def _run_all(
    runs: Sequence[options.Given],
    load: Callable[[options.Given], FleetSettings],
    tasks: Sequence[TaskSpec],
    later: Sequence[TaskSpec],
    repeated: Repeated | None,
    as_json: bool,
) -> int:
    """Run one seed after another, each followed by the unseen tasks. Return the highest exit code."""
    output = _SuiteOutput()
    code = 0
    try:
        for settings_of_run in runs:
            settings = load(settings_of_run)
            output.seed = settings.seed
            code = max(code, await run.run_tasks(settings, tasks, as_json, output.tell, repeated))
            if later and output.failed:
                text_console(stderr=as_json).print("The unseen tasks are not run: the run before them failed.")
            elif later:
                after = load(_unseen_settings(settings_of_run, settings, output.folder))
                code = max(code, await run.run_tasks(after, later, as_json, output.tell))
    finally:
        if as_json and output.runs:
            say_json({"runs": output.runs})
    return code


def _unseen_settings(settings_of_run: options.Given, settings: FleetSettings, folder: Path) -> options.Given:
    """Return the settings of the unseen tasks. These tasks use the memory of the run before them, in ``folder``."""
    from manyhands.deploy.fleet.initial_memory import memory_file

    changed: options.Given = {
        **options.given_settings("run", {"memory": str(memory_file(settings.memory, folder))}),
        "name": f"{settings.name}_unseen",
    }
    if settings.out is not None:
        changed["out"] = settings.out.with_name(f"{settings.out.name}-unseen")
    return merged(settings_of_run, changed)


class _SuiteOutput:
    """Report the runs: as text, each run when it ends; as JSON, all runs in one value at the end."""

    def __init__(self) -> None:
        self.seed = 0
        self.folder = Path()
        """The folder of the run that was reported last."""
        self.failed = False
        """Whether an error ended that run."""
        self.runs: list[dict[str, Any]] = []

    def tell(
        self, console: Console, folder: Path, summary: RunSummary, as_json: bool, failure: ManyhandsError | None = None
    ) -> None:
        """Print the table of a run, or store its summary for the JSON."""
        self.folder, self.failed = folder, failure is not None
        if as_json:
            self.runs.append({"seed": self.seed, **run.summary_value(folder, summary, failure)})
        else:
            run.tell(console, folder, summary, as_json, failure)
