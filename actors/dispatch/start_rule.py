"""Say which tasks of a batch may start: first some alone, as canaries, and none after too many failures. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec


class StartRule:
    """Follows the results that decide a batch's tasks.

    The canaries run alone. The other tasks start once every canary is done. If a canary is not done, or if
    ``max_failed_tasks`` have failed, no more tasks start; those that run go on to their end. The rule counts tasks: a
    percentage of few results stops a batch at the wrong time (ansible/ansible#32255).

    The rule depends on results alone. So it holds for a resumed batch too, whose results are in its journals.
    """

    def __init__(self, canaries: Sequence[TaskSpec] = (), max_failed_tasks: int | None = None) -> None:
        """``max_failed_tasks``: None for any number."""
        self.stop_reason: str | None = None
        """Why no task may start any more; None while tasks may."""
        self._canaries = frozenset(task.id for task in canaries)
        self._pending = set(self._canaries)
        """The canaries that are not done yet."""
        self._max_failed_tasks = max_failed_tasks
        self._failures = 0

    def note(self, result: EpisodeResult) -> None:
        """Count the result that decided a task."""
        if result.is_done:
            self._pending.discard(result.task)
            return
        self._failures += result.has_failed
        if self.stop_reason is not None:
            return
        explanation = result.reason or f"it ended by {result.ending.value}"
        if result.task in self._canaries:
            self.stop_reason = f"the canary {result.task} is not done: {explanation}"
        elif self._max_failed_tasks is not None and self._failures >= self._max_failed_tasks:
            self.stop_reason = f"{self._failures} tasks have failed, the last is {result.task}: {explanation}"

    def allows(self, task: str) -> bool:
        """Return whether the task with this id may start now."""
        return self.stop_reason is None and (not self._pending or task in self._canaries)
