"""Store what outlives a run: one SQLite database for all runs on a host."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from manyhands.actors.sqlite_database import SqliteDatabase
from manyhands.protocol.errors import BadInput, HostStateAway
from manyhands.protocol.utilities import secure_files

DATABASE = "phones.sqlite"


class HostDatabase(SqliteDatabase):
    """Run queries and transactions. All methods may raise HostStateAway."""

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
