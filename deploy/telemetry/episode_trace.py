"""Follow one journal and make each of its spans once, also if the episode is resumed or the journal is read again.

The file ``traces.json`` of a run folder keeps how far each journal was sent to each collector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from pydantic import Field, NonNegativeInt, ValidationError

from manyhands.deploy.telemetry.spans import EpisodePart, RecordKey, SpanFactory, StepTimes
from manyhands.protocol.base import Message
from manyhands.protocol.errors import StoreError, store_error
from manyhands.protocol.journals.effective_records import is_open, written_at
from manyhands.protocol.journals.envelope import Envelope
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    EpisodeEnded,
    EpisodeHandedBack,
    EpisodeStarted,
    EpisodeTakenOver,
    Record,
    Reflected,
    Resumed,
    StageDropped,
    StageFailed,
    StageRecord,
)
from manyhands.protocol.utilities import secure_files

FILE = "traces.json"


class JournalProgress(Message):
    """Hold what a collector has of one journal."""

    marks: dict[NonNegativeInt, NonNegativeInt] = Field(default_factory=dict)
    """By epoch, the place after its last record that was sent."""
    steps: NonNegativeInt = 0
    """All steps below this one were sent as spans."""
    closed: NonNegativeInt | None = None
    """The place of the last record that a sent span of the episode covers; None if none was sent."""
    size: NonNegativeInt = 0
    """The journal's length, if everything in it was sent; else 0."""


class _ProgressFile(Message):
    collectors: dict[str, dict[str, JournalProgress]] = Field(default_factory=dict)


class ExportProgress:
    """Hold the progress of all journals of a run at one collector."""

    def __init__(self, folder: Path, collector: str) -> None:
        """Read the file. ``collector``: its URL. Raises StoreError for a file that is damaged."""
        self._path = folder / FILE
        self._collector = collector
        self._others = _read(self._path)
        self._journals = dict(self._others.collectors.get(collector, {}))
        self._is_saved = True

    def of(self, episode: str) -> JournalProgress:
        """Return the progress of an episode's journal."""
        return self._journals.get(episode) or JournalProgress()

    def update(self, episode: str, progress: JournalProgress) -> None:
        """Take over the progress of a journal. ``save`` writes it."""
        if self._journals.get(episode) != progress:
            self._journals[episode] = progress
            self._is_saved = False

    def save(self) -> None:
        """Write the file completely or not at all, if it has changed. Raises StoreError."""
        if self._is_saved:
            return
        file = _ProgressFile(collectors={**self._others.collectors, self._collector: self._journals})
        try:
            secure_files.replace_text(self._path, file.model_dump_json(exclude_defaults=True))
        except OSError as error:
            raise store_error(error, f"{self._path} cannot be written") from error
        self._is_saved = True


def _read(path: Path) -> _ProgressFile:
    try:
        return _ProgressFile.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return _ProgressFile()
    except OSError as error:
        raise store_error(error, f"{path} cannot be read") from error
    except ValidationError as error:
        raise StoreError(
            f"{path}: is damaged, and nothing tells which spans were sent; remove it to send all spans again"
        ) from error


@dataclass(frozen=True, slots=True)
class SpanBatch:
    """Hold spans that are sent together, and how far the journal is sent afterwards."""

    episode: str
    spans: Sequence[ReadableSpan]
    progress: JournalProgress


