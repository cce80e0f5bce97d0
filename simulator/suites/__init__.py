"""Load suites of tasks for virtual phones. Each task has a check."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from manyhands.protocol.tasks.task import Check, TaskSpec, parse_tasks
from manyhands.protocol.utilities.yaml_document import read_yaml

HERE = Path(__file__).parent
EVERYDAY = HERE / "everyday.yaml"


def suites() -> tuple[Path, ...]:
    """Return the files of all suites in this folder."""
    return tuple(path for path in sorted(HERE.glob("*.yaml")) if path.stem.isidentifier())


def with_phone_checks(tasks: Sequence[TaskSpec], path: Path = EVERYDAY) -> tuple[TaskSpec, ...]:
    """Return the tasks with checks that ask only what any phone can tell. The suite's ``.phone.yaml`` file has them.

    The returned tasks have no rubrics, because rubrics look into the simulator's state. Raises BadInput.
    """
    written = read_yaml(path.with_suffix(".phone.yaml"))
    written.refuse(())
    changed = []
    for task in tasks:
        check = Check.model_validate(written.data[task.id])
        changed.append(task.model_copy(update={"check": check, "rubrics": ()}))
    return tuple(changed)


def load_suite(path: Path = EVERYDAY) -> tuple[TaskSpec, ...]:
    """Return the tasks of a suite. Raises BadInput."""
    return parse_tasks(read_yaml(path))
