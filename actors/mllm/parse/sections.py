"""Find the sections of a reply under the papers' headers, such as ``### Thought ###``.

Mobile-Agent-v2 (section 3), Mobile-Agent-E (section 3.1) and Mobile-Agent-v3 use different headers for the same roles.
A header may lack its closing hashes if it is alone on its line or ends in a colon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from manyhands.actors.mllm.parse import surrounding_text
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.field_description import describe_fields

_OTHERS = ("Operation", "Expectation", "Historical Operations", "Answer", "Important Content", "New Shortcuts")
"""Headings of the papers that our prompts do not ask for."""

Sections = Mapping[str, str]


def read_sections(text: str, subject: str = "") -> dict[str, str]:
    """Return the text of each section by its heading, stripped and without a fence around it.

    The result is empty if there are no sections. ``subject``: a pattern of words, beside ``answer``, by which a label
    before the sections may name them. Raises ReplyUnusable if two sections of one heading differ, or if words come
    before the first heading.
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
    """Return the headings that any profile asks for, and others of the papers, by their lower case."""
    replies = [reply for written in registered_profiles().replies.values() for reply in written]
    names = (*(field.heading for reply in replies for field in describe_fields(reply)), *_OTHERS)
    return {name.lower(): name for name in names}


@cache
def _header() -> re.Pattern[str]:
    """Return the pattern of a heading line."""
    names = "|".join(map(re.escape, _headings().values()))
    return re.compile(
        rf"^[ \t]*[#＃]{{2,4}}[ \t]*({names})[ \t]*(?:[#＃]+[ \t]*[:：]?|[:：]|(?=\r?$))",
        re.IGNORECASE | re.MULTILINE,
    )


def _find_headings(text: str) -> list[tuple[re.Match[str], int]]:
    """Return the headings, each with the end of its section."""
    marks = list(_header().finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return list(zip(marks, ends, strict=False))


def remove_empty_sections(text: str) -> str:
    """Return ``text`` with blanks in the place of sections that hold no word."""
    marks = _find_headings(text)
    kept = [text[: marks[0][0].start()] if marks else text]
    for mark, end in marks:
        section = text[mark.start() : end]
        said = any(char.isalnum() for char in surrounding_text.remove_fences(text[mark.end() : end]))
        kept.append(section if said else surrounding_text.blank(section))
    return "".join(kept)


def _without_fence(body: str) -> str:
    """Return ``body`` without the fence around it, or without the end of a fence that opened before the header."""
    fences = list(surrounding_text.FENCE.finditer(body))
    if len(fences) == 2 and fences[0].start() == 0 and fences[1].end() == len(body):
        return body[fences[0].end() : fences[1].start()].strip()
    if len(fences) % 2 and fences[-1].end() == len(body):
        return body[: fences[-1].start()].rstrip()
    return body


def _without_hashes(body: str) -> str:
    """Return ``body`` without the hashes at its end, if there are at least two."""
    bare = body.rstrip("#＃")
    return bare.rstrip() if len(bare) + 2 <= len(body) else body
