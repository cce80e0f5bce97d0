"""The tasks of all suites, read once by each process: reading them takes a second."""

from __future__ import annotations

from pathlib import Path

from manyhands.protocol.tasks.task import TaskSpec
from manyhands.simulator.suites import load_suite, suites

SUITES: dict[Path, tuple[TaskSpec, ...]] = {path: load_suite(path) for path in suites()}
TASKS = [task for tasks in SUITES.values() for task in tasks]
