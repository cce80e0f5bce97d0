"""What outlives a run on a host, and what outlives the host's own death."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.actors.sqlite_database import DATABASE, HostDatabase

NORMAL, FULL = (1,), (2,)
"""Answers of SQLite: whether a commit waits for the disk."""


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


def test_a_lasting_transaction_waits_for_the_disk_and_no_other_does(tmp_path: Path) -> None:
    database = HostDatabase(tmp_path, "CREATE TABLE IF NOT EXISTS kept (value TEXT)")
    for lasting in (False, True, False):
        with database.transaction(lasting) as connection:
            connection.execute("INSERT INTO kept VALUES ('x')")
            assert database.row("PRAGMA synchronous") == (FULL if lasting else NORMAL)
    assert database.row("SELECT count(*) FROM kept") == (3,)
    database.close()


def test_a_hosts_database_and_its_companions_are_their_owners_alone(tmp_path: Path, usual_umask: None) -> None:
    database = HostDatabase(tmp_path / "state", "CREATE TABLE IF NOT EXISTS kept (value TEXT)")
    with database.transaction() as connection:
        connection.execute("INSERT INTO kept VALUES ('x')")
    assert modes(tmp_path / "state") == dict.fromkeys([DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"], 0o600)
    for path in (tmp_path / "state").iterdir():
        path.chmod(0o644)  # as a copy has them
    again = HostDatabase(tmp_path / "state", "CREATE TABLE IF NOT EXISTS kept (value TEXT)")
    assert again.row("SELECT count(*) FROM kept") == (1,)
    assert modes(tmp_path / "state") == dict.fromkeys([DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"], 0o600)
    again.close()
    database.close()
