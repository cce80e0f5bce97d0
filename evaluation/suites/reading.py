"""Read sets of instructions, and choose instructions by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from manyhands.evaluation.published import published
from manyhands.evaluation.suites.instructions import Instruction, InstructionSet
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import Rubric
from manyhands.protocol.utilities.validation_words import nearest
from manyhands.protocol.utilities.yaml_document import find_problems, read_yaml

SETS = ("mobile_eval", "mobile_eval_v2.en", "mobile_eval_v2.zh", "mobile_eval_e")
"""The names of the papers' sets, in the order of the papers. Each set has a file in this folder."""
_HUMAN = 3
"""The index of the number of a human's operations in the published figures of an instruction."""


def read_set(path: Path) -> InstructionSet:
    """Read a set from a YAML file. Raises BadInput with the line, entry and key of each mistake."""
    document = read_yaml(path)
    try:
        instruction_set = InstructionSet.model_validate(document.data)
    except ValidationError as error:
        document.refuse(find_problems(error, InstructionSet))
        raise
    document.refuse(())
    return instruction_set


def papers_sets() -> tuple[InstructionSet, ...]:
    """Return the papers' sets, with our rubrics and the published numbers of human operations."""
    folder = Path(__file__).parent
    rubrics = read_rubrics(folder / "rubrics.yaml")
    return tuple(_complete(read_set(folder / f"{name.replace('.', '_')}.yaml"), rubrics) for name in SETS)


@cache
def parts_of_papers() -> Mapping[str, tuple[str, str]]:
    """Return the set and the part (``Instruction.part``) of instructions, by id, in the order of the papers."""
    return {
        one.id: (printed.name, one.part)
        for printed in papers_sets()
        for one in printed.instructions
        if one.part is not None
    }


def read_rubrics(path: Path) -> Mapping[str, tuple[Rubric, ...]]:
    """Read rubrics by the id of the instruction: lists of ``{ORIGIN: WORDS}``. Raises BadInput with each mistake."""
    document = read_yaml(path)
    raw = {
        id: [{"name": words, "origin": origin} for one in rubrics for origin, words in one.items()]
        for id, rubrics in (document.data or {}).items()
    }
    try:
        rubrics = TypeAdapter(dict[str, tuple[Rubric, ...]]).validate_python(raw)
    except ValidationError as error:
        document.refuse(find_problems(error, Rubric))
        raise
    document.refuse(())
    return rubrics


def _complete(printed: InstructionSet, rubrics: Mapping[str, tuple[Rubric, ...]]) -> InstructionSet:
    """Return the set with what its file lacks: rubrics, and the numbers of human operations."""
    return printed.model_copy(
        update={
            "instructions": tuple(
                one.model_copy(update={"rubrics": rubrics.get(one.id, ()), "human_steps": _human_steps(one)})
                for one in printed.instructions
            )
        }
    )


def _human_steps(one: Instruction) -> int | None:
    """Return how many operations a human needs (Mobile-Agent, table 2, whose rows have instructions 1, 2 and 3)."""
    by_level = published().instructions.get(one.row) if is_under(one.id, SETS[0]) else None
    return None if by_level is None else int(by_level[one.level][_HUMAN])


def select_instructions(sets: Sequence[InstructionSet], names: Sequence[str]) -> tuple[Instruction, ...]:
    """Return the instructions with these ids, or in sets or rows with these names. No names mean all instructions.

    For example, ``mobile_eval_v2`` means both languages, and ``mobile_eval.maps`` the three instructions of a row.
    Raises BadInput for an unknown name.
    """
    everything = [instruction for one in sets for instruction in one.instructions]
    for name in names:
        if not any(is_under(instruction.id, name) for instruction in everything):
            raise BadInput(_unknown(sets, name))
    return tuple(one for one in everything if not names or any(is_under(one.id, name) for name in names))


def is_under(id: str, name: str) -> bool:
    """Return whether an id is this name, or begins with it and a dot."""
    return id == name or id.startswith(f"{name}.")


def _unknown(sets: Sequence[InstructionSet], name: str) -> str:
    for one in sets:
        if is_under(name, one.name):
            near = ", ".join(_nearest_ids(name, [instruction.id for instruction in one.instructions]))
            listed = f"'manyhands suite list {one.name}' lists all {len(one.instructions)}"
            return f"{name}: no such instruction in {one.name}; " + (f"near it: {near}; {listed}" if near else listed)
    names = sorted(set(_find_names(sets)))
    near = nearest(difflib.get_close_matches(name, names, n=1))
    return f"{name}: no such suite; there are {', '.join(one.name for one in sets)}{near}"


def _nearest_ids(name: str, ids: Sequence[str]) -> list[str]:
    """Return the ids that begin with a name; else those that contain its last part; else those spelt similarly."""
    beginning = [id for id in ids if id.startswith(name)]
    last = name.rpartition(".")[2]
    return beginning or [id for id in ids if len(last) > 2 and last in id] or difflib.get_close_matches(name, ids, n=3)


def _find_names(sets: Sequence[InstructionSet]) -> Iterator[str]:
    for one in sets:
        for instruction in one.instructions:
            parts = instruction.id.split(".")
            yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))
