"""Keep the order in which runs have a phone that several of them want."""

from __future__ import annotations

import sqlite3

LINE_SCHEMA = """
CREATE TABLE IF NOT EXISTS places (
    serial TEXT NOT NULL, run TEXT NOT NULL, place INTEGER NOT NULL, asked_at REAL NOT NULL, PRIMARY KEY (serial, run)
) WITHOUT ROWID;
"""
STALE_S = 10.0
"""A run that has not asked for so long wants the phone no more: it asks every `held_s` of its dispatcher, 2 s."""


class Line:
    """The runs that were refused one phone, in the order in which they were, as far as they still ask for it.

    A run that is refused gets a place, which it keeps until it has the phone; so of two runs that want a phone all
    the time each has it in turn. Belongs to one transaction; ``now`` is in Unix seconds.
    """

    def __init__(self, database: sqlite3.Connection, serial: str, now: float) -> None:
        self._database = database
        self._serial = serial
        self._now = now
        database.execute("DELETE FROM places WHERE serial = ? AND asked_at <= ?", (serial, now - STALE_S))

    def before(self, run: str) -> str | None:
        """Return who has the next turn before ``run``; None if it is that run's own."""
        query = "SELECT run FROM places WHERE serial = ? ORDER BY place LIMIT 1"
        first: tuple[str] | None = self._database.execute(query, (self._serial,)).fetchone()
        return None if first is None or first[0] == run else first[0]

    def join(self, run: str) -> None:
        """Give ``run`` a place, or note that it still asks. Who asks in no run's name has none."""
        if run:
            self._database.execute(
                "INSERT INTO places (serial, run, place, asked_at)"
                " VALUES (?, ?, (SELECT COALESCE(MAX(place), 0) + 1 FROM places WHERE serial = ?), ?)"
                " ON CONFLICT (serial, run) DO UPDATE SET asked_at = excluded.asked_at",
                (self._serial, run, self._serial, self._now),
            )

    def leave(self, run: str) -> None:
        """Take back the place of a run that has the phone now."""
        self._database.execute("DELETE FROM places WHERE serial = ? AND run = ?", (self._serial, run))