class EpisodeTrace:
    """Turn the records of a journal into spans.

    Spans of stages and calls are made from their records at once. The span of a step is made when all of its stages
    have a result, or when the step after the next has acted. The span of the episode is made when the episode has
    ended for good. ``close`` makes those that are left.
    """

    def __init__(self, episode: str, progress: JournalProgress, resource: Resource, with_content: bool) -> None:
        """``progress``: how far the journal was sent before. Its records must come from the first one on."""
        self._episode = episode
        self._sent = progress
        self._resource = resource
        self._with_content = with_content
        self._marks: dict[int, int] = {}
        """By epoch, the place after the last record that was followed."""
        self._place = -1
        self._epoch = 0
        self._steps_closed = progress.steps
        self._closed = progress.closed
        self._started: EpisodeStarted | None = None
        self._factory: SpanFactory | None = None
        self._part: EpisodePart | None = None
        """The part of the episode whose span was not made yet."""
        self._last_part: EpisodePart | None = None
        self._ended: EpisodeEnded | None = None
        self._open_steps: dict[int, StepTimes] = {}
        self._acted = -1
        self._failure = ""
        self._last_at = 0.0

    @property
    def is_closed(self) -> bool:
        """Return whether no span is left that only ``close`` would make."""
        return self._part is None and not self._open_steps

    def follow(self, envelope: Envelope[Any]) -> SpanBatch | None:
        """Return the spans that a record completes; None if there is nothing new in it."""
        place = self._place + 1 if envelope.seq is None else envelope.seq
        epoch = self._epoch if envelope.epoch is None else envelope.epoch
        if epoch < self._epoch or place < self._marks.get(epoch, 0):
            return None
        self._epoch, self._place, self._marks[epoch] = epoch, place, place + 1
        is_new = place >= self._sent.marks.get(epoch, 0)
        key, record = RecordKey(epoch, place), envelope.body
        self._take(record, key)
        if self._factory is None or self._last_part is None:
            return None  # nothing tells the run: its first record is damaged
        spans = [*self._factory.of_record(record, key, self._last_part), *self._completed(record)]
        return SpanBatch(self._episode, spans, self._progress()) if is_new else None

    def close(self) -> SpanBatch | None:
        """Return the spans of what has not ended, as it is now; None if there are none."""
        spans = [*self._close_steps(lambda _: True), *self._close_part()]
        return SpanBatch(self._episode, spans, self._progress()) if spans else None

    def _take(self, record: Record, key: RecordKey) -> None:
        """Take over what a record tells of its episode and its step."""
        self._last_at = max(self._last_at, written_at(record))
        match record:
            case EpisodeStarted() if self._started is None:
                self._started = record
                self._factory = SpanFactory(record, self._resource, self._with_content)
                self._last_part = EpisodePart(None, record.at)
                self._part = self._last_part if self._closed is None else None
            case Resumed():
                self._ended = None
                for step, times in self._open_steps.items():
                    if step > record.step:
                        times.stages.clear()  # these results are discarded, and their stages run again
                if self._part is None and self._closed is not None and key.place > self._closed:
                    self._part = self._last_part = EpisodePart(key, record.at)
                if self._part is not None:
                    self._part.resumed.append(record.at)
            case EpisodeTakenOver() | EpisodeHandedBack():
                for step, times in self._open_steps.items():
                    if step > record.last_step:
                        times.stages.clear()  # these results are discarded
            case EpisodeEnded():
                self._ended = record
            case StageRecord():
                self._take_stage(record)

    def _take_stage(self, record: StageRecord) -> None:
        # A step whose span was made may get more results, such as late notes. These only have spans of their own.
        may_close = record.step >= self._steps_closed
        step = self._open_steps.setdefault(record.step, StepTimes()) if may_close else StepTimes()
        if record.span.start > 0:
            step.start = min(step.start, record.span.start)
        step.end = max(step.end, record.span.end)
        if not isinstance(record, StageDropped):
            step.stages.add(record.stage)
        match record:
            case StageFailed():
                self._failure = record.code
            case Acted():
                self._acted = max(self._acted, record.step)
            case ActionDecided() if record.decision.action is not None:
                step.action = record.decision.action.name
            case Reflected():
                step.verdict = record.reflection.outcome.value

    def _completed(self, record: Record) -> Iterator[ReadableSpan]:
        """Yield the spans of steps and of the episode that end with this record."""
        if isinstance(record, EpisodeEnded) and (record.afresh or not is_open(record.ending, self._failure)):
            yield from self._close_steps(lambda _: True)
            yield from self._close_part()
        elif isinstance(record, StageRecord):
            yield from self._close_steps(self._is_complete)

    def _is_complete(self, step: int) -> bool:
        assert self._started is not None, "steps are closed only after the start"
        return self._acted >= step + 2 or self._open_steps[step].stages >= set(self._started.stages)

    def _close_steps(self, is_complete: Callable[[int], bool]) -> Iterator[ReadableSpan]:
        """Yield the spans of steps in order, up to the first that is not complete. None is made a second time."""
        for step in sorted(self._open_steps):
            if not is_complete(step):
                return
            times = self._open_steps.pop(step)
            if self._factory is not None and self._last_part is not None:
                self._steps_closed = step + 1
                yield self._factory.step(step, times, self._last_part)

    def _close_part(self) -> Iterator[ReadableSpan]:
        if self._part is not None and self._factory is not None:
            part, self._part, self._closed = self._part, None, self._place
            yield self._factory.episode(part, self._ended, self._last_at)

    def _progress(self) -> JournalProgress:
        marks = {epoch: max(place, self._sent.marks.get(epoch, 0)) for epoch, place in self._marks.items()}
        return JournalProgress(marks=marks, steps=self._steps_closed, closed=self._closed)
