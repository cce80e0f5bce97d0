"""One icon for each place: what stays where findings of a detector lie in, on or around each other and texts."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.perception.arrangement import overlap
from manyhands.protocol.geometry import Box, Size
from manyhands.protocol.screens import Element

SAME = 0.5
"""Intersection over union from which two findings are one icon."""
WITHIN = 0.8
"""Share of a box's own area from which it lies within another."""
LARGEST = 0.25
"""Longer side of an icon by the shorter side of the screen, at most: larger ones are pictures, cards and buttons."""
GROUP = 3
"""Icons within a box that make it a row or a panel of icons..."""
LOOSE = 0.4
"""...if together they fill less than this share of it: the parts of one icon stand close."""
TEXT_SHARE = 0.3
"""A box of which texts fill this share is a button or a word."""

KEY, KEY_ASPECT = 0.085, 1.15
"""Longer side of a key by the screen's width, and by its own shorter side, at least."""
KEY_GLYPH, KEY_CENTRED = 0.65, 0.12
"""Longer side of what is on a key by the key's, at most; its distance from the middle, by the key's shorter side."""
CROSSING = 0.1
"""Share of the smaller box from which two cut into each other."""
CROSSED, CROSSED_ASPECT = 0.12, 1.6
"""Longer side of what they make together by the screen's width, and by its shorter side, at most."""

BULLET, BULLET_APART = 0.5, 2.0
"""Longer side of a bullet, and its distance from the text after it, in heights of that text, at most."""


def iou(one: Box, other: Box) -> float:
    """Return intersection over union, 0 to 1; 0 for two boxes without area."""
    common = overlap(one, other)
    union = one.area + other.area - common
    return common / union if union else 0.0


def within(inner: Box, outer: Box) -> bool:
    """Return whether nearly all of ``inner`` lies in ``outer``; a box without area lies in none."""
    return inner.area > 0 and overlap(inner, outer) >= WITHIN * inner.area


def is_text(box: Box, texts: Sequence[Box]) -> bool:
    """Return whether the box is a word, a key, a button around one, or a piece of a word."""
    return sum(overlap(box, text) for text in texts) >= TEXT_SHARE * box.area


def distinct(icons: Sequence[Element], texts: Sequence[Box], size: Size, limit: int) -> list[Element]:
    """Return the icons that stay, the surest first; of equally sure ones the largest, at most ``limit``.

    ``texts``: boxes of what surely is text. What falls out: boxes without area, too large ones, text, loose groups of
    other icons, and of two that are the same or lie one within the other, the less sure one. The answer depends on
    the set of icons, not on their order, and is its own answer.
    """
    largest = LARGEST * min(size.width, size.height)
    fit = [
        icon for icon in icons if icon.box.area > 0 and _longer(icon.box) <= largest and not is_text(icon.box, texts)
    ]
    kept: list[Element] = []
    for icon in sorted(fit, key=_rank):
        if not any(_one_place(icon.box, other.box) for other in kept):
            kept.append(icon)
    return kept[:limit]


def without_groups(icons: Sequence[Element]) -> list[Element]:
    """Return ``icons`` without loose groups of others: tool bars, rows of tabs, panels."""
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
    """Return ``boxes`` without keys and wide buttons that have one icon in their middle; ``width`` of the screen.

    A square around an icon is an app's tile or a round button, and stays.
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
    left, done = list(boxes), []
    while left:
        box = left.pop(0)
        crossing = next((other for other in left if _cross(box, other, width)), None)
        if crossing is None:
            done.append(box)
        else:
            left.remove(crossing)
            left.insert(0, Box.enclosing((box, crossing)))
    return done


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
