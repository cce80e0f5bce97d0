"""Metrics of a run's tasks."""

from __future__ import annotations

from collections import Counter

from prometheus_client.core import Metric

from manyhands.deploy.metrics.families import counter, gauge
from manyhands.protocol.base import Ending
from manyhands.protocol.runs import RunProgress

_CHECKED = {"yes": True, "no": False, "unchecked": None}


def progress_families(progress: RunProgress) -> list[Metric]:
    """Return the metrics of a run's progress."""
    endings = Counter(result.ending for result in progress.done)
    verdicts = Counter(result.verified for result in progress.done)
    ended = {(ending.value,): endings[ending] for ending in Ending}
    checked = {(label,): verdicts[verdict] for label, verdict in _CHECKED.items()}
    steps = sum(result.steps for result in progress.done)
    return [
        gauge("tasks", "Tasks that the run has been given.", progress.total),
        gauge("tasks_waiting", "Tasks that wait for a phone.", progress.waiting),
        gauge("tasks_running", "Tasks that are on a phone.", len(progress.running)),
        counter("tasks_done", "Tasks that have ended, by how.", ended, "ending"),
        counter("tasks_checked", "Tasks that have ended, by the result of their check.", checked, "verified"),
        counter("steps", "Steps of the tasks that have ended.", steps),
    ]
