"""Open SQLite databases with typed errors, and run them in a single thread of their own.

An event loop calls the object in the thread, which blocks, through ``SingleThread``.
"""

from __future__ import annotations

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from manyhands.protocol.errors import BadInput, HostStateAway, ManyhandsError
from manyhands.protocol.utilities import secure_files

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

DATABASE = "phones.sqlite"

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
        with self._transaction("BEGIN"):
            yield

    @contextmanager
    def transaction(self, lasting: bool = False) -> Iterator[sqlite3.Connection]:
        """Commit what the block executes, or nothing of it after an exception.

        ``lasting``: once this returns, the changes and all earlier commits are on disk.
        """
        with self._raising():
            self._connection.execute(f"PRAGMA synchronous={'FULL' if lasting else 'NORMAL'}")
        with self._transaction("BEGIN IMMEDIATE"):
            yield self._connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
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


class HostDatabase(SqliteDatabase):
    """Store what outlives a run, for all runs on a host. All methods may raise HostStateAway."""

    def __init__(self, folder: Path, schema: str) -> None:
        """Open the database and create the missing tables of ``schema``. Raises BadInput."""
        try:
            secure_files.make_folder(folder)
            secure_files.make_file(folder / DATABASE)
            super().__init__(folder / DATABASE)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.executescript(schema)
            secure_files.restrict_database(folder / DATABASE)
        except (OSError, sqlite3.Error) as error:
            raise BadInput(
                f"the state of phones cannot be kept in {folder}: {error}; choose another state folder"
            ) from error

    def _typed(self, error: sqlite3.Error) -> HostStateAway:
        return HostStateAway(f"the database of phones on this host: {error}")


class SingleThread(Generic[T]):
    """Hold an object that blocks, and call its methods in one thread of its own."""

    def __init__(self, value: T, thread: ThreadPoolExecutor) -> None:
        """Store the object and its thread. Callers use ``open`` instead."""
        self._value = value
        self._thread = thread

    @classmethod
    async def open(cls, make: Callable[[], T], name: str) -> SingleThread[T]:
        """Make the object in its thread. Raises what ``make`` raises."""
        thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        try:
            return cls(await asyncio.get_running_loop().run_in_executor(thread, make), thread)
        except ManyhandsError:
            thread.shutdown(wait=False)
            raise

    async def run(self, method: Callable[Concatenate[T, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a method of the object, given by its class: ``await leases.run(Leases.renew, lease, 30)``."""
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: method(self._value, *args, **kwargs)
        )

    async def close(self, method: Callable[[T], None]) -> None:
        """Call the object's ``method`` as its last one and end the thread."""
        await self.run(method)
        self._thread.shutdown(wait=False)
