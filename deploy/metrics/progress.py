"""Metrics of a run's tasks."""

from __future__ import annotations

from prometheus_client.core import Metric

from manyhands.deploy.metrics.families import counter, gauge
from manyhands.protocol.base import Ending
from manyhands.protocol.progress import RunProgress


def progress_families(progress: RunProgress) -> list[Metric]:
    """Return the metrics of a run's progress."""
    done = progress.done
    ended = {(ending.value,): done.endings.get(ending, 0) for ending in Ending}
    checked = {("yes",): done.verified, ("no",): done.not_verified, ("unchecked",): done.unchecked}
    return [
        gauge("tasks", "Tasks that the run has been given.", progress.total),
        gauge("tasks_waiting", "Tasks that wait for a phone.", progress.waiting),
        gauge("tasks_running", "Tasks that are on a phone.", len(progress.running)),
        counter("tasks_done", "Tasks that have ended, by how.", ended, "ending"),
        counter("tasks_checked", "Tasks that have ended, by the result of their check.", checked, "verified"),
        counter("steps", "Steps of the tasks that have ended.", done.steps),
    ]
