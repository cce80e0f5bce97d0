"""The tasks of a run: from a file or from goals, selected and limited."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from manyhands.protocol.tasks import Limits, TaskSpec, parse_tasks
from manyhands.protocol.written import Written, read_yaml


def read_tasks(path: Path) -> tuple[TaskSpec, ...]:
    """Read the tasks of a file. Raises BadInput with the file, and each mistake's line, task and key."""
    return parse_tasks(read_yaml(path))


def goal_id(number: int) -> str:
    """Return the id of a task that was given as a sentence."""
    return f"goal-{number}"


def tasks_from_goals(goals: Sequence[str], first: int = 1) -> tuple[TaskSpec, ...]:
    """Return a task for each goal, named goal-1, goal-2, ..., or counted from another number."""
    tasks = [{"id": goal_id(number), "goal": goal} for number, goal in enumerate(goals, first)]
    return parse_tasks(Written(tasks, "--goal"))


def limited(tasks: Sequence[TaskSpec], max_steps: int | None) -> tuple[TaskSpec, ...]:
    """Return the same tasks with another limit on steps, if one is given."""
    if max_steps is None:
        return tuple(tasks)
    return tuple(
        task.model_copy(update={"limits": Limits.model_validate({**task.limits.model_dump(), "max_steps": max_steps})})
        for task in tasks
    )
