"""Find the sections of a reply under the papers' headers, ``### Thought ###`` and so on.

Mobile-Agent-v2 (section 3), Mobile-Agent-E (section 3.1) and Mobile-Agent-v3 use different headers for the same
roles. A header may lack its closing hashes if it has its line for itself or ends in a colon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from manyhands.actors.mllm.parse import around
from manyhands.protocol.described import described
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles import Role

_NAMES = tuple(
    dict.fromkeys(
        (
            *(field.heading for role in Role for reply in role.spec.replies for field in described(reply)),
            *("Operation", "Expectation", "Historical Operations", "Answer", "Important Content"),
        )
    )
)
"""The headings that we ask for, and others of the papers."""
_BY_LOWER = {name.lower(): name for name in _NAMES}
_HEADER = re.compile(
    rf"^[ \t]*[#＃]{{2,4}}[ \t]*({'|'.join(map(re.escape, _NAMES))})[ \t]*(?:[#＃]+[ \t]*[:：]?|[:：]|(?=\r?$))",
    re.IGNORECASE | re.MULTILINE,
)

Sections = Mapping[str, str]


def sections(text: str, subject: str = "") -> dict[str, str]:
    """Return the bodies by header, stripped and without a fence around them; empty where there are none.

    ``subject``: what a label before them may call them, beside an answer. Raises ReplyUnusable for a header twice, and
    where words stand before the first one.
    """
    found: dict[str, str] = {}
    marks = _marks(text)
    if marks:
        around.check_before_sections(text, marks[0][0].start(), subject)
    for mark, end in marks:
        name = _BY_LOWER[" ".join(mark[1].split()).lower()]
        body = _without_hashes(_without_fence(text[mark.end() : end].strip()))
        if found.setdefault(name, body) != body:
            raise ReplyUnusable(f"the section {name!r} stands twice")
    return found


def _marks(text: str) -> list[tuple[re.Match[str], int]]:
    """Return the headings, each with the place where what stands under it ends."""
    marks = list(_HEADER.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return list(zip(marks, ends, strict=False))


def without_empty(text: str) -> str:
    """Return ``text`` with the headings blanked under which no word stands."""
    marks = _marks(text)
    kept = [text[: marks[0][0].start()] if marks else text]
    for mark, end in marks:
        section = text[mark.start() : end]
        said = any(char.isalnum() for char in around.without_fences(text[mark.end() : end]))
        kept.append(section if said else around.blanked(section))
    return "".join(kept)


def _without_fence(body: str) -> str:
    """Return ``body`` without the fence around it, or the end of one that opened before the first header."""
    fences = list(around.FENCE.finditer(body))
    if len(fences) == 2 and fences[0].start() == 0 and fences[1].end() == len(body):
        return body[fences[0].end() : fences[1].start()].strip()
    if len(fences) % 2 and fences[-1].end() == len(body):
        return body[: fences[-1].start()].rstrip()
    return body


def _without_hashes(body: str) -> str:
    """Return ``body`` without the hashes that a model has put at its end."""
    bare = body.rstrip("#＃")
    return bare.rstrip() if len(bare) + 2 <= len(body) else body
