"""Keep values of phones by serial and name, over all runs on a host: what their owners had set, and what is installed.

A killed run leaves a phone as it had set it. The next run that gives the phone back restores what is kept here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from manyhands.actors.sqlite_database import HostDatabase

_SCHEMA = """
CREATE TABLE IF NOT EXISTS phone_values (
    serial TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (serial, name)
) WITHOUT ROWID;
"""


class ValueStore:
    """Store texts by serial and name. The store works in a thread of its own. The first call opens the database there.

    Calls may raise StoreError, and BadInput for a folder that cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, "phone values")
        self._database: HostDatabase | None = None

    async def read(self, serial: str) -> Mapping[str, str]:
        """Return all values of a phone, by name."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._read, serial)

    async def write(self, serial: str, values: Mapping[str, str | None]) -> None:
        """Replace values of a phone in one transaction; None deletes one."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._write, serial, values)

    def close(self) -> None:
        """Let calls end, then close the database."""
        self._thread.submit(self._close)
        self._thread.shutdown(wait=False)

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()

    def _opened(self) -> HostDatabase:
        if self._database is None:
            self._database = HostDatabase(self._folder, _SCHEMA)
        return self._database

    def _read(self, serial: str) -> Mapping[str, str]:
        return dict(self._opened().rows("SELECT name, value FROM phone_values WHERE serial = ?", serial))

    def _write(self, serial: str, values: Mapping[str, str | None]) -> None:
        with self._opened().transaction() as database:
            for name, value in values.items():
                database.execute("DELETE FROM phone_values WHERE serial = ? AND name = ?", (serial, name))
                if value is not None:
                    database.execute("INSERT INTO phone_values VALUES (?, ?, ?)", (serial, name, value))
