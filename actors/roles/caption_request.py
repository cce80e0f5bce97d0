"""Ask for the captions of many icons with one picture, and read the reply.

The picture shows the icons with numbers. It takes a quarter of the tokens that one picture for each icon would take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import cv2
import numpy as np

from manyhands.actors.frames import ModelImage, Rgb, content_id, encode_jpeg
from manyhands.protocol.roles.role import CaptionReply
from manyhands.protocol.screens.geometry import Box

CELL = 128
"""The side of a cell in pixels. A cell takes 16 tokens in Qwen3-VL; a picture takes at least 64."""
ICON = 96
COLUMNS = 6
MARGIN = 0.12
"""The margin shown around an icon, as a share of its sides."""
GROUND = 225
_UNKNOWN = frozenset({"", "unknown", "none", "n/a", "icon", "unclear"})


def contact_sheet(rgb: Rgb, boxes: Sequence[Box]) -> ModelImage:
    """Return the parts of a picture in ``boxes`` (at least one) as rows of ``COLUMNS``, numbered from 1.

    ``rgb``: uint8 (height, width, 3).
    """
    lines = -(-len(boxes) // COLUMNS)
    sheet = np.full((lines * CELL, COLUMNS * CELL, 3), GROUND, np.uint8)
    for number, box in enumerate(boxes):
        line, column = divmod(number, COLUMNS)
        cell = sheet[line * CELL : (line + 1) * CELL, column * CELL : (column + 1) * CELL]
        cell[-1], cell[:, -1] = 150, 150
        cv2.putText(cell, str(number + 1), (3, 18), cv2.FONT_HERSHEY_SIMPLEX, 0.55, (0, 0, 0), 1, cv2.LINE_AA)
        scaled = _scale(rgb, box)
        top, left = 26 + (ICON - scaled.shape[0]) // 2, 26 + (ICON - scaled.shape[1]) // 2
        cell[top : top + scaled.shape[0], left : left + scaled.shape[1]] = scaled
    return ModelImage(content_id=content_id(sheet), jpeg=encode_jpeg(sheet))


def _scale(rgb: Rgb, box: Box) -> Rgb:
    across, down = round(MARGIN * box.width), round(MARGIN * box.height)
    part = rgb[max(box.y1 - down, 0) : box.y2 + down, max(box.x1 - across, 0) : box.x2 + across]
    scale = ICON / max(part.shape[:2])
    size = max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(np.ascontiguousarray(part), size, interpolation=way), np.uint8)


def read_captions(reply: CaptionReply, count: int) -> tuple[str | None, ...]:
    """Return one caption of one line for each of ``count`` icons.

    A caption is empty if the model does not know the icon. It is None if the reply left the icon out, or gave its
    number twice.
    """
    counts = Counter(icon.number for icon in reply.icons)
    names: list[str | None] = [None] * count
    for icon in reply.icons:
        if 1 <= icon.number <= count and counts[icon.number] == 1:
            name = " ".join(icon.name.split()).strip(" .").casefold()
            names[icon.number - 1] = "" if name in _UNKNOWN else name
    return tuple(names)
