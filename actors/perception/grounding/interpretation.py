"""Interpret a description of an icon, in English or Chinese: its name, region and colour.

Words for regions and colours may be parts of a name (Top News, Red Bull). So a description has several interpretations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from manyhands.actors.perception.grounding.colours import colour_of, colours_in
from manyhands.actors.perception.grounding.words import meant_name, plain_words
from manyhands.protocol.screens.argument_types import Position

Across = Literal["left", "middle", "right"]
Down = Literal["top", "middle", "bottom"]

_ACROSS: dict[str, Across] = {
    "left": "left", "leftmost": "left", "right": "right", "rightmost": "right",
    "左": "left", "右": "right",
}  # fmt: skip
_DOWN: dict[str, Down] = {
    "top": "top", "upper": "top", "topmost": "top", "above": "top",
    "bottom": "bottom", "lower": "bottom", "bottommost": "bottom", "below": "bottom",
    "上": "top", "顶": "top", "下": "bottom", "底": "bottom",
}  # fmt: skip
_MIDDLE = ("middle", "centre", "center", "central", "中")
_FILLING = r"(?:the|an?|at|in|on|of|to|side|corner|edge|screen|page|part)"
_WORD = "(?:" + "|".join(word for word in (*_ACROSS, *_DOWN, *_MIDDLE) if word.isascii()) + ")"
_ENGLISH = re.compile(rf"(?<!\S)(?:{_FILLING} )*{_WORD}(?: (?:{_FILLING}|{_WORD}))*(?!\S)")
_CORNER = "(?:[左右][上下顶底]中?|[上下顶底][左右中]|中[上下左右])"
_CHINESE = re.compile(
    "(?:位于|在)?(?:(?:屏幕|页面)的?)?最?"
    f"(?:(?:{_CORNER}|[左右上下顶底])(?:[方边侧角部面端]+(?:正?中[间央])?|正?中[间央])的?|正中[心间央]?的?|中[间央部]的?|{_CORNER}的)"
    rf"|(?:屏幕|页面)的?最?{_CORNER}的?"
    rf"|(?<!\S)最?[左右上下顶底中]的|(?<!\S)(?:{_CORNER}|[左右上下顶底中])(?!\S)"
)
"""A single Chinese character for a place is part of many words (线上, 个人中心). It needs 角, 侧, 方 or the like."""


@dataclass(frozen=True, slots=True)
class ScreenRegion:
    """Mark a third of the screen in each direction; None means anywhere."""

    across: Across | None = None
    down: Down | None = None

    def fit(self, x: float, y: float) -> float:
        """Return 1 inside the region, falling to 0 half a screen away. ``x``, ``y``: shares of width and height."""
        across = {"left": 0, "middle": 1, "right": 2}.get(self.across or "")
        down = {"top": 0, "middle": 1, "bottom": 2}.get(self.down or "")
        return _within(x, across) * _within(y, down)


def _within(share: float, third: int | None) -> float:
    if third is None:
        return 1.0
    first, last = third / 3, (third + 1) / 3
    outside = max(first - share, share - last, 0.0)
    return max(0.0, 1 - 2 * outside)


def place_at(position: Position) -> ScreenRegion:
    """Return the region that a position names. A position of one word leaves the other direction open."""
    return _place(position.split())


def places_in(text: str) -> list[re.Match[str]]:
    """Return the words that may name a region in ``text``, which is in lower case with single blanks."""
    return [*_ENGLISH.finditer(text), *_CHINESE.finditer(text)]


def place_of(matches: Sequence[re.Match[str]]) -> ScreenRegion | None:
    """Return the region that these words name together. Return None without any words."""
    words = [word for part in matches for word in (part[0].split() if part.re is _ENGLISH else part[0])]
    return _place(words) if matches else None


def _place(words: Sequence[str]) -> ScreenRegion:
    across = next((_ACROSS[word] for word in words if word in _ACROSS), None)
    down = next((_DOWN[word] for word in words if word in _DOWN), None)
    if any(word in _MIDDLE for word in words):
        across, down = across or "middle", down or "middle"
    return ScreenRegion(across, down)


MOST = 4
"""Up to so many words for regions and colours, every combination of them may be part of the name. Beyond that, either
all of them are, or none."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Hold one interpretation of a description. ``name`` is empty if all words are for regions and colours."""

    name: str
    place: ScreenRegion | None
    colour: str | None


def interpretations(description: str) -> list[Interpretation]:
    """Return interpretations: first with all words as the name, last with as many as possible as region and colour."""
    text = plain_words(description)
    places, colours = places_in(text), colours_in(text)
    words = sorted(places + colours, key=re.Match.start)
    counts = range(len(words) + 1) if len(words) <= MOST else (0, len(words))
    readings = []
    for count in counts:
        for subset in combinations(words, count):
            place = place_of([part for part in subset if part in places])
            readings.append(
                Interpretation(_without(text, subset), place, colour_of([part for part in subset if part in colours]))
            )
    return readings


def _without(text: str, matches: Sequence[re.Match[str]]) -> str:
    """Return ``text`` without the spans of ``matches``, which are in order and do not overlap."""
    rest, at = [], 0
    for part in matches:
        rest.append(text[at : part.start()])
        at = part.end()
    return meant_name(" ".join([*rest, text[at:]]))
