"""Separate the fields that a reply writes as lines of their own before its thought and action, such as ``Verdict: A``.

A model that answers in its own form has no place for them: a tool call or a function holds the action alone. So it is
asked for lines with the fields' labels, which come before the reply, or in the reasoning before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from manyhands.actors.mllm.parse.headers import read_outcome
from manyhands.actors.mllm.parse.reasoning import SeparatedAnswer
from manyhands.actors.mllm.parse.surrounding_text import ACTION, blank_spans, leads_on
from manyhands.actors.mllm.parse.values import TextSpan
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.field_description import describe_fields
from manyhands.protocol.replies import ActingReply

FIELD_LABELS = {"outcome": "Verdict", "progress": "Progress", "subgoal": "Subgoal", "notes": "Notes"}
"""Short labels of fields whose headings are longer or mean something else in a chat."""
OF_EVERY_FORM = frozenset({"observation", "thought", "action", "expectation"})
"""Fields for which the forms have marks of their own."""
_REPLY = re.compile(
    rf"^[ \t`]*<(?:tool_call|answer|function=)|^{ACTION}|^[ \t`]*[a-z_]+\(|^[ \t`]*[{{｛]", re.IGNORECASE | re.MULTILINE
)
"""Where the reply itself may begin. Lines behind it belong to it, such as those of a typed text."""


def separate_field_lines(answer: SeparatedAnswer, reply: type[Reply]) -> SeparatedAnswer:
    """Separate the lines with the further fields of a reply that chooses an action. Return the parts.

    Raises ReplyUnusable if a field is given twice or runs on into the reply.
    """
    labels = _labels(reply) if issubclass(reply, ActingReply) else {}
    if not labels:
        return answer
    begin = _REPLY.search(answer.text)
    end = begin.start() if begin else len(answer.text)
    found = list(_line(reply).finditer(answer.text, 0, end))
    if found:
        last = found[-1]
        if begin and not answer.text[last.end() : end].strip() and leads_on(last[2].strip()):
            raise ReplyUnusable(f"the line {last[1]!r} leads to the reply, which may be a part of it")
        rest = blank_spans(answer.text, [TextSpan(*one.span()) for one in found])
        return replace(answer, text=rest, fields=_fields(found, labels))
    found = list(_line(reply).finditer(answer.reasoning))
    if not found:
        return answer
    kept = blank_spans(answer.reasoning, [TextSpan(*one.span()) for one in found])
    thought = "\n".join(part.rstrip() for part in kept.split("\n") if part.strip())
    return replace(answer, reasoning=thought, fields=_fields(found, labels))


def complete_fields(given: Mapping[str, str], reply: type[ActingReply]) -> Mapping[str, str]:
    """Return the fields that stood on lines, and those that need no line: a text is empty then, a subgoal is open."""
    unsaid = {"subgoal": "open"}
    texts = [field.name for field in describe_fields(reply) if not field.choices and field.name not in OF_EVERY_FORM]
    return {**dict.fromkeys(texts, ""), **unsaid, **given}


def _fields(found: list[re.Match[str]], labels: Mapping[str, str]) -> Mapping[str, str]:
    fields: dict[str, str] = {}
    for one in found:
        name, text = labels[" ".join(one[1].lower().split())], one[2].strip().strip("*_").strip()
        if fields.setdefault(name, text) != text:
            raise ReplyUnusable(f"{one[1]} is given twice")
    return with_choices(fields)


def with_choices(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields with the letter of the outcome, and with one of the two words for the subgoal.

    Raises ReplyUnusable if there is an outcome without a letter.
    """
    read = dict(fields)
    if "outcome" in read:
        read["outcome"] = read_outcome(read["outcome"])
    if "subgoal" in read:
        read["subgoal"] = "reached" if re.match(r"reached\b", read["subgoal"], re.IGNORECASE) else "open"
    return read


@cache
def _labels(reply: type[Reply]) -> Mapping[str, str]:
    """Return the fields of a reply beside those of every form, by their labels in small letters."""
    own = [field for field in describe_fields(reply) if field.name not in OF_EVERY_FORM]
    return {
        label.lower(): field.name for field in own for label in (field.heading, FIELD_LABELS.get(field.name)) if label
    }


@cache
def _line(reply: type[Reply]) -> re.Pattern[str]:
    """Return the pattern of a line with a field."""
    names = "|".join(re.escape(label) for label in sorted(_labels(reply), key=len, reverse=True))
    return re.compile(rf"^[ \t*_]*({names})[ \t*_]*[:：]([^\n]*)$", re.IGNORECASE | re.MULTILINE)
