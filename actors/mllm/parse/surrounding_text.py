"""Decide by the text around an apparent reply whether it is meant as a reply.

Only thought with the format's own marks may surround it. A model may quote a text from the screen, or an action that it
advises against. Such a quotation stands within a sentence, after a sentence that introduces it, or before a sentence
that takes it back. The prose around a quotation looks like harmless prose. So words without a mark make the reply
unusable, wherever they are. Thought may come before a reply if it begins with its mark: ``Thought:`` or ``Action:``
(Qwen3-VL, GUI-Owl), or the papers' sections. After a reply only ``<conclusion>`` (GUI-Owl) may come.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from manyhands.actors.mllm.parse.values import TextSpan
from manyhands.protocol.errors import ReplyUnusable

INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060"
"""Characters without a visible shape, such as a byte-order mark. They count as blanks."""
QUESTION_MARKS = ("?", "？")
FENCE = re.compile(r"^[ \t]*```[a-z]*[ \t]*$", re.MULTILINE)
"""A line that opens or closes a code block."""
THOUGHT = r"[ \t*_]*+(?:Thoughts?|Thinking|Reason|Reasoning|思考|想法)[ \t*_]*+[:：]"
ACTION = r"[ \t*_]*+(?:Action|动作|操作)[ \t*_]*+[:：]"
ACTION_ANYWHERE = rf"(?<![ \t*_]){ACTION}"
"""The mark of an action, for searches and repeats: they try it at each place, so it may begin only before its blanks.
Otherwise the work for a run of blanks or asterisks grows with the square of its length."""

_TAGS = "(?:tool_call|answer|action)"
_ANSWERS = r"action|operation|answer|output|reply|response|result|decision|json|(?:(?:tool|function)[ _])?call"
_TOKEN = r"<\|[a-z_]{1,20}\|>"
_BLANK = f" \t\r\u00a0\u3000{INVISIBLE}"
_OPENING = re.compile(rf"(?:<{_TAGS}>|```[a-z]{{0,10}})\s{{0,8}}\Z", re.IGNORECASE)
_LONGEST_OPENING, _MOST_OPENINGS = 24, 4
_MARKED = re.compile(
    rf"(?:[\s{INVISIBLE}]|```[a-z]*|{_TOKEN})*+(?:{THOUGHT}|{ACTION}|[ \t]*[#＃]{{2,4}}[ \t]*(?:Thought|Action)\b)",
    re.IGNORECASE,
)
_LEADS_IN = tuple(":：,，;；、(（[［{｛<《「『“‘-—–")
"""If a thought ends with one of these, it continues in what follows."""
_ENDED = re.compile(r"[.!?。！？][\"”」』)）*]{0,3}\Z")
_GOES_ON = re.compile(rf"(?:[\s{INVISIBLE}`*]|</{_TAGS}>)*+[.,;:!?。，；：！？]", re.IGNORECASE)
_INLINE_FENCE = re.compile(r"(?<=[^\s])[ \t]*```")
_QUOTES = (("“", "”"), ("「", "」"), ("『", "』"), ("«", "»"), ("《", "》"))
_CLOSING = re.compile(
    rf"(?:[^\w<?？]|_|<(?![/|]?[a-z])|</(?:{_TAGS}|function|parameter|conclusion|tools?)>|{_TOKEN})*+", re.IGNORECASE
)
"""Symbols, fences and closing tags, which models may write after a call.

A question mark is not among them: a question mark would express doubt.
"""
CONCLUSION = re.compile(r"<conclusion>(.*?)(?:</conclusion>|\Z)", re.DOTALL | re.IGNORECASE)
_EXPECTATION = re.compile(r"[ \t]*[#＃]{2,4}[ \t]*(?:Description|Expectation|Operation)\b", re.IGNORECASE)
_NEXT_TURN = re.compile(r"(?:user|human|assistant)[ \t]*\r?\n", re.IGNORECASE)
"""The mark of a chat's next turn. Some models continue with it after their call."""


