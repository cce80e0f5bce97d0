"""Reading sets of instructions, and choosing among them by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from manyhands.evaluation.suites.instructions import Instruction, InstructionSet
from manyhands.protocol.errors import BadInput
from manyhands.protocol.written import mistakes_in, nearest, read_yaml

SETS = ("mobile_eval", "mobile_eval_v2.en", "mobile_eval_v2.zh", "mobile_eval_e")
"""Those of the papers, in the papers' order; each has its file here."""


def read_set(path: Path) -> InstructionSet:
    """Read a set from its YAML file. Raises BadInput with each mistake's line, entry and key."""
    written = read_yaml(path)
    try:
        found = InstructionSet.model_validate(written.data)
    except ValidationError as error:
        written.refuse(mistakes_in(error, InstructionSet))
        raise
    written.refuse(())
    return found


def papers_sets() -> tuple[InstructionSet, ...]:
    """Return the sets of the papers."""
    folder = Path(__file__).parent
    return tuple(read_set(folder / f"{name.replace('.', '_')}.yaml") for name in SETS)


def chosen(sets: Sequence[InstructionSet], names: Sequence[str]) -> tuple[Instruction, ...]:
    """Return the instructions with these ids, or whose ids begin with these names; all for no name. Raises BadInput.

    So ``mobile_eval_v2`` is both languages, and ``mobile_eval.maps`` the three of a row.
    """
    everything = [instruction for one in sets for instruction in one.instructions]
    for name in names:
        if not any(is_under(instruction.id, name) for instruction in everything):
            raise BadInput(_unknown(sets, name))
    return tuple(one for one in everything if not names or any(is_under(one.id, name) for name in names))


def is_under(id: str, name: str) -> bool:
    """Tell whether an instruction has this id, or is part of what has this name."""
    return id == name or id.startswith(f"{name}.")


def _unknown(sets: Sequence[InstructionSet], name: str) -> str:
    for one in sets:
        if is_under(name, one.name):
            ids = ", ".join(instruction.id for instruction in one.instructions)
            return f"{name}: no such instruction in {one.name}; there are {ids}"
    known = sorted(set(_names(sets)))
    near = nearest(difflib.get_close_matches(name, known, n=1))
    return f"{name}: no such suite; there are {', '.join(one.name for one in sets)}{near}"


def _names(sets: Sequence[InstructionSet]) -> Iterator[str]:
    for one in sets:
        for instruction in one.instructions:
            parts = instruction.id.split(".")
            yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))
