"""Read the operator's reply in other formats than our JSON: tool calls, headers, dictionaries, bare calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from manyhands.actors.mllm.parse import own_calls, surrounding_text, tool_calls, tool_objects
from manyhands.actors.mllm.parse.actions import (
    ActionCall,
    Fields,
    OfferedActions,
    offered_actions,
    require_same_action,
)
from manyhands.actors.mllm.parse.phone_tool import read_dictionary, read_flat_action
from manyhands.actors.mllm.parse.sections import Sections
from manyhands.actors.mllm.parse.separated_answer import (
    OF_EVERY_FORM,
    SeparatedAnswer,
    separate_reasoning_lines,
    unasked_fields,
    with_choices,
)
from manyhands.actors.mllm.parse.values import (
    JsonObject,
    NotAValue,
    TextSpan,
    find_first_brace,
    find_objects,
    has_broken_object,
    read_object,
)
from manyhands.actors.mllm.vocabulary import HOLO
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.field_description import describe_fields
from manyhands.protocol.roles.replies import ActingReply

_THOUGHT = re.compile(
    rf"^{surrounding_text.THOUGHT}(.*?)(?=^{surrounding_text.ACTION}|\Z)", re.DOTALL | re.MULTILINE | re.IGNORECASE
)
_ACTION = re.compile(rf"^{surrounding_text.ACTION}[ \t]*(.*)$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReplyFields:
    """Hold a reply that was read: its fields, and all places where it occurs.

    There are no places if the reply takes up the whole text, as sections do, or if its surroundings have been checked
    already.
    """

    fields: Mapping[str, Any]
    spans: tuple[TextSpan, ...] = ()
    final_words: str = ""
    """The words to the user that an end of the task holds."""


def read_tool_call(answer: SeparatedAnswer, reply: type[ActingReply]) -> ReplyFields:
    """Return the decision of tool calls between tags.

    Raises ReplyUnusable for a broken call, or for two different calls.
    """
    return _with_words(tool_calls.read_tagged_calls(answer.text, offered_actions(reply)), answer)


def read_own_form(answer: SeparatedAnswer, reply: type[ActingReply]) -> ReplyFields | None:
    """Return the decision of calls that only the family of ``reply.form`` writes; None if there are none.

    Raises ReplyUnusable for a broken call, or for two different calls.
    """
    if reply.form == HOLO:
        return _read_tool_objects(answer, reply)
    calls = own_calls.read_own_calls(answer.text, offered_actions(reply))
    if not calls:
        return None
    decision = _with_words([call.action for call in calls], answer)
    words, *others = dict.fromkeys(call.words.strip() for call in calls)
    if others:
        raise ReplyUnusable("the answer ends the task with two different texts")
    reasoning = "\n".join(filter(None, (decision.fields["thought"], words)))
    return ReplyFields({**decision.fields, "thought": reasoning}, decision.spans, words)


def _read_tool_objects(answer: SeparatedAnswer, reply: type[ActingReply]) -> ReplyFields | None:
    """Return the decision of Holo's objects, with the fields on lines of its thought; None if there are none.

    Raises ReplyUnusable for a broken object, or for two different ones.
    """
    objects = tool_objects.read_tool_objects(answer.text, offered_actions(reply))
    if not objects:
        return None
    action = require_same_action([one.action for one in objects])
    first, *others = dict.fromkeys((one.thought, one.note, one.words) for one in objects)
    if others:
        raise ReplyUnusable("the answer holds two different objects")
    thought, note, words = first
    reasoning, fields = separate_reasoning_lines(thought, reply)
    whole = "\n".join(filter(None, (reasoning.strip(), words)))
    return ReplyFields(
        {"notes": note, **fields, "thought": whole, "action": action, "expectation": ""},
        tuple(one.action.span for one in objects),
        words.strip(),
    )


def read_endless(reasoning: str, reply: type[ActingReply]) -> ReplyFields | None:
    """Return the complete call at the end of unclosed reasoning, with the fields that stand on lines before it.

    Raises ReplyUnusable if the call is part of the prose, or if a field is given twice.
    """
    offered = offered_actions(reply)
    called = tool_calls.find_final_call(reasoning, offered)
    final_call = own_calls.find_final_call(reasoning, offered) if called is None else own_calls.OwnCall(called, "")
    if final_call is None:
        return None
    action, span = final_call.action
    surrounding_text.check_surroundings(reasoning, [span], thinking=True)
    before = reasoning[: span.start].removesuffix("<answer>").removesuffix("<action>")
    reasoning_text, fields = separate_reasoning_lines(before, reply)
    return ReplyFields(
        {**fields, "thought": reasoning_text.strip(), "action": action, "expectation": ""},
        final_words=final_call.words.strip(),
    )


def read_unmarked(answer: SeparatedAnswer, reply: type[ActingReply]) -> ReplyFields | None:
    """Return the decision of a dictionary or of bare calls; None if ``answer`` holds neither.

    Raises ReplyUnusable if ``answer`` holds a broken action, or two different ones.
    """
    offered = offered_actions(reply)
    dictionary = _dictionary(answer.text, offered)
    if dictionary is not None:
        others, same = dictionary
        return _with_words(same, answer, others)
    calls = tool_calls.read_bare_calls(answer.text, offered)
    return _with_words(calls, answer) if calls else None


def _dictionary(text: str, offered: OfferedActions) -> tuple[Mapping[str, Any], list[ActionCall]] | None:
    """Return the first object of ``text`` that is an action, and all actions in order.

    Return None if there is no such object, or if an object before it is broken or has an ``action``. Raises
    ReplyUnusable.
    """
    objects = find_objects(text)
    read = [(one, action) for one in objects if (action := read_dictionary(one.value, offered)) is not None]
    if not read or has_broken_object(text, objects, read[0][0].start):
        return None
    if any("action" in one.value for one in objects if one.start < read[0][0].start):
        return None
    calls = tool_calls.read_bare_calls(surrounding_text.blank_spans(text, [one.span for one in objects]), offered)
    calls += [ActionCall(action, one.span) for one, action in read]
    return read[0][0].value, sorted(calls, key=lambda call: call.span)


def _with_words(
    calls: Sequence[ActionCall], answer: SeparatedAnswer, others: Mapping[str, Any] | None = None
) -> ReplyFields:
    """Return the decision of equal ``calls``, with thought and expectation from the text around them.

    ``others``: an object with thought and expectation beside its action. Raises ReplyUnusable if the calls differ.
    """
    spans = tuple(call.span for call in calls)
    before = answer.text[: spans[0].start]
    reasoning, hope = _THOUGHT.search(before), _ACTION.search(before)
    concluded = surrounding_text.CONCLUSION.search(answer.text, spans[-1].end)
    expected = concluded[1] if concluded else (hope[1] if hope else "")
    others = others or {}
    fields = {
        "thought": (reasoning[1] if reasoning else others.get("thought") or answer.reasoning).strip(),
        "action": require_same_action(calls),
        "expectation": others.get("expectation") or expected.strip().strip('"'),
    }
    return ReplyFields(fields, spans)


# ---------------------------------------------------------------------------- under headers
@cache
def _operator_sections(reply: type[ActingReply]) -> frozenset[str]:
    """Return the section headings of a reply, and those by which other roles give an action and what belongs to it."""
    acting = [other for other in registered_profiles().reply_types.values() if issubclass(other, ActingReply)]
    shared = [field for other in acting for field in describe_fields(other) if field.name in OF_EVERY_FORM]
    fields = (*describe_fields(reply), *unasked_fields(reply), *shared)
    return frozenset({*(field.heading for field in fields), "Expectation"})


def read_action_sections(sections: Sections, reply: type[ActingReply]) -> dict[str, Any] | None:
    """Return the fields of a reply under headers; None without an Action section. Raises ReplyUnusable."""
    if "Action" not in sections:
        return None
    names = list(sections)
    foreign = [name for name in names[: names.index("Action")] if name not in _operator_sections(reply)]
    if foreign:
        raise ReplyUnusable(f"the section {foreign[0]!r}, which is another role's, stands before the action")
    others = [field for field in describe_fields(reply) if field.name not in OF_EVERY_FORM]
    return {
        **with_choices({field.name: sections[field.heading] for field in others if field.heading in sections}),
        "observation": sections.get("Observation", ""),
        "thought": sections.get("Thought", ""),
        "action": _section_action(sections["Action"], offered_actions(reply)),
        "expectation": sections.get("Expectation") or sections.get("Description") or sections.get("Operation", ""),
    }


def _section_action(body: str, offered: OfferedActions) -> Fields:
    """Return the one action of an Action section. Raises ReplyUnusable."""
    text = surrounding_text.remove_fences(body)
    if find_first_brace(text) == 0:
        return _object_action(text, offered)
    calls = tool_calls.read_bare_calls(text, offered, unquoted=True)
    lines = [
        tool_calls.read_bare_word(line, offered) for line in text.split("\n") if any(char.isalnum() for char in line)
    ]
    words = [one for one in lines if one is not None]
    if not (lines and lines[0]) and not tool_calls.begins_with_call(text, offered):
        raise ReplyUnusable("the Action section holds no action")
    fields = require_same_action([*(ActionCall(one, TextSpan(0, 0)) for one in words), *calls])
    if lines[0] and (len(words) < len(lines) or any(mark in text for mark in surrounding_text.QUESTION_MARKS)):
        raise ReplyUnusable(f"words follow {fields['name']} in the Action section")
    if not lines[0]:
        surrounding_text.check_surroundings(text, [call.span for call in calls])
    return fields


def _object_action(text: str, offered: OfferedActions) -> Fields:
    try:
        first = read_object(text, 0)
    except NotAValue as error:
        raise ReplyUnusable(f"the Action section: {error}") from None
    if _flat_or_called(first, offered) is None:
        raise ReplyUnusable("the Action section's object is no action")
    objects = [first, *(one for one in find_objects(text) if one.start >= first.end)]
    calls = [ActionCall(fields, one.span) for one in objects if (fields := _flat_or_called(one, offered)) is not None]
    action = require_same_action(calls)
    surrounding_text.check_surroundings(text, [call.span for call in calls])
    return action


def _flat_or_called(item: JsonObject, offered: OfferedActions) -> Fields | None:
    """Return the action of an object that is a dictionary of the papers, or an action in our JSON."""
    read = read_dictionary(item.value, offered)
    if read is None and isinstance(item.value.get("name"), str) and "arguments" not in item.value:
        return read_flat_action(item.value, offered)
    return read
