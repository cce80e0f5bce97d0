"""The tasks that benchmarks play."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from manyhands.deploy.fleet.inputs import read_tasks, select
from manyhands.protocol.tasks import Limits, TaskSpec

SUITE = "everyday.yaml"


def everyday(ids: Sequence[str] = (), tags: Sequence[str] = ()) -> tuple[TaskSpec, ...]:
    """Tasks of the everyday suite with one of ``ids`` and one of ``tags``; all if neither. Raises BadInput."""
    with resources.as_file(resources.files("manyhands.simulator.suites") / SUITE) as path:
        return select(read_tasks(path), ids, tags)


def endless(count: int, steps: int) -> tuple[TaskSpec, ...]:
    """Tasks for the canned model, which never comes to an end by itself: each ends after ``steps`` steps."""
    limits = Limits(max_steps=steps, max_failures=100, max_repeats=100)
    return tuple(TaskSpec(id=f"canned-{number}", goal="Go on.", limits=limits) for number in range(1, count + 1))
