"""Read a model's output as a reply. This is the one place that does: nothing else reads model output.

Constrained output is one JSON object and is taken as it is. Otherwise reasoning is dropped and the answer is read
as our JSON, then in the formats that model families are trained to write (docs/parsing.md). Whatever is read ends in
the strict types of ``protocol.replies``; of two different replies none is taken, what could only be guessed is
refused, and so is a reply that may be a quotation, by what stands around it (``around``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from manyhands.actors.mllm.parse import around, decisions, headers, own, sections, tool_calls
from manyhands.actors.mllm.parse.decisions import Written
from manyhands.actors.mllm.parse.reasoning import Answer, without_reasoning
from manyhands.actors.mllm.parse.sections import Sections
from manyhands.actors.mllm.parse.values import Found, NotAValue, Span, first_brace, is_object, objects, read_object
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable, explain
from manyhands.protocol.learners import LearnShortcutsReply
from manyhands.protocol.replies import ActingReply
from manyhands.protocol.roles import NoteReply, PlanReply, ReflectReply, ReflectSubgoalReply
from manyhands.protocol.v2 import LetterReply

__all__ = ["Read", "parse", "read"]

R = TypeVar("R", bound=Reply)
_Reading = Callable[[Sections], Mapping[str, Any] | None]

_LONGEST_TEXT = 50_000
"""Characters of an answer without its reasoning."""
_LONGEST_REASON = 300
_EDGES = " \t\r\n\f\v\u00a0\u3000" + around.INVISIBLE

_UNDER_HEADERS: dict[type[Reply], tuple[str, _Reading]] = {
    PlanReply: ("plan", headers.plan),
    ReflectReply: ("outcome", headers.reflection),
    ReflectSubgoalReply: ("outcome", headers.reflection_and_subgoal),
    NoteReply: ("notes", headers.notes),
    LetterReply: ("answer", headers.letter),
    LearnShortcutsReply: ("shortcut", headers.new_shortcut),
}
"""Replies of which the papers have forms of their own: what may label one, and how it is read from sections."""


@dataclass(frozen=True, slots=True)
class Read(Generic[R]):
    """Hold a reply, and which of its texts were longer than is kept, and cut."""

    reply: R
    cut: tuple[str, ...] = ()


def parse(reply: type[R], text: str) -> R:
    """Return the reply that ``text`` holds. Raises ReplyUnusable, with the reason in one line, for any other text."""
    return read(reply, text).reply


def read(reply: type[R], text: str) -> Read[R]:
    """Return the reply that ``text`` holds, and what of it was cut. Raises ReplyUnusable as ``parse`` does."""
    try:
        return _read(reply, text.strip(_EDGES))
    except ReplyUnusable as error:
        raise ReplyUnusable(_one_line(str(error))) from None


def _read(reply: type[R], text: str) -> Read[R]:
    if not text:
        raise ReplyUnusable("the answer is empty")
    whole = len(text) <= _LONGEST_TEXT and is_object(text)
    answer = Answer(text) if whole else decisions.without_observation(without_reasoning(text), reply)
    if len(answer.text) > _LONGEST_TEXT or len(answer.endless) > _LONGEST_TEXT:
        raise ReplyUnusable(f"the answer is {len(answer.text or answer.endless)} characters long")
    found, spans, problem = _own(reply, answer.text)
    if found is None:
        found, spans = _other(reply, answer)
    elif spans != (Span(0, len(answer.text)),):
        spans = tuple(sorted((*spans, *_beside(found.reply, answer.text, spans))))
    if found is None:
        raise ReplyUnusable(problem)
    if spans:
        subject, _ = _form(reply)
        around.check(answer.text, spans, subject)
    if any(char.isalnum() for char in answer.after):
        raise ReplyUnusable("reasoning follows the reply, and may take it back")
    return found


# ---------------------------------------------------------------------------- our JSON
def _own(reply: type[R], text: str) -> tuple[Read[R] | None, tuple[Span, ...], str]:
    """Return the reply that ``text`` holds as our JSON, and wherever it does, or why it holds none.

    Raises ReplyUnusable for several.
    """
    found: list[Read[R]] = []
    spans: list[Span] = []
    problem = ""
    candidates = objects(text)
    for candidate in candidates:
        try:
            one = _judged(reply, candidate, text)
        except ReplyUnusable as error:
            problem = problem or str(error)
            continue
        spans.append(candidate.span)
        if one not in found:
            found.append(one)
    if len(found) > 1:
        raise ReplyUnusable(f"the answer holds {len(found)} different replies")
    return (found[0], tuple(spans), "") if found else (None, (), _why_none(text, candidates, problem))


def _judged(reply: type[R], found: Found, text: str) -> Read[R]:
    """Return an object as it is, where it is a reply, or mended. Raises ReplyUnusable."""
    written = json.dumps(found.value) if found.mended else text[found.start : found.end]
    try:
        return Read(reply.model_validate_json(written, strict=True))
    except ValidationError as error:
        fields = own.mended(reply, found.value, found.whole)
        if fields is None:
            raise ReplyUnusable(explain(error, reply)) from None
    return _valid(reply, fields)


def _why_none(text: str, candidates: list[Found], problem: str) -> str:
    start = first_brace(text)
    if start is not None and candidates and candidates[0].start == start:
        return problem
    try:
        if start is not None:
            read_object(text, start)
    except NotAValue as error:
        return f"the answer holds no whole JSON object ({error})"
    return "the answer holds no whole JSON object"


# ---------------------------------------------------------------------------- other formats
def _form(reply: type[Reply]) -> tuple[str, _Reading]:
    """Return the form in which the papers write a reply of this type, or of one on which it is based."""
    own = (_UNDER_HEADERS[kind] for kind in reply.__mro__ if kind in _UNDER_HEADERS)
    return next(own, ("", partial(headers.fields, reply)))


def _other(reply: type[R], answer: Answer) -> tuple[Read[R] | None, tuple[Span, ...]]:
    """Return the reply that ``answer`` holds in another format, and wherever it does. Raises ReplyUnusable."""
    if issubclass(reply, ActingReply):
        written = decisions.decision(answer, reply)
    else:
        subject, reading = _form(reply)
        fields = reading(sections.sections(answer.text, subject))
        written = None if fields is None else Written(fields)
    return (None, ()) if written is None else (_valid(reply, written.fields), written.spans)


def _beside(found: Reply, text: str, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return where the reply of our JSON at ``spans`` stands again, in other formats.

    Raises ReplyUnusable where another one, or a broken one, stands beside it.
    """
    rest = sections.without_empty(tool_calls.without_empty(around.without(text, spans)))
    try:
        other, places = _other(type(found), Answer(rest))
    except ReplyUnusable as error:
        raise ReplyUnusable(f"beside our JSON stands what is unusable: {error}") from None
    if other is None:
        return ()
    again = other.reply
    if isinstance(found, ActingReply) and isinstance(again, ActingReply):
        same = found.action == again.action
    else:
        same = found == again
    if not same:
        raise ReplyUnusable("the answer holds two different replies")
    return places


def _valid(reply: type[R], fields: Mapping[str, Any]) -> Read[R]:
    kept, names = own.cut(reply, fields)
    try:
        return Read(reply.model_validate_json(json.dumps(kept), strict=True), names)
    except ValidationError as error:
        raise ReplyUnusable(explain(error, reply)) from None


def _one_line(text: str) -> str:
    """Return a reason as a journal and a terminal can hold it: it may quote what the model wrote."""
    return " ".join(text.split())[:_LONGEST_REASON].encode("utf-8", "replace").decode("utf-8")
