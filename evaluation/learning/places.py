"""Which place a task has in its scenario: the order in which its tasks teach each other (Mobile-Agent-E, figure 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from manyhands.evaluation.episodes import Attempted


def places_of(tasks: Sequence[Attempted]) -> Mapping[str, int]:
    """Return the places of tasks in their scenarios, from 1, by the ids of their episodes.

    ``tasks``: in the order in which they were asked for; those of a scenario run in it. Others have no place.
    """
    counts: Counter[str] = Counter()
    found: dict[str, int] = {}
    for task in tasks:
        scenario = _scenario(task)
        if scenario is None:
            continue
        counts[scenario] += 1
        found |= dict.fromkeys((one.started.episode for one in task.attempts), counts[scenario])
    return found


def _scenario(task: Attempted) -> str | None:
    if task.attempts:
        return task.attempts[-1].started.task.memory_scope
    return task.asked.get("memory_scope")
