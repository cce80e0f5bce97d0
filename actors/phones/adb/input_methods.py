"""Keep which input methods phones' owners had chosen before we chose ours, over all runs on a host.

A run that was killed leaves ours chosen; whoever gives the phone back next puts back the owner's.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from manyhands.actors.phones.database import HostDatabase

_SCHEMA = """
CREATE TABLE IF NOT EXISTS input_methods (
    serial TEXT PRIMARY KEY, before TEXT NOT NULL
) WITHOUT ROWID;
"""


class InputMethods:
    """Read and write by serial, in a thread of its own, where the database is opened by the first call.

    Calls may raise StoreError, and BadInput for a folder that cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, "input methods")
        self._database: HostDatabase | None = None

    async def read(self, serial: str) -> str | None:
        """Return what a phone's owner had chosen; None where ours took nobody's place, or was given back."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._read, serial)

    async def write(self, serial: str, method: str | None) -> None:
        """Replace what is kept of a phone; None forgets it."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._write, serial, method)

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

    def _read(self, serial: str) -> str | None:
        row: tuple[str] | None = self._opened().row("SELECT before FROM input_methods WHERE serial = ?", serial)
        return row[0] if row else None

    def _write(self, serial: str, method: str | None) -> None:
        with self._opened().transaction() as database:
            database.execute("DELETE FROM input_methods WHERE serial = ?", (serial,))
            if method is not None:
                database.execute("INSERT INTO input_methods (serial, before) VALUES (?, ?)", (serial, method))
