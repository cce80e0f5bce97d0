"""Words for a place on the screen, in English and Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

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
_MIDDLE = frozenset({"middle", "centre", "center", "central", "中"})
_FILLING = frozenset(
    {"the", "a", "an", "at", "in", "on", "of", "to", "side", "corner", "edge", "screen", "page", "part"}
)
_CHINESE = re.compile(
    r"(?:位于|在)?(?:屏幕|页面)?的?"
    r"((?:左|右)?(?:上|下|顶|底)(?:中)?|(?:上|下|顶|底)(?:左|右|中)|左|右|中(?:上|下|左|右)?)"
    r"(?:(?:方|边|侧|角|部|间|央|心|面|端)+|(?=的|$))的?"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A third of the screen in each direction; None: anywhere."""

    across: Across | None = None
    down: Down | None = None

    def fit(self, x: float, y: float) -> float:
        """1 inside, falling to 0 half a screen from it. ``x``, ``y``: shares of width and height."""
        across = {"left": 0, "middle": 1, "right": 2}.get(self.across or "")
        down = {"top": 0, "middle": 1, "bottom": 2}.get(self.down or "")
        return _within(x, across) * _within(y, down)


def _within(share: float, third: int | None) -> float:
    if third is None:
        return 1.0
    first, last = third / 3, (third + 1) / 3
    outside = max(first - share, share - last, 0.0)
    return max(0.0, 1 - 2 * outside)


def split_place(description: str) -> tuple[Place | None, str]:
    """The place that a description names, and its other words, lower-cased; None: it names no place."""
    said: list[str] = []
    plain = _CHINESE.sub(lambda found: _taken(found[1], said), description.casefold())
    rest: list[str] = []
    for word in re.split(r"[\s,.;:()，。、；：（）-]+", plain):
        if word in _ACROSS or word in _DOWN or word in _MIDDLE:
            said.append(word)
        elif word and word not in _FILLING:
            rest.append(word)
    if not said:
        return None, " ".join(rest)
    across = next((_ACROSS[word] for word in said if word in _ACROSS), None)
    down = next((_DOWN[word] for word in said if word in _DOWN), None)
    if any(word in _MIDDLE for word in said):
        across, down = across or "middle", down or "middle"
    return Place(across, down), " ".join(rest)


def _taken(words: str, said: list[str]) -> str:
    said.extend(words)
    return " "
