"""Parse a model's output into a reply. This module is the only entry: no other code reads model output.

Constrained output is one JSON object and is taken as it is. Otherwise reasoning is separated first. The rest is read as
our JSON, then in the other formats that are asked for (``actors.mllm.formats``) and in those that model families were
trained to write (docs/parsing.md). Every result must pass the strict types of ``protocol.roles.replies``. If an answer
holds two different replies, neither is taken. An answer is refused if its meaning could only be guessed. It is also
refused if the text around the reply shows that the reply may be a quotation (``surrounding_text``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from annotated_types import MaxLen
from pydantic import ValidationError

from manyhands.actors.mllm.formats import FORMATS
from manyhands.actors.mllm.parse import decisions, surrounding_text
from manyhands.actors.mllm.parse.actions import Fields, OfferedActions, offered_actions
from manyhands.actors.mllm.parse.decisions import ReplyFields
from manyhands.actors.mllm.parse.phone_tool import read_flat_action, read_named_object, read_tool_action
from manyhands.actors.mllm.parse.sections import label_of, read_outcome
from manyhands.actors.mllm.parse.separated_answer import (
    SeparatedAnswer,
    complete_fields,
    separate_field_lines,
    separate_observation,
    separate_reasoning,
    unasked_fields,
)
from manyhands.actors.mllm.parse.values import (
    JsonObject,
    NotAValue,
    TextSpan,
    find_first_brace,
    find_objects,
    is_object,
    read_object,
)
from manyhands.actors.mllm.vocabulary import (
    AUTOGLM,
    GELAB,
    HOLO,
    MAI_UI,
    MOBILE_USE,
    PLAIN,
    TOOL,
    UI_TARS,
    UI_VENUS,
    UI_VENUS_15,
)
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable, explain
from manyhands.protocol.roles.field_description import describe_fields
from manyhands.protocol.roles.replies import FOLLOWING, ActingReply, VerdictReply
from manyhands.protocol.roles.role import JudgeReply, PlanReply

__all__ = ["ParsedReply", "parse", "read"]

R = TypeVar("R", bound=Reply)

_LONGEST_TEXT = 50_000
"""The most characters of an answer without its reasoning."""
_LONGEST_REASONING = 500_000
"""The most characters of an answer with its reasoning, some 100,000 tokens."""
_LONGEST_REASON = 300
_NO_TOOL_CALL = f"no <tool_call> of {TOOL}"
_OWN_FORMS = {
    MOBILE_USE: _NO_TOOL_CALL,
    MAI_UI: _NO_TOOL_CALL,
    UI_TARS: "no line Action: with a function, such as Action: press_back()",
    AUTOGLM: "no do(action=...) and no finish(message=...) in <answer>",
    GELAB: "no line of parts that tabs part, with action: and summary:",
    HOLO: 'no object with a "tool_call"',
    PLAIN: 'no object with an "action"',
    **dict.fromkeys((UI_VENUS, UI_VENUS_15), "no function in <action>, such as <action>PressBack()</action>"),
}
"""What an unreadable answer lacks, by the form in which the model was asked."""
_EDGES = " \t\r\n\f\v\u00a0\u3000" + surrounding_text.INVISIBLE


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[R]):
    """Hold a reply, and the names of its texts that were too long and were cut."""

    reply: R
    cut: tuple[str, ...] = ()


def parse(reply: type[R], text: str) -> R:
    """Return the reply that ``text`` holds. Raises ReplyUnusable, with the reason in one line, for any other text."""
    return read(reply, text).reply


def read(reply: type[R], text: str, *, own_form: bool = False) -> ParsedReply[R]:
    """Return the reply that ``text`` holds, and what was cut in it. Raises ReplyUnusable, like ``parse``.

    ``own_form``: the model was asked in its family's own form, so the error names that form, not our JSON.
    """
    expected = _OWN_FORMS.get(reply.form, "") if own_form and issubclass(reply, ActingReply) else ""
    try:
        return _read(reply, _bounded(text.strip(_EDGES), _LONGEST_REASONING), expected)
    except ReplyUnusable as error:
        raise ReplyUnusable(_one_line(str(error))) from None


def _read(reply: type[R], text: str, expected: str) -> ParsedReply[R]:
    if not text:
        raise ReplyUnusable("the answer is empty")
    whole = len(text) <= _LONGEST_TEXT and is_object(text)
    answer = SeparatedAnswer(text) if whole else _separate(text, reply)
    parsed, spans, problem = _read_json(reply, answer.text)
    if parsed is None:
        parsed, spans = _other(reply, answer)
    elif spans != (TextSpan(0, len(answer.text)),):
        spans = tuple(sorted((*spans, *_beside(parsed.reply, answer.text, spans))))
    if parsed is None:
        raise ReplyUnusable(f"the answer holds {expected}" if expected else problem)
    if spans:
        surrounding_text.check_surroundings(answer.text, spans, label_of(reply))
    if any(char.isalnum() for char in answer.after):
        raise ReplyUnusable("reasoning follows the reply, and may take it back")
    return parsed


def _separate(text: str, reply: type[Reply]) -> SeparatedAnswer:
    answer = separate_reasoning(text)
    for part in (answer.text, answer.endless):
        _bounded(part, _LONGEST_TEXT)
    return separate_field_lines(separate_observation(answer, reply), reply)


def _bounded(text: str, most: int) -> str:
    """Return ``text``. Raises ReplyUnusable before anything is searched in it if it is too long."""
    if len(text) > most:
        raise ReplyUnusable(f"the answer is {len(text)} characters long")
    return text


# ---------------------------------------------------------------------------- our JSON
def _read_json(reply: type[R], text: str) -> tuple[ParsedReply[R] | None, tuple[TextSpan, ...], str]:
    """Return the reply that ``text`` holds as our JSON and all its places, or the reason why it holds none.

    Raises ReplyUnusable for several different replies.
    """
    replies: list[ParsedReply[R]] = []
    spans: list[TextSpan] = []
    problem = ""
    candidates = find_objects(text)
    for candidate in candidates:
        try:
            one = _judged(reply, candidate, text)
        except ReplyUnusable as error:
            problem = problem or str(error)
            continue
        spans.append(candidate.span)
        if one not in replies:
            replies.append(one)
    if len(replies) > 1:
        raise ReplyUnusable(f"the answer holds {len(replies)} different replies")
    return (replies[0], tuple(spans), "") if replies else (None, (), _why_none(text, candidates, problem))


def _judged(reply: type[R], candidate: JsonObject, text: str) -> ParsedReply[R]:
    """Return an object as a reply. If the object is not valid as it is, normalize it first. Raises ReplyUnusable."""
    encoded = json.dumps(candidate.value) if candidate.mended else text[candidate.start : candidate.end]
    try:
        return ParsedReply(reply.model_validate_json(encoded, strict=True))
    except ValidationError as error:
        fields = normalize_fields(reply, candidate.value, candidate.whole)
        if fields is None:
            raise ReplyUnusable(explain(error, reply)) from None
    return _valid(reply, fields)


def _why_none(text: str, candidates: list[JsonObject], problem: str) -> str:
    start = find_first_brace(text)
    if start is not None and candidates and candidates[0].start == start:
        return problem
    try:
        if start is not None:
            read_object(text, start)
    except NotAValue as error:
        return f"the answer holds no whole JSON object ({error})"
    return "the answer holds no whole JSON object"


# ---------------------------------------------------------------------------- other formats
def _other(reply: type[R], answer: SeparatedAnswer) -> tuple[ParsedReply[R] | None, tuple[TextSpan, ...]]:
    """Return the reply that ``answer`` holds in another format, and all its places. Raises ReplyUnusable."""
    fields_read = _read_format(reply, answer)
    if fields_read is None:
        return None, ()
    fields = fields_read.fields
    if issubclass(reply, ActingReply):
        fields = {**complete_fields(answer.fields, reply), "observation": answer.observed, **fields}
        fields = {name: one for name, one in fields.items() if name in reply.model_fields}
    parsed = _valid(reply, fields)
    if fields_read.final_words and isinstance(parsed.reply, ActingReply):
        parsed = replace(parsed, reply=parsed.reply.with_final_words(fields_read.final_words))
    return parsed, fields_read.spans


def _read_format(reply: type[R], answer: SeparatedAnswer) -> ReplyFields | None:
    """Return the fields that ``answer`` holds in a format of ``FORMATS``, or in one that models write unasked."""
    if issubclass(reply, ActingReply) and answer.endless and not answer.text.strip():
        return decisions.read_endless(answer.endless, reply)
    own = decisions.read_own_form(answer, reply) if issubclass(reply, ActingReply) else None
    if own is not None:
        return own
    for form in FORMATS.values():
        if form.recognizes(answer.text, reply):
            return form.read(answer, reply)
    return decisions.read_unmarked(answer, reply) if issubclass(reply, ActingReply) else None


def _beside(accepted: Reply, text: str, spans: tuple[TextSpan, ...]) -> tuple[TextSpan, ...]:
    """Return where the reply of our JSON at ``spans`` is repeated in other formats.

    Raises ReplyUnusable if another reply, or a broken one, is beside it.
    """
    rest = surrounding_text.blank_spans(text, spans)
    for form in FORMATS.values():
        rest = form.remove_empty(rest)
    try:
        other, places = _other(type(accepted), SeparatedAnswer(rest))
    except ReplyUnusable as error:
        raise ReplyUnusable(f"beside our JSON stands what is unusable: {error}") from None
    if other is None:
        return ()
    again = other.reply
    if isinstance(accepted, ActingReply) and isinstance(again, ActingReply):
        same = accepted.action == again.action
    else:
        same = accepted == again
    if not same:
        raise ReplyUnusable("the answer holds two different replies")
    return places


def _valid(reply: type[R], fields: Mapping[str, Any]) -> ParsedReply[R]:
    shortened, names = truncate_texts(reply, fields)
    try:
        return ParsedReply(reply.model_validate_json(json.dumps(shortened), strict=True), names)
    except ValidationError as error:
        raise ReplyUnusable(explain(error, reply)) from None


def _one_line(text: str) -> str:
    """Return a reason as one line that a journal and a terminal can hold. The reason may quote the model's words."""
    return " ".join(text.split())[:_LONGEST_REASON].encode("utf-8", "replace").decode("utf-8")


