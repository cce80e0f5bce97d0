"""Make spans of OpenTelemetry from the records of an episode. Their ids follow from names in the journal alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from manyhands.deploy.telemetry.traces.attributes import (
    Attributes,
    Value,
    call_attributes,
    episode_attributes,
    model_of,
    stage_attributes,
)
from manyhands.protocol.base import OUTSIDE_ENDINGS, Ending
from manyhands.protocol.journals.records import (
    EpisodeEnded,
    EpisodeStarted,
    Learned,
    Recalled,
    Record,
    StageFailed,
    StageRecord,
)
from manyhands.protocol.journals.trace_context import span_id, step_span_id, trace_id
from manyhands.protocol.messages import ModelCall

SCOPE = InstrumentationScope("manyhands")
Times = tuple[float, float]
"""A beginning and an end, in Unix seconds."""


@dataclass(frozen=True, slots=True)
class RecordKey:
    """Identify a record of an episode: no other record was written at this place under this epoch."""

    epoch: int
    place: int

    @property
    def path(self) -> tuple[str | int, ...]:
        """Return what the ids of the record's spans are made of."""
        return "record", self.epoch, self.place


@dataclass(slots=True)
class EpisodePart:
    """Hold what one span of an episode covers: the whole episode, or what follows a resumption.

    An episode has a second part only if the span of the first part had been sent before the episode was resumed.
    """

    key: RecordKey | None
    """The record of the resumption; None for the first part."""
    start: float
    resumed: list[float] = field(default_factory=list)
    """When the episode was resumed within this part."""


@dataclass(slots=True)
class StepTimes:
    """Hold what is known of a step so far."""

    start: float = float("inf")
    end: float = 0.0
    stages: set[str] = field(default_factory=set)
    """The stages that have a result."""
    action: str | None = None
    verdict: str | None = None


class SpanFactory:
    """Make the spans of one episode."""

    def __init__(self, started: EpisodeStarted, resource: Resource, with_content: bool) -> None:
        self._started = started
        self._resource = resource
        self._with_content = with_content
        self._names = started.run, started.episode
        self._trace = trace_id(*self._names)

    def episode(self, part: EpisodePart, ended: EpisodeEnded | None, last_at: float) -> ReadableSpan:
        """Return the span of a part of the episode. ``last_at``: the time of the last record."""
        attributes = episode_attributes(self._started, ended, part.key is not None, self._with_content)
        has_failed = ended is None or ended.ending in OUTSIDE_ENDINGS or ended.ending is Ending.INTERNAL_ERROR
        if has_failed:
            attributes["error.type"] = Ending.HOST_LOST.value if ended is None else ended.ending.value
        return self._span(
            f"invoke_agent {self._started.profile}",
            self._part_id(part),
            None if part.key is None else span_id(*self._names),
            (part.start, last_at if ended is None else ended.at),
            attributes,
            has_failed=has_failed,
            events=tuple(Event("resumed", timestamp=_ns(at)) for at in part.resumed),
        )

    def step(self, step: int, times: StepTimes, part: EpisodePart) -> ReadableSpan:
        """Return the span of a step. Its id is the parent in the ``traceparent`` of the step's requests."""
        attributes: Attributes = {"manyhands.step": step, "gen_ai.conversation.id": self._started.episode}
        optional: dict[str, Value | None] = {"manyhands.action": times.action, "manyhands.verdict": times.verdict}
        attributes |= {name: value for name, value in optional.items() if value is not None}
        own = step_span_id(*self._names, step)
        start = min(times.start, times.end)
        return self._span("step", own, self._part_id(part), (start, times.end), attributes)

    def of_record(self, record: Record, key: RecordKey, part: EpisodePart) -> Iterator[ReadableSpan]:
        """Yield the span of a stage or a lesson, and those of its model calls. Other records have no spans."""
        own = span_id(*self._names, *key.path)
        if isinstance(record, StageRecord):
            parent = step_span_id(*self._names, record.step)
            yield self._span(
                record.stage,
                own,
                parent,
                (record.span.start, record.span.end),
                stage_attributes(record, self._with_content),
                has_failed=isinstance(record, StageFailed),
            )
        elif isinstance(record, Learned):
            yield self._span("learn", own, self._part_id(part), (record.span.start, record.span.end), {})
        elif isinstance(record, Recalled):
            start = min((call.started_at for call in record.calls), default=record.at)
            yield self._span("recall", own, self._part_id(part), (start, record.at), {})
        else:
            return
        for number, call in enumerate(record.calls):
            yield self._call(call, span_id(*self._names, *key.path, "call", number), own)

    def _call(self, call: ModelCall, own: int, parent: int) -> ReadableSpan:
        return self._span(
            f"chat {model_of(call)}".rstrip(),
            own,
            parent,
            (call.started_at, call.started_at + call.latency_ms / 1000),
            call_attributes(call, self._started.episode, self._with_content),
            SpanKind.CLIENT,
            has_failed=call.error is not None,
        )

    def _part_id(self, part: EpisodePart) -> int:
        return span_id(*self._names, *(() if part.key is None else part.key.path))

    def _span(
        self,
        name: str,
        own: int,
        parent: int | None,
        times: Times,
        attributes: Attributes,
        kind: SpanKind = SpanKind.INTERNAL,
        has_failed: bool = False,
        events: Sequence[Event] = (),
    ) -> ReadableSpan:
        start, end = times
        return ReadableSpan(
            name=_clean(name),
            context=self._context(own),
            parent=None if parent is None else self._context(parent),
            resource=self._resource,
            attributes={name: _clean_value(value) for name, value in attributes.items()},
            events=events,
            kind=kind,
            status=Status(StatusCode.ERROR) if has_failed else Status(StatusCode.UNSET),
            start_time=_ns(start),
            end_time=_ns(max(start, end)),
            instrumentation_scope=SCOPE,
        )

    def _context(self, own: int) -> SpanContext:
        return SpanContext(self._trace, own, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def _ns(seconds: float) -> int:
    return max(0, round(seconds * 1e9))


def _clean(text: str) -> str:
    """Replace half a surrogate pair, which a model's reply may hold and no span."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _clean_value(value: Value) -> Value:
    if isinstance(value, str):
        return _clean(value)
    return value if isinstance(value, bool | int | float) else [_clean(one) for one in value]
