"""Read the operator's reply in other formats than our JSON: tool calls, headers, dictionaries, bare calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manyhands.actors.mllm.parse import around, bare_calls, tool_calls
from manyhands.actors.mllm.parse.around import Span
from manyhands.actors.mllm.parse.dictionaries import dictionary, flat
from manyhands.actors.mllm.parse.names import Fields
from manyhands.actors.mllm.parse.reasoning import Answer
from manyhands.actors.mllm.parse.sections import Sections, sections
from manyhands.actors.mllm.parse.values import Found, NotAValue, broken_before, first_brace, objects, read_object
from manyhands.protocol.errors import ReplyUnusable

_THOUGHT = re.compile(rf"^{around.THOUGHT}(.*?)(?=^{around.ACTION}|\Z)", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_ACTION = re.compile(rf"^{around.ACTION}[ \t]*(.*)$", re.MULTILINE | re.IGNORECASE)

_OPERATOR = frozenset({"Thought", "Action", "Operation", "Description", "Expectation"})
"""The operator's sections."""


@dataclass(frozen=True, slots=True)
class Written:
    """Hold a reply that was read: its fields, and all places where it stands.

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
        call = _only([fields for fields, _ in tagged])
        return _with_words(call, tuple(span for _, span in tagged), answer)
    under = sections(text)
    if under:
        fields = _under_headers(under)
        return None if fields is None else Written(fields)
    written = _dictionary(text)
    if written is not None:
        said, action, spans = written
        return _with_words(action, spans, answer, said)
    calls = bare_calls.calls(text)
    if not calls:
        return None
    return _with_words(_only([call.fields for call in calls]), tuple(call.span for call in calls), answer)


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
    only = _only([*(action for _, action in read), *(call.fields for call in calls)])
    spans = [*(Span(one.start, one.end) for one, _ in read), *(call.span for call in calls)]
    return read[0][0].value, only, tuple(sorted(spans))


def _with_words(
    action: Fields, spans: tuple[Span, ...], answer: Answer, said: Mapping[str, Any] | None = None
) -> Written:
    """Return a decision with thought and expectation from what stands around its action, or ``said`` beside it."""
    before = answer.text[: spans[0].start]
    thought, hope = _THOUGHT.search(before), _ACTION.search(before)
    concluded = around.CONCLUSION.search(answer.text, spans[-1].end)
    expected = concluded[1] if concluded else (hope[1] if hope else "")
    said = said or {}
    fields = {
        "thought": (thought[1] if thought else said.get("thought") or answer.reasoning).strip(),
        "action": action,
        "expectation": said.get("expectation") or expected.strip().strip('"'),
    }
    return Written(fields, spans)


# ---------------------------------------------------------------------------- under headers
def _under_headers(found: Sections) -> dict[str, Any] | None:
    """Return the fields of a DecideReply; None without an Action. Raises ReplyUnusable."""
    if "Action" not in found:
        return None
    names = list(found)
    foreign = [name for name in names[: names.index("Action")] if name not in _OPERATOR]
    if foreign:
        raise ReplyUnusable(f"the section {foreign[0]!r}, which is another role's, stands before the action")
    return {
        "thought": found.get("Thought", ""),
        "action": _section_action(found["Action"]),
        "expectation": found.get("Expectation") or found.get("Description") or found.get("Operation", ""),
    }


def _section_action(body: str) -> Fields:
    """Return the one action that an Action section holds. Raises ReplyUnusable."""
    written = around.without_fences(body)
    if first_brace(written) == 0:
        return _object_action(written)
    calls = bare_calls.calls(written, unquoted=True)
    lines = [bare_calls.word(line) for line in written.split("\n") if any(char.isalnum() for char in line)]
    words = [one for one in lines if one is not None]
    if not (lines and lines[0]) and not bare_calls.begins(written):
        raise ReplyUnusable("the Action section holds no action")
    fields = _only([*words, *(call.fields for call in calls)])
    if lines[0] and (len(words) < len(lines) or any(mark in written for mark in around.QUESTION_MARKS)):
        raise ReplyUnusable(f"words follow {fields['name']} in the Action section")
    if not lines[0]:
        around.check(written, [call.span for call in calls])
    return fields


def _object_action(written: str) -> Fields:
    try:
        first = read_object(written, 0)
    except NotAValue as error:
        raise ReplyUnusable(f"the Action section: {error}") from None
    read = _flat_or_called(first)
    if read is None:
        raise ReplyUnusable("the Action section's object is no action")
    found = [first, *(one for one in objects(written) if one.start >= first.end)]
    same = [(fields, one) for one in found if (fields := _flat_or_called(one)) is not None]
    action = _only([fields for fields, _ in same])
    around.check(written, [Span(one.start, one.end) for _, one in same])
    return action


def _flat_or_called(found: Found) -> Fields | None:
    """Return the action of an object that is a dictionary of the papers, or an action as our own JSON has it."""
    read = dictionary(found.value)
    if read is None and isinstance(found.value.get("name"), str) and "arguments" not in found.value:
        return flat(found.value)
    return read


def _only(actions: list[Fields]) -> Fields:
    """Return the action, where all are the same. Raises ReplyUnusable."""
    if any(other != actions[0] for other in actions[1:]):
        raise ReplyUnusable("the answer holds different actions")
    return actions[0]
