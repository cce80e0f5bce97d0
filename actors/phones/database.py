"""Store what outlives a run: one SQLite database for all runs on a host.

Every change is one ``BEGIN IMMEDIATE`` transaction, so only one process writes at a time. Commits survive the death of
any process (write-ahead log). The host's own death may lose the last commits, except those that are ``lasting``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from manyhands.protocol import secure_files
from manyhands.protocol.errors import BadInput, HostStateAway

DATABASE = "phones.sqlite"
BUSY_TIMEOUT_S = 10.0


class HostDatabase:
    """Run queries and transactions, each of which blocks for a moment. All methods may raise HostStateAway."""

    def __init__(self, folder: Path, schema: str) -> None:
        """Open the database and create the missing tables of ``schema``. Raises BadInput."""
        try:
            secure_files.make_folder(folder)
            secure_files.make_file(folder / DATABASE)
            self._connection = sqlite3.connect(
                folder / DATABASE, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.executescript(schema)
            secure_files.restrict_database(folder / DATABASE)
        except (OSError, sqlite3.Error) as error:
            raise BadInput(
                f"the state of phones cannot be kept in {folder}: {error}; choose another state folder"
            ) from error

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Return all rows of a query, as tuples."""
        with _typed():
            return self._connection.execute(query, values).fetchall()

    def row(self, query: str, *values: Any) -> Any:
        """Return the first row of a query; None if there is none."""
        with _typed():
            return self._connection.execute(query, values).fetchone()

    @contextmanager
    def transaction(self, lasting: bool = False) -> Iterator[sqlite3.Connection]:
        """Commit what the block executes, or nothing of it after an exception.

        ``lasting``: once this returns, the changes and all earlier commits are on disk.
        """
        with _typed():
            self._connection.execute(f"PRAGMA synchronous={'FULL' if lasting else 'NORMAL'}")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


@contextmanager
def _typed() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise HostStateAway(f"the database of phones on this host: {error}") from error
