"""Draw the screens of canned phones: pages with a head and a list, each in colours of its own."""

from __future__ import annotations

import base64
import io
from functools import cache

from PIL import Image, ImageDraw

SCREENS = 24
"""How many different screens there are."""
SMALL, LARGE = 1, 3
"""Scales: 180 and 540 pixels wide."""


@cache
def draw_screen(number: int, scale: int) -> bytes:
    """Return a screen as a JPEG."""
    hue = (number * 47) % 360
    picture = Image.new("RGB", (180 * scale, 400 * scale), f"hsl({hue}, 24%, 96%)")
    pen = ImageDraw.Draw(picture)

    def box(*edges: float) -> tuple[float, ...]:
        return tuple(edge * scale for edge in edges)

    pen.rectangle(box(0, 0, 180, 46), fill=f"hsl({hue}, 45%, 42%)")
    pen.rectangle(box(12, 20, 92, 30), fill="white")
    for row in range(7):
        top = 60 + row * 46
        pen.rounded_rectangle(box(10, top, 170, top + 38), 8 * scale, fill="white")
        pen.ellipse(box(18, top + 9, 38, top + 29), fill=f"hsl({(hue + row * 30) % 360}, 50%, 60%)")
        pen.rectangle(box(48, top + 10, 48 + 40 + (number * 13 + row * 29) % 70, top + 16), fill="#444a55")
        pen.rectangle(box(48, top + 22, 48 + 20 + (number * 7 + row * 17) % 90, top + 27), fill="#b9bec8")
    coded = io.BytesIO()
    picture.save(coded, "JPEG", quality=60 if scale == SMALL else 85)
    return coded.getvalue()


def draw_thumbnail(number: int) -> str:
    """Return a small screen as base64 of a JPEG."""
    return base64.b64encode(draw_screen(number, SMALL)).decode()
