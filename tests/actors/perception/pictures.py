"""Pictures drawn for the tests, and what goes with them to the service."""

from __future__ import annotations

import time

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from manyhands.actors.frames import Frame, Rgb, content_id, encode_png
from manyhands.protocol.messages import CallContext
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Keyboard, Screenshot


class Page:
    """A white page with text in Pillow's own font, and shapes."""

    def __init__(self, width: int, height: int) -> None:
        self._image = Image.new("RGB", (width, height), (250, 250, 250))
        self.draw = ImageDraw.Draw(self._image)

    def text(self, content: str, at: tuple[int, int], size: int = 30) -> tuple[int, int, int, int]:
        """Draws with the top left at ``at``; returns the box of the ink."""
        font = ImageFont.load_default(size)
        self.draw.text(at, content, fill=(20, 20, 20), font=font)
        left, top, right, bottom = self.draw.textbbox(at, content, font=font)
        return int(left), int(top), int(right), int(bottom)

    @property
    def rgb(self) -> Rgb:
        return np.array(self._image)


def sample(content: str, width: int = 320, height: int = 96) -> Rgb:
    page = Page(width, height)
    page.text(content, (30, 30), 34)
    return page.rgb


def as_png(rgb: Rgb) -> Frame:
    return Frame("png", encode_png(rgb))


def screenshot_of(rgb: Rgb, keyboard: Keyboard = "unknown") -> Screenshot:
    return Screenshot(
        content_id=content_id(rgb),
        size=Size(width=rgb.shape[1], height=rgb.shape[0]),
        serial="test",
        taken_at=time.time(),
        capture_ms=0,
        keyboard=keyboard,
    )


def within(seconds: float) -> CallContext:
    return CallContext(episode="e1", step=0, deadline=time.time() + seconds)
