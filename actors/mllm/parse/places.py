"""Where an object stands in a text: on lines of its own, as an answer does, or within a sentence, which is talk.

What a screen says, or what a model says not to do, comes as a quotation within a sentence. So an object counts only
where nothing but symbols, a label (``Action:``), a heading, a tag or a fence stands before it on its line, and nothing
but symbols or a closing tag behind it. Other objects on the line are as good as symbols.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from actors.mllm.parse.values import Found

_TAGS = "(?:tool_call|answer|action)"
_LABEL = (
    r"(?:here(?:'s|[ ]is)[ ])?(?:(?:my|the|your|next|final|json)[ ]){0,3}"
    r"(?:action|operation|answer|output|reply|response|result|decision|json|plan|outcome|notes|"
    r"(?:(?:tool|function)[ _])?call)(?:[ ]is)?[ \t]*[*_]{0,2}[ \t]*[:：]"
)
_HEADING = r"[#＃]{2,4}[ \t]*[a-z][a-z ]{2,40}[#＃]+"
_BEFORE = re.compile(
    rf"(?:<{_TAGS}>|```[a-z]*|{_HEADING}|{_LABEL}|[ \t\r\u00a0\u3000\[(（［{{｛`*_#＃:：,，-])*+", re.IGNORECASE
)
"""Of a line up to an object. No quotation marks, and no ``>``: these quote."""
_OPENS = re.compile(rf"<{_TAGS}>(?:\s|```(?:json)?)*+\Z", re.IGNORECASE)
_LONGEST_OPENING = 40
_SYMBOLS = re.compile(r"(?:[^\w\n<]|_|<(?![/|]?[a-z]))*+", re.IGNORECASE)
_ENDS = re.compile(rf"\n|\Z|</?(?:{_TAGS}|conclusion)>|<\|", re.IGNORECASE)


def on_own_lines(text: str, found: Sequence[Found]) -> set[int]:
    """Where those of ``found`` begin that stand on lines of their own.

    ``found``: objects of ``text``, in order, none within another one.
    """
    return _led(text, found) & _closed(text, found)


def _led(text: str, found: Sequence[Found]) -> set[int]:
    led: set[int] = set()
    position, good = 0, True
    for one in found:
        line = text.rfind("\n", position, one.start) + 1
        if line:
            position, good = line, True
        good = good and _end(_BEFORE, text, position, one.start) == one.start
        opening = max(position, one.start - _LONGEST_OPENING)
        good = good or _OPENS.search(text, opening, one.start) is not None
        if good:
            led.add(one.start)
        position = one.end
    return led


def _closed(text: str, found: Sequence[Found]) -> set[int]:
    closed: set[int] = set()
    following, good = len(text), True
    for one in reversed(found):
        end = _end(_SYMBOLS, text, one.end, following)
        good = good if end == following else _ENDS.match(text, end) is not None
        if good:
            closed.add(one.start)
        following = one.start
    return closed


def _end(pattern: re.Pattern[str], text: str, start: int, limit: int) -> int:
    match = pattern.match(text, start, limit)
    return match.end() if match else start
