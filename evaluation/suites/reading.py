"""Read sets of instructions, ours and those of Mobile-Eval-E's authors, and choose instructions by name.

The authors publish JSON files of scenarios. A file is a mapping with ``tasks`` (and ``scenario``, ``scenario_id``,
``length``), or a bare list of tasks. The authors' program accepts both. A task's key ``task_id`` holds the task's name
in table 7 of the paper.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from manyhands.evaluation.published import published
from manyhands.evaluation.suites.instructions import Instruction, InstructionSet, Level
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import Rubric
from manyhands.protocol.utilities.validation_words import nearest
from manyhands.protocol.utilities.yaml_document import Loc, YamlDocument, YamlProblem, find_problems, read_yaml

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
    rubrics = _read_rubrics(folder / "rubrics.yaml")
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


def _read_rubrics(path: Path) -> Mapping[str, tuple[Rubric, ...]]:
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
    by_level = published().instructions.get(one.row) if _is_under(one.id, SETS[0]) else None
    return None if by_level is None else int(by_level[one.level][_HUMAN])


def select_instructions(sets: Sequence[InstructionSet], names: Sequence[str]) -> tuple[Instruction, ...]:
    """Return the instructions with these ids, or in sets or rows with these names. No names mean all instructions.

    For example, ``mobile_eval_v2`` means both languages, and ``mobile_eval.maps`` the three instructions of a row.
    Raises BadInput for an unknown name.
    """
    everything = [instruction for one in sets for instruction in one.instructions]
    for name in names:
        if not any(_is_under(instruction.id, name) for instruction in everything):
            raise BadInput(_unknown(sets, name))
    return tuple(one for one in everything if not names or any(_is_under(one.id, name) for name in names))


def _is_under(id: str, name: str) -> bool:
    """Return whether an id is this name, or begins with it and a dot."""
    return id == name or id.startswith(f"{name}.")


def _unknown(sets: Sequence[InstructionSet], name: str) -> str:
    for one in sets:
        if _is_under(name, one.name):
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


NAME = "mobile_eval_e"
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9_.-]+")


def _words(value: Any) -> Any:
    """Turn numbers into texts. The authors' program also treats numbers as texts, as it puts them into prompts."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Words = Annotated[str, Field(min_length=1), BeforeValidator(_words)]


class _Task(Message):
    """Be one task. Only the instruction is required; other keys are ignored."""

    task_id: Words | None = None
    instruction: Words
    type: Literal["single_app", "multi_app"] | None = None
    apps: tuple[Words, ...] = ()
    rubrics: tuple[Words, ...] = ()
    human_reference_operations: tuple[Words, ...] = ()


def read_authors(path: Path) -> InstructionSet:
    """Read a file of the authors' JSON. Raises BadInput with the task and key of each mistake.

    Instructions of the paper keep their ids, kinds of apps and tasks from our data. Texts, rubrics and human operations
    come from the file.
    """
    document = _read_json(path)
    data, scenario = document.data, path.stem
    at: Loc = ()
    if isinstance(data, dict):
        scenario = str(data.get("scenario") or path.stem)
        data, at = data.get("tasks"), ("tasks",)
    if not isinstance(data, list) or not data:
        document.refuse([YamlProblem(at, "needs a list of tasks, or a mapping with the key 'tasks'")])
        raise AssertionError("refused")
    printed_by_id = {one.id: one for printed in papers_sets() for one in printed.instructions}
    by_id: dict[str, Instruction] = {}
    mistakes: list[YamlProblem] = []
    for index, item in enumerate(data):
        where = (*at, index)
        try:
            task = _Task.model_validate(item)
        except ValidationError as error:
            mistakes += [
                YamlProblem((*where, *one.loc), f"task {index + 1}: {one.said}") for one in find_problems(error, _Task)
            ]
            continue
        instruction = _instruction(task, index, scenario, printed_by_id)
        if instruction.id in by_id:
            mistakes.append(YamlProblem((*where, "task_id"), f"task {index + 1}: {task.task_id!r} stands twice"))
        by_id[instruction.id] = instruction
    document.refuse(mistakes)
    return InstructionSet(
        name=NAME,
        title=f"Mobile-Eval-E, {scenario}",
        source=path.name,
        language="en",
        instructions=tuple(by_id.values()),
    )


def _read_json(path: Path) -> YamlDocument:
    try:
        return YamlDocument(json.loads(path.read_bytes()), str(path))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not JSON: {error}") from error


def _instruction(task: _Task, index: int, scenario: str, printed_by_id: dict[str, Instruction]) -> Instruction:
    name = _NOT_IN_AN_ID.sub("_", task.task_id) if task.task_id else f"task_{index + 1}"
    level = Level(task.type) if task.type else (Level.MULTI_APP if len(task.apps) > 1 else Level.SINGLE_APP)
    own = {
        "text": task.instruction,
        "row": "",
        "scenario": scenario,
        "level": level,
        "rubrics": [{"name": words, "origin": "authors"} for words in task.rubrics],
        "human_steps": None,
        "human_operations": task.human_reference_operations,
        **({"apps": task.apps} if task.apps else {}),
    }
    id = f"{NAME}.{name}"[:80]
    base = printed_by_id[id].model_dump() if id in printed_by_id else {"id": id}
    return Instruction.model_validate({**base, **own})
