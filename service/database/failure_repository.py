"""Find tasks that failed and that nobody has looked after yet, and keep which ones a person has dismissed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import insert, select

from manyhands.protocol.base import Ending
from manyhands.service.database.batches.batch_queries import MOST_TRIES
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.schema import DISMISSALS, TASKS, TableQuery

MOST_FAILURES = 2000
"""The most failures that are counted: the newest."""


class OpenFailure(NamedTuple):
    """Hold a failed task that was neither retried nor dismissed."""

    number: int
    task: str
    owner: str
    ending: Ending
    verified: bool | None
    reason: str
    phone: str
    episode: str | None
    ended_at: float
    is_exhausted: bool
    """Whether it was tried so often that it cannot be retried."""


class OpenFailures(NamedTuple):
    """Hold the newest failures."""

    newest: Sequence[OpenFailure]
    """The newest first."""
    has_more: bool
    """Whether there are older ones, which were left out."""


def failure_query(most: int = MOST_FAILURES) -> TableQuery:
    """Return the query for the newest failed tasks that were neither retried nor dismissed, at most so many."""
    later = TASKS.alias("later")
    names = ("number", "id", "owner", "ending", "verified", "reason", "phone", "episode", "ended_at", "retry")
    is_retried = select(later.c.number).where(later.c.origin == TASKS.c.origin, later.c.retry > TASKS.c.retry).exists()
    is_dismissed = select(DISMISSALS.c.task).where(DISMISSALS.c.task == TASKS.c.number).exists()
    return (
        select(*(TASKS.c[name] for name in names))
        .where(TASKS.c.is_done.is_(False), TASKS.c.ending != Ending.CANCELLED.value, ~is_retried, ~is_dismissed)
        .order_by(TASKS.c.number.desc())
        .limit(most)
    )


class FailureRepository:
    """Keep which failures are dismissed. Every method may raise DatabaseAway."""

    def __init__(self, database: ServiceDatabase, most: int = MOST_FAILURES) -> None:
        """Keep them in a database. ``most``: how many failures are counted."""
        self._database = database
        self._most = most

    async def open_failures(self) -> OpenFailures:
        """Return the newest failed tasks that were neither retried nor dismissed."""
        async with self._database.read() as connection:
            rows = (await connection.execute(failure_query(self._most + 1))).all()
        newest = tuple(
            OpenFailure(
                number=row.number,
                task=row.id,
                owner=row.owner,
                ending=Ending(row.ending),
                verified=row.verified,
                reason=row.reason or "",
                phone=row.phone or "",
                episode=row.episode,
                ended_at=row.ended_at or 0.0,
                is_exhausted=row.retry >= MOST_TRIES,
            )
            for row in rows[: self._most]
        )
        return OpenFailures(newest, has_more=len(rows) > self._most)

    async def dismiss(self, failures: Sequence[OpenFailure], owner: str, at: float) -> None:
        """Keep that a person has seen these failures. Those that are dismissed already stay so."""
        async with self._database.write() as change:
            numbers = [failure.number for failure in failures]
            dismissals = select(DISMISSALS.c.task).where(DISMISSALS.c.task.in_(numbers))
            there = set((await change.connection.execute(dismissals)).scalars())
            rows = [{"task": number, "owner": owner, "at": at} for number in numbers if number not in there]
            if rows:
                await change.connection.execute(insert(DISMISSALS), rows)
