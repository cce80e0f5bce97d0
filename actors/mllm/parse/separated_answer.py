"""Separate an answer from its reasoning, its observation and the lines with further fields, such as ``Verdict: A``.

Only the answer is searched for an action. A model that answers in its own form has no place for further fields: a tool
call or a function holds the action alone. So it is asked for lines with the fields' labels, which come before the
reply, or in the reasoning before it. A text may go on in the lines below its label, up to the next label.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice, zip_longest
from typing import NamedTuple

from manyhands.actors.mllm.parse.sections import read_outcome
from manyhands.actors.mllm.parse.surrounding_text import (
    ACTION,
    THOUGHT,
    blank_spans,
    ends_in_quotation,
    ends_sentence,
    leads_on,
)
from manyhands.actors.mllm.parse.values import TextSpan
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.field_description import ReplyField, describe_fields
from manyhands.protocol.roles.replies import ActingReply

_NAMES = "(?:think|thinking|grounding_think)"
_OPEN = re.compile(rf"<{_NAMES}>", re.IGNORECASE)
_CLOSE = re.compile(rf"</{_NAMES}>", re.IGNORECASE)
_STRAY = re.compile(rf"(?:\s*+</{_NAMES}>)++", re.IGNORECASE)

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
    """The fields that stood on lines of their own, such as ``Verdict: A``."""


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
    match = _OBSERVED.match(answer.text) if "observation" in reply.model_fields else None
    if match is None:
        return answer
    rest = blank_spans(answer.text, [TextSpan(match.start(), match.end())])
    return replace(answer, text=rest, observed=match[1].strip())


FIELD_LABELS = {"outcome": "Verdict", "progress": "Progress", "subgoal": "Subgoal", "notes": "Notes"}
"""Short labels of fields whose headings are longer or mean something else in a chat."""
_CHOSEN = frozenset({"outcome", "subgoal"})
"""Fields that hold one word. They end with their line."""
_MOST_LINES = 100
"""The most lines with fields. A reply needs one for each of its few fields."""
_AROUND_WORD = " \t\r\n.。!！*_`\"'"
OF_EVERY_FORM = frozenset({"observation", "thought", "action", "expectation"})
"""Fields for which the forms have marks of their own."""
_REPLY = re.compile(
    rf"^[ \t`]*<(?:tool_call|answer|action|function=)|^{ACTION}|^[ \t`]*[a-z_]+\(|^[ \t`]*[{{｛]",
    re.IGNORECASE | re.MULTILINE,
)
"""Where the reply itself may begin. Lines behind it belong to it, such as those of a typed text."""
_THOUGHT = re.compile(rf"^{THOUGHT}", re.IGNORECASE | re.MULTILINE)


def separate_field_lines(answer: SeparatedAnswer, reply: type[Reply]) -> SeparatedAnswer:
    """Separate the lines with the further fields of a reply that chooses an action. Return the parts.

    Raises ReplyUnusable if a field is given twice or runs on into the reply, or if there are too many lines.
    """
    labels = _labels(reply) if issubclass(reply, ActingReply) else {}
    if not labels:
        return answer
    begin = _REPLY.search(answer.text)
    end = begin.start() if begin else len(answer.text)
    lines = _lines(answer.text[:end], reply)
    if lines:
        last = lines[-1]
        if begin and not answer.text[last.span.end : end].strip() and leads_on(last.text):
            raise ReplyUnusable(f"the line {last.label!r} leads to the reply, which may be a part of it")
        rest = blank_spans(answer.text, [one.span for one in lines])
        return replace(answer, text=rest, fields=_fields(lines, labels))
    reasoning, fields = separate_reasoning_lines(answer.reasoning, reply)
    return replace(answer, reasoning=reasoning, fields=fields)


def separate_reasoning_lines(reasoning: str, reply: type[Reply]) -> tuple[str, Mapping[str, str]]:
    """Return ``reasoning`` without its lines with fields, and the fields. Raises ReplyUnusable for a field twice."""
    labels = _labels(reply)
    lines = _lines(reasoning, reply) if labels else []
    if not lines:
        return reasoning, {}
    other_text = blank_spans(reasoning, [one.span for one in lines])
    return "\n".join(part.rstrip() for part in other_text.split("\n") if part.strip()), _fields(lines, labels)


def complete_fields(fields: Mapping[str, str], reply: type[ActingReply]) -> Mapping[str, str]:
    """Return the fields that stood on lines, and those that need no line: a text is empty then, a subgoal is open."""
    unsaid = {"subgoal": "open"}
    texts = [field.name for field in describe_fields(reply) if not field.choices and field.name not in OF_EVERY_FORM]
    return {**dict.fromkeys(texts, ""), **unsaid, **fields}


def unasked_fields(reply: type[Reply]) -> tuple[ReplyField, ...]:
    """Return the fields that a model may write beside those of the reply, and that are dropped."""
    longer = reply.longer if issubclass(reply, ActingReply) else None
    beside = describe_fields(longer) if longer is not None else ()
    return tuple(field for field in beside if field.name not in reply.model_fields)


class _FieldLine(NamedTuple):
    """Hold a label as it was written, its text and the place of both."""

    label: str
    text: str
    span: TextSpan


def _lines(text: str, reply: type[Reply]) -> list[_FieldLine]:
    """Return the lines with fields. A text goes on up to the next label, or the mark of a thought, if one follows.

    Raises ReplyUnusable for more lines than a reply can need.
    """
    matches, labels = list(islice(_line_pattern(reply).finditer(text), _MOST_LINES + 1)), _labels(reply)
    if len(matches) > _MOST_LINES:
        raise ReplyUnusable(f"more than {_MOST_LINES} lines begin with {matches[-1][1]!r} or another field's label")
    reasoning_line = _THOUGHT.search(text, matches[-1].end()) if matches else None
    lines = []
    for one, following in zip_longest(matches, matches[1:]):
        end, after = one.end(), following or reasoning_line
        words = one[2]
        if after is not None and labels[_key(one[1])] not in _CHOSEN:
            more = text[one.end() : after.start()]
            if more.strip() and "\n\n" not in more.strip():
                end, words = one.end() + len(more.rstrip()), f"{words} {' '.join(more.split())}"
        lines.append(_FieldLine(one[1], words.strip().strip("*_").strip(), TextSpan(one.start(), end)))
    return lines


def _fields(lines: list[_FieldLine], labels: Mapping[str, str]) -> Mapping[str, str]:
    fields: dict[str, str] = {}
    for one in lines:
        name = labels[_key(one.label)]
        if name and fields.setdefault(name, one.text) != one.text:
            raise ReplyUnusable(f"{one.label} is given twice")
    return with_choices(fields)


def _key(label: str) -> str:
    return " ".join(label.lower().split())


def with_choices(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields with the letter of the outcome, and with one of the two words for the subgoal.

    A subgoal is reached only if nothing but that word is said of it. Raises ReplyUnusable if there is an outcome
    without a letter.
    """
    read = dict(fields)
    if "outcome" in read:
        read["outcome"] = read_outcome(read["outcome"])
    if "subgoal" in read:
        read["subgoal"] = "reached" if read["subgoal"].strip(_AROUND_WORD).lower() == "reached" else "open"
    return read


@cache
def _labels(reply: type[Reply]) -> Mapping[str, str]:
    """Return the fields of a reply beside those of every form, by their labels in small letters.

    Fields that are dropped have no name.
    """
    own = [(field, field.name) for field in describe_fields(reply) if field.name not in OF_EVERY_FORM]
    named = [*((field, "") for field in unasked_fields(reply)), *own]
    return {
        label.lower(): name for field, name in named for label in (field.heading, FIELD_LABELS.get(field.name)) if label
    }


@cache
def _line_pattern(reply: type[Reply]) -> re.Pattern[str]:
    """Return the pattern of a line with a field."""
    names = "|".join(re.escape(label) for label in sorted(_labels(reply), key=len, reverse=True))
    return re.compile(rf"^[ \t*_]*({names})[ \t*_]*[:：]([^\n]*)$", re.IGNORECASE | re.MULTILINE)
