"""``manyhands suite list``: the papers' suites, their instructions, and what plays them on virtual phones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.commands.suite.choosing import Levels, Names, chosen_instructions
from manyhands.deploy.command_line.output import say_json, table, text_console
from manyhands.evaluation.suites.instructions import Instruction, InstructionSet
from manyhands.evaluation.suites.playing import counts, fate
from manyhands.evaluation.suites.reading import papers_sets
from manyhands.protocol.wording import counted

EXAMPLE = "Example: manyhands suite list mobile_eval_e. Without a name: the suites alone."


def command(names: Names = None, level: Levels = None, as_json: options.AsJson = False) -> None:
    """List the papers' suites, or instructions, and which of them virtual phones can play."""
    sets = papers_sets()
    instructions = chosen_instructions(names or [], level or [])
    if as_json:
        say_json({
            "suites": [_described(printed) for printed in sets],
            "instructions": [one.model_dump(mode="json") for one in instructions],
        })  # fmt: skip
        return
    console = text_console()
    console.print(_instructions(instructions) if names or level else _suites(sets))
    found = counts(instructions)
    console.print(
        f"{counted(len(instructions), 'instruction')}: {found['played']} can be played on virtual phones, "
        f"{found['waits']} cannot: their apps are missing",
        markup=False,
    )


def _described(printed: InstructionSet) -> dict[str, Any]:
    levels = Counter(one.level.value for one in printed.instructions)
    about = printed.model_dump(mode="json", exclude={"instructions"})
    return {**about, "instructions": len(printed.instructions), "levels": levels, **counts(printed.instructions)}


def _suites(sets: Sequence[InstructionSet]) -> Any:
    rows = []
    for printed in sets:
        found = counts(printed.instructions)
        levels = Counter(one.level.replace("_", " ") for one in printed.instructions)
        said = ", ".join(f"{count} {name}" for name, count in levels.items())
        total = str(len(printed.instructions))
        rows.append((printed.name, total, said, str(found["played"]), str(found["waits"]), printed.source))
    return table(None, ("suite", "instructions", "levels", "played", "wait for apps", "from"), rows)


def _instructions(instructions: Sequence[Instruction]) -> Any:
    rows = [(one.id, one.level.replace("_", " "), one.printed, fate(one)) for one in instructions]
    return table(None, ("id", "level", "instruction", "on virtual phones"), rows)
