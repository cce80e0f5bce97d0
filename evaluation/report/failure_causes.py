"""Group the tasks that failed for the same cause: the same ending, app and reason, apart from names and numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.protocol.base import Ending
from manyhands.protocol.reports.run_report import FailureCause

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|‘[^’]*’|「[^」]*」|(?<!\w)'[^']*'(?!\w)|`[^`]*`")
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_ID = re.compile(r"\b(?=\w*\d)[\w.:-]*\w")
"""A word with a digit: a number, an id, a serial, a time."""
_LONGEST = 500
"""Characters of a reason that are compared."""


@dataclass(frozen=True, slots=True)
class TaskFailure:
    """Hold why a task failed."""

    task: str
    ending: Ending
    app: str
    reason: str
    names: tuple[str, ...] = ()
    """What names this task alone, such as its id and the serial of its phone."""


def group_failures(failures: Sequence[TaskFailure]) -> tuple[FailureCause, ...]:
    """Return the causes, the most frequent first; among equal ones, the earliest first."""
    groups: dict[tuple[Ending, str, str], list[TaskFailure]] = {}
    for failure in failures:
        key = (failure.ending, failure.app, normal_form(failure.reason, failure.names))
        groups.setdefault(key, []).append(failure)
    ordered = sorted(groups.values(), key=len, reverse=True)
    return tuple(
        FailureCause(
            id=f"cause-{number}",
            ending=group[0].ending,
            app=group[0].app,
            reason=group[0].reason,
            tasks=tuple(failure.task for failure in group),
        )
        for number, group in enumerate(ordered, start=1)
    )


def normal_form(reason: str, names: Sequence[str] = ()) -> str:
    """Return a reason without what differs from task to task: names, quoted texts, addresses, ids and numbers."""
    text = reason[:_LONGEST]
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = text.replace(name, "#")
    for pattern in (_QUOTED, _ADDRESS, _ID):
        text = pattern.sub("#", text)
    return " ".join(text.casefold().split())
