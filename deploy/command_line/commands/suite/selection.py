"""Select the instructions of a command, and make tasks of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from manyhands.evaluation.suites.coverage import fate
from manyhands.evaluation.suites.instructions import Instruction, Level
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import TaskSpec, parse_tasks
from manyhands.protocol.utilities.yaml_document import YamlDocument
from manyhands.simulator.suites import load_suite, suites

Names = Annotated[
    list[str] | None,
    typer.Argument(
        help="Suites, instructions by their ids, or beginnings of ids before a dot; or JSON files of the authors of "
        "Mobile-Eval-E. Default: all suites.",
        show_default=False,
    ),
]
Levels = Annotated[list[Level] | None, typer.Option("--level", help="Only instructions of this level; repeatable.")]


def chosen_instructions(names: Sequence[str], levels: Sequence[Level]) -> tuple[Instruction, ...]:
    """Return the instructions that a command names. Raises BadInput; for an unknown name it lists the known ones."""
    from manyhands.evaluation.suites.reading import papers_sets, read_authors, select_instructions

    files = [name for name in names if name.endswith(".json")]
    printed = [name for name in names if name not in files]
    by_id: dict[str, Instruction] = {}
    if printed or not files:
        by_id |= {one.id: one for one in select_instructions(papers_sets(), printed)}
    for name in files:
        by_id |= {one.id: one for one in read_authors(Path(name)).instructions}
    of_levels = tuple(one for one in by_id.values() if not levels or one.level in levels)
    if not of_levels:
        raise BadInput(f"no instruction has the level {', '.join(levels)}: {', '.join(names) or 'all suites'}")
    return of_levels


def task_goals() -> dict[str, str]:
    """Return the goals of all tasks that virtual phones can play, by their ids."""
    return {task.id: task.goal for path in suites() for task in load_suite(path)}


def played(instructions: Sequence[Instruction]) -> tuple[TaskSpec, ...]:
    """Return the tasks that play instructions on virtual phones, each once. Raises BadInput if no task does.

    Tasks of a scenario come first, in its order, because they share a memory scope (Mobile-Agent-E, section 4.3).
    """
    in_order = sorted(instructions, key=lambda one: not one.scenario)
    task_ids = dict.fromkeys(one.task for one in in_order if one.task is not None)
    if not task_ids:
        reasons = "; ".join(f"{one.id} {fate(one)}" for one in instructions)
        raise BadInput(f"no virtual phone can play any of these: {reasons}")
    specs = {task.id: task for path in suites() for task in load_suite(path)}
    by_task = {name: [one for one in instructions if one.task == name] for name in task_ids}
    return tuple(
        specs[name].model_copy(
            update={"tags": _tags(ones), "memory_scope": next((one.memory_scope for one in ones if one.scenario), None)}
        )
        for name, ones in by_task.items()
    )


def instructed(
    instructions: Sequence[Instruction], values: Mapping[str, str], recorded: Mapping[str, Sequence[str]] | None = None
) -> tuple[TaskSpec, ...]:
    """Return a task for each instruction, word for word, for real phones.

    ``recorded``: a human's operations by the id of the instruction, in place of those that the paper counts. Raises
    BadInput for a variable without value.
    """
    by_hand = recorded or {}
    if missing := without_value(instructions, values):
        where = "; ".join(
            f"{name} has no value (--set {name}=...), needed by {', '.join(ids)}" for name, ids in missing.items()
        )
        raise BadInput(where)
    tasks = [
        {
            "id": one.id,
            "goal": one.text,
            "variables": {name: values[name] for name in one.variables},
            "apps": list(one.apps),
            "tags": list(_tags([one])),
            "rubrics": [rubric.model_dump(exclude_none=True) for rubric in one.rubrics],
            "human_steps": None if one.id in by_hand else one.human_steps,
            "human_operations": list(by_hand.get(one.id, one.human_operations)),
            "memory_scope": one.memory_scope,
        }
        for one in instructions
    ]
    return parse_tasks(YamlDocument(tasks, "instructions"))


def without_value(instructions: Sequence[Instruction], values: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the variables without a value, and the instructions that need each. Raises BadInput for an unknown one."""
    users: dict[str, list[str]] = {}
    for one in instructions:
        for name in one.variables:
            users.setdefault(name, []).append(one.id)
    if unknown := [name for name in values if name not in users]:
        names = ", ".join(users) or "none"
        raise BadInput(f"--set {unknown[0]}=...: no such variable in these instructions; there are: {names}")
    return {name: ids for name, ids in users.items() if name not in values}


def printed_values(instructions: Sequence[Instruction]) -> dict[str, str]:
    """Return what the papers print for the variables of instructions."""
    return {name: value for one in instructions for name, value in one.variables.items()}


def _tags(instructions: Sequence[Instruction]) -> tuple[str, ...]:
    """Return a task's tags: levels and ids of the instructions that the task plays. Figures are grouped by tags."""
    return (*dict.fromkeys(one.level.value for one in instructions), *(one.id for one in instructions))


def variables(items: Sequence[str]) -> dict[str, str]:
    """Return the values of ``--set``. Raises BadInput."""
    values: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not name or not equals or not value:
            raise BadInput(f"--set {item}: write NAME=VALUE")
        values[name] = value
    return values