@dataclass(frozen=True, slots=True)
class ReplyLabels:
    """Recognize what may lead to a reply: the whole text before it on its line, or a whole line above it.

    Such a lead may not contain quotation marks or ``>``, because these mark quotations. It may contain hashes and
    dashes only in a heading, because elsewhere these mark comments and lists.
    """

    lead: re.Pattern[str]
    label: re.Pattern[str]
    """A label such as ``Action:``, or a heading. The thought ends before it."""
    heading: re.Pattern[str]
    """A heading such as ``### Action ###``."""


@cache
def reply_labels(subject: str = "") -> ReplyLabels:
    """Return the labels of a reply. ``subject``: the name of its own section, beside words for any answer."""
    named = rf"(?:{_ANSWERS}{'|' + subject if subject else ''})"
    label = (
        rf"(?:{ACTION_ANYWHERE}|"
        rf"(?:here(?:'s|[ ]is)[ ])?(?:(?:my|the|your|next|final|json)[ ]){{0,3}}{named}(?:[ ]is)?[ \t*_]*[:：])"
    )
    heading = rf"[#＃]{{2,4}}[ \t]*(?:(?:my|the|next|final|important)[ ])?{named}[ \t]*(?:[#＃]+[ \t]*[:：]?|[:：]|\Z)"
    item = rf"[{_BLANK}]*+[-*][ \t]++[*_]{{0,2}}+(?:{ACTION}|{label})"
    start = rf"(?:{item}|(?![{_BLANK}]*+\*[ \t]))"  # a label may be an item of a list
    lead = rf"{start}(?:<{_TAGS}>|```[a-z]*|{heading}|{label}|{_TOKEN}|[{_BLANK}\[(（［{{｛`*_:：,，])*+"
    patterns = (re.compile(one, re.IGNORECASE) for one in (lead, rf"{label}|{heading}", heading))
    return ReplyLabels(*patterns)


class _LeadingText(NamedTuple):
    """Describe the text before a reply: its words, and facts about the lead between them and the reply."""

    words: str
    alone: bool
    """Whether nothing stands before the reply on its line except the lead, or a whole sentence before a tool call's
    tag."""
    labelled: bool = False
    """Whether the lead holds a label such as ``Action:`` or a heading, so that the thought ends before it."""
    headed: bool = False
    """Whether the lead has a heading such as ``### Action ###``."""


def check_surroundings(text: str, spans: Sequence[TextSpan], subject: str = "", thinking: bool = False) -> None:
    """Raise ReplyUnusable if words around the ``spans`` are not thought with the format's own marks.

    ``spans``: all places of the one reply, in order. ``subject``: the name of its section. ``thinking``: everything
    before them is reasoning.
    """
    allowed = reply_labels(subject)
    before = _before(text, spans[0].start, allowed)
    for one, following in pairwise(spans):
        _check_between(text[one.end : following.start], allowed)
    _check_after(text, spans, before.headed)
    _check_before(before, thinking)
    unended = before.words and not before.labelled and not _ENDED.search(before.words)
    if unended and _GOES_ON.match(text, spans[-1].end):
        raise ReplyUnusable("the reply stands within a sentence, which goes on behind it")


def check_before_sections(text: str, start: int, subject: str = "") -> None:
    """Raise ReplyUnusable if words come before the sections, which begin at ``start``.

    Thought has a section of its own.
    """
    before = _before(text, start, reply_labels(subject))
    if before.words or not before.alone:
        raise ReplyUnusable("words stand before the sections that are in none of them")


def ends_sentence(text: str) -> bool:
    """Return whether ``text`` ends as a sentence or a line does."""
    last = text.rsplit("\n", 1)[-1].strip(_BLANK)
    return not last or _ENDED.search(last) is not None


def blank_spans(text: str, spans: Sequence[TextSpan]) -> str:
    """Return ``text`` with all ``spans`` replaced by blanks."""
    ends, starts = [0, *(span.end for span in spans)], [*(span.start for span in spans), len(text)]
    between = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    blanks = [blank(text[span.start : span.end]) for span in spans]
    return "".join(part for pair in zip(between, [*blanks, ""], strict=True) for part in pair)


