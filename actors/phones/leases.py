"""Keep who may touch which phone and which actions were begun, in the database that all runs on a host share.

All methods block for a moment; call them in a thread.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from manyhands.actors.phones.database import HostDatabase
from manyhands.actors.phones.line import LINE_SCHEMA, Line
from manyhands.protocol.errors import LeaseLost, PhoneBusy
from manyhands.protocol.phones import Lease, Receipt

_SCHEMA = """
CREATE TABLE IF NOT EXISTS leases (
    serial TEXT PRIMARY KEY, epoch INTEGER NOT NULL, holder TEXT, expires_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS last_holders (serial TEXT PRIMARY KEY, holder TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS actions (
    key TEXT PRIMARY KEY, serial TEXT NOT NULL, epoch INTEGER NOT NULL, begun_at REAL NOT NULL, receipt TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS actions_by_age ON actions (begun_at);
"""
_NEVER_BEGUN = "this action was never begun, and whoever asked what became of it goes on without it"


class Leases:
    """Leases with epochs, and action keys with their first receipts. ``now`` gives Unix seconds.

    Opening raises BadInput for a folder that cannot be used; every method may raise StoreError.
    """

    def __init__(self, folder: Path, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._database = HostDatabase(folder, _SCHEMA + LINE_SCHEMA)

    def close(self) -> None:
        """Close the database; leases stay as they are."""
        self._database.close()

    # ------------------------------------------------------------------ leases
    def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        """Return a new lease with the next epoch. Raises PhoneBusy while another holder's lease runs.

        The holder of a running lease gets a new one, and its older one is void: so that an answer that was
        lost on its way can be asked for again, and an episode that was interrupted goes on at once. Otherwise a
        ``run`` that was refused before comes first, and this one is refused as well.
        """
        with self._database.transaction(lasting=True) as database:
            refusal = self._refusal(database, serial, holder, run)
            if refusal is None:
                epoch, _, _ = self._row(serial)
                last = database.execute("SELECT holder FROM last_holders WHERE serial = ?", (serial,)).fetchone()
                lease = Lease(
                    serial=serial,
                    holder=holder,
                    epoch=epoch + 1,
                    expires_at=self._now() + ttl_s,
                    undisturbed=last == (holder,),
                )
                database.execute(
                    "INSERT OR REPLACE INTO leases (serial, epoch, holder, expires_at) VALUES (?, ?, ?, ?)",
                    (serial, lease.epoch, holder, lease.expires_at),
                )
                database.execute("INSERT OR REPLACE INTO last_holders (serial, holder) VALUES (?, ?)", (serial, holder))
                Line(database, serial, self._now()).leave(run)
                return lease
        raise PhoneBusy(refusal)  # outside of the transaction, which keeps the run's place

    def ensure_free(self, serial: str, holder: str, run: str = "") -> None:
        """Raise PhoneBusy where ``attach`` would; the run then has its place."""
        with self._database.transaction() as database:
            refusal = self._refusal(database, serial, holder, run)
        if refusal is not None:
            raise PhoneBusy(refusal)

    def renew(self, lease: Lease, ttl_s: float) -> Lease:
        """Return the same lease, to run ``ttl_s`` from now. Raises LeaseLost."""
        with self._database.transaction() as database:
            self.check(lease)
            expires_at = self._now() + ttl_s
            database.execute("UPDATE leases SET expires_at = ? WHERE serial = ?", (expires_at, lease.serial))
        return lease.model_copy(update={"expires_at": expires_at})

    def detach(self, lease: Lease) -> None:
        """Free the phone, unless the lease was lost before. Epochs go on counting."""
        with self._database.transaction() as database:
            database.execute(
                "UPDATE leases SET holder = NULL WHERE serial = ? AND epoch = ? AND holder = ?",
                (lease.serial, lease.epoch, lease.holder),
            )

    def end(self, lease: Lease) -> None:
        """Have a lease run out now: the phone is free, and its holder, who asks again, comes before other runs."""
        with self._database.transaction() as database:
            database.execute(
                "UPDATE leases SET expires_at = ? WHERE serial = ? AND epoch = ? AND holder = ?",
                (self._now(), lease.serial, lease.epoch, lease.holder),
            )

    def check(self, lease: Lease) -> None:
        """Raise LeaseLost unless the lease is the newest and still runs."""
        epoch, holder, expires_at = self._row(lease.serial)
        if epoch != lease.epoch or holder != lease.holder:
            now_held = f"held by {holder} (epoch {epoch})" if holder else "free"
            raise LeaseLost(
                f"the lease of {lease.holder} on {lease.serial}, epoch {lease.epoch}, is over; it is {now_held}"
            )
        if expires_at <= self._now():
            raise LeaseLost(
                f"the lease of {lease.holder} on {lease.serial} ran out {self._now() - expires_at:.1f} s ago"
            )

    def holders(self) -> dict[str, str]:
        """Return who holds which serial now."""
        query = "SELECT serial, holder FROM leases WHERE holder IS NOT NULL AND expires_at > ?"
        return dict(self._database.rows(query, self._now()))

    def was_last(self, serial: str, holder: str) -> bool:
        """Return whether the newest lease is the holder's and was not given back, also where it has run out."""
        return self._row(serial)[1] == holder

    def is_newest(self, lease: Lease) -> bool:
        """Return whether nobody took the phone since, also where the lease has run out."""
        epoch, holder, _ = self._row(lease.serial)
        return epoch == lease.epoch and holder == lease.holder

    # ------------------------------------------------------------------ action keys
    def begin(self, lease: Lease, key: str) -> Receipt | None:
        """Write down that the action with this key begins, and return None: go on and touch the phone.

        A key that was begun before gets its first receipt, or one with status ``unknown`` if none was
        written; both are marked as repeated. Raises LeaseLost.
        """
        with self._database.transaction(lasting=True) as database:
            self.check(lease)
            row = database.execute("SELECT begun_at, receipt FROM actions WHERE key = ?", (key,)).fetchone()
            if row is None:
                database.execute(
                    "INSERT INTO actions (key, serial, epoch, begun_at) VALUES (?, ?, ?, ?)",
                    (key, lease.serial, lease.epoch, self._now()),
                )
                return None
        return _first(key, *row)

    def recall(self, lease: Lease, keys: Sequence[str]) -> tuple[Receipt, ...]:
        """Return what became of the actions with these keys. Raises LeaseLost.

        A key that was never begun is written down as refused, so that no late call can begin it.
        """
        now = self._now()
        with self._database.transaction(lasting=True) as database:
            self.check(lease)
            receipts = []
            for key in keys:
                row = database.execute("SELECT begun_at, receipt FROM actions WHERE key = ?", (key,)).fetchone()
                if row is None:
                    receipt = Receipt(
                        key=key, status="refused", detail=_NEVER_BEGUN, sent_at=now, ms=0, never_begun=True
                    )
                    database.execute(
                        "INSERT INTO actions (key, serial, epoch, begun_at, receipt) VALUES (?, ?, ?, ?, ?)",
                        (key, lease.serial, lease.epoch, now, receipt.model_dump_json()),
                    )
                else:
                    receipt = _first(key, *row)
                receipts.append(receipt)
        return tuple(receipts)

    def finish(self, receipt: Receipt) -> None:
        """Keep the first receipt of a key."""
        with self._database.transaction() as database:
            database.execute(
                "UPDATE actions SET receipt = ? WHERE key = ? AND receipt IS NULL",
                (receipt.model_dump_json(), receipt.key),
            )

    def forget(self, key: str) -> None:
        """Free the key of an action that was certainly not sent."""
        with self._database.transaction() as database:
            database.execute("DELETE FROM actions WHERE key = ? AND receipt IS NULL", (key,))

    def prune(self, older_than_s: float) -> int:
        """Drop keys that were begun so long ago; return how many.

        Whoever had a phone before that finds it disturbed: of its keys ``recall`` could not tell any more.
        """
        with self._database.transaction() as database:
            before = self._now() - older_than_s
            database.execute(
                "DELETE FROM last_holders WHERE serial IN (SELECT serial FROM leases WHERE expires_at < ?)", (before,)
            )
            return database.execute("DELETE FROM actions WHERE begun_at < ?", (before,)).rowcount

    # ------------------------------------------------------------------ rows
    def _row(self, serial: str) -> tuple[int, str | None, float]:
        """Return epoch, holder and end of the newest lease."""
        query = "SELECT epoch, holder, expires_at FROM leases WHERE serial = ?"
        row: tuple[int, str | None, float] | None = self._database.row(query, serial)
        return row or (0, None, 0.0)

    def _refusal(self, database: sqlite3.Connection, serial: str, holder: str, run: str) -> str | None:
        """Return why ``holder`` may not take the phone now; None if it may."""
        _, holds, expires_at = self._row(serial)
        if holds == holder:
            return None
        now = self._now()
        line, left = Line(database, serial, now), expires_at - now
        if holds is not None and left > 0:
            refusal = f"phone {serial} is held by {holds} for {left:.0f} s more"
        elif (first := line.before(run)) is not None:
            refusal = f"phone {serial} is free, and the run {first} has its next turn"
        else:
            return None
        line.join(run)
        return refusal


def _first(key: str, begun_at: float, receipt: str | None) -> Receipt:
    """Return the first receipt of a key that was begun before, marked as repeated."""
    if receipt is not None:
        return Receipt.model_validate_json(receipt).model_copy(update={"repeated": True})
    detail = "this action was begun before and its receipt was never written"
    return Receipt(key=key, status="unknown", detail=detail, sent_at=begun_at, ms=0, repeated=True)
