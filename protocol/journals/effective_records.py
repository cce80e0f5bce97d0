"""Select the effective records of a journal: those that count after its episode was resumed in place."""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.protocol.base import OUTSIDE_ENDINGS, Ending
from manyhands.protocol.errors import ActorLost, CallError, DeadlinePassed, ModelAway, ModelUnreachable, Overloaded
from manyhands.protocol.journals.records import (
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    EpisodeHandedBack,
    EpisodePaused,
    EpisodeTakenOver,
    EpisodeUnpaused,
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
"""Codes of failures that are the servers' fault. They say nothing about the request."""


def is_open(ending: Ending, failure: str) -> bool:
    """Return whether a task whose episode had this ending is open: a resumed run takes it up again.

    ``failure`` is the code of the stage that failed last. A request that a server refuses decides the task. Servers
    that are busy, broken or out of reach do not decide it; neither does a defect of ours.
    """
    if ending is Ending.MODEL_FAILED:
        return failure in _SERVERS
    return ending in OUTSIDE_ENDINGS or ending is Ending.INTERNAL_ERROR


def last_failure(records: Iterable[Record]) -> str:
    """Return the code of the stage that failed last; '' if none failed."""
    codes = [record.code for record in records if isinstance(record, StageFailed)]
    return codes[-1] if codes else ""


def kept_until(record: Record) -> int | None:
    """Return the last step that stays in force after a record that discards later steps; None for other records."""
    match record:
        case Resumed():
            return record.step
        case EpisodeTakenOver() | EpisodeHandedBack():
            return record.last_step
    return None


def effective_records(records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the records in order, with the effect of each interruption and of each takeover by a person applied.

    A stage of a step after the one at which the episode was resumed becomes ``StageDropped``: only its model calls and
    its time are left. An action of such a step was never begun, so its records are left out.
    """
    stands: list[Record] = []
    for record in records:
        last = kept_until(record)
        if last is not None:
            stands = [one for each in stands if (one := _effective(each, last)) is not None]
        stands.append(record)
    return tuple(stands)


def interruptions(records: Iterable[Record]) -> tuple[Interval, ...]:
    """Return when no process ran the episode: from the last record before each ``Resumed`` to the ``Resumed``."""
    intervals: list[Interval] = []
    last = float("-inf")
    for record in records:
        if isinstance(record, Resumed) and last < record.at:
            intervals.append((last, record.at))
        last = max(last, written_at(record))
    return tuple(intervals)


def holds(records: Iterable[Record]) -> tuple[Interval, ...]:
    """Return when people held the episode: it was paused or taken over. An interruption does not end that time."""
    intervals: list[Interval] = []
    since: float | None = None
    last = float("-inf")
    for record in records:
        if isinstance(record, EpisodePaused | EpisodeTakenOver):
            since = record.at if since is None else since
        elif isinstance(record, EpisodeUnpaused | EpisodeHandedBack | EpisodeEnded) and since is not None:
            intervals.append((since, record.at))
            since = None
        last = max(last, written_at(record))
    if since is not None and since < last:
        intervals.append((since, last))
    return tuple(intervals)


def written_at(record: Record) -> float:
    """Return when a record was made, in Unix seconds; minus infinity if the record does not tell.

    The receipt of an action that was never begun tells no time: it was made when somebody asked for it, perhaps much
    later.
    """
    if isinstance(record, StageRecord):
        return record.span.end
    if isinstance(record, ActionReceived):
        return float("-inf") if record.receipt.never_begun else record.receipt.sent_at
    at = getattr(record, "at", None)
    return float("-inf") if at is None else float(at)


def _effective(record: Record, last: int) -> Record | None:
    """Return the part of a record that still counts after its episode was resumed at the step ``last``;
    None if no part does.
    """
    if isinstance(record, ActionSent | ActionReceived):
        return record if record.step <= last else None
    if not isinstance(record, StageRecord) or isinstance(record, StageDropped) or record.step <= last:
        return record
    return StageDropped(step=record.step, span=record.span, stage=record.stage, calls=record.calls, wrong=None)
