"""Find when people held episodes of a run, for its timeline: pauses and takeovers, with who asked for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.protocol.journals.effective_records import written_at
from manyhands.protocol.journals.records import (
    ActionSent,
    EpisodeEnded,
    EpisodeHandedBack,
    EpisodePaused,
    EpisodeTakenOver,
    EpisodeUnpaused,
    Record,
)
from manyhands.protocol.reports.run_report import TimelineEvent


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


def hold_events(episodes: Sequence[RecordedEpisode], began: float) -> Iterator[TimelineEvent]:
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
