"""Run queries and transactions on a file of SQLite that several processes share."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from manyhands.protocol.errors import ManyhandsError

BUSY_TIMEOUT_S = 10.0


class SqliteDatabase(ABC):
    """Hold one connection. Each method blocks for a moment, and may raise the errors that ``_typed`` returns.

    Every change is one ``BEGIN IMMEDIATE`` transaction, so only one process writes at a time. Commits survive the death
    of any process (write-ahead log). The host's own death may lose the last commits, except those that are ``lasting``.
    """

    def __init__(self, path: Path) -> None:
        """Connect. Raises sqlite3.Error."""
        self._connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._raising():
            return self._connection.execute(query, values).fetchall()

    def row(self, query: str, *values: Any) -> Any:
        """Return the first row of a query; None if there is none."""
        with self._raising():
            return self._connection.execute(query, values).fetchone()

    def execute(self, statement: str, *values: Any) -> None:
        """Execute a statement that changes something. Call it within a transaction."""
        with self._raising():
            self._connection.execute(statement, values)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read one version of the file within the block, even if others write meanwhile. Writers are not delayed."""
        with self._begun("BEGIN"):
            yield

    @contextmanager
    def transaction(self, lasting: bool = False) -> Iterator[sqlite3.Connection]:
        """Commit what the block executes, or nothing of it after an exception.

        ``lasting``: once this returns, the changes and all earlier commits are on disk.
        """
        with self._raising():
            self._connection.execute(f"PRAGMA synchronous={'FULL' if lasting else 'NORMAL'}")
        with self._begun("BEGIN IMMEDIATE"):
            yield self._connection

    @contextmanager
    def _begun(self, begin: str) -> Iterator[None]:
        with self._raising():
            self._connection.execute(begin)
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @abstractmethod
    def _typed(self, error: sqlite3.Error) -> ManyhandsError:
        """Return an error of SQLite as one of ours."""

    @contextmanager
    def _raising(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._typed(error) from error