def blank(text: str) -> str:
    """Return blanks of the same length as ``text``, with the same line breaks."""
    return re.sub(r"[^\n]", " ", text)


def remove_fences(text: str) -> str:
    """Return ``text`` without the lines that open or close a code block."""
    return FENCE.sub("", text).strip()


def leads_on(text: str) -> bool:
    """Return whether ``text`` leads to what follows it, or quotes it."""
    return text.endswith(_LEADS_IN) or ends_in_quotation(text)


def _before(text: str, start: int, allowed: ReplyLabels) -> _LeadingText:
    begin = _with_opening(text, start)
    lines = text[:begin].split("\n")
    if allowed.lead.fullmatch(lines[-1]) is None:
        sentence = text.startswith("<", begin) and _ENDED.search(lines[-1].rstrip(_BLANK)) is not None
        return _LeadingText(text[:begin].strip(_BLANK + "\n"), alone=sentence)
    count = len(lines) - 1
    while count and allowed.lead.fullmatch(lines[count - 1]) is not None:
        count -= 1
    lead = lines[count:]
    return _LeadingText(
        "\n".join(lines[:count]).strip(_BLANK + "\n"),
        alone=True,
        labelled=any(allowed.label.search(line) for line in lead),
        headed=any(allowed.heading.search(line) for line in lead),
    )


def _with_opening(text: str, start: int) -> int:
    """Return where the tags and the fence right before ``start`` begin. The line on which they begin counts."""
    for _ in range(_MOST_OPENINGS):
        opening = _OPENING.search(text, max(0, start - _LONGEST_OPENING), start)
        if opening is None:
            break
        start = opening.start()
    return start


def _check_before(before: _LeadingText, thinking: bool) -> None:
    if not before.alone:
        raise ReplyUnusable("the reply stands within a sentence, not on lines of its own")
    if not before.words:
        return
    if not thinking and _MARKED.match(before.words) is None:
        raise ReplyUnusable("words stand before the reply that are not marked as a thought")
    if (before.words.endswith(_LEADS_IN) and not before.labelled) or ends_in_quotation(before.words):
        raise ReplyUnusable("the words before the reply quote it or lead to it, so it stands within a sentence")


def ends_in_quotation(text: str) -> bool:
    """Return whether a quotation is still open at the end of ``text``."""
    if text.count('"') % 2 or text.replace("```", "").count("`") % 2 or len(_INLINE_FENCE.findall(text)) % 2:
        return True
    return any(text.count(opening) > text.count(closing) for opening, closing in _QUOTES)


def _check_between(between: str, allowed: ReplyLabels) -> None:
    """Raise ReplyUnusable if words stand between two places of the same reply, other than a chat's next turn."""
    closing = _end(_CLOSING, between)
    rest = between[closing:]
    if _NEXT_TURN.match(rest) and ("\n" in between[:closing] or between[:closing].endswith("|>")):
        return
    if not all(allowed.lead.fullmatch(line) for line in rest.split("\n")):
        raise _follows(between[:closing], rest)


def _check_after(text: str, spans: Sequence[TextSpan], headed: bool) -> None:
    after = text[spans[-1].end :]
    closing = _end(_CLOSING, after)
    concluded = CONCLUSION.match(after, closing)
    if concluded:
        closing = _end(_CLOSING, after, concluded.end())
    rest = after[closing:]
    if not rest or (headed and _EXPECTATION.match(after, after.rfind("\n", 0, closing) + 1)):
        return
    again = rest.startswith(("<", "{")) and text[spans[0].start : spans[0].end].startswith(rest.rstrip())
    if not again:
        raise _follows(after[:closing], rest)


def _follows(closing: str, rest: str) -> ReplyUnusable:
    """Return the error about the words after a reply. ``closing``: the text between the reply and ``rest``."""
    if rest.startswith(QUESTION_MARKS):
        return ReplyUnusable("a question mark follows the reply, and doubts it")
    where = "" if "\n" in closing else "the reply stands within a sentence, not on lines of its own: "
    return ReplyUnusable(f"{where}words follow the reply, and nothing says what they mean for it")


def _end(pattern: re.Pattern[str], text: str, start: int = 0) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start
