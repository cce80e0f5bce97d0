"""The operator's reply in other formats than our JSON: tool calls, headers, dictionaries, bare calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manyhands.actors.mllm.parse import around, bare_calls, headers, tool_calls
from manyhands.actors.mllm.parse.around import Span
from manyhands.actors.mllm.parse.dictionaries import dictionary
from manyhands.actors.mllm.parse.names import Fields
from manyhands.actors.mllm.parse.reasoning import Answer
from manyhands.actors.mllm.parse.values import broken_before, objects

_CONCLUSION = re.compile(r"<conclusion>(.*?)(?:</conclusion>|$)", re.DOTALL)
_THOUGHT = re.compile(rf"^{around.THOUGHT}(.*?)(?=^{around.ACTION}|\Z)", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_ACTION = re.compile(rf"^{around.ACTION}[ \t]*(.*)$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Written:
    """A reply that was read: its fields, and all places where it stands.

    There are none where it takes up the whole text, as sections do, and where what stands around it was looked at.
    """

    fields: Mapping[str, Any]
    spans: tuple[Span, ...] = ()


def decision(answer: Answer) -> Written | None:
    """Return the fields of a DecideReply; None where ``answer`` holds an action in none of the formats.

    Raises ReplyUnusable where it holds a broken one, or two that differ.
    """
    text = answer.text
    if not text.strip() and answer.endless:
        return _at_end(answer.endless)
    if tool_calls.has_tags(text):
        tagged = tool_calls.tagged_calls(text)
        call = headers.only([fields for fields, _ in tagged])
        return _with_words(call, tuple(span for _, span in tagged), answer)
    under = headers.sections(text)
    if under:
        fields = headers.decision(under)
        return None if fields is None else Written(fields)
    written = _dictionary(text)
    if written is not None:
        said, action, spans = written
        return _with_words(action, spans, answer, said)
    calls = bare_calls.calls(text)
    if not calls:
        return None
    return _with_words(headers.only([call.fields for call in calls]), tuple(call.span for call in calls), answer)


def _at_end(reasoning: str) -> Written | None:
    """Return the whole call that ends reasoning which was never closed. Raises ReplyUnusable where it is talk."""
    found = tool_calls.whole_call_at_end(reasoning)
    if found is None:
        return None
    action, span = found
    around.check(reasoning, [span], thinking=True)
    return Written({"thought": reasoning[: span.start].strip(), "action": action, "expectation": ""})


def _dictionary(text: str) -> tuple[Mapping[str, Any], Fields, tuple[Span, ...]] | None:
    """Return the first object of ``text`` that is an action, that action, and all places where it stands.

    Every further action must be the same. None where there is none, or what stands before it was to be one.
    """
    found = objects(text)
    read = [(one, action) for one in found if (action := dictionary(one.value)) is not None]
    if not read or broken_before(text, found, read[0][0].start):
        return None
    if any("action" in one.value for one in found if one.start < read[0][0].start):
        return None
    calls = bare_calls.calls(around.without(text, [Span(one.start, one.end) for one in found]))
    only = headers.only([*(action for _, action in read), *(call.fields for call in calls)])
    spans = [*(Span(one.start, one.end) for one, _ in read), *(call.span for call in calls)]
    return read[0][0].value, only, tuple(sorted(spans))


def _with_words(
    action: Fields, spans: tuple[Span, ...], answer: Answer, said: Mapping[str, Any] | None = None
) -> Written:
    """Return a decision with thought and expectation from what stands around its action, or ``said`` beside it."""
    before = answer.text[: spans[0].start]
    thought, hope = _THOUGHT.search(before), _ACTION.search(before)
    concluded = _CONCLUSION.search(answer.text, spans[-1].end)
    expected = concluded[1] if concluded else (hope[1] if hope else "")
    said = said or {}
    fields = {
        "thought": (thought[1] if thought else said.get("thought") or answer.reasoning).strip(),
        "action": action,
        "expectation": said.get("expectation") or expected.strip().strip('"'),
    }
    return Written(fields, spans)
