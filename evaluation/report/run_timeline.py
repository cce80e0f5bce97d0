"""Show a run as a timeline: the steps of each phone's episodes, and faults, resumptions, outages and holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from manyhands.evaluation.episode_view import EpisodeView, StepView
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.report.episodes.stage_bars import stage_bars
from manyhands.evaluation.report.hold_events import hold_events
from manyhands.evaluation.run_folder import InjectedFault
from manyhands.evaluation.timing import away_of
from manyhands.protocol.journals.records import Interval
from manyhands.protocol.reports.run_report import StepMark, TimelineEvent


def step_marks(view: EpisodeView) -> tuple[StepMark, ...]:
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
    events += hold_events(episodes, began)
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
