"""Recognize a page that was shown a few screenshots ago, except for what changes by itself.

Only the small grey pictures of the last pages are kept, so that a phone costs about a megabyte.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import cv2
import numpy as np

from manyhands.actors.phones.settling.changes import (
    CARET_DP,
    NOISE_LEVEL,
    Thumbnail,
    Tiles,
    changed_tiles,
    dp,
    grown,
)
from manyhands.actors.phones.settling.likeness import MOST_MASKED

PAGES_KEPT = 8
"""How many pages are kept. A cycle of four steps has four."""


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    thumbnail: Thumbnail
    restless: Tiles | None
    caret: int | None


class RecentPages:
    """Give each page an id: the content id of the screenshot that first showed it."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, _Page] = OrderedDict()

    def identify(self, content_id: str, thumbnail: Thumbnail, restless: Tiles | None, caret: int | None) -> str:
        """Return the id of the page that a screenshot shows. ``restless`` and ``caret``: as in ``likeness``."""
        now = _Page(thumbnail, restless, caret)
        recent = reversed(self._pages.items())
        page_id = next(
            (recent_id for recent_id, page in recent if recent_id == content_id or _same(page, now)), content_id
        )
        self._pages[page_id] = now
        self._pages.move_to_end(page_id)
        if len(self._pages) > PAGES_KEPT:
            self._pages.popitem(last=False)
        return page_id


def _same(before: _Page, after: _Page) -> bool:
    if before.thumbnail.shape != after.thumbnail.shape:
        return False
    changed = changed_tiles(before.thumbnail, after.thumbnail)
    if before.restless is not None and after.restless is not None:
        masked = grown(before.restless) & grown(after.restless)
        if masked.mean() > MOST_MASKED:
            return False
        changed &= ~masked
    return not changed.any() or (before.caret is not None and before.caret == after.caret and _is_caret(before, after))


def _is_caret(before: _Page, after: _Page) -> bool:
    """Return whether the whole difference has a caret's size. A drawn shape may touch a pixel more on each side."""
    differs = (cv2.absdiff(before.thumbnail, after.thumbnail) > NOISE_LEVEL).astype(np.uint8)
    _, _, width, height = cv2.boundingRect(differs)
    scale = dp(before.thumbnail.shape)
    widest, low, high = (size * scale for size in CARET_DP)
    return bool(width <= max(1, round(widest)) + 2 and low - 2 <= height <= high + 2 and height >= width)
