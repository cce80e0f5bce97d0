"""A phone's page with icons that every detector should know, drawn with lines and arcs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PIL import ImageDraw

from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element
from tests.actors.perception.pictures import Page

INK = (40, 44, 52)
Painter = Callable[[ImageDraw.ImageDraw, int, int, int], None]


def _lens(draw: ImageDraw.ImageDraw, x: int, y: int, side: int) -> None:
    ring = round(side * 0.7)
    draw.ellipse((x, y, x + ring, y + ring), outline=INK, width=side // 9)
    draw.line((x + 0.62 * side, y + 0.62 * side, x + side, y + side), fill=INK, width=side // 9)


def _bars(draw: ImageDraw.ImageDraw, x: int, y: int, side: int) -> None:
    for row in (0.15, 0.5, 0.85):
        draw.line((x, y + row * side, x + side, y + row * side), fill=INK, width=side // 9)


def _cross(draw: ImageDraw.ImageDraw, x: int, y: int, side: int) -> None:
    draw.line((x, y, x + side, y + side), fill=INK, width=side // 9)
    draw.line((x, y + side, x + side, y), fill=INK, width=side // 9)


def _house(draw: ImageDraw.ImageDraw, x: int, y: int, side: int) -> None:
    walls = [(0.5, 0), (1, 0.45), (0.85, 0.45), (0.85, 1), (0.15, 1), (0.15, 0.45), (0, 0.45), (0.5, 0)]
    for (x1, y1), (x2, y2) in pairwise(walls):
        draw.line((x + x1 * side, y + y1 * side, x + x2 * side, y + y2 * side), fill=INK, width=side // 10)


def _person(draw: ImageDraw.ImageDraw, x: int, y: int, side: int) -> None:
    draw.ellipse((x + 0.27 * side, y, x + 0.73 * side, y + 0.46 * side), fill=INK)
    draw.pieslice((x, y + 0.55 * side, x + side, y + 1.45 * side), 180, 360, fill=INK)


def _chevron(draw: ImageDraw.ImageDraw, x: int, y: int, side: int) -> None:
    draw.line([(x, y), (x + side // 2, y + side // 2), (x, y + side)], fill=INK, width=side // 7)


PAINTERS: dict[str, Painter] = {
    "lens": _lens,
    "bars": _bars,
    "cross": _cross,
    "house": _house,
    "person": _person,
    "chevron": _chevron,
}


def unit_of(width: int, height: int) -> float:
    """Pixels of a page for one of 1080 across, so that all rows have room."""
    return min(width, 0.8 * height) / 1080


def page_of_icons(width: int = 1080, height: int = 2280) -> tuple[Page, dict[str, Box]]:
    """A list of icons with a word beside each; their boxes by what they show."""
    page, boxes = Page(width, height), {}
    unit = unit_of(width, height)
    for row, (name, paint) in enumerate(PAINTERS.items()):
        x, y, side = round(60 * unit), round((150 + 200 * row) * unit), round(66 * unit)
        paint(page.draw, x, y, side)
        wide = side // 2 if name == "chevron" else side
        boxes[name] = Box(x1=x, y1=y, x2=x + wide, y2=y + side)
        page.text(f"{name.capitalize()} and more", (round(240 * unit), y + 10), round(44 * unit))
    return page, boxes


def words_of(boxes: dict[str, Box], width: int = 1080, height: int = 2280) -> list[Element]:
    """What a reader makes of the words beside ``boxes``."""
    unit = unit_of(width, height)
    found = []
    for name, box in boxes.items():
        place = Box(x1=round(230 * unit), y1=box.y1, x2=round(700 * unit), y2=box.y1 + round(70 * unit))
        found.append(Element(kind="text", box=place, content=f"{name.capitalize()} and more", confidence=0.99))
    return found
