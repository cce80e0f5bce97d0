"""Boxes drawn close around what is in them, at the picture's own resolution."""

from __future__ import annotations

import numpy as np

from manyhands.actors.frames import Rgb
from manyhands.protocol.geometry import Box

AROUND = 2
"""Pixels that are looked at around a box."""
EVEN = 10
"""Levels within which the pixels of a ground differ from their median, on each channel."""
INK = 28
"""Levels from which a pixel differs from its ground."""
LEAST = 0.35
"""Share of a box that has to be left: less is a detail of it."""


def tight(picture: Rgb, box: Box) -> Box:
    """Return ``box`` without its empty rims, unchanged on uneven ground; ``picture`` is uint8 (height, width, 3)."""
    height, width = picture.shape[:2]
    x1, y1 = max(box.x1 - AROUND, 0), max(box.y1 - AROUND, 0)
    x2, y2 = min(box.x2 + AROUND, width), min(box.y2 + AROUND, height)
    part = picture[y1:y2, x1:x2].astype(np.int16)
    if min(part.shape[:2]) < 3:
        return box
    rim = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
    ground = np.median(rim, axis=0)
    if np.abs(rim - ground).max() > EVEN:
        return box
    ink = np.abs(part - ground).max(axis=2) >= INK
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if len(rows) == 0:
        return box
    found = Box(x1=x1 + int(columns[0]), y1=y1 + int(rows[0]), x2=x1 + int(columns[-1]) + 1, y2=y1 + int(rows[-1]) + 1)
    return found if found.area >= LEAST * box.area else box
