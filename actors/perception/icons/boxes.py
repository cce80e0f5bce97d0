"""Keep one icon for each place, where findings of a detector overlap each other or texts."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.perception.arrangement import overlap
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element

SAME = 0.5
"""Two findings are one icon from this intersection over union on."""
WITHIN = 0.8
"""A box lies within another if so large a share of its own area does."""
LARGEST = 0.25
"""The greatest ratio of an icon's longer side to the screen's shorter side.

Larger boxes are pictures, cards or buttons.
"""
GROUP = 3
"""A box with at least so many icons in it may be a row or a panel of icons."""
LOOSE = 0.4
"""Such a box is a row or a panel if its icons together fill less than this share of it. The parts of one icon stand
closer."""
TEXT_SHARE = 0.3
"""A box is a button or a word if texts fill this share of it."""

KEY, KEY_ASPECT = 0.085, 1.15
"""The least longer side of a key, by the screen's width and by the key's shorter side."""
KEY_GLYPH, KEY_CENTRED = 0.65, 0.12
"""The greatest longer side of a key's content, by the key's longer side.

Its greatest distance from the middle, by the key's shorter side.
"""
CROSSING = 0.1
"""Two boxes cross if they share this part of the smaller one."""
CROSSED, CROSSED_ASPECT = 0.12, 1.6
"""The greatest longer side of two joined boxes, by the screen's width and by their shorter side."""

BULLET, BULLET_APART = 0.5, 2.0
"""The greatest longer side of a bullet, and its greatest distance from the text after it, in heights of that text."""


def iou(one: Box, other: Box) -> float:
    """Return intersection over union, 0 to 1. Return 0 for two boxes without area."""
    common = overlap(one, other)
    union = one.area + other.area - common
    return common / union if union else 0.0


def within(inner: Box, outer: Box) -> bool:
    """Return whether nearly all of ``inner`` lies in ``outer``. A box without area lies in none."""
    return inner.area > 0 and overlap(inner, outer) >= WITHIN * inner.area


def is_text(box: Box, texts: Sequence[Box]) -> bool:
    """Return whether the box is a word, a key, a button around a word, or a piece of a word."""
    return sum(overlap(box, text) for text in texts) >= TEXT_SHARE * box.area


def distinct(icons: Sequence[Element], texts: Sequence[Box], size: Size, limit: int) -> list[Element]:
    """Return at most ``limit`` icons, the surest first. Of equally sure icons the largest comes first.

    ``texts``: boxes of certain text. Boxes without area, too large boxes and text are dropped. Of two icons that are
    the same, or of which one lies within the other, the less sure one is dropped. The result depends on the set of
    icons, not on their order. Applied to the result again, the function changes nothing.
    """
    largest = LARGEST * min(size.width, size.height)
    fit = [
        icon for icon in icons if icon.box.area > 0 and _longer(icon.box) <= largest and not is_text(icon.box, texts)
    ]
    icons_kept: list[Element] = []
    for icon in sorted(fit, key=_rank):
        if not any(_one_place(icon.box, other.box) for other in icons_kept):
            icons_kept.append(icon)
    return icons_kept[:limit]


def without_groups(icons: Sequence[Element]) -> list[Element]:
    """Return ``icons`` without loose groups of other icons: tool bars, rows of tabs, panels."""
    surest_first = sorted(icons, key=_rank)
    return [icon for icon in icons if not _is_group(icon, surest_first)]


def without_bullets(icons: Sequence[Element], texts: Sequence[Box]) -> list[Element]:
    """Return ``icons`` without the dots and squares before the lines of a list."""
    return [icon for icon in icons if not any(_is_bullet(icon.box, text) for text in texts)]


def _is_bullet(box: Box, text: Box) -> bool:
    apart = text.x1 - box.x2
    beside = text.y1 <= box.centre[1] < text.y2 and 0 <= apart <= BULLET_APART * text.height
    return beside and _longer(box) < BULLET * text.height


def without_keys(boxes: Sequence[Box], width: int) -> list[Box]:
    """Return ``boxes`` without keys and wide buttons that have one icon in their middle. ``width``: the screen's.

    A square around an icon is kept: it is an app's tile or a round button.
    """
    return [box for box in boxes if not _is_key(box, boxes, width)]


def _is_key(box: Box, boxes: Sequence[Box], width: int) -> bool:
    shorter, longer = sorted((box.width, box.height))
    if longer < KEY * width or longer <= KEY_ASPECT * shorter:
        return False
    inner = [other for other in boxes if other is not box and within(other, box) and other.area < box.area / 2]
    whole = [one for one in inner if not any(one is not other and within(one, other) for other in inner)]
    if len(whole) != 1 or _longer(whole[0]) > KEY_GLYPH * longer:
        return False
    apart = abs(whole[0].centre[0] - box.centre[0]), abs(whole[0].centre[1] - box.centre[1])
    return max(apart) <= KEY_CENTRED * shorter


def joined_where_they_cross(boxes: Sequence[Box], width: int) -> list[Box]:
    """Join boxes that cut into each other, if the result is no larger than an icon."""
    remaining, joined = list(boxes), []
    while remaining:
        box = remaining.pop(0)
        crossing = next((other for other in remaining if _cross(box, other, width)), None)
        if crossing is None:
            joined.append(box)
        else:
            remaining.remove(crossing)
            remaining.insert(0, Box.enclosing((box, crossing)))
    return joined


def _cross(one: Box, other: Box, width: int) -> bool:
    if overlap(one, other) < CROSSING * min(one.area, other.area):
        return False
    hull = Box.enclosing((one, other))
    shorter, longer = sorted((hull.width, hull.height))
    return longer <= CROSSED * width and longer <= CROSSED_ASPECT * shorter


def _is_group(icon: Element, surest_first: Sequence[Element]) -> bool:
    parts: list[Box] = []
    inner = (other.box for other in surest_first if other is not icon and within(other.box, icon.box))
    for box in inner:
        if 2 * box.area < icon.box.area and not any(_one_place(box, part) for part in parts):
            parts.append(box)
    return len(parts) >= GROUP and sum(part.area for part in parts) < LOOSE * icon.box.area


def _one_place(one: Box, other: Box) -> bool:
    return iou(one, other) >= SAME or within(one, other) or within(other, one)


def _rank(icon: Element) -> tuple[float, ...]:
    box = icon.box
    return (-icon.confidence, -box.area, box.y1, box.x1, box.y2, box.x2)


def _longer(box: Box) -> int:
    return max(box.width, box.height)
