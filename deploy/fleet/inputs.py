"""What the user gives on the command line: tasks in a file or as goals, a server's address."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks import Limits, TaskSpec, parse_tasks
from manyhands.protocol.written import Written, read_yaml


def read_tasks(path: Path) -> tuple[TaskSpec, ...]:
    """The tasks of a file. Raises BadInput that names the file, and each mistake with its line, task and key."""
    return parse_tasks(read_yaml(path))


def goal_id(number: int) -> str:
    """The id of a task that was given as a sentence."""
    return f"goal-{number}"


def tasks_from_goals(goals: Sequence[str], first: int = 1) -> tuple[TaskSpec, ...]:
    """A task for each goal sentence, named goal-1, goal-2, ..., or from another number on."""
    tasks = [{"id": goal_id(number), "goal": goal} for number, goal in enumerate(goals, first)]
    return parse_tasks(Written(tasks, "--goal"))


def select(tasks: Sequence[TaskSpec], ids: Sequence[str], tags: Sequence[str]) -> tuple[TaskSpec, ...]:
    """The tasks with one of ``ids`` and one of ``tags``; an empty selection means all. Raises BadInput."""
    known = {task.id for task in tasks}
    for name in ids:
        if name not in known:
            raise BadInput(f"--task {name}: no such task; there are {', '.join(sorted(known))}")
    chosen = tuple(task for task in tasks if (not ids or task.id in ids) and (not tags or set(tags) & set(task.tags)))
    if not chosen:
        raise BadInput(f"no task has a tag of {', '.join(tags)}")
    return chosen


def limited(tasks: Sequence[TaskSpec], max_steps: int | None) -> tuple[TaskSpec, ...]:
    """The same tasks with another limit on steps, if one is given."""
    if max_steps is None:
        return tuple(tasks)
    return tuple(
        task.model_copy(update={"limits": Limits.model_validate({**task.limits.model_dump(), "max_steps": max_steps})})
        for task in tasks
    )


def server_address(url: str) -> str:
    """An http(s) address without a password, which reports would show. Raises BadInput."""
    if not url.startswith(("http://", "https://")):
        raise BadInput(f"--mllm-url {url}: write a URL such as http://127.0.0.1:8000/v1")
    if "@" in urlsplit(url).netloc:
        raise BadInput("--mllm-url: must not hold a password; name the variable that holds the key: --api-key-env")
    return url
