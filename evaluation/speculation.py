"""What became of stages that were asked ahead of time (the schedule ``speculate``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from manyhands.protocol.records import Dropped, Record, StageFailed, StageRecord
from manyhands.protocol.runs import Speculation


def speculation_of(records: Iterable[Record]) -> Speculation | None:
    """Count the stages that began on assumptions; None where none did."""
    kept: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for record in records:
        match record:
            case Dropped():
                dropped[record.stage] += 1
                wrong[_because(record)] += 1
            case StageRecord() if record.assumed and not isinstance(record, StageFailed):
                kept[record.stage] += 1
    asked = kept.total() + dropped.total()
    if not asked:
        return None
    return Speculation(kept=dict(kept), dropped=dict(dropped), wrong=dict(wrong), kept_share=kept.total() / asked)


def _because(record: Dropped) -> str:
    if record.wrong is None:
        return "ended"
    return "failed" if record.wrong == record.stage else record.wrong
