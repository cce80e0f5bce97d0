"""Open the service's database, SQLite in a file or PostgreSQL; read it, change it and append events in transactions."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, event, exc, func, insert, make_url, select, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.engine.url import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from manyhands.protocol.errors import DatabaseAway, DatabaseUnusable
from manyhands.protocol.service.events import ServiceEvent
from manyhands.protocol.utilities import secure_files
from manyhands.service.database.migration import upgrade_schema
from manyhands.service.database.schema import EVENTS, dump_json


class WriteTransaction:
    """Change the database. Nothing counts before the end of the transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        self.connection = connection
        self.last_event = 0
        """The number of the last event that was appended; 0 if there is none."""

    async def append(self, events: Sequence[ServiceEvent]) -> None:
        """Append events. The database numbers them, so their own ids do not matter."""
        if not events:
            return
        rows = [
            {
                "at": one.at,
                "kind": one.kind.value,
                "batch": one.batch,
                "task": one.task,
                "phone": one.phone,
                "data": dump_json(one.data),
            }
            for one in events
        ]
        await self.connection.execute(insert(EVENTS), rows)
        self.last_event = await last_event(self.connection)


class EventSignal:
    """Tell the tasks of this process that events were committed.

    It knows no events of other processes, so whoever waits should look again after a while.
    """

    def __init__(self) -> None:
        self._last = 0
        self._changed = asyncio.Event()

    @property
    def last(self) -> int:
        """Return the number of the last event that this process knows; 0 if there is none."""
        return self._last

    def note(self, last: int) -> None:
        """Wake everybody: the event with the number ``last`` is committed."""
        if last <= self._last:
            return
        self._last = last
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def wait(self, after: int, timeout_s: float) -> bool:
        """Wait for an event with a number above ``after``. Return False if none came within the time."""
        try:
            async with asyncio.timeout(timeout_s):
                while self._last <= after:
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True


async def last_event(connection: AsyncConnection) -> int:
    """Return the number of the last event; 0 if there is none."""
    return (await connection.execute(select(func.max(EVENTS.c.id)))).scalar_one() or 0


_BUSY_MS = 15_000
"""How long a statement waits for another process that writes."""
_POOL = 6
"""How many connections are kept. Each one to SQLite has a thread."""
_WRITER_LOCK = 0x6D68_6462
"""The number of PostgreSQL's advisory lock that a writer holds."""
_SERVICE_LOCK = 0x6D68_7376
"""The number of PostgreSQL's advisory lock that a service holds while it lives."""
_CLAIM_TRIES, _CLAIM_S = 20, 0.5
"""How often, and how many seconds apart, a service asks for that lock: the one before it may just have died."""
_WRITES = {"manyhands_writes": True}


class ServiceDatabase:
    """Hold the connections to the database of a service.

    There is one writer at a time, on both kinds of databases, also among several processes. So events are numbered in
    the order in which they become visible, and a reader who asks for those after the last one it knows misses none.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        """Take an engine that ``open`` made."""
        self.signal = EventSignal()
        self._engine = engine
        self._writer = engine.execution_options(**_WRITES)
        self._turn = asyncio.Lock()
        self._file: _SqliteFile | None = None

    @classmethod
    async def open(cls, url: str) -> ServiceDatabase:
        """Open a database, and bring its tables up to date.

        ``url`` is the path of an SQLite file, which is made if there is none, or a URL such as
        ``postgresql://USER:PASSWORD@HOST/NAME``. Raises DatabaseUnusable and DatabaseAway.
        """
        parsed = _parse_url(url)
        database = cls(_make_engine(parsed))
        try:
            async with database.write() as change:
                await change.connection.run_sync(upgrade_schema)
            if database.is_sqlite:
                database._refuse_other_files(_SqliteFile(Path(str(parsed.database))))
                await database._open_all()
            async with database.read() as connection:
                database.signal.note(await last_event(connection))
        except BaseException:
            await database.close()
            raise
        return database

    @property
    def is_sqlite(self) -> bool:
        """Return whether the database is a file of SQLite's."""
        return self._engine.dialect.name == "sqlite"

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection that sees what is committed. Raises DatabaseAway."""
        with _typed_errors():
            async with self._engine.connect() as connection:
                self._check_file()
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[WriteTransaction]:
        """Give the one transaction that may write now. It is committed at the end, unless an error leaves it.

        When this returns, the change is on disk. Raises DatabaseAway.
        """
        with _typed_errors():
            async with self._turn, self._writer.begin() as connection:
                if not self.is_sqlite:
                    await connection.execute(text(f"SELECT pg_advisory_xact_lock({_WRITER_LOCK})"))
                change = WriteTransaction(connection)
                yield change
                self._check_file()
            if change.last_event:
                self.signal.note(change.last_event)

    @asynccontextmanager
    async def claim(self) -> AsyncIterator[None]:
        """Hold the database for one service while the context is open. Raises DatabaseUnusable if another has it.

        The lock of a service's folder protects a file of SQLite in it. PostgreSQL frees the claim of a process that
        died as soon as its connection is gone.
        """
        if self.is_sqlite:
            yield
            return
        async with self._engine.connect() as idle:
            connection = await idle.execution_options(isolation_level="AUTOCOMMIT")
            claimed = text(f"SELECT pg_try_advisory_lock({_SERVICE_LOCK})")
            for further in reversed(range(_CLAIM_TRIES)):
                if (await connection.execute(claimed)).scalar_one():
                    break
                if not further:
                    raise DatabaseUnusable("another service works on this database: give each service its own")
                await asyncio.sleep(_CLAIM_S)
            try:
                yield
            finally:
                await connection.invalidate()  # the claim ends with the connection, which the pool would keep

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()

    def _refuse_other_files(self, file: _SqliteFile) -> None:
        """Check the file from now on, also before and after each further connection is made."""
        self._file = file
        event.listen(self._engine.sync_engine, "do_connect", lambda *_: file.check(is_open=False))
        event.listen(self._engine.sync_engine, "connect", lambda connection, _: _check_connection(file, connection))

    async def _open_all(self) -> None:
        """Open all connections, which keep their files for good.

        One that is opened while somebody moves the files may find the file at its place and make a new log: it would
        not see the last changes, ever, and remove the log of the others at its end.
        """
        async with AsyncExitStack() as stack:
            for _ in range(_POOL):
                await stack.enter_async_context(self._engine.connect())

    def _check_file(self) -> None:
        """Raise DatabaseAway if nobody would find again what is written now."""
        if self._file is not None:
            self._file.check()


class _SqliteFile:
    """Remember a file of SQLite: people may move, delete or replace it while connections still write to the old one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(path.name + "-wal")
        self._identity = self._find()

    def check(self, is_open: bool = True) -> None:
        """Raise DatabaseAway if another file stands at the path or none, or if the log beside it is gone.

        ``is_open``: whether there is a connection. SQLite makes the log with the first and removes it with the last.
        """
        try:
            is_same = self._find() == self._identity and (self._log.exists() or not is_open)
        except OSError:
            is_same = False
        if not is_same:
            raise DatabaseAway(
                f"{self._path} or {self._log.name} was moved, deleted or replaced while the service runs: put both "
                "back, or stop the service"
            )

    def _find(self) -> tuple[int, int]:
        there = self._path.stat()
        return there.st_dev, there.st_ino


