"""Check that each phone received exactly what the journals say: no more and no less.

A phone's ledger has one row for each line of input that reached the phone, with the action key that the line named.
The journals hold the keys that were sent, and the receipts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError, computed_field

from manyhands.evaluation.episodes import start_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Message
from manyhands.protocol.errors import StoreError, explain, store_error
from manyhands.protocol.journals.records import (
    ActionReceived,
    ActionSent,
    CheckPrepared,
    PhonePrepared,
    Record,
    Resumed,
)
from manyhands.protocol.phones import CHECK_KEY, Receipt, episode_of_key, reset_key

Fate = Literal["done", "refused", "unknown", "unanswered"]
"""What became of an action key by the journals: the status of the key's receipt, or ``unanswered`` if there is none."""


Kind = Literal["missing", "repeated", "refused_but_sent", "unjournalled", "without_key", "other_phone"]

Verdict = Literal["agrees", "contradicts", "incomplete"]


class LedgerRow(Message):
    """Hold a line of input that reached a phone. ``key`` is None if the line named no key."""

    key: str | None
    line: str
    at: float | None = None
    """Unix seconds by the phone's clock."""


class Ledger(Message):
    serial: str
    rows: tuple[LedgerRow, ...]


class Violation(Message):
    """Hold a difference between ledgers and journals, about one action key or about input without a key."""

    kind: Kind
    serial: str
    key: str | None
    rows: int
    """How many lines of input with this key, or without a key, the phone received."""
    detail: str


class AuditReport(Message):
    keys: dict[Fate, int]
    """How many keys the journals hold, by what became of them."""
    ledgers: int
    """How many phones' ledgers were read."""
    rows: int
    """How many lines the ledgers hold."""
    earlier: int = 0
    """How many lines came before the audited runs began and have keys of other runs. These lines are not judged."""
    other_copies: int = 0
    """How many lines another copy of a run folder sent: no journal says that this copy sent their keys."""
    unaudited: tuple[str, ...]
    """Phones that took part and left no ledger. Their keys are not judged."""
    empty_ledgers: tuple[str, ...] = ()
    """Ledger files without content: the disk may have been full."""
    damaged: int
    """How many places of journals are unreadable or lack records. Keys may be missing there."""
    violations: tuple[Violation, ...]

    @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorated properties
    @property
    def verdict(self) -> Verdict:
        """Return ``contradicts`` for any violation, ``incomplete`` if something was not judged, else ``agrees``."""
        if self.violations:
            return "contradicts"
        return "incomplete" if self.not_judged else "agrees"

    @property
    def not_judged(self) -> tuple[str, ...]:
        """Return what this audit does not cover, one line each."""
        lines = []
        if not self.ledgers:
            lines.append("no ledger at all: nothing says what the phones received")
        if self.other_copies:
            lines.append(
                f"lines of another copy of this run folder: {self.other_copies}; audit it together with this one"
            )
        if self.unaudited:
            lines.append(f"phones without a ledger: {', '.join(self.unaudited)}")
        if self.empty_ledgers:
            lines.append(f"empty files of ledgers, the disk may have been full: {', '.join(self.empty_ledgers)}")
        if self.damaged:
            lines.append(f"damaged places in journals: {self.damaged}; keys may be missing there")
        return tuple(lines)


_SURER: tuple[Fate, ...] = ("refused", "unanswered", "unknown", "done")
"""Fates in the order of certainty. If two copies of a run folder hold the same key, the more certain fate counts."""


@dataclass(frozen=True)
class _Key:
    serial: str
    fate: Fate


def audit_folders(*folders: Path) -> AuditReport:
    """Audit runs that shared phones. Their ledgers are ``ledgers/*.json`` in the run folders.

    If a phone has several ledgers, the longest counts; empty files do not count. Lines from before the first run began,
    with keys of none of the runs, are not judged.

    Raises BadInput for a folder that is no run folder, StoreError for a file that is no ledger.
    """
    runs = [RunFolder(folder) for folder in folders]
    ledgers: dict[str, Ledger] = {}
    paths = [(run, path) for run in runs for path in sorted((run.path / "ledgers").glob("*.json"))]
    empty = {path for _, path in paths if not path.stat().st_size}
    for run, path in paths:
        if path not in empty:
            ledger = read_ledger(run, path)
            longest = ledgers.get(ledger.serial)
            if longest is None or len(ledger.rows) > len(longest.rows):
                ledgers[ledger.serial] = ledger
    scans = [scan for run in runs for scan in run.journals.values()]
    damaged = sum(len(scan.damage) for scan in scans)
    began = min(float(run.asked.get("started_at", 0)) for run in runs)
    names = sorted(path.name for path in empty)
    journals = [scan.records for scan in scans]
    return audit(journals, list(ledgers.values()), damaged, names, began, _copied(runs))


def _copied(runs: Iterable[RunFolder]) -> dict[str, float]:
    """Return the ids of episodes that other copies of these folders hold, too.

    Each id comes with the time in Unix seconds from which the copies may differ.
    """
    ends: dict[str, float] = {}
    for run in runs:
        after = run.copied_after
        for episode, scan in run.journals.items() if after is not None else ():
            started = start_of(scan.records)
            if started is not None and after is not None and started.at <= after:
                ends[episode] = after
    return ends