_UNASKED = frozenset({"observation", "reasoning", "reason", "explanation", "summary", "confidence", "description"})
"""Further keys of a reply that may be ignored."""
_NO_PLAN = ("finished", "impossible")
_PROSE = ("change", "error", "progress", "thought")
"""The texts of a verdict beside its letter."""


def normalize_fields(reply: type[Reply], value: Mapping[str, Any], whole: bool) -> Fields | None:
    """Return the fields of our JSON as ``reply`` has them; None if the object lacks the essential field.

    Unclear values stay as they are, and the type ``reply`` refuses them. ``whole``: the object has its last brace.
    Without it the object may have been cut off, so a missing text is an error. Raises ReplyUnusable for an invalid
    action in the shape of another format.
    """
    fields = {key: one for key, one in value.items() if key not in _UNASKED or key in reply.model_fields}
    if issubclass(reply, ActingReply):
        fields = {key: one for key, one in fields.items() if key not in {field.name for field in unasked_fields(reply)}}
        action = fields.get("action")
        if not isinstance(action, Mapping) and (not isinstance(action, str) or fields.keys() == {"action"}):
            return None
        fields["action"] = _action(action, offered_actions(reply))
        if FOLLOWING in fields and reply.most_following:
            following = fields[FOLLOWING] or []
            if not isinstance(following, list) or not all(isinstance(one, Mapping | str) for one in following):
                raise ReplyUnusable(f"{FOLLOWING!r} is no list of actions")
            fields[FOLLOWING] = [_action(one, offered_actions(reply)) for one in following]
        if "outcome" in reply.model_fields and isinstance(fields.get("outcome"), str):
            fields["outcome"] = read_outcome(fields["outcome"])
        return _with_empty(fields, whole, *(field.name for field in describe_fields(reply) if field.name != "action"))
    if issubclass(reply, VerdictReply):
        if not isinstance(fields.get("outcome"), str):
            return None
        fields["outcome"] = read_outcome(fields["outcome"])
        return _with_empty(fields, whole, *(name for name in reply.model_fields if name in _PROSE))
    if issubclass(reply, JudgeReply):
        verdict = fields.get("verdict")
        return fields if not isinstance(verdict, str) else {**fields, "verdict": verdict.strip(" .").lower()}
    if issubclass(reply, PlanReply):
        for key in ("change", "status"):
            if isinstance(fields.get(key), str):
                fields[key] = fields[key].strip().lower()
        return _with_empty(fields, whole, "thought", *(("plan", "subgoal") if fields.get("status") in _NO_PLAN else ()))
    return fields


