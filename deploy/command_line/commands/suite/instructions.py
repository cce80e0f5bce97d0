"""``manyhands suite list``: list the papers' instructions and the tasks that play them, and choose among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import say_json, table, text_console
from manyhands.evaluation.comparison.cells import NOTHING, PAPER
from manyhands.evaluation.published import SuiteSize, published
from manyhands.evaluation.suites.coverage import (
    compare_wording,
    count_fates,
    count_wordings,
    describe_wordings,
    fate,
    size_of,
)
from manyhands.evaluation.suites.instructions import Instruction, InstructionSet, Level
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import TaskSpec, parse_tasks
from manyhands.protocol.utilities.terminal_text import count_noun
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


LIST_EXAMPLE = "Example: manyhands suite list mobile_eval_e. Without a name: the suites alone."


def list_instructions(names: Names = None, level: Levels = None, as_json: options.AsJson = False) -> None:
    """List the papers' suites, or instructions, and which of them virtual phones can play."""
    from manyhands.evaluation.suites.reading import papers_sets

    sets = papers_sets()
    instructions = chosen_instructions(names or [], level or [])
    goals = task_goals()
    if as_json:
        task_ids = {one.id for one in instructions}
        say_json({
            "suites": [
                _describe(printed, goals) for printed in sets if any(one.id in task_ids for one in printed.instructions)
            ],
            "instructions": [_instruction(one, goals) for one in instructions],
        })  # fmt: skip
        return
    console = text_console()
    console.print(_instructions(instructions, goals) if names or level else _suites(sets, goals))
    if not (names or level):
        console.print(_sizes(sets))
    fates = count_fates(instructions)
    console.print(
        f"{count_noun(len(instructions), 'instruction')}: {fates['played']} can be played on virtual phones "
        f"({describe_wordings(count_wordings(instructions, goals))}), {fates['waits']} cannot: their apps are missing",
        markup=False,
    )


def _describe(printed: InstructionSet, goals: Mapping[str, str]) -> dict[str, Any]:
    levels = Counter(one.level.value for one in printed.instructions)
    about = printed.model_dump(mode="json", exclude={"instructions"})
    return {
        **about,
        "instructions": len(printed.instructions),
        "levels": levels,
        **count_fates(printed.instructions),
        **count_wordings(printed.instructions, goals),
        "size": size_of(printed).model_dump(),
    }


def _instruction(one: Instruction, goals: Mapping[str, str]) -> dict[str, Any]:
    goal = None if one.task is None else goals[one.task]
    return {
        **one.model_dump(mode="json"),
        "goal": goal,
        "wording": None if goal is None else compare_wording(one, goal),
    }


def _suites(sets: Sequence[InstructionSet], goals: Mapping[str, str]) -> Any:
    rows = []
    for printed in sets:
        fates = count_fates(printed.instructions)
        levels = Counter(one.level.replace("_", " ") for one in printed.instructions)
        levels_text = ", ".join(f"{count} {name}" for name, count in levels.items())
        total = str(len(printed.instructions))
        classes = map(str, count_wordings(printed.instructions, goals).values())
        rows.append((printed.name, total, levels_text, *classes, str(fates["waits"]), printed.source))
    heads = ("suite", "instructions", "levels", "word for word", "other contents", "another task", "wait for apps")
    return table(None, (*heads, "from"), rows)


def _sizes(sets: Sequence[InstructionSet]) -> Any:
    """Return Mobile-Agent-E's table 2: the sizes of our sets, then those that the paper printed."""
    rows = [(printed.name, *_size(size_of(printed))) for printed in sets]
    rows += [(f"{PAPER}{name} (Mobile-Agent-E, table 2)", *_size(size)) for name, size in published().sets.items()]
    return table("\nAs Mobile-Agent-E, table 2", ("suite", "tasks", "multi-app", "apps", "operations", "a task"), rows)


def _size(size: SuiteSize) -> tuple[str, ...]:
    counts = (str(size.tasks), str(size.multi_app), str(size.apps))
    if size.operations is None:
        return (*counts, NOTHING, NOTHING)
    return (*counts, str(size.operations), f"{size.operations / size.tasks:.2f}")


def _instructions(instructions: Sequence[Instruction], goals: Mapping[str, str]) -> Any:
    rows = [(one.id, one.level.replace("_", " "), one.printed, _fate(one, goals)) for one in instructions]
    return table(None, ("id", "level", "instruction", "on virtual phones"), rows)


def _fate(one: Instruction, goals: Mapping[str, str]) -> str:
    return fate(one) + ("" if one.task is None else f" ({compare_wording(one, goals[one.task]).replace('_', ' ')})")


SUBCOMMANDS = {"list": Subcommand(list_instructions, LIST_EXAMPLE)}
