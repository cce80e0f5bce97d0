"""Find the sections of a reply under the papers' headers, ``### Thought ###`` and so on.

Mobile-Agent-v2 (section 3), Mobile-Agent-E (section 3.1) and Mobile-Agent-v3 use different headers for the same
roles. A header may lack its closing hashes if it has its line for itself or ends in a colon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from manyhands.actors.mllm.parse import surrounding_text
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.field_description import describe_fields
from manyhands.protocol.profiles import registered_profiles

_OTHERS = ("Operation", "Expectation", "Historical Operations", "Answer", "Important Content", "New Shortcuts")
"""Headings of the papers that we do not ask for."""

Sections = Mapping[str, str]


def read_sections(text: str, subject: str = "") -> dict[str, str]:
    """Return the bodies by header, stripped and without a fence around them; empty where there are none.

    ``subject``: what a label before them may call them, beside an answer. Raises ReplyUnusable for a header twice, and
    where words stand before the first one.
    """
    found: dict[str, str] = {}
    marks = _find_headings(text)
    if marks:
        surrounding_text.check_before_sections(text, marks[0][0].start(), subject)
    for mark, end in marks:
        name = _headings()[" ".join(mark[1].split()).lower()]
        body = _without_hashes(_without_fence(text[mark.end() : end].strip()))
        if found.setdefault(name, body) != body:
            raise ReplyUnusable(f"the section {name!r} stands twice")
    return found


@cache
def _headings() -> Mapping[str, str]:
    """Return the headings that we ask for in any profile, and others of the papers, by their lower case."""
    replies = [reply for written in registered_profiles().replies.values() for reply in written]
    names = (*(field.heading for reply in replies for field in describe_fields(reply)), *_OTHERS)
    return {name.lower(): name for name in names}


@cache
def _header() -> re.Pattern[str]:
    """Return the pattern of a line that is a heading."""
    names = "|".join(map(re.escape, _headings().values()))
    return re.compile(
        rf"^[ \t]*[#＃]{{2,4}}[ \t]*({names})[ \t]*(?:[#＃]+[ \t]*[:：]?|[:：]|(?=\r?$))",
        re.IGNORECASE | re.MULTILINE,
    )


def _find_headings(text: str) -> list[tuple[re.Match[str], int]]:
    """Return the headings, each with the place where what stands under it ends."""
    marks = list(_header().finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return list(zip(marks, ends, strict=False))


def remove_empty_sections(text: str) -> str:
    """Return ``text`` with the headings blanked under which no word stands."""
    marks = _find_headings(text)
    kept = [text[: marks[0][0].start()] if marks else text]
    for mark, end in marks:
        section = text[mark.start() : end]
        said = any(char.isalnum() for char in surrounding_text.remove_fences(text[mark.end() : end]))
        kept.append(section if said else surrounding_text.blank(section))
    return "".join(kept)


def _without_fence(body: str) -> str:
    """Return ``body`` without the fence around it, or the end of one that opened before the first header."""
    fences = list(surrounding_text.FENCE.finditer(body))
    if len(fences) == 2 and fences[0].start() == 0 and fences[1].end() == len(body):
        return body[fences[0].end() : fences[1].start()].strip()
    if len(fences) % 2 and fences[-1].end() == len(body):
        return body[: fences[-1].start()].rstrip()
    return body


def _without_hashes(body: str) -> str:
    """Return ``body`` without the hashes that a model has put at its end."""
    bare = body.rstrip("#＃")
    return bare.rstrip() if len(bare) + 2 <= len(body) else body