def truncate_texts(reply: type[Reply], fields: Mapping[str, Any]) -> tuple[Fields, tuple[str, ...]]:
    """Return ``fields`` with texts cut to the length that ``reply`` allows, and the names of the cut texts.

    Only the reply's own texts are cut, because they are prose. The texts of an action are typed, or name something.
    """
    longest = {
        name: bound.max_length
        for name, field in reply.model_fields.items()
        for bound in field.metadata
        if isinstance(bound, MaxLen)
    }
    long = {
        name: fields[name][:most]
        for name, most in longest.items()
        if isinstance(fields.get(name), str) and len(fields[name]) > most
    }
    return {**fields, **long}, tuple(long)


def _with_empty(fields: Fields, whole: bool, *prose: str) -> Fields:
    return {**fields, **{key: "" for key in prose if fields.get(key) is None and (whole or key in fields)}}


def _action(value: Any, offered: OfferedActions) -> Any:
    """Return an action as our replies have it, from our format or another one. Raises ReplyUnusable."""
    if isinstance(value, str):
        action = offered.alone(value)
        if action is None:
            raise offered.unknown(value)
        return action
    name = value.get("name")
    if isinstance(name, str) and "arguments" in value and name != "Shortcut":
        return read_named_object(value, offered)
    if isinstance(name, str):
        return read_flat_action(value, offered)
    return read_tool_action(value, offered) if "action" in value else value
