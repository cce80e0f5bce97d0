"""``manyhands suite list``: list the papers' suites, their instructions, and the tasks that play them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.suite.selection import Levels, Names, chosen_instructions, task_goals
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
from manyhands.evaluation.suites.instructions import Instruction, InstructionSet
from manyhands.protocol.utilities.terminal_text import count_noun

EXAMPLE = "Example: manyhands suite list mobile_eval_e. Without a name: the suites alone."


def command(names: Names = None, level: Levels = None, as_json: options.AsJson = False) -> None:
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
