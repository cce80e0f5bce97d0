"""The tasks that benchmarks play."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from manyhands.deploy.fleet.tasks import read_tasks
from manyhands.protocol.tasks import Limits, TaskSpec, select

SUITE = "everyday.yaml"


def everyday(ids: Sequence[str]) -> tuple[TaskSpec, ...]:
    """Return the tasks of the everyday suite with these ids. Raises BadInput."""
    with resources.as_file(resources.files("manyhands.simulator.suites") / SUITE) as path:
        return select(read_tasks(path), ids, ())


def endless(count: int, steps: int, name: str = "canned") -> tuple[TaskSpec, ...]:
    """Return tasks for the canned model, which never comes to an end by itself: each ends after ``steps`` steps."""
    limits = Limits(max_steps=steps, max_failures=100, max_repeats=100)
    numbers = range(1, count + 1)
    return tuple(TaskSpec(id=f"{name}-{n}", goal="Go on.", limits=limits, reset_seed=n) for n in numbers)
