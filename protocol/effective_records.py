"""Read the effective records of a journal: those that count after its episode was resumed in place."""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.protocol.base import OUTSIDE_ENDINGS, Ending
from manyhands.protocol.errors import ActorLost, CallError, DeadlinePassed, ModelAway, ModelUnreachable, Overloaded
from manyhands.protocol.records import (
    ActionReceived,
    ActionSent,
    Interval,
    Record,
    Resumed,
    StageDropped,
    StageFailed,
    StageRecord,
)

_SERVERS = frozenset(
    kind.code for kind in (ModelUnreachable, ModelAway, CallError, DeadlinePassed, Overloaded, ActorLost)
)
"""Codes of failures that are those of servers, and say nothing of what they were asked."""


def is_open(ending: Ending, failure: str) -> bool:
    """Return whether a run that is resumed takes a task up again that ended so.

    ``failure``: the code of the stage that failed last. A request that a server refuses decides the task; servers that
    are busy, broken or out of reach do not, nor does a defect of ours.
    """
    if ending is Ending.MODEL_FAILED:
        return failure in _SERVERS
    return ending in OUTSIDE_ENDINGS or ending is Ending.INTERNAL_ERROR


def last_failure(records: Iterable[Record]) -> str:
    """Return the code of the stage that failed last; '' where none did."""
    codes = [record.code for record in records if isinstance(record, StageFailed)]
    return codes[-1] if codes else ""


def effective_records(records: Iterable[Record]) -> tuple[Record, ...]:
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
    if not isinstance(record, StageRecord) or isinstance(record, StageDropped) or record.step <= last:
        return record
    return StageDropped(step=record.step, span=record.span, stage=record.stage, calls=record.calls, wrong=None)
