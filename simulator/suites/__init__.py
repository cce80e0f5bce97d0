"""Suites of tasks that check themselves, for virtual phones."""

from __future__ import annotations

from pathlib import Path

import yaml

from protocol.tasks import TaskSpec, parse_tasks

EVERYDAY = Path(__file__).parent / "everyday.yaml"


def load_suite(path: Path = EVERYDAY) -> tuple[TaskSpec, ...]:
    """The tasks of a suite. Raises BadInput."""
    return parse_tasks(yaml.safe_load(path.read_text(encoding="utf-8")), path.name)


def wrong_endings(path: Path = EVERYDAY) -> dict[str, tuple[str, ...]]:
    """By task id, operations that end in a plausible state in which the task is not done."""
    beside = path.with_suffix(".wrong.yaml")
    entries = yaml.safe_load(beside.read_text(encoding="utf-8"))
    return {task: tuple(str(line) for line in operations) for task, operations in entries.items()}
