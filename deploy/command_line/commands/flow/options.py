"""What the commands of ``manyhands flow`` share: the file, its variables, and the settings of a run of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings, merged
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import TaskSpec, parse_tasks
from manyhands.protocol.utilities.validation_words import suggest
from manyhands.protocol.utilities.yaml_document import YamlDocument

if TYPE_CHECKING:
    from manyhands.evaluation.episodes import RecordedEpisode

FlowFile = Annotated[Path, typer.Argument(help="A file of 'flow make'.", show_default=False)]
SetValues = Annotated[
    list[str] | None,
    typer.Option("--set", help="A variable's value, as name=Anna; repeatable.", show_default=False),
]

Run = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.", show_default=False)]
VerifiedTask = Annotated[str, typer.Argument(help="The id of a verified task of this run.", show_default=False)]
Unchecked = Annotated[bool, typer.Option("--unchecked", help="Store it without a second run; the file says so.")]


def find_verified(folder: Path, task: str) -> tuple[str, RecordedEpisode]:
    """Return the last verified episode of a run's task, and what people call it. Raises BadInput."""
    from manyhands.evaluation.episodes import episode_of  # heavy imports stay inside: help must be fast
    from manyhands.evaluation.run_folder import RunFolder

    run = RunFolder(folder)
    episodes = [one for scan in run.journals_of([task]).values() if (one := episode_of(scan.records)) is not None]
    passed = [one for one in episodes if one.started.task.id == task and one.has_passed]
    if not passed:
        task_ids = ", ".join(dict.fromkeys(str(one["id"]) for one in run.asked.get("tasks") or ()))
        raise BadInput(f"{folder}: no episode of {task!r} was verified; the run's tasks are {task_ids}")
    return f"{run.asked.get('run_id', folder.name)}, {task}", passed[-1]


def refuse_lost_folder(out: Path) -> None:
    """Raise BadInput if the folder of ``--output`` does not exist."""
    if not out.parent.is_dir():
        raise BadInput(f"--output {out}: there is no folder {out.parent}")


def parse_values(pairs: Sequence[str]) -> dict[str, str]:
    """Return the values of ``--set``. Raises BadInput."""
    values = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (equals and name.isidentifier() and value):
            raise BadInput(f"--set {pair!r}: write NAME=VALUE")
        values[name] = value
    return values


def parse_flows(document: YamlDocument, values: Mapping[str, str]) -> tuple[TaskSpec, ...]:
    """Return the tasks of a flow's file with other values of their variables.

    Raises BadInput for what is no flow, with the line of each mistake, and for a variable that no task has.
    """
    entries = document.data
    if not isinstance(entries, list):
        raise BadInput(f"{document.where}: a flow's file is a list; 'run --profile flow' takes other files of tasks")
    own = [entry.get("variables") for entry in entries if isinstance(entry, dict)]
    names = {str(name) for variables in own if isinstance(variables, dict) for name in variables}
    for name in values:
        if name not in names:
            has = f"its variables are {', '.join(sorted(names))}" if names else "it has no variable"
            raise BadInput(f"--set {name}: {document.where} does not use it; {has}{suggest(name, sorted(names))}")
    changed = [_with_values(entry, values) for entry in entries]
    tasks = parse_tasks(replace(document, data=changed))
    lacking = [task.id for task in tasks if task.flow is None]
    if lacking:
        raise BadInput(f"{document.where}: task {lacking[0]} has no 'flow'; 'flow make' makes one of a verified run")
    return tasks


def _with_values(entry: Any, values: Mapping[str, str]) -> Any:
    own = entry.get("variables") if isinstance(entry, dict) else None
    if not isinstance(own, dict):
        return entry
    return {**entry, "variables": {**own, **{name: value for name, value in values.items() if name in own}}}


def flow_settings(given: options.Given, config: Path | None) -> FleetSettings:
    """Return the settings of a run with the profile ``flow``. Raises BadInput."""
    return load_settings(merged(given, {"episode": {"profile": "flow"}}), config)