def _parse_url(url: str) -> URL:
    if "://" not in url:
        return URL.create("sqlite+aiosqlite", database=str(Path(url).absolute()))
    try:
        parsed = make_url(url)
        kind = parsed.get_backend_name()
    except exc.ArgumentError:
        kind = ""
    if kind == "sqlite" and parsed.database:
        return parsed.set(drivername="sqlite+aiosqlite")
    if kind == "postgresql" or url.startswith("postgres://"):
        return parsed.set(drivername="postgresql+psycopg")
    raise DatabaseUnusable(
        "the database's URL is none that the service knows: write postgresql://USER@HOST/NAME, or the path of a file"
    )


def _make_engine(url: URL) -> AsyncEngine:
    if url.get_backend_name() == "sqlite":
        path = Path(str(url.database))
        try:
            secure_files.make_file(path)
        except OSError as error:
            raise DatabaseUnusable(f"{path}: cannot be made: {error.strerror or error}") from None
        existing = url.set(database=f"file:{quote(str(path))}").update_query_dict({"mode": "rw", "uri": "true"})
        engine = create_async_engine(existing, pool_size=_POOL, max_overflow=0)
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
        event.listen(engine.sync_engine, "invalidate", _leave_transaction)
        return engine
    options = f"-c lock_timeout={_BUSY_MS} -c statement_timeout={4 * _BUSY_MS} -c timezone=UTC"
    return create_async_engine(
        url, pool_size=_POOL, max_overflow=0, pool_pre_ping=True, connect_args={"options": options}
    )


def _prepare_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    # The driver would begin transactions by itself, and too late for a reader's.
    connection.isolation_level = None
    cursor = connection.cursor()
    try:
        for pragma in (
            f"busy_timeout = {_BUSY_MS}",
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
        ):
            cursor.execute(f"PRAGMA {pragma}")
    finally:
        cursor.close()


def _check_connection(file: _SqliteFile, connection: DBAPIConnection) -> None:
    try:
        file.check()
    except DatabaseAway:
        connection.close()
        raise


def _begin_sqlite(connection: Connection) -> None:
    """Begin a transaction. A writer takes the lock at once, because it could not wait for it later."""
    options: dict[str, Any] = dict(connection.get_execution_options())
    connection.exec_driver_sql("BEGIN IMMEDIATE" if _WRITES.keys() <= options.keys() else "BEGIN")


def _leave_transaction(connection: DBAPIConnection, _: ConnectionPoolEntry, __: BaseException | None) -> None:
    """Roll back before a connection is dropped, as after a cancellation in the middle of a statement.

    Otherwise SQLite keeps the connection and the writer's lock until nothing refers to the statement any more.
    """
    with suppress(exc.DBAPIError, sqlite3.Error):
        connection.rollback()


@contextmanager
def _typed_errors() -> Iterator[None]:
    try:
        yield
    except exc.DatabaseError as error:
        if isinstance(error, exc.IntegrityError | exc.DataError | exc.ProgrammingError):
            raise
        reason = " ".join(str(error.orig).split())
        if "file is not a database" in reason:
            raise DatabaseUnusable("the file is no database of SQLite: move it away, or name another file") from error
        raise DatabaseAway(f"the database cannot be used now: {reason}") from error
    except (exc.InterfaceError, exc.TimeoutError) as error:
        raise DatabaseAway(f"the database does not answer: {' '.join(str(error).split())}") from error
