"""The one place where a model's words become a reply. Nothing else reads model output.

Constrained output is one JSON object and is taken as it is. Otherwise reasoning is dropped and the answer is read
as our JSON with prose, fences or rubbish around it, then in the formats that model families are trained to write
(docs/parsing.md). Whatever is read ends in the strict types of ``protocol.replies``; of two different replies none
is taken, and what could only be guessed is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from actors.mllm.parse import decisions, headers, tool_calls
from actors.mllm.parse.places import on_own_lines
from actors.mllm.parse.reasoning import Answer, without_reasoning
from actors.mllm.parse.values import Found, NotAValue, first_brace, is_object, objects, read_object
from protocol.base import Reply
from protocol.errors import ReplyUnusable, explain
from protocol.replies import DecideReply, NoteReply, PlanReply, ReflectReply, ReflectSubgoalReply

__all__ = ["parse"]

R = TypeVar("R", bound=Reply)
_Reading = Callable[[Answer], Mapping[str, Any] | None]

_LONGEST_TEXT = 50_000
"""Characters of an answer without its reasoning."""
_LONGEST_REASON = 300

_OTHER_FORMATS: dict[type[Reply], _Reading] = {
    PlanReply: lambda answer: headers.plan(headers.sections(answer.text)),
    DecideReply: decisions.decision,
    ReflectReply: lambda answer: headers.reflection(headers.sections(answer.text)),
    ReflectSubgoalReply: lambda answer: headers.reflection_and_subgoal(headers.sections(answer.text)),
    NoteReply: lambda answer: headers.notes(headers.sections(answer.text)),
}


def parse(reply: type[R], text: str) -> R:
    """The reply that ``text`` holds. Raises ReplyUnusable, with the reason in one line, for any other text."""
    try:
        return _parse(reply, text)
    except ReplyUnusable as error:
        raise ReplyUnusable(_one_line(str(error))) from None


def _parse(reply: type[R], text: str) -> R:
    if not text.strip():
        raise ReplyUnusable("the answer is empty")
    whole = len(text) <= _LONGEST_TEXT and is_object(text.strip())
    answer = Answer(text.strip()) if whole else without_reasoning(text)
    if len(answer.text) > _LONGEST_TEXT or len(answer.endless) > _LONGEST_TEXT:
        raise ReplyUnusable(f"the answer is {len(answer.text or answer.endless)} characters long")
    own, problem = _own(reply, answer.text)
    if own is None:
        other = _other(reply, answer)
        if other is None:
            raise ReplyUnusable(problem)
        return other
    read, written = own
    rest = _beside(answer.text, written)
    if rest.strip() and _says_otherwise(read, rest):
        raise ReplyUnusable("the answer holds two different replies")
    return read


# ---------------------------------------------------------------------------- our JSON
def _own(reply: type[R], text: str) -> tuple[tuple[R, list[Found]] | None, str]:
    """The reply that ``text`` holds as our JSON, and wherever it does, or why it holds none.

    Raises ReplyUnusable for several, and where it stands within a sentence.
    """
    read: list[R] = []
    written: list[Found] = []
    problem = ""
    candidates = objects(text)
    for found in candidates:
        try:
            one = _judged(reply, found, text)
        except ReplyUnusable as error:
            problem = problem or str(error)
            continue
        written.append(found)
        if one not in read:
            read.append(one)
    if len(read) > 1:
        raise ReplyUnusable(f"the answer holds {len(read)} different replies")
    if read:
        if on_own_lines(text, candidates).isdisjoint(found.start for found in written):
            raise ReplyUnusable("the reply stands within a sentence, not on lines of its own")
        return (read[0], written), ""
    return None, _why_none(text, candidates, problem)


def _judged(reply: type[R], found: Found, text: str) -> R:
    """Strict: a number in quotes, a fraction or a truth value is no coordinate."""
    return _valid(reply, json.dumps(found.value) if found.mended else text[found.start : found.end])


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
def _other(reply: type[R], answer: Answer) -> R | None:
    fields = _OTHER_FORMATS[reply](answer) if reply in _OTHER_FORMATS else None
    return None if fields is None else _valid(reply, json.dumps(fields))


def _beside(text: str, written: list[Found]) -> str:
    """``text`` without our JSON, and without the tags and headings that then hold nothing."""
    ends = [0, *(found.end for found in written)]
    starts = [*(found.start for found in written), len(text)]
    rest = "\n".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    return headers.without_empty(tool_calls.without_empty(rest))


def _says_otherwise(read: Reply, rest: str) -> bool:
    """Whether what stands beside our JSON is a reply too, and another one. Raises ReplyUnusable for a broken one."""
    try:
        other = _other(type(read), Answer(rest))
    except ReplyUnusable as error:
        raise ReplyUnusable(f"beside our JSON stands what is unusable: {error}") from None
    if isinstance(read, DecideReply) and isinstance(other, DecideReply):
        return read.action != other.action
    return other is not None and other != read


def _valid(reply: type[R], written: str) -> R:
    try:
        return reply.model_validate_json(written, strict=True)
    except ValidationError as error:
        raise ReplyUnusable(explain(error, reply)) from None


def _one_line(text: str) -> str:
    """A reason as a journal and a terminal can hold it: it may quote what the model wrote."""
    return " ".join(text.split())[:_LONGEST_REASON].encode("utf-8", "replace").decode("utf-8")
