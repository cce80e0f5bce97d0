"""Tasks: goals with an id, limits and a check, as people write them."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field, ValidationError, field_validator

from manyhands.protocol.base import Input
from manyhands.protocol.predicates import Predicate
from manyhands.protocol.written import Loc, Mistake, Written, mistakes_in, unknown_keys

_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


class Limits(Input):
    """Configure when an episode ends without having finished (Mobile-Agent-E, section 4.2, and wall time)."""

    max_steps: int = Field(default=40, ge=1, le=1000)
    max_failures: int = Field(default=3, ge=1, le=100)
    """Consecutive steps with outcome B or C."""
    max_repeats: int = Field(default=3, ge=1, le=100)
    """Equal actions in a row with outcome B or C, but for Swipe and Back; with ``paper_exact`` whatever the outcome."""
    wall_s: float = Field(default=1800.0, gt=0)


class Check(Input):
    """Define when the task is done, by the phone's true state, not by the agent's words."""

    source: str = Field(pattern=r"^content://[A-Za-z0-9._-]+/[A-Za-z0-9._/-]+$")
    """A content provider that answers one row with the state (a virtual phone's own door, or an app's)."""
    holds: Predicate


class Rubric(Input):
    """Define a milestone, evaluated after every step (Mobile-Agent-E, section 4.2: Satisfaction Score)."""

    name: str = Field(min_length=1, max_length=100)
    holds: Predicate


class TaskSpec(Input):
    """Describe a goal and all that belongs to one attempt at it. Variables are already filled in."""

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
    """Episodes at most, where one ended for a reason outside of the task."""
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


def parse_tasks(written: Written) -> tuple[TaskSpec, ...]:
    """Read tasks from the content of a YAML or JSON file: a list of tasks, or a mapping with ``tasks``.

    A mapping may have ``defaults``, merged into every task. A task may have ``variables``: every
    ``${name}`` in its texts is replaced by the value. Raises BadFile with all mistakes: line, task and key.
    """
    data = written.data
    at: Loc = ()
    mistakes: list[Mistake] = []
    defaults: dict[str, Any] = {}
    if isinstance(data, dict):
        if "goal" in data:
            written.refuse([Mistake((), "a file of tasks is a list: begin each task with '- '")])
        mistakes += unknown_keys(data, ("suite", "description", "defaults", "tasks"))
        defaults, at = data.get("defaults") or {}, ("tasks",)
        if not isinstance(defaults, dict):
            mistakes.append(Mistake(("defaults",), "'defaults' is not a mapping"))
            defaults = {}
        data = data.get("tasks")
    if not isinstance(data, list) or not data:
        mistakes.append(Mistake(at, "needs a list of tasks, or a mapping with the key 'tasks'"))
        data = []
    parsed = [_Parsed(item, index, defaults, (*at, index)) for index, item in enumerate(data)]
    first: dict[str, _Parsed] = {}
    for one in parsed:
        mistakes += one.mistakes
        if one.id is not None and first.setdefault(one.id, one) is not one:
            mistakes.append(Mistake((*one.at, "id"), f"{one.name}: {first[one.id].name} has this id, too"))
    written.refuse(mistakes)
    return tuple(one.task for one in parsed if one.task is not None)


class _Parsed:
    """Parse one task of a file, or find what is wrong with it."""

    def __init__(self, item: Any, index: int, defaults: dict[str, Any], at: Loc) -> None:
        """Parse ``item``, which stands at ``at``."""
        self.at = at
        self._defaults = defaults
        self.task: TaskSpec | None = None
        self.mistakes: list[Mistake] = []
        self._item: dict[str, Any] = item if isinstance(item, dict) else {}
        self.id = self._item.get("id") if isinstance(self._item.get("id"), str) else None
        self.name = f"task {index + 1}" + (f" ({self.id})" if self.id else "")
        if isinstance(item, dict):
            self._parse({**defaults, **item})
        else:
            self._blame((), "is not a mapping")

    def _parse(self, merged: dict[str, Any]) -> None:
        variables = merged.pop("variables", {})
        if not isinstance(variables, dict):
            self._blame(("variables",), "'variables' is not a mapping")
            return
        try:
            self.task = TaskSpec.model_validate(self._filled(merged, variables, ()))
        except ValidationError as error:
            for mistake in mistakes_in(error, TaskSpec):
                self._blame(mistake.loc, mistake.said)
        except RecursionError:
            self._blame((), "is nested too deeply")
        if self.task is not None and self.task.rubrics and self.task.check is None:
            self._blame(("rubrics",), "rubrics are asked of the check's source, so 'rubrics' need a 'check'")

    def _filled(self, value: Any, variables: dict[str, Any], at: Loc) -> Any:
        if isinstance(value, dict):
            return {key: self._filled(item, variables, (*at, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self._filled(item, variables, (*at, index)) for index, item in enumerate(value)]
        if not isinstance(value, str):
            return value

        def filled(match: re.Match[str]) -> str:
            if match[1] not in variables:
                self._blame(at, f"${{{match[1]}}} has no value under 'variables'")
                return match[0]
            return str(variables[match[1]])

        return _PLACEHOLDER.sub(filled, value)

    def _blame(self, loc: Loc, said: str) -> None:
        """Add a mistake; one in the file's defaults is added there, once for all tasks."""
        if loc and loc[0] not in self._item and loc[0] in self._defaults:
            self.mistakes.append(Mistake(("defaults", *loc), f"defaults: {said}"))
        else:
            self.mistakes.append(Mistake((*self.at, *loc), f"{self.name}: {said}"))
