"""Tell reasoning apart from the answer itself, in which alone an action is looked for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from manyhands.actors.mllm.parse.around import ends_in_quotation, ends_sentence
from manyhands.protocol.errors import ReplyUnusable

_NAMES = "(?:think|thinking|grounding_think)"
_OPEN = re.compile(rf"<{_NAMES}>", re.IGNORECASE)
_CLOSE = re.compile(rf"</{_NAMES}>", re.IGNORECASE)
_STRAY = re.compile(rf"(?:\s*</{_NAMES}>)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """Hold an answer without its reasoning."""

    text: str
    reasoning: str = ""
    endless: str = ""
    """Reasoning that was never closed, where nothing stands before it."""
    after: str = ""
    """Reasoning that was begun behind the answer. It may take the answer back."""
    observed: str = ""
    """An observation that stood before the thought, where the reply has one."""


def without_reasoning(text: str) -> Answer:
    """Return what follows the end of reasoning; the opening tag is often part of the server's template.

    Raises ReplyUnusable where reasoning ends twice, for then nobody knows which part is the answer, and where its end
    may be a quotation.
    """
    close = _CLOSE.search(text)
    if close is None:
        opening = _OPEN.search(text)
        if opening is None:
            return Answer(text)
        before, rest = text[: opening.start()], text[opening.end() :]
        return Answer(before, after=rest) if before.strip() else Answer(before, endless=rest)
    reasoning, opened = _OPEN.subn("", text[: close.start()])
    if ends_in_quotation(reasoning.rsplit("\n", 1)[-1]) or not (opened or ends_sentence(reasoning)):
        raise ReplyUnusable("the reasoning ends within a sentence, which may quote that end")
    stray = _STRAY.match(text, close.end())
    rest = text[stray.end() if stray else close.end() :]
    if _CLOSE.search(rest):
        raise ReplyUnusable("the reasoning ends twice")
    reopened = _OPEN.search(rest)
    if reopened is None:
        return Answer(rest, reasoning=reasoning.strip())
    return Answer(rest[: reopened.start()], reasoning=reasoning.strip(), after=rest[reopened.end() :])
