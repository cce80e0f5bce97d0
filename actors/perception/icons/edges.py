"""Find icons without a model: edges and connected components outside of texts. Needs OpenCV only.

Edges give places, not names, so contents are empty.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import contains, doubtful_glyphs, overlap
from manyhands.actors.perception.icons.boxes import joined_where_they_cross, without_keys
from manyhands.actors.perception.icons.parts import Places, composed, tight, tile_around
from manyhands.protocol.base import Input
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element

CONFIDENCE = 0.5
"""The confidence of every icon, because edges give no probability."""
TEXT_MARGIN = 0.2
"""How far a text's box reaches beyond its ink at either end, as a share of its height."""
TILE = 0.11
"""The least side of an app's tile, as a share of the screen's width. Keys and days of a calendar are smaller."""
TILE_ASPECT = 1.15
TILE_TEXT = 0.15
"""The text of a tile fills at most this share of it. A button's text fills more."""
CANDIDATES = 8
"""The number of components that are examined for each allowed icon, the largest first. A page of noise has
thousands."""


class EdgeIconSettings(Input):
    """Configure the search by edges.

    Lengths are shares of the screen's width, chosen on labelled screens (docs/perception.md).
    """

    width: int = Field(default=540, ge=120, le=2160)
    """The screen is first reduced to this width, in pixels."""
    canny: tuple[int, int] = (30, 90)
    """Hysteresis thresholds of the edge detector, on each colour channel."""
    joint: float = Field(default=0.008, gt=0, lt=0.1)
    """Edges closer than this belong to one icon."""
    smallest: float = Field(default=0.018, gt=0, lt=1)
    """The least length of the longer side."""
    largest: float = Field(default=0.2, gt=0, lt=1)
    thinnest: float = Field(default=0.012, gt=0, lt=1)
    """The least length of the shorter side."""
    aspect: float = Field(default=4.5, ge=1)
    """The greatest ratio of the longer side to the shorter one. Three dots in a column have 4."""
    text_share: float = Field(default=0.3, gt=0, le=1)
    """A box with this share of its area under text is a button or a word, not an icon."""
    limit: int = Field(default=60, ge=1, le=1000)
    """The most icons of a screen, so that prompts stay bounded. The largest stay."""


class EdgeIconFinder:
    """Implements IconFinder."""

    def __init__(self, settings: EdgeIconSettings) -> None:
        self._settings = settings

    def find(self, rgb: Rgb, texts: Sequence[Element]) -> list[Element]:
        size = Size(width=rgb.shape[1], height=rgb.shape[0])
        doubtful = doubtful_glyphs(texts, size)
        text_boxes = [_inked(text.box) for text in texts if text not in doubtful]
        candidates = [
            box for box in self._components(rgb, text_boxes) if not self._is_text(box, text_boxes, size.width)
        ]
        boxes_kept: list[Box] = []
        for box in sorted(without_keys(candidates, size.width), key=lambda box: -box.area):
            if not any(contains(other, box.centre) for other in boxes_kept):
                boxes_kept.append(box)
        boxes_kept = joined_where_they_cross(boxes_kept, size.width)
        boxes = [tight(rgb, box) for box in boxes_kept[: self._settings.limit]]
        return [Element(kind="icon", box=box, content="", confidence=CONFIDENCE) for box in boxes]

    def _components(self, rgb: Rgb, texts: Sequence[Box]) -> list[Box]:
        """Return boxes of connected edges outside ``texts`` that have an icon's size, in pixels of ``rgb``.

        Return at most CANDIDATES for each icon of the limit, and as many tiles around them.
        """
        settings = self._settings
        height, width = rgb.shape[:2]
        scale = min(1.0, settings.width / width)
        sides = round(width * scale), max(1, round(height * scale))
        small = cv2.resize(rgb, sides, interpolation=cv2.INTER_AREA) if scale < 1 else rgb
        edges = np.maximum.reduce([cv2.Canny(channel, *settings.canny) for channel in cv2.split(small)])
        pad = 0.004 * width
        for box in texts:
            rows = slice(max(0, int((box.y1 - pad) * scale)), int((box.y2 + pad) * scale) + 1)
            columns = slice(max(0, int((box.x1 - pad) * scale)), int((box.x2 + pad) * scale) + 1)
            edges[rows, columns] = 0
        side = max(1, round(settings.joint * small.shape[1]))
        joined = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_RECT, (side, side)))
        places = _component_boxes(joined)
        x, y, w, h = places.T
        longer, shorter = np.maximum(w, h), np.minimum(w, h)
        unit = small.shape[1]
        fits = (longer >= settings.smallest * unit) & (longer <= settings.largest * unit)
        fits &= (shorter >= settings.thinnest * unit) & (longer <= settings.aspect * shorter)
        whole = np.stack([x, y, x + w, y + h], axis=1)[fits]
        apart = [*composed(places, unit), *composed(_component_boxes(edges), unit)]
        candidates = np.concatenate([whole, np.array(apart).reshape(-1, 4)])
        areas = (candidates[:, 2] - candidates[:, 0]) * (candidates[:, 3] - candidates[:, 1])
        candidates = candidates[np.sort(np.argsort(-areas, kind="stable")[: CANDIDATES * settings.limit])]
        tiles = [tile for corners in candidates.tolist() if (tile := tile_around(small, tuple(corners))) is not None]
        corners = np.concatenate([candidates, np.array(tiles).reshape(-1, 4)]) / scale
        limits = (width, height, width, height)
        return [
            Box(**dict(zip(("x1", "y1", "x2", "y2"), np.minimum(np.rint(c), limits).astype(int).tolist(), strict=True)))
            for c in corners
        ]

    def _is_text(self, box: Box, texts: Sequence[Box], width: int) -> bool:
        """Return whether the box is a word, a key, or a button around a word.

        An app's tile with its name in it is not.
        """
        covered = sum(overlap(box, text) for text in texts)
        if covered >= self._settings.text_share * box.area:
            return True
        if not any(contains(text, box.centre) for text in texts):
            return False
        sides = box.width, box.height
        square = max(sides) <= TILE_ASPECT * min(sides) and min(sides) >= TILE * width
        return not square or covered >= TILE_TEXT * box.area


def _inked(box: Box) -> Box:
    """Return ``box`` without the margin of a text's box at both ends, so that an icon right beside it is found.

    The box of one or two characters is not changed: otherwise too little of it would be left.
    """
    height = box.height
    margin = int(TEXT_MARGIN * height)
    if box.width <= 2 * height:
        return box
    return Box(x1=box.x1 + margin, y1=box.y1, x2=box.x2 - margin, y2=box.y2)


def _component_boxes(mask: NDArray[np.uint8]) -> Places:
    """Return boxes (n, 4) of x, y, width, height around the connected parts of ``mask``."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    return np.asarray(stats[1:, :4], float)
