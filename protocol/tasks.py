"""Tasks: goals with an id, limits and a check, as people write them."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field, ValidationError, field_validator

from protocol.base import Input
from protocol.errors import BadInput, explain
from protocol.predicates import Predicate

_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


class Limits(Input):
    """When an episode ends without having finished (Mobile-Agent-E, section 4.2, and wall time)."""

    max_steps: int = Field(default=40, ge=1, le=1000)
    max_failures: int = Field(default=3, ge=1, le=100)
    """Consecutive steps with outcome B or C."""
    max_repeats: int = Field(default=3, ge=1, le=100)
    """Equal actions in a row with outcome B or C, Swipe and Back excepted; with ``letter``, whatever the outcome."""
    wall_s: float = Field(default=1800.0, gt=0)


class Check(Input):
    """Whether the task is done, asked of the phone's true state, not of the agent's words."""

    source: str = Field(pattern=r"^content://[A-Za-z0-9._-]+/[A-Za-z0-9._/-]+$")
    """A content provider that answers one row with the state (a virtual phone's own door, or an app's)."""
    holds: Predicate


class Rubric(Input):
    """A milestone, evaluated after every step (Mobile-Agent-E, section 4.2: Satisfaction Score)."""

    name: str = Field(min_length=1, max_length=100)
    holds: Predicate


class TaskSpec(Input):
    """A goal and all that belongs to one attempt at it. Variables are already filled in."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$")
    goal: str = Field(min_length=1, max_length=4000)
    apps: tuple[str, ...] = ()
    """Apps that the task names; what it may leave alone."""
    hints: str = Field(default="", max_length=4000)
    """Knowledge injected into the prompts."""
    tags: tuple[str, ...] = ()
    priority: int = Field(default=0, ge=-100, le=100)
    """Higher first."""
    memory_scope: str | None = None
    limits: Limits = Limits()
    attempts: int = Field(default=3, ge=1, le=20)
    """Episodes at most, where one ended for a reason that says nothing about the task."""
    reset_seed: int | None = None
    """Content that a phone with a reset door is set to before the episode."""
    check: Check | None = None
    rubrics: tuple[Rubric, ...] = ()
    human_operations: tuple[str, ...] = ()
    """A human's operations, one a line, e.g. ``tap Save``: a reference for counting and for playing."""

    @field_validator("rubrics")
    @classmethod
    def _names_differ(cls, rubrics: tuple[Rubric, ...]) -> tuple[Rubric, ...]:
        names = [rubric.name for rubric in rubrics]
        if len(set(names)) != len(names):
            raise ValueError("two rubrics have the same name")
        return rubrics


def parse_tasks(data: Any, where: str) -> tuple[TaskSpec, ...]:
    """Tasks from the content of a YAML or JSON file: a list of tasks, or a mapping with ``tasks``.

    A mapping may have ``defaults``, merged into every task. A task may have ``variables``: every
    ``${name}`` in its texts is replaced by the value. Raises BadInput that names file, task and key.
    """
    defaults: dict[str, Any] = {}
    if isinstance(data, dict):
        if "goal" in data:
            raise BadInput(f"{where}: a file of tasks is a list: begin each task with '- '")
        unknown = set(data) - {"suite", "description", "defaults", "tasks"}
        if unknown:
            raise BadInput(
                f"{where}: unknown key {min(map(str, unknown))!r}; known are suite, description, defaults, tasks"
            )
        defaults = data.get("defaults") or {}
        if not isinstance(defaults, dict):
            raise BadInput(f"{where}: 'defaults' is not a mapping")
        data = data.get("tasks")
    if not isinstance(data, list) or not data:
        raise BadInput(f"{where}: needs a list of tasks, or a mapping with the key 'tasks'")
    tasks = tuple(_parse_task(item, defaults, f"{where}: task {index + 1}") for index, item in enumerate(data))
    seen: set[str] = set()
    for task in tasks:
        if task.id in seen:
            raise BadInput(f"{where}: two tasks have the id {task.id!r}")
        seen.add(task.id)
    return tasks


def _parse_task(item: Any, defaults: dict[str, Any], where: str) -> TaskSpec:
    if not isinstance(item, dict):
        raise BadInput(f"{where}: is not a mapping")
    merged = {**defaults, **item}
    variables = merged.pop("variables", {})
    if not isinstance(variables, dict):
        raise BadInput(f"{where}: 'variables' is not a mapping")
    try:
        task = TaskSpec.model_validate(_fill(merged, variables, where))
    except ValidationError as error:
        raise BadInput(f"{where}: {explain(error, TaskSpec)}") from error
    except RecursionError as error:
        raise BadInput(f"{where}: is nested too deeply") from error
    if task.rubrics and task.check is None:
        raise BadInput(f"{where}: rubrics are asked of the check's source, so 'rubrics' need a 'check'")
    return task


def _fill(value: Any, variables: dict[str, Any], where: str) -> Any:
    if isinstance(value, dict):
        return {key: _fill(item, variables, where) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill(item, variables, where) for item in value]
    if not isinstance(value, str):
        return value

    def filled(match: re.Match[str]) -> str:
        if match[1] not in variables:
            raise BadInput(f"{where}: ${{{match[1]}}} has no value under 'variables'")
        return str(variables[match[1]])

    return _PLACEHOLDER.sub(filled, value)
