"""What stands of a journal whose episode was gone on with in place."""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.protocol.records import ActionReceived, ActionSent, Dropped, Interval, Record, Resumed, StageRecord


def standing(records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the records, in order, with what an interruption has made void told as dropped.

    Of a stage that was dropped only its model calls and its time are left. An action of a later step than the one that
    was gone on with was never begun, so nothing of it is left.
    """
    stands: list[Record] = []
    for record in records:
        if isinstance(record, Resumed):
            stands = [one for each in stands if (one := _left(each, record.step)) is not None]
        stands.append(record)
    return tuple(stands)


def interruptions(records: Iterable[Record]) -> tuple[Interval, ...]:
    """Return when nobody carried the episode on: from the last record before each ``Resumed`` until that."""
    found: list[Interval] = []
    last = float("-inf")
    for record in records:
        if isinstance(record, Resumed) and last < record.at:
            found.append((last, record.at))
        last = max(last, written_at(record))
    return tuple(found)


def written_at(record: Record) -> float:
    """Return when a record was made, as far as it tells, in Unix seconds.

    The receipt of an action that was never begun is from when somebody asked for it, perhaps long after.
    """
    if isinstance(record, StageRecord):
        return record.span.end
    if isinstance(record, ActionReceived):
        return float("-inf") if record.receipt.never_begun else record.receipt.sent_at
    at = getattr(record, "at", None)
    return float("-inf") if at is None else float(at)


def _left(record: Record, last: int) -> Record | None:
    """Return what is left of a record where its episode went on after the step ``last``."""
    if isinstance(record, ActionSent | ActionReceived):
        return record if record.step <= last else None
    if not isinstance(record, StageRecord) or isinstance(record, Dropped) or record.step <= last:
        return record
    return Dropped(step=record.step, span=record.span, stage=record.stage, calls=record.calls, wrong=None)
