"""Read the operator's reply in other formats than our JSON: tool calls, headers, dictionaries, bare calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from manyhands.actors.mllm.parse import around, bare_calls, tool_calls
from manyhands.actors.mllm.parse.dictionaries import dictionary, flat
from manyhands.actors.mllm.parse.names import Call, Fields, Known, known_to, the_same
from manyhands.actors.mllm.parse.reasoning import Answer
from manyhands.actors.mllm.parse.sections import Sections, sections
from manyhands.actors.mllm.parse.values import Found, NotAValue, Span, broken_before, first_brace, objects, read_object
from manyhands.protocol.base import Reply
from manyhands.protocol.described import described
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.replies import ActingReply
from manyhands.protocol.roles import REPLY_TYPES

_THOUGHT = re.compile(rf"^{around.THOUGHT}(.*?)(?=^{around.ACTION}|\Z)", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_ACTION = re.compile(rf"^{around.ACTION}[ \t]*(.*)$", re.MULTILINE | re.IGNORECASE)

_OBSERVED = re.compile(
    r"\A[ \t*_]*Observation[ \t*_]*[:：](.*?)" rf"(?=^{around.THOUGHT}|^{around.ACTION}|<tool_call>|<function=|\Z)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_ACTING = [reply for reply in REPLY_TYPES.values() if issubclass(reply, ActingReply)]
_OPERATOR = {*(field.heading for reply in _ACTING for field in described(reply)), "Expectation"}
"""The sections of a role that chooses an action."""


@dataclass(frozen=True, slots=True)
class Written:
    """Hold a reply that was read: its fields, and all places where it stands.

    There are none where it takes up the whole text, as sections do, and where what stands around it was looked at.
    """

    fields: Mapping[str, Any]
    spans: tuple[Span, ...] = ()


def decision(answer: Answer, reply: type[ActingReply]) -> Written | None:
    """Return the fields of such a reply; None where ``answer`` holds an action in none of the formats.

    Raises ReplyUnusable where it holds a broken one, or two that differ.
    """
    written = _decision(answer, known_to(reply))
    if written is None:
        return None
    fields = {"observation": answer.observed, **written.fields}
    return replace(written, fields={name: one for name, one in fields.items() if name in reply.model_fields})


def without_observation(answer: Answer, reply: type[Reply]) -> Answer:
    """Return ``answer`` with an observation told apart that stands before its thought, with a mark of its own."""
    seen = _OBSERVED.match(answer.text) if "observation" in reply.model_fields else None
    if seen is None:
        return answer
    rest = around.without(answer.text, [Span(seen.start(), seen.end())])
    return replace(answer, text=rest, observed=seen[1].strip())


def _decision(answer: Answer, known: Known) -> Written | None:
    text = answer.text
    if not text.strip() and answer.endless:
        return _at_end(answer.endless, known)
    if tool_calls.has_tags(text):
        return _with_words(tool_calls.tagged_calls(text, known), answer)
    under = sections(text)
    if under:
        fields = _under_headers(under, known)
        return None if fields is None else Written(fields)
    written = _dictionary(text, known)
    if written is not None:
        said, same = written
        return _with_words(same, answer, said)
    calls = bare_calls.calls(text, known)
    return _with_words(calls, answer) if calls else None


def _at_end(reasoning: str, known: Known) -> Written | None:
    """Return the whole call that ends reasoning which was never closed. Raises ReplyUnusable where it is talk."""
    found = tool_calls.whole_call_at_end(reasoning, known)
    if found is None:
        return None
    action, span = found
    around.check(reasoning, [span], thinking=True)
    return Written({"thought": reasoning[: span.start].strip(), "action": action, "expectation": ""})


def _dictionary(text: str, known: Known) -> tuple[Mapping[str, Any], list[Call]] | None:
    """Return the first object of ``text`` that is an action, and all actions in their order.

    None where there is none, or what stands before it was to be one. Raises ReplyUnusable.
    """
    found = objects(text)
    read = [(one, action) for one in found if (action := dictionary(one.value, known)) is not None]
    if not read or broken_before(text, found, read[0][0].start):
        return None
    if any("action" in one.value for one in found if one.start < read[0][0].start):
        return None
    calls = bare_calls.calls(around.without(text, [one.span for one in found]), known)
    calls += [Call(action, one.span) for one, action in read]
    return read[0][0].value, sorted(calls, key=lambda call: call.span)


def _with_words(calls: Sequence[Call], answer: Answer, said: Mapping[str, Any] | None = None) -> Written:
    """Return the decision of equal ``calls`` with thought and expectation from what stands around them.

    ``said``: the object that has both beside its action. Raises ReplyUnusable where the calls differ.
    """
    spans = tuple(call.span for call in calls)
    before = answer.text[: spans[0].start]
    thought, hope = _THOUGHT.search(before), _ACTION.search(before)
    concluded = around.CONCLUSION.search(answer.text, spans[-1].end)
    expected = concluded[1] if concluded else (hope[1] if hope else "")
    said = said or {}
    fields = {
        "thought": (thought[1] if thought else said.get("thought") or answer.reasoning).strip(),
        "action": the_same(calls),
        "expectation": said.get("expectation") or expected.strip().strip('"'),
    }
    return Written(fields, spans)


# ---------------------------------------------------------------------------- under headers
def _under_headers(found: Sections, known: Known) -> dict[str, Any] | None:
    """Return the fields of a reply; None without an Action. Raises ReplyUnusable."""
    if "Action" not in found:
        return None
    names = list(found)
    foreign = [name for name in names[: names.index("Action")] if name not in _OPERATOR]
    if foreign:
        raise ReplyUnusable(f"the section {foreign[0]!r}, which is another role's, stands before the action")
    return {
        "observation": found.get("Observation", ""),
        "thought": found.get("Thought", ""),
        "action": _section_action(found["Action"], known),
        "expectation": found.get("Expectation") or found.get("Description") or found.get("Operation", ""),
    }


def _section_action(body: str, known: Known) -> Fields:
    """Return the one action that an Action section holds. Raises ReplyUnusable."""
    written = around.without_fences(body)
    if first_brace(written) == 0:
        return _object_action(written, known)
    calls = bare_calls.calls(written, known, unquoted=True)
    lines = [bare_calls.word(line, known) for line in written.split("\n") if any(char.isalnum() for char in line)]
    words = [one for one in lines if one is not None]
    if not (lines and lines[0]) and not bare_calls.begins(written, known):
        raise ReplyUnusable("the Action section holds no action")
    fields = the_same([*(Call(one, Span(0, 0)) for one in words), *calls])
    if lines[0] and (len(words) < len(lines) or any(mark in written for mark in around.QUESTION_MARKS)):
        raise ReplyUnusable(f"words follow {fields['name']} in the Action section")
    if not lines[0]:
        around.check(written, [call.span for call in calls])
    return fields


def _object_action(written: str, known: Known) -> Fields:
    try:
        first = read_object(written, 0)
    except NotAValue as error:
        raise ReplyUnusable(f"the Action section: {error}") from None
    if _flat_or_called(first, known) is None:
        raise ReplyUnusable("the Action section's object is no action")
    found = [first, *(one for one in objects(written) if one.start >= first.end)]
    calls = [Call(fields, one.span) for one in found if (fields := _flat_or_called(one, known)) is not None]
    action = the_same(calls)
    around.check(written, [call.span for call in calls])
    return action


def _flat_or_called(found: Found, known: Known) -> Fields | None:
    """Return the action of an object that is a dictionary of the papers, or an action as our own JSON has it."""
    read = dictionary(found.value, known)
    if read is None and isinstance(found.value.get("name"), str) and "arguments" not in found.value:
        return flat(found.value, known)
    return read
