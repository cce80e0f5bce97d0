"""Make pictures out of a screenshot's JPEG (``protocol.derived``): equal JPEGs give equal pictures, byte for byte."""

from __future__ import annotations

import cv2
import numpy as np

from manyhands.actors.frames import ModelImage, Rgb, decode_jpeg, encode_jpeg
from manyhands.protocol.derived import Crop, Shown
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.geometry import Size

RED = (220, 0, 0)
WHITE = (255, 255, 255)
LINE_SHARE, LETTER_SHARE = 240, 12
"""A crop's shorter side is so many lines wide, and so many letters high."""


def derived_image(image: ModelImage, shown: Shown) -> ModelImage:
    """Return the picture that ``shown`` names, made of its screenshot's. Blocks. Raises CaptureFailed."""
    if shown.content_id == shown.source:
        return image
    return ModelImage(shown.content_id, derive(image.jpeg, shown))


def derive(jpeg: bytes, shown: Shown) -> bytes:
    """Return the JPEG of what ``shown`` names, from that of its screenshot. Blocks. Raises CaptureFailed."""
    rgb = decode_jpeg(jpeg)
    height, width = rgb.shape[:2]
    if shown.crop is not None:
        return encode_jpeg(_cropped(rgb, shown.crop))
    size = shown.size(Size(width=width, height=height))
    return encode_jpeg(np.asarray(cv2.resize(rgb, (size.width, size.height), interpolation=cv2.INTER_AREA), np.uint8))


def _cropped(rgb: Rgb, crop: Crop) -> Rgb:
    """Return the part with the box drawn, and the number in white on red in its left top corner."""
    part, marked = crop.part, crop.marked
    cut = np.ascontiguousarray(rgb[part.y1 : part.y2, part.x1 : part.x2])
    if cut.size == 0:
        raise CaptureFailed(f"there are no pixels at {part.x1, part.y1, part.x2, part.y2}")
    line = max(2, min(cut.shape[:2]) // LINE_SHARE)
    corners = (marked.x1 - part.x1, marked.y1 - part.y1), (marked.x2 - part.x1 - 1, marked.y2 - part.y1 - 1)
    cv2.rectangle(cut, *corners, RED, line)
    letter = max(12, min(cut.shape[:2]) // LETTER_SHARE)
    scale = cv2.getFontScaleFromHeight(cv2.FONT_HERSHEY_SIMPLEX, letter, 2 * line)
    (wide, high), below = cv2.getTextSize(str(crop.number), cv2.FONT_HERSHEY_SIMPLEX, scale, 2 * line)
    cv2.rectangle(cut, (0, 0), (wide + letter, high + below + letter // 2), RED, cv2.FILLED)
    at = letter // 2, high + below // 2
    cv2.putText(cut, str(crop.number), at, cv2.FONT_HERSHEY_SIMPLEX, scale, WHITE, 2 * line, cv2.LINE_AA)
    return cut
