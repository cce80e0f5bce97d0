"""Sum up scores of labelled screens: shares for each screen and for all, box errors, time by stage, memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from pydantic import Field

from manyhands.evaluation.perception.labels import LabelledScreen
from manyhands.evaluation.perception.scoring import BoxError, ScreenScore, Tally, score_screen
from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message
from manyhands.protocol.runs.run_summary import Percentiles
from manyhands.protocol.screens.screen import Element


class ScreenReading(Message):
    """Hold what was read off one picture, and the time that it took."""

    elements: tuple[Element, ...] = ()
    timings_ms: dict[str, float] = Field(default_factory=dict)
    """Wall-clock time by stage."""
    cpu_ms: float | None = None
    """CPU time of all threads of the process; None if other pictures were read at the same time."""
    error: str | None = None
    """Why there are no elements."""


class Shares(Message):
    """Hold the shares of a tally. A share of nothing is None."""

    text_exact: float | None
    text_similar: float | None
    """With an edit similarity of at least 0.9."""
    text_contained: float | None
    text_precision: float | None
    all_text_exact: float | None
    """Including minor labels, like the other ``all_`` shares."""
    all_text_similar: float | None
    all_text_contained: float | None
    icon_recall: float | None
    icon_recall_iou: float | None
    icon_precision: float | None
    """Leaves out icons that were found on texts and in regions to ignore."""
    icon_precision_iou: float | None
    icon_precision_strict: float | None
    """Counts icons that were found on texts and in regions to ignore as wrong."""
    all_icon_recall: float | None
    all_icon_recall_iou: float | None
    named: float | None
    """The share of named icons among the labelled icons that were found."""
    named_right: float | None
    """The share of these whose name means the same as a label's."""


class ScreenRow(Message):
    """Hold the score and cost of one screen."""

    score: ScreenScore
    shares: Shares
    timings_ms: dict[str, float]
    total_ms: float | None
    cpu_ms: float | None
    error: str | None


class PerceptionReport(Message):
    """Hold the scores of labelled screens."""

    screens: tuple[ScreenRow, ...]
    total: Tally
    shares: Shares
    box_errors_px: dict[str, Percentiles]
    """``text_side``, ``text_centre``, ``icon_side``, ``icon_centre``: of found boxes that fit their labels."""
    stages_ms: dict[str, Percentiles]
    """Wall-clock time over the screens with the stage; also ``total``, and ``cpu`` if it was measured."""
    memory_mb: float | None
    """The most memory that the process ever used, as the caller measured it."""


def report_on(
    labels: Sequence[LabelledScreen], readings: Sequence[ScreenReading], memory_mb: float | None = None
) -> PerceptionReport:
    """Report on readings, one for each label in the same order. A reading with an error counts as an empty screen."""
    rows = [_row(label, reading) for label, reading in zip(labels, readings, strict=True)]
    total = reduce(Tally.plus, (row.score.tally for row in rows), Tally())
    return PerceptionReport(
        screens=tuple(rows),
        total=total,
        shares=shares_of(total),
        box_errors_px=_box_errors([error for row in rows for error in row.score.boxes]),
        stages_ms=_stages(rows),
        memory_mb=memory_mb,
    )


def shares_of(tally: Tally) -> Shares:
    detected = tally.icon_right + tally.icon_false
    everything = detected + tally.icon_on_text + tally.icon_ignored
    return Shares(
        text_exact=_share(tally.exact, tally.texts),
        text_similar=_share(tally.similar, tally.texts),
        text_contained=_share(tally.contained, tally.texts),
        text_precision=_share(tally.text_right, tally.text_right + tally.text_wrong),
        all_text_exact=_share(tally.all_exact, tally.all_texts),
        all_text_similar=_share(tally.all_similar, tally.all_texts),
        all_text_contained=_share(tally.all_contained, tally.all_texts),
        icon_recall=_share(tally.hit, tally.icons),
        icon_recall_iou=_share(tally.hit_iou, tally.icons),
        icon_precision=_share(tally.icon_right, detected),
        icon_precision_iou=_share(tally.icon_right_iou, detected),
        icon_precision_strict=_share(tally.icon_right, everything),
        all_icon_recall=_share(tally.all_hit, tally.all_icons),
        all_icon_recall_iou=_share(tally.all_hit_iou, tally.all_icons),
        named=_share(tally.named, tally.hit),
        named_right=_share(tally.named_right, tally.named),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _row(label: LabelledScreen, reading: ScreenReading) -> ScreenRow:
    score = score_screen(label, reading.elements)
    return ScreenRow(
        score=score,
        shares=shares_of(score.tally),
        timings_ms=reading.timings_ms,
        total_ms=sum(reading.timings_ms.values()) if reading.timings_ms else None,
        cpu_ms=reading.cpu_ms,
        error=reading.error,
    )


def _box_errors(errors: Iterable[BoxError]) -> dict[str, Percentiles]:
    values: dict[str, list[float]] = {}
    for error in errors:
        values.setdefault(f"{error.kind}_side", []).append(error.side_px)
        values.setdefault(f"{error.kind}_centre", []).append(error.centre_px)
    return {name: spread for name in sorted(values) if (spread := percentiles(values[name]))}


def _stages(rows: Iterable[ScreenRow]) -> dict[str, Percentiles]:
    values: dict[str, list[float]] = {}
    for row in rows:
        for stage, ms in row.timings_ms.items():
            values.setdefault(stage, []).append(ms)
    totals = [row.total_ms for row in rows if row.total_ms is not None]
    cpu = [row.cpu_ms for row in rows if row.cpu_ms is not None]
    return {
        name: spread
        for name, times in (values | {"total": totals, "cpu": cpu}).items()
        if (spread := percentiles(times))
    }
