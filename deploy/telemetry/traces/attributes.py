"""Make the attributes of spans, by the GenAI semantic conventions of OpenTelemetry; ours begin with ``manyhands.``

Texts (prompts, replies, goals, answers, reasons) are left out unless the user asks for content.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted, StageDropped, StageFailed, StageRecord
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


def episode_attributes(
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


def stage_attributes(record: StageRecord, with_content: bool) -> Attributes:
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


def call_attributes(call: ModelCall, episode: str, with_content: bool) -> Attributes:
    """Return the attributes of a model call."""
    usage = call.usage
    attributes: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDER,
        "gen_ai.conversation.id": episode,
        "gen_ai.agent.name": call.role.spec.agent,
        "gen_ai.request.model": model_of(call),
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


def model_of(call: ModelCall) -> str:
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
