"""Group the failures that need a person by their causes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cachetools import LRUCache

from manyhands.evaluation.report.failures import normal_form
from manyhands.protocol.service.attention import OpenCause
from manyhands.service.database.failure_repository import OpenFailure

MOST_TASKS = 10
"""The most tasks that a cause names."""


@dataclass(frozen=True, slots=True)
class FailurePlace:
    """Say where an episode ended."""

    app: str = ""
    action: str = ""


class CauseGroups:
    """Group failures. The normal form of a reason is made once for each task."""

    def __init__(self, most: int) -> None:
        """Keep the normal forms of ``most`` tasks."""
        self._forms: LRUCache[int, str] = LRUCache(most)

    def group(self, failures: Sequence[OpenFailure]) -> Mapping[str, Sequence[OpenFailure]]:
        """Return the failures by the id of their cause, in their order."""
        groups: dict[str, list[OpenFailure]] = {}
        for failure in failures:
            groups.setdefault(self._cause(failure), []).append(failure)
        return groups

    def form(self, failure: OpenFailure) -> str:
        """Return the reason of a failure without names and numbers."""
        form = self._forms.get(failure.number)
        if form is None:
            form = normal_form(failure.reason, (failure.task, failure.phone, failure.episode or ""))
            self._forms[failure.number] = form
        return form

    def describe(self, id: str, failures: Sequence[OpenFailure], place: FailurePlace, changeable: int) -> OpenCause:
        """Return a cause as clients see it. ``failures``: the newest first; ``place``: where that one ended.

        ``changeable``: how many of them the client may change.
        """
        newest = failures[0]
        newest_failures = failures[:MOST_TASKS]
        return OpenCause(
            id=id,
            ending=newest.ending,
            verified=newest.verified,
            app=place.app,
            action=place.action,
            pattern=self.form(newest),
            reason=newest.reason,
            count=len(failures),
            changeable=changeable,
            first_at=min(failure.ended_at for failure in failures),
            last_at=max(failure.ended_at for failure in failures),
            tasks=tuple(failure.task for failure in newest_failures),
            episodes=tuple(failure.episode for failure in newest_failures),
        )

    def _cause(self, failure: OpenFailure) -> str:
        return hashlib.sha256(f"{failure.ending.value}\0{self.form(failure)}".encode()).hexdigest()[:16]
