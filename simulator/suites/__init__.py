"""Suites of tasks that check themselves, for virtual phones."""

from __future__ import annotations

from pathlib import Path

from manyhands.protocol.tasks import TaskSpec, parse_tasks
from manyhands.protocol.written import read_yaml

EVERYDAY = Path(__file__).parent / "everyday.yaml"


def load_suite(path: Path = EVERYDAY) -> tuple[TaskSpec, ...]:
    """Return the tasks of a suite. Raises BadInput."""
    return parse_tasks(read_yaml(path))


def wrong_endings(path: Path = EVERYDAY) -> dict[str, tuple[str, ...]]:
    """By task id, operations that end in a plausible state in which the task is not done."""
    beside = path.with_suffix(".wrong.yaml")
    read = read_yaml(beside)
    read.refuse(())
    entries = read.data
    return {task: tuple(str(line) for line in operations) for task, operations in entries.items()}
