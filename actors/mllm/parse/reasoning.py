"""Separate reasoning and an observation from the answer itself, in which alone an action is looked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from manyhands.actors.mllm.parse.surrounding_text import ACTION, THOUGHT, blank_spans, ends_in_quotation, ends_sentence
from manyhands.actors.mllm.parse.values import TextSpan
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable

_NAMES = "(?:think|thinking|grounding_think)"
_OPEN = re.compile(rf"<{_NAMES}>", re.IGNORECASE)
_CLOSE = re.compile(rf"</{_NAMES}>", re.IGNORECASE)
_STRAY = re.compile(rf"(?:\s*</{_NAMES}>)+", re.IGNORECASE)

_OBSERVED = re.compile(
    r"\A[ \t*_]*Observation[ \t*_]*[:：](.*?)" rf"(?=^{THOUGHT}|^{ACTION}|<tool_call>|<function=|\Z)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SeparatedAnswer:
    """Hold an answer without its reasoning."""

    text: str
    reasoning: str = ""
    endless: str = ""
    """Reasoning that was never closed, where nothing stands before it."""
    after: str = ""
    """Reasoning that was begun behind the answer. It may take the answer back."""
    observed: str = ""
    """An observation that stood before the thought, where the reply has one."""


def separate_reasoning(text: str) -> SeparatedAnswer:
    """Return what follows the end of reasoning; the opening tag is often part of the server's template.

    Raises ReplyUnusable where reasoning ends twice, for then nobody knows which part is the answer, and where its end
    may be a quotation.
    """
    close = _CLOSE.search(text)
    if close is None:
        opening = _OPEN.search(text)
        if opening is None:
            return SeparatedAnswer(text)
        before, rest = text[: opening.start()], text[opening.end() :]
        return SeparatedAnswer(before, after=rest) if before.strip() else SeparatedAnswer(before, endless=rest)
    reasoning, opened = _OPEN.subn("", text[: close.start()])
    if ends_in_quotation(reasoning.rsplit("\n", 1)[-1]) or not (opened or ends_sentence(reasoning)):
        raise ReplyUnusable("the reasoning ends within a sentence, which may quote that end")
    stray = _STRAY.match(text, close.end())
    rest = text[stray.end() if stray else close.end() :]
    if _CLOSE.search(rest):
        raise ReplyUnusable("the reasoning ends twice")
    reopened = _OPEN.search(rest)
    if reopened is None:
        return SeparatedAnswer(rest, reasoning=reasoning.strip())
    return SeparatedAnswer(rest[: reopened.start()], reasoning=reasoning.strip(), after=rest[reopened.end() :])


def separate_observation(answer: SeparatedAnswer, reply: type[Reply]) -> SeparatedAnswer:
    """Return ``answer`` with an observation told apart that stands before its thought, with a mark of its own."""
    seen = _OBSERVED.match(answer.text) if "observation" in reply.model_fields else None
    if seen is None:
        return answer
    rest = blank_spans(answer.text, [TextSpan(seen.start(), seen.end())])
    return replace(answer, text=rest, observed=seen[1].strip())
