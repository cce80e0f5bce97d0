"""Reasoning in an answer: told apart from the answer itself, in which alone an action is looked for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from protocol.errors import ReplyUnusable

_NAMES = "(?:think|thinking|grounding_think)"
_OPEN = re.compile(rf"<{_NAMES}>", re.IGNORECASE)
_CLOSE = re.compile(rf"</{_NAMES}>", re.IGNORECASE)
_STRAY = re.compile(rf"(?:\s*</{_NAMES}>)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer without its reasoning."""

    text: str
    reasoning: str = ""
    endless: str = ""
    """Reasoning that was never closed, where nothing stands before it."""


def without_reasoning(text: str) -> Answer:
    """What follows the end of reasoning; the opening tag is often part of the server's template.

    Raises ReplyUnusable where reasoning ends twice: nothing then says which part is the answer.
    """
    close = _CLOSE.search(text)
    if close is None:
        opening = _OPEN.search(text)
        if opening is None:
            return Answer(text)
        before = text[: opening.start()]
        return Answer(before, endless="" if before.strip() else text[opening.end() :])
    reasoning = _OPEN.sub("", text[: close.start()])
    stray = _STRAY.match(text, close.end())
    rest = text[stray.end() if stray else close.end() :]
    if _CLOSE.search(rest):
        raise ReplyUnusable("the reasoning ends twice")
    reopened = _OPEN.search(rest)
    return Answer(rest[: reopened.start()] if reopened else rest, reasoning=reasoning.strip())
