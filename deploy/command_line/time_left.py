"""Estimate how long a run still takes, from how long its tasks took so far."""

from __future__ import annotations

from collections.abc import Collection

from manyhands.deploy.command_line.moments import show_seconds
from manyhands.protocol.runs.progress import RunProgress

_ROUGH_S = 90.0
"""Above this a time is told in minutes, below it in tens of seconds."""


def estimate_s(progress: RunProgress, ages_s: Collection[float]) -> float | None:
    """Return the seconds until all tasks have ended; None while nothing tells.

    ``ages_s``: how long each running episode has run. The tasks that wait are taken to last as long as the last tasks
    did on average, and to be spread over as many phones as work now. Nothing tells when what all of them wait for,
    such as the model, is back.
    """
    starts_nothing = progress.waiting > 0 and bool(progress.held_up)
    if starts_nothing or (progress.running and all(episode.is_waiting for episode in progress.running)):
        return None
    lasted = [result.ended_at - result.started_at for result in progress.latest if result.started_at > 0]
    if not lasted or not (ages_s or progress.waiting):
        return None
    mean = sum(lasted) / len(lasted)
    open_s = [max(0.0, mean - age) for age in ages_s]
    left = max([(progress.waiting * mean + sum(open_s)) / max(1, len(ages_s)), *open_s])
    return left if left > 0 else None


def show_estimate(seconds: float) -> str:
    """Return a time as rough as it is known: ``about 40 s left``, ``about 3 min left``, ``about 2 h 5 min left``."""
    if seconds <= _ROUGH_S:
        return f"about {max(10, round(seconds, -1)):.0f} s left"
    return f"about {show_seconds(round(seconds / 60) * 60)} left"