def read_ledger(run: RunFolder, path: Path) -> Ledger:
    """Read a ledger, as JSON: ``{"serial": ..., "rows": [{"key": ..., "line": ...}, ...]}``. Raises StoreError."""
    try:
        return Ledger.model_validate_json(run.read(path))
    except OSError as error:
        raise store_error(error, str(path)) from error
    except ValidationError as error:
        raise StoreError(f"{path} is not a ledger: {explain(error, Ledger)}") from error


def audit(
    journals: Iterable[Sequence[Record]],
    ledgers: Sequence[Ledger],
    damaged: int = 0,
    empty: Sequence[str] = (),
    began: float = 0,
    copied: Mapping[str, float] | None = None,
) -> AuditReport:
    """Compare journals and ledgers.

    If an action was done, its key must be in the ledger exactly once. An unknown or unanswered key may be there once,
    or not at all. A refused key must not be there.

    ``damaged``: the number of unreadable places in journals. A journal without its start counts as one more, because
    its phone and episode are unknown. ``empty``: the names of empty ledger files. ``began``: Unix seconds; earlier
    lines with keys that no journal holds are not judged. ``copied``: the ids of episodes that another copy of their
    run folder may have continued, each with the time when that may have begun. Later lines of these episodes are
    counted but not judged, unless a journal says that this copy sent their keys.
    """
    keys: dict[str, _Key] = {}
    for records in journals:
        episode_keys = _keys(records)
        if episode_keys is not None:
            for name, key in episode_keys.items():
                keys[name] = max(keys.get(name, key), key, key=lambda one: _SURER.index(one.fate))
        elif records:  # a journal without records is of a host that died before it could send anything
            damaged += 1
    judged = {ledger.serial: [row for row in ledger.rows if not _is_earlier(row, keys, began)] for ledger in ledgers}
    rows = {serial: [row for row in own if not _is_of_copy(row, keys, copied or {})] for serial, own in judged.items()}
    received = {serial: Counter(row.key for row in own) for serial, own in rows.items()}
    all_rows = sum(len(ledger.rows) for ledger in ledgers)
    violations = [
        violation
        for serial, counts in received.items()
        for key, count in counts.items()
        if (violation := _judge_row(serial, key, count, keys)) is not None
    ]
    for name, key in keys.items():
        if key.fate == "done" and key.serial in received and not received[key.serial][name]:
            violations.append(
                Violation(kind="missing", serial=key.serial, key=name, rows=0, detail="done, and not in the ledger")
            )
    return AuditReport(
        keys=dict(Counter(key.fate for key in keys.values())),
        ledgers=len(received),
        rows=all_rows,
        earlier=all_rows - sum(map(len, judged.values())),
        other_copies=sum(map(len, judged.values())) - sum(map(len, rows.values())),
        unaudited=tuple(sorted({key.serial for key in keys.values()} - set(received))),
        empty_ledgers=tuple(empty),
        damaged=damaged,
        violations=tuple(violations),
    )


def _is_earlier(row: LedgerRow, keys: Mapping[str, _Key], began: float) -> bool:
    return row.at is not None and row.at < began and row.key is not None and row.key not in keys


def _is_of_copy(row: LedgerRow, keys: Mapping[str, _Key], copied: Mapping[str, float]) -> bool:
    """Return whether another copy of a run folder sent a line.

    That is so if both copies hold the episode of the line's key, and no journal says that this copy sent the key.
    """
    if row.key is None or row.at is None or (row.key in keys and keys[row.key].fate != "refused"):
        return False
    after = copied.get(episode_of_key(row.key))
    return after is not None and row.at >= after


def _judge_row(serial: str, name: str | None, count: int, keys: Mapping[str, _Key]) -> Violation | None:
    def violation(kind: Kind, detail: str) -> Violation:
        return Violation(kind=kind, serial=serial, key=name, rows=count, detail=detail)

    if name is None:
        return violation("without_key", "lines of input that name no key")
    if name == CHECK_KEY:
        return None
    key = keys.get(name)
    if key is None:
        return violation("unjournalled", "no journal knows this key")
    if key.serial != serial:
        return violation("other_phone", f"the journals have it for {key.serial}")
    if key.fate == "refused":
        return violation("refused_but_sent", "the receipt says that nothing was sent")
    if count > 1:
        return violation("repeated", f"{key.fate}, and received {count} times")
    return None


def _keys(records: Sequence[Record]) -> dict[str, _Key] | None:
    """Return the keys of one journal; None if the journal lacks the start of its episode.

    The start implies the key of the phone's reset. Each resumption implies another key for a reset, because a resumed
    episode resets the phone if nothing had been sent before.
    """
    started = start_of(records)
    if started is None:
        return None
    fates: dict[str, Fate] = {}
    if started.serial:
        epochs = (record.epoch for record in records if isinstance(record, Resumed))
        fates.update(dict.fromkeys((reset_key(started.episode, epoch) for epoch in (None, *epochs)), "unanswered"))
    receipts: dict[str, list[Receipt]] = defaultdict(list)
    for record in records:
        if isinstance(record, ActionSent):
            fates[record.key] = "unanswered"
        elif isinstance(record, ActionReceived):
            receipts[record.receipt.key].append(record.receipt)
        elif isinstance(record, PhonePrepared):
            for receipt in record.receipts:
                receipts[receipt.key].append(receipt)
        elif isinstance(record, CheckPrepared):
            fates[record.key] = "unanswered"
            if record.receipt is not None:
                receipts[record.key].append(record.receipt)
    fates.update({key: copies[-1].status for key, copies in receipts.items()})
    return {key: _Key(started.serial, fate) for key, fate in fates.items()}
