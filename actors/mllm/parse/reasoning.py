"""Separate the answer from reasoning and from an observation. Only the answer is searched for an action."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

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
    """Reasoning that was never closed, if nothing comes before it."""
    after: str = ""
    """Reasoning that began after the answer. This reasoning may take the answer back."""
    observed: str = ""
    """An observation that came before the thought, if the reply has one."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """The fields that stood on lines of their own (``field_lines``)."""


def separate_reasoning(text: str) -> SeparatedAnswer:
    """Return the text after the end of reasoning. The opening tag may be missing: servers' templates often contain it.

    Raises ReplyUnusable if reasoning ends twice, because the answer is then unclear, or if the end tag may be a
    quotation.
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
    """Separate an observation from ``answer``: a text with its own mark before the thought. Return the parts."""
    seen = _OBSERVED.match(answer.text) if "observation" in reply.model_fields else None
    if seen is None:
        return answer
    rest = blank_spans(answer.text, [TextSpan(seen.start(), seen.end())])
    return replace(answer, text=rest, observed=seen[1].strip())
