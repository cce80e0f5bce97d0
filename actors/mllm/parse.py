"""The one place where a model's words become a reply. Nothing else reads model output.

Constrained output is one JSON object and is taken as it is. Otherwise reasoning in ``<think>`` is dropped and
prose, fences and trailing rubbish around the object are passed over; but what the object says is never mended,
and of two different valid objects none is taken.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import ValidationError

from protocol.base import Reply
from protocol.errors import ReplyUnusable, explain

R = TypeVar("R", bound=Reply)

_LONGEST_TEXT = 50_000
_MOST_TRIES = 200
_LONGEST_REASON = 300
_THINK_OPEN, _THINK_CLOSE = "<think>", "</think>"


class _Twice(ValueError):
    """A JSON object with the same key twice."""


def parse(reply: type[R], text: str) -> R:
    """The reply that ``text`` holds. Raises ReplyUnusable, with the reason in one line, for any other text."""
    if not text.strip():
        raise ReplyUnusable("the answer is empty")
    if len(text) > _LONGEST_TEXT:
        raise ReplyUnusable(f"the answer is {len(text)} characters long")
    rest = text.strip()
    if not _is_object(rest):
        rest = _without_thinking(text)
    candidates = _objects(rest)
    found: list[R] = []
    problem = ""
    for candidate in candidates:
        try:
            read = _read(reply, candidate)
        except ReplyUnusable as error:
            problem = problem or str(error)
            continue
        if read not in found:
            found.append(read)
    if len(found) > 1:
        raise ReplyUnusable(f"the answer holds {len(found)} different replies")
    if not found:
        whole = bool(candidates) and rest.index(candidates[0]) == rest.index("{")
        raise ReplyUnusable(problem if whole else "the answer holds no whole JSON object")
    return found[0]


def _read(reply: type[R], candidate: str) -> R:
    try:
        _decoder.decode(candidate)
        # Strict: a number in quotes, a fraction or a truth value is no coordinate.
        return reply.model_validate_json(candidate, strict=True)
    except _Twice as error:
        raise ReplyUnusable(_one_line(str(error))) from None
    except ValidationError as error:
        raise ReplyUnusable(_one_line(explain(error, reply))) from None


def _without_thinking(text: str) -> str:
    """What follows the last end of reasoning; the opening tag is often part of the server's template."""
    _, closed, rest = text.rpartition(_THINK_CLOSE)
    if not closed and _THINK_OPEN in text:
        return text[: text.index(_THINK_OPEN)]
    return rest


def _is_object(text: str) -> bool:
    try:
        return isinstance(_decoder.decode(text), dict)
    except _Twice:
        return True
    except (ValueError, RecursionError):
        return False


def _objects(text: str) -> list[str]:
    """The JSON objects in ``text`` that stand in no other whole one, in order."""
    found: list[str] = []
    position = text.find("{")
    for _ in range(_MOST_TRIES):
        if position < 0:
            break
        try:
            _, end = _plain_decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            found.append(text[position:end])
        position = text.find("{", end)
    return found


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Twice(f"the key {twice!r} stands twice in the same object")
    return read


_decoder = json.JSONDecoder(object_pairs_hook=_no_twice)
_plain_decoder = json.JSONDecoder()


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_REASON]
