"""Suites of tasks that check themselves, for virtual phones."""

from __future__ import annotations

from pathlib import Path

from manyhands.protocol.tasks import TaskSpec, parse_tasks
from manyhands.protocol.yaml_document import read_yaml

HERE = Path(__file__).parent
EVERYDAY = HERE / "everyday.yaml"


def suites() -> tuple[Path, ...]:
    """Return the files of all suites of this folder."""
    return tuple(path for path in sorted(HERE.glob("*.yaml")) if not path.name.endswith(".wrong.yaml"))


def load_suite(path: Path = EVERYDAY) -> tuple[TaskSpec, ...]:
    """Return the tasks of a suite. Raises BadInput."""
    return parse_tasks(read_yaml(path))
