"""What outlives a run on a host, and what outlives the host's own death."""

from __future__ import annotations

from pathlib import Path

from manyhands.actors.phones.database import HostDatabase

NORMAL, FULL = (1,), (2,)
"""Answers of SQLite: whether a commit waits for the disk."""


def test_a_lasting_transaction_waits_for_the_disk_and_no_other_does(tmp_path: Path) -> None:
    database = HostDatabase(tmp_path, "CREATE TABLE IF NOT EXISTS kept (value TEXT)")
    for lasting in (False, True, False):
        with database.transaction(lasting) as connection:
            connection.execute("INSERT INTO kept VALUES ('x')")
            assert database.row("PRAGMA synchronous") == (FULL if lasting else NORMAL)
    assert database.row("SELECT count(*) FROM kept") == (3,)
    database.close()
