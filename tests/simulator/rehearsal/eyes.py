"""Two pairs of eyes for played episodes: the true layout of the phone (quick), and pixels."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import cv2

from manyhands.actors.frames import ModelImage, content_id, encode_jpeg
from manyhands.actors.perception.icons.edges import EdgeIconFinder, EdgeIconSettings
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.rehearsal.pages import Line, Page


class LayoutEyes:
    """Reads pages from the phone's true layout, by the image's bytes. Implements the model's Reader."""

    def __init__(self) -> None:
        self._pages: dict[bytes, Page] = {}
        self._icons = EdgeIconFinder(EdgeIconSettings())

    async def read(self, encoded: bytes) -> Page:
        return self._pages[encoded]

    async def look(self, phone: VirtualPhone) -> tuple[ModelImage, tuple[Element, ...]]:
        """The image for the model and the elements for the operator."""
        rgb = phone.frame().rgb
        texts = [
            Element(
                kind="text",
                box=Box(x1=box.x, y1=box.y, x2=box.x + box.w, y2=box.y + box.h),
                content=text,
                confidence=1.0,
            )
            for text, box in sorted(phone.layout(), key=lambda line: (line[1].y, line[1].x))
        ]
        name = content_id(rgb)
        lines = tuple(
            Line(
                text.content,
                text.centre[0] / phone.width,
                text.centre[1] / phone.height,
                (text.box.y2 - text.box.y1) / phone.height,
            )
            for text in texts
        )
        sketch = cv2.resize(rgb, (phone.width // 4, phone.height // 4), interpolation=cv2.INTER_AREA)
        self._pages[name.encode()] = Page(lines, sketch)
        return ModelImage(name, name.encode()), (*texts, *map(_named, self._icons.find(rgb, texts)))


def _named(icon: Element) -> Element:
    """The icon with a name, as the product's network gives it one: prompts list no icon without."""
    return icon.model_copy(update={"content": "a shape"})


async def look_with_jpeg(
    phone: VirtualPhone, read: Callable[[Any], Awaitable[tuple[Element, ...]]]
) -> tuple[ModelImage, tuple[Element, ...]]:
    """The image as the product makes it, and what ``read`` finds in the pixels."""
    rgb = phone.frame().rgb.copy()
    return ModelImage(content_id(rgb), encode_jpeg(rgb)), await read(rgb)
