"""Store leases, a queue for each phone, and action keys, in the database that all runs on a host share.

All methods block for a moment; call them in a thread.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from manyhands.actors.sqlite_database import HostDatabase
from manyhands.protocol.errors import LeaseLost, PhoneBusy, RunCopied
from manyhands.protocol.phones import Lease, Receipt, episode_of
from manyhands.protocol.utilities.host_clock import ClockAnchor, HostClock

CLOCK_SCHEMA = """
CREATE TABLE IF NOT EXISTS clock (boot TEXT PRIMARY KEY, zero_at REAL NOT NULL) WITHOUT ROWID;
"""


def shared_clock(database: HostDatabase, clock: HostClock) -> HostClock:
    """Set ``clock`` to the common time of all processes that share the database, and return it.

    One process writes a lease, and others read it. With the machine's clock, a lease would expire at once or last for
    hours if somebody set that clock. So the first process after a boot records the Unix time at zero of the host's
    monotonic clock, and all others use this record. The first process also expires the leases from before the boot,
    because their holders on this host are gone.
    """
    boot, zero_at = clock.anchor.boot, clock.anchor.zero_at
    with database.transaction() as changes:
        row = changes.execute("SELECT zero_at FROM clock WHERE boot = ?", (boot,)).fetchone()
        if row is None:
            if changes.execute("DELETE FROM clock").rowcount:
                changes.execute("UPDATE leases SET expires_at = MIN(expires_at, ?)", (clock.now(),))
                changes.execute("DELETE FROM places")
            changes.execute("INSERT INTO clock (boot, zero_at) VALUES (?, ?)", (boot, zero_at))
    clock.adopt(ClockAnchor(boot, zero_at if row is None else row[0]))
    return clock


QUEUE_SCHEMA = """
CREATE TABLE IF NOT EXISTS places (
    serial TEXT NOT NULL, run TEXT NOT NULL, place INTEGER NOT NULL, asked_at REAL NOT NULL, PRIMARY KEY (serial, run)
) WITHOUT ROWID;
"""
STALE_S = 10.0
"""A run that has not asked for this long no longer wants the phone. A run that waits asks every ``held_s`` of its
dispatcher, which is 2 s."""


class PhoneQueue:
    """Queue the runs that were refused one phone, in order, as long as they still ask for it.

    A refused run keeps its place until it has the phone. So two runs that always want the same phone use it in turn.
    Belongs to one transaction; ``now`` is in Unix seconds.
    """

    def __init__(self, database: sqlite3.Connection, serial: str, now: float) -> None:
        self._database = database
        self._serial = serial
        self._now = now
        database.execute("DELETE FROM places WHERE serial = ? AND asked_at <= ?", (serial, now - STALE_S))

    def ahead_of(self, run: str) -> str | None:
        """Return the run that gets the phone next; None if that is ``run`` itself, or no run waits."""
        query = "SELECT run FROM places WHERE serial = ? ORDER BY place LIMIT 1"
        first: tuple[str] | None = self._database.execute(query, (self._serial,)).fetchone()
        return None if first is None or first[0] == run else first[0]

    def join(self, run: str) -> None:
        """Add ``run`` to the queue, or record that it still asks. A caller without a run gets no place."""
        if run:
            self._database.execute(
                "INSERT INTO places (serial, run, place, asked_at)"
                " VALUES (?, ?, (SELECT COALESCE(MAX(place), 0) + 1 FROM places WHERE serial = ?), ?)"
                " ON CONFLICT (serial, run) DO UPDATE SET asked_at = excluded.asked_at",
                (self._serial, run, self._serial, self._now),
            )

    def leave(self, run: str) -> None:
        """Remove a run that now has the phone."""
        self._database.execute("DELETE FROM places WHERE serial = ? AND run = ?", (self._serial, run))


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
    """Store leases with epochs, and action keys with their first receipts.

    ``now`` returns Unix seconds. By default all processes of a host use the database's own clock, which does not follow
    changes of the machine's clock.

    Opening raises BadInput for a folder that cannot be used; every method may raise StoreError.
    """

    def __init__(self, folder: Path, now: Callable[[], float] | None = None) -> None:
        self._database = HostDatabase(folder, _SCHEMA + QUEUE_SCHEMA + CLOCK_SCHEMA)
        self._now = now or shared_clock(self._database, HostClock()).now

    def close(self) -> None:
        """Close the database; leases stay as they are."""
        self._database.close()

    # ------------------------------------------------------------------ leases
    def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        """Return a new lease with the next epoch.

        The holder of a valid lease gets a new one, which voids the old. So a holder can ask again after an answer was
        lost, and an interrupted episode gets its phone at once. Any other caller is refused while an earlier refused
        run waits for the phone. Raises PhoneBusy while another holder's lease is valid.
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
                PhoneQueue(database, serial, self._now()).leave(run)
                return lease
        raise refusal  # raised outside the transaction, so that the run's place is kept

    def ensure_free(self, serial: str, holder: str, run: str = "") -> None:
        """Raise PhoneBusy if ``attach`` would raise it. In that case the run gets a place in the queue."""
        with self._database.transaction() as database:
            refusal = self._refusal(database, serial, holder, run)
        if refusal is not None:
            raise refusal

    def renew(self, lease: Lease, ttl_s: float) -> Lease:
        """Return the same lease, which now expires ``ttl_s`` from now. Raises LeaseLost."""
        with self._database.transaction() as database:
            self.check(lease)
            expires_at = self._now() + ttl_s
            database.execute("UPDATE leases SET expires_at = ? WHERE serial = ?", (expires_at, lease.serial))
        return lease.model_copy(update={"expires_at": expires_at})

    def detach(self, lease: Lease) -> None:
        """Free the phone, unless the lease was lost before. Epochs continue to count."""
        with self._database.transaction() as database:
            database.execute(
                "UPDATE leases SET holder = NULL WHERE serial = ? AND epoch = ? AND holder = ?",
                (lease.serial, lease.epoch, lease.holder),
            )

    def end(self, lease: Lease) -> None:
        """Expire a lease now. The phone is then free. If the lease's holder asks again, it comes before other runs."""
        with self._database.transaction() as database:
            database.execute(
                "UPDATE leases SET expires_at = ? WHERE serial = ? AND epoch = ? AND holder = ?",
                (self._now(), lease.serial, lease.epoch, lease.holder),
            )

    def check(self, lease: Lease) -> None:
        """Raise LeaseLost unless the lease is the newest and still valid."""
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
        """Return the holder of each serial that is leased now."""
        query = "SELECT serial, holder FROM leases WHERE holder IS NOT NULL AND expires_at > ?"
        return dict(self._database.rows(query, self._now()))

    def was_last(self, serial: str, holder: str) -> bool:
        """Return whether the newest lease is the holder's and was not given back, even if it has expired."""
        return self._row(serial)[1] == holder

    def is_newest(self, lease: Lease) -> bool:
        """Return whether nobody has taken the phone since ``lease``, even if this lease has expired."""
        epoch, holder, _ = self._row(lease.serial)
        return epoch == lease.epoch and holder == lease.holder

    # ------------------------------------------------------------------ action keys
    def begin(self, lease: Lease, key: str) -> Receipt | None:
        """Record that the action with this key begins, and return None: the caller may touch the phone.

        If the key was begun before, return its first receipt, or a receipt with status ``unknown`` if none was written.
        Both are marked as repeated. Raises LeaseLost.
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
        """Return what became of the actions with these keys.

        A key that was never begun is recorded as refused, so that no late call can begin it. Raises LeaseLost.
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
        """Drop keys that were begun more than ``older_than_s`` ago; return how many.

        A holder whose last lease is older than that finds its phone not ``undisturbed``, because ``recall`` no longer
        knows its keys.
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

    def _refusal(self, database: sqlite3.Connection, serial: str, holder: str, run: str) -> PhoneBusy | None:
        """Return why ``holder`` may not take the phone now; None if it may."""
        _, holds, expires_at = self._row(serial)
        if holds == holder:
            return None
        now = self._now()
        queue, remaining = PhoneQueue(database, serial, now), expires_at - now
        if holds is not None and remaining > 0:
            refusal = PhoneBusy(f"phone {serial} is held by {holds} for {remaining:.0f} s more")
            if holds != episode_of(holds) == episode_of(holder):
                refusal = RunCopied(
                    f"phone {serial} is held by {episode_of(holds)} of another folder of this run "
                    f"for {remaining:.0f} s more: a run folder was copied, and both are gone on with; end one of them"
                )
        elif (first := queue.ahead_of(run)) is not None:
            refusal = PhoneBusy(f"phone {serial} is free, and the run {first} has its next turn")
        else:
            return None
        queue.join(run)
        return refusal


def _first(key: str, begun_at: float, receipt: str | None) -> Receipt:
    """Return the first receipt of a key that was begun before, marked as repeated."""
    if receipt is not None:
        return Receipt.model_validate_json(receipt).model_copy(update={"repeated": True})
    detail = "this action was begun before and its receipt was never written"
    return Receipt(key=key, status="unknown", detail=detail, sent_at=begun_at, ms=0, repeated=True)
