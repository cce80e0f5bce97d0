"""Make spans of OpenTelemetry from the records of an episode. Their ids follow from names in the journal alone.

Attributes follow the GenAI semantic conventions; ours begin with ``manyhands.`` Texts (prompts, replies, goals,
answers, reasons) are left out unless the user asks for content.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from manyhands.protocol.base import OUTSIDE_ENDINGS, Ending
from manyhands.protocol.journals.records import (
    EpisodeEnded,
    EpisodeStarted,
    Learned,
    Recalled,
    Record,
    StageDropped,
    StageFailed,
    StageRecord,
)
from manyhands.protocol.journals.trace_context import span_id, step_span_id, trace_id
from manyhands.protocol.messages import ModelCall

Value = str | bool | int | float | Sequence[str]
Attributes = dict[str, Value]

PROVIDER = "openai_compatible"
"""All servers speak OpenAI's protocol. Which program answers (vLLM, a stand-in) the journal does not tell."""
LONGEST_TEXT = 64 * 1024
"""The most characters of one text. Collectors refuse requests of more than a few megabytes."""
_REQUEST = {"temperature": float, "top_p": float, "max_tokens": int, "seed": int}
_MOST = 2**63
Messages = Sequence[Mapping[str, Any]]


def _episode_attributes(
    started: EpisodeStarted, ended: EpisodeEnded | None, resumed: bool, with_content: bool
) -> Attributes:
    """Return the attributes of an episode. ``ended`` is None if its process was killed."""
    attributes: Attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": started.profile,
        "gen_ai.conversation.id": started.episode,
        "manyhands.run": started.run,
        "manyhands.task": started.task.id,
        "manyhands.attempt": started.attempt,
        "manyhands.restarts": started.restarts,
        "manyhands.phone": started.serial,
        "manyhands.schedule": started.schedule,
    }
    if started.batch:
        attributes["manyhands.batch"] = started.batch
    if resumed:
        attributes["manyhands.resumed"] = True
    if ended is not None:
        attributes |= {"manyhands.ending": ended.ending.value, "manyhands.steps": ended.steps}
        if ended.verified is not None:
            attributes["manyhands.verified"] = ended.verified
    if with_content:
        attributes["gen_ai.input.messages"] = _json([_message("user", [_text(started.task.goal)])])
        if ended is not None:
            attributes["manyhands.reason"] = _cut(ended.reason)
            if ended.answer is not None:
                attributes["gen_ai.output.messages"] = _json([_message("assistant", [_text(ended.answer)])])
    return attributes


def _stage_attributes(record: StageRecord, with_content: bool) -> Attributes:
    """Return the attributes of a stage."""
    attributes: Attributes = {
        "manyhands.step": record.step,
        "manyhands.stage": record.stage,
        "manyhands.queue_ms": record.span.queue_ms,
    }
    if record.assumed:
        attributes["manyhands.assumed"] = list(record.assumed)
    if record.span.away:
        attributes["manyhands.away_ms"] = 1000 * sum(end - start for start, end in record.span.away)
    if isinstance(record, StageDropped):
        attributes["manyhands.dropped"] = True
        if record.wrong is not None:
            attributes["manyhands.wrong"] = record.wrong
    if isinstance(record, StageFailed):
        attributes["error.type"] = record.code
        if with_content:
            attributes["manyhands.error"] = _cut(record.error)
    return attributes


def _call_attributes(call: ModelCall, episode: str, with_content: bool) -> Attributes:
    """Return the attributes of a model call."""
    usage = call.usage
    attributes: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDER,
        "gen_ai.conversation.id": episode,
        "gen_ai.agent.name": call.role.spec.agent,
        "gen_ai.request.model": _model_of(call),
        "manyhands.role": call.role.value,
        "manyhands.attempts": call.attempts,
        "manyhands.repair": call.repair,
        "manyhands.queue_ms": call.queue_ms,
        **dict(_request_attributes(call.request)),
        **dict(_server_attributes(call.server)),
    }
    if call.reply is not None or usage.input_tokens:
        attributes |= {
            "gen_ai.usage.input_tokens": usage.input_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        }
    if call.error is not None:
        attributes["error.type"] = "_OTHER"
    if with_content:
        attributes["gen_ai.input.messages"] = _json(list(_input_messages(call.request)))
        if call.reply is not None:
            attributes["gen_ai.output.messages"] = _json([_message("assistant", [_text(call.reply)])])
        if call.error is not None:
            attributes["manyhands.error"] = _cut(call.error)
    return attributes


def _model_of(call: ModelCall) -> str:
    """Return the name of the model that was asked."""
    return str(call.request.get("model", ""))


def _request_attributes(request: Mapping[str, Any]) -> Iterator[tuple[str, Value]]:
    for name, kind in _REQUEST.items():
        value = request.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST:
            yield f"gen_ai.request.{name}", kind(value)


def _server_attributes(url: str) -> Iterator[tuple[str, Value]]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return
    if host:
        yield "server.address", host
        yield "server.port", port or (443 if parts.scheme == "https" else 80)


def _input_messages(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    messages: Messages = request.get("messages") or ()
    for message in messages:
        content = message.get("content")
        parts: Messages = [{"type": "text", "text": content}] if isinstance(content, str) else content or ()
        yield _message(str(message.get("role", "")), [part for one in parts if (part := _part(one)) is not None])


def _part(part: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a part of a message by the conventions. A picture is named by its content id, as in the journal."""
    if part.get("type") == "text":
        return _text(str(part.get("text", "")))
    if part.get("type") == "image_url":
        url = part.get("image_url")
        name = str(url.get("url", "")) if isinstance(url, Mapping) else str(url)
        return {"type": "uri", "modality": "image", "uri": name}
    return None


def _message(role: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": role, "parts": parts}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "content": _cut(text)}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


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
        attributes = _episode_attributes(self._started, ended, part.key is not None, self._with_content)
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
                _stage_attributes(record, self._with_content),
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
            f"chat {_model_of(call)}".rstrip(),
            own,
            parent,
            (call.started_at, call.started_at + call.latency_ms / 1000),
            _call_attributes(call, self._started.episode, self._with_content),
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
