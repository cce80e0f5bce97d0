"""Store a fleet's memory in one SQLite database. Each lesson is one transaction."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

from manyhands.actors.sqlite_database import SqliteDatabase
from manyhands.protocol.errors import BadInput, StoreError, StoreFull
from manyhands.protocol.utilities import secure_files

FORMAT = 1
"""The version of the schema."""
_OURS = 0x4D684D65
"""The ``PRAGMA application_id`` of a memory: it tells our files from other databases."""
_SCHEMA = """
CREATE TABLE changes (
    version INTEGER NOT NULL, at REAL NOT NULL, scope TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
    text TEXT NOT NULL, source TEXT NOT NULL
);
CREATE INDEX changes_by_version ON changes (version);
CREATE INDEX changes_by_id ON changes (id);
CREATE TABLE lessons (id TEXT PRIMARY KEY, version INTEGER NOT NULL, taken TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tips (
    id TEXT NOT NULL, version INTEGER NOT NULL, scope TEXT NOT NULL, text TEXT NOT NULL, taught_by TEXT NOT NULL,
    since INTEGER NOT NULL, until INTEGER, PRIMARY KEY (id, version)
) WITHOUT ROWID;
CREATE INDEX tips_of_a_scope ON tips (scope, until);
CREATE TABLE shortcuts (
    id TEXT NOT NULL, version INTEGER NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,
    routine TEXT NOT NULL, source TEXT NOT NULL, taught_by TEXT NOT NULL, put_aside TEXT NOT NULL, texts TEXT,
    since INTEGER NOT NULL, until INTEGER, PRIMARY KEY (id, version)
) WITHOUT ROWID;
CREATE INDEX shortcuts_of_a_scope ON shortcuts (scope, until);
CREATE INDEX shortcuts_by_routine ON shortcuts (routine);
CREATE TABLE uses (
    episode TEXT NOT NULL, step INTEGER NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, outcome TEXT NOT NULL,
    reason TEXT NOT NULL, size TEXT NOT NULL, app_version TEXT NOT NULL, at REAL NOT NULL,
    UNIQUE (episode, step)
);
CREATE INDEX uses_of_a_version ON uses (id, version);
CREATE VIRTUAL TABLE words USING fts5(kind UNINDEXED, id UNINDEXED, scope UNINDEXED, said);
"""


class MemoryDatabase(SqliteDatabase):
    """Run queries and transactions. All methods block, and may raise StoreError or StoreFull."""

    def __init__(self, path: Path, make: bool = True, write: bool = True) -> None:
        """Open the file. If it does not exist and ``make`` is true, make it.

        Raises BadInput if the file is not a memory of Manyhands, or if ``write`` is true and it cannot be written.
        """
        self._path = path
        if not make and not path.exists():
            raise BadInput(f"{path}: no such file")
        try:
            if make:
                path.parent.mkdir(parents=True, exist_ok=True)
                secure_files.make_file(path)
            super().__init__(path)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error
        try:
            self._make()
            self._connection.execute("PRAGMA journal_mode=WAL")
            secure_files.restrict_database(path)
            if write:
                with self.transaction(lasting=True):  # a read-only file fails here, not at the first lesson
                    pass
        except (BadInput, StoreError, OSError, sqlite3.Error) as error:
            self._connection.close()
            raise error if isinstance(error, BadInput) else self._unusable(error) from error

    @property
    def version(self) -> int:
        """Return how many transactions have changed the memory."""
        (newest,) = self.rows("SELECT COALESCE(MAX(version), 0) FROM changes")
        return int(newest[0])

    @property
    def state(self) -> tuple[int, int]:
        """Return a value that changes whenever any process has changed the file."""
        (others,) = self.rows("PRAGMA data_version")
        return int(others[0]), self._connection.total_changes

    def _make(self) -> None:
        """Make the tables in a new file. In an existing file, check the format before anything is changed."""
        if self._is_new():
            with self.transaction(lasting=True):
                if self._is_new():  # if two processes create the file at once, the second finds the tables
                    for statement in _SCHEMA.split(";\n"):
                        self._connection.execute(statement)
                    self._connection.execute(f"PRAGMA application_id={_OURS}")
                    self._connection.execute(f"PRAGMA user_version={FORMAT}")
        if self._pragma("application_id") != _OURS:
            raise BadInput(f"{self._path}: is a database, but no memory of a fleet")
        if self._pragma("user_version") != FORMAT:
            formats = f"format {self._pragma('user_version')}, and this version of Manyhands knows format {FORMAT}"
            raise BadInput(f"{self._path}: is a memory of {formats}")

    def _is_new(self) -> bool:
        tables = self._connection.execute("SELECT 1 FROM sqlite_master").fetchall()
        return self._pragma("application_id") == 0 and not tables

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def _unusable(self, error: Exception) -> BadInput:
        return BadInput(f"{self._path}: is no memory of a fleet that can be opened: {error}")

    def _typed(self, error: sqlite3.Error) -> StoreError:
        kind = StoreFull if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL else StoreError
        return kind(f"the memory {self._path}: {error}")


def as_json(value: Any) -> str:
    """Return the JSON text by which the database stores a value."""
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------------------- the index of words
_RUNS = re.compile(r"[^\W_\u3400-\u9fff]+|[\u3400-\u9fff]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_MOST_TERMS = 64
"""The most words of a goal that are searched for."""


def index_terms(text: str) -> str:
    """Return the text for the word index.

    Its terms are separated by spaces: words, and for Chinese all pairs of neighbouring characters.
    """
    return " ".join(_terms(text))


def match_query(text: str) -> str:
    """Return an FTS5 query for texts that have any word of ``text``. Return an empty text if ``text`` has no words."""
    terms = list(dict.fromkeys(_terms(text)))[:_MOST_TERMS]
    return " OR ".join(f'"{term}"' for term in terms)


def _terms(text: str) -> list[str]:
    terms: list[str] = []
    for run in _RUNS.findall(text.casefold().replace("_", " ")):
        if _CHINESE.match(run) and len(run) > 1:
            terms += [run[place : place + 2] for place in range(len(run) - 1)]
        else:
            terms.append(run)
    return terms
