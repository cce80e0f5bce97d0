"""Show a run as a timeline: the steps of each phone's episodes, and faults, resumptions, outages and holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from manyhands.evaluation.episode_view import EpisodePage, StepView
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.run_folder import InjectedFault
from manyhands.evaluation.timing import away_of
from manyhands.protocol.episode_report import StageBar
from manyhands.protocol.journals.effective_records import written_at
from manyhands.protocol.journals.records import (
    ActionSent,
    EpisodeEnded,
    EpisodeHandedBack,
    EpisodePaused,
    EpisodeTakenOver,
    EpisodeUnpaused,
    Interval,
    Record,
    ScreenCaptured,
    StageDropped,
    StageFailed,
    StageRecord,
)
from manyhands.protocol.run_report import StepMark, TimelineEvent


@dataclass
class _Hold:
    kind: Literal["paused", "taken_over"]
    at: float
    by: str
    reason: str = ""
    actions: int = 0
    end: float | None = None

    @property
    def text(self) -> str:
        if self.kind == "paused":
            return f"{self.by} paused the episode{self.reason and f': {self.reason}'}"
        return f"{self.by} took the episode over, and did {self.actions} action{'' if self.actions == 1 else 's'}"


def _hold_events(episodes: Sequence[RecordedEpisode], began: float) -> Iterator[TimelineEvent]:
    """Yield the holds of all episodes. ``began``: when the run started, in Unix seconds."""
    for episode in episodes:
        phones = [record.serial for record in episode.resumed]
        for hold in _holds(episode.records):
            yield TimelineEvent(
                kind=hold.kind,
                at=round(hold.at - began, 3),
                end=None if hold.end is None else round(hold.end - began, 3),
                phone=phones[-1] if phones else episode.started.serial,
                episode=episode.started.episode,
                text=hold.text,
            )


def _holds(records: Iterable[Record]) -> list[_Hold]:
    holds: list[_Hold] = []
    hold: _Hold | None = None
    last = float("-inf")
    for record in records:
        if isinstance(record, EpisodePaused | EpisodeTakenOver | EpisodeUnpaused | EpisodeHandedBack | EpisodeEnded):
            if hold is not None:
                hold.end = record.at
            hold = None
        if isinstance(record, EpisodePaused):
            hold = _Hold("paused", record.at, record.by, record.reason)
            holds.append(hold)
        elif isinstance(record, EpisodeTakenOver):
            hold = _Hold("taken_over", record.at, record.by)
            holds.append(hold)
        elif isinstance(record, ActionSent) and record.by and hold is not None:
            hold.actions += 1
        last = max(last, written_at(record))
    if hold is not None and last > hold.at:
        hold.end = last
    return holds


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


def step_marks(view: EpisodePage) -> tuple[StepMark, ...]:
    """Return the steps of an episode that have a time. Their times are Unix seconds; ``since`` makes them relative."""
    begins = [(start, step) for step in view.steps if (start := _begin(step)) is not None]
    ends = [*(after for _, (after, _) in pairwise(begins)), view.episode.last_at]
    return tuple(_mark(step, start, max(start, end)) for (start, step), end in zip(begins, ends, strict=False))


def since(began: float, mark: StepMark) -> StepMark:
    """Return a mark with its times counted from the start of the run."""
    stages = tuple((name, _round(start - began), _round(end - began)) for name, start, end in mark.stages)
    start, end = _round(mark.start - began), _round(mark.end - began)
    return mark.model_copy(update={"start": start, "end": end, "stages": stages})


def timeline_events(
    episodes: Sequence[RecordedEpisode], run_yaml: Mapping[str, Any], faults: Iterable[InjectedFault], began: float
) -> tuple[TimelineEvent, ...]:
    """Return the events in the order of time. ``asked``: the content of run.yaml."""
    events = [*_faults(faults, began), *_resumptions(episodes, run_yaml, began), *_outages(episodes, began)]
    events += _hold_events(episodes, began)
    return tuple(sorted(events, key=lambda event: event.at))


def _begin(step: StepView) -> float | None:
    if step.screenshot is not None:
        return step.screenshot.taken_at
    return min((record.span.start for record in step.stages), default=None)


def _mark(step: StepView, start: float, end: float) -> StepMark:
    used = [(bar.stage, bar.start, bar.end) for bar in stage_bars(step) if bar.became == "used" and bar.end > bar.start]
    return StepMark(
        step=step.number,
        start=start,
        end=end,
        outcome=step.reflection.outcome if step.reflection else None,
        stages=tuple(used),
        screen=step.screenshot.content_id if step.screenshot else None,
    )


def _faults(faults: Iterable[InjectedFault], began: float) -> Iterator[TimelineEvent]:
    for fault in faults:
        text = f"{fault.kind}: {fault.note}" if fault.note else fault.kind
        end = _round(fault.over - began) if fault.seconds > 0 else None
        for phone, episode in fault.hit.items() or (("", ""),):
            at = _round(fault.at - began)
            yield TimelineEvent(kind="fault", at=at, end=end, phone=phone, episode=episode, text=text)


def _resumptions(
    episodes: Sequence[RecordedEpisode], run_yaml: Mapping[str, Any], began: float
) -> Iterator[TimelineEvent]:
    for again in run_yaml.get("resumed") or ():
        yield TimelineEvent(kind="resumed", at=_round(again["at"] - began), text="the run was resumed")
    for episode in episodes:
        for record in episode.resumed:
            name = episode.started.episode
            at = _round(record.at - began)
            yield TimelineEvent(kind="resumed", at=at, phone=record.serial, episode=name, text=record.cause)


def _outages(episodes: Sequence[RecordedEpisode], began: float) -> Iterator[TimelineEvent]:
    """Yield when no server of a model answered. Waits of several episodes that overlap are one outage."""
    for start, end in _merged(interval for episode in episodes for interval in away_of(episode.records)):
        text = "no server of a model answered"
        yield TimelineEvent(kind="outage", at=_round(start - began), end=_round(end - began), text=text)


def _merged(intervals: Iterable[Interval]) -> list[Interval]:
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _round(seconds: float) -> float:
    """Return seconds to the millisecond, as pages need no more."""
    return round(seconds, 3)
