"""Show the stages of a step as bars of a Gantt chart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from manyhands.evaluation.episode_view import StepView
from manyhands.protocol.journals.records import ScreenCaptured, StageDropped, StageFailed, StageRecord
from manyhands.protocol.reports.episode_report import StageBar

SETTLE = "settle"
"""The name of the bar for the part of ``capture`` that waits until the screen rests."""


def stage_bars(step: StepView) -> tuple[StageBar, ...]:
    """Return the runs of a step's stages in the order of their starts."""
    return tuple(sorted(_bars(step.stages), key=lambda bar: bar.start))


def _bars(records: Iterable[StageRecord]) -> Iterator[StageBar]:
    for record in records:
        bar = StageBar(
            stage=record.stage,
            start=record.span.start,
            end=record.span.end,
            queue_ms=record.span.queue_ms,
            away=record.span.away,
            became=_became(record),
            assumed=record.assumed,
            wrong=record.wrong if isinstance(record, StageDropped) else None,
            error=record.error if isinstance(record, StageFailed) else "",
        )
        if isinstance(record, ScreenCaptured) and record.screenshot.settling is not None:
            yield from _with_settling(bar, record.screenshot.capture_ms)
        else:
            yield bar


def _with_settling(bar: StageBar, capture_ms: float) -> Iterator[StageBar]:
    """Split a capture: its last part takes the screenshot, and all before waits until the screen rests."""
    rests = min(max(bar.start, bar.end - capture_ms / 1000), bar.end)
    yield bar.model_copy(update={"stage": SETTLE, "end": rests})
    yield bar.model_copy(update={"start": rests, "queue_ms": 0.0})


def _became(record: StageRecord) -> Literal["used", "dropped", "failed", "discarded"]:
    if isinstance(record, StageFailed):
        return "failed"
    if isinstance(record, StageDropped):
        return "dropped" if record.assumed or record.wrong is not None else "discarded"
    return "used"
