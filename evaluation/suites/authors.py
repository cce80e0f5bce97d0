"""Read Mobile-Eval-E as its authors publish it: JSON files of scenarios, with rubrics and human operations.

A file is a mapping with ``tasks`` (and ``scenario``, ``scenario_id``, ``length``), or a bare list of tasks. The
authors' program accepts both. A task's key ``task_id`` holds the task's name in table 7 of the paper.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError

from manyhands.evaluation.suites.instructions import Instruction, InstructionSet, Level
from manyhands.evaluation.suites.reading import papers_sets
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities.yaml_document import Loc, YamlDocument, YamlProblem, find_problems

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
