"""Icons drawn as shapes, beside text that is none."""

from __future__ import annotations

import numpy as np
import pytest

from manyhands.actors.perception.arrangement import contains
from manyhands.actors.perception.icons.edges import EdgeIconFinder, EdgeIconSettings
from manyhands.actors.perception.text.reader import LineReader
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element
from tests.actors.perception.pictures import Page


def word(content: str, box: tuple[int, int, int, int], confidence: float = 0.99) -> Element:
    x1, y1, x2, y2 = box
    return Element(kind="text", box=Box(x1=x1, y1=y1, x2=x2, y2=y2), content=content, confidence=confidence)


def test_finds_drawn_shapes_and_nothing_inside_text(finder: EdgeIconFinder, reader: LineReader) -> None:
    page = Page(540, 500)
    shapes = {"disc": (60, 60, 120, 120), "tile": (240, 50, 320, 130), "arrow": (420, 60, 480, 120)}
    page.draw.ellipse(shapes["disc"], fill=(200, 40, 40))
    page.draw.rounded_rectangle(shapes["tile"], 16, fill=(30, 120, 60))
    page.draw.polygon([(420, 80), (450, 80), (450, 60), (480, 90), (450, 120), (450, 100), (420, 100)], fill=(0, 0, 0))
    for row, content in enumerate(("Messages", "Open the browser", "Weather tomorrow")):
        page.text(content, (40, 220 + 80 * row), 32)
    texts = reader.read(page.rgb)
    icons = finder.find(page.rgb, texts)
    assert len(texts) == 3
    for x1, y1, x2, y2 in shapes.values():
        assert any(contains(Box(x1=x1, y1=y1, x2=x2, y2=y2), icon.centre) for icon in icons)
    assert len(icons) == 3
    assert not any(contains(text.box, icon.centre) for icon in icons for text in texts)
    assert {icon.content for icon in icons} == {""}


def test_a_button_around_its_text_is_no_icon(finder: EdgeIconFinder) -> None:
    page = Page(540, 300)
    page.draw.rounded_rectangle((200, 100, 300, 160), 10, outline=(20, 20, 20), width=3)
    assert len(finder.find(page.rgb, [])) == 1
    ink = page.text("OK", (232, 114), 30)
    assert finder.find(page.rgb, [word("OK", ink)]) == []


def test_a_glyph_that_was_hardly_read_is_an_icon(finder: EdgeIconFinder) -> None:
    page = Page(540, 300)
    page.draw.ellipse((100, 100, 140, 140), outline=(0, 0, 0), width=6)
    page.draw.line((135, 135, 160, 160), fill=(0, 0, 0), width=7)
    box = (95, 95, 165, 165)
    assert len(finder.find(page.rgb, [word("R", box, 0.55)])) == 1
    assert finder.find(page.rgb, [word("R", box, 0.99)]) == []


def test_large_areas_and_lines_are_no_icons(finder: EdgeIconFinder) -> None:
    page = Page(540, 800)
    page.draw.rectangle((20, 20, 520, 380), fill=(220, 230, 240), outline=(0, 0, 0))
    page.draw.line((20, 500, 520, 500), fill=(0, 0, 0), width=3)
    assert finder.find(page.rgb, []) == []


def test_the_number_of_icons_is_bounded() -> None:
    page = Page(540, 540)
    for row in range(12):
        for column in range(12):
            page.draw.ellipse((10 + 44 * column, 10 + 44 * row, 30 + 44 * column, 30 + 44 * row), fill=(0, 0, 0))
    assert len(EdgeIconFinder(EdgeIconSettings(limit=25)).find(page.rgb, [])) == 25
    assert len(EdgeIconFinder(EdgeIconSettings(limit=200)).find(page.rgb, [])) == 144


def test_on_a_sheet_of_squares_the_largest_are_icons(finder: EdgeIconFinder) -> None:
    """1,700 of them, which could be dots, corners of frames and keys of each other."""
    page = Page(1080, 2280)
    for y in range(10, 2200, 36):
        for x in range(10, 1040, 36):
            page.draw.rectangle((x, y, x + 17, y + 17), fill=(20, 20, 20))
    page.draw.rectangle((400, 1200, 520, 1320), fill=(250, 250, 250))
    page.draw.ellipse((425, 1225, 495, 1295), fill=(20, 20, 20))
    icons = finder.find(page.rgb, [])
    assert len(icons) == EdgeIconSettings().limit
    assert any(contains(Box(x1=425, y1=1225, x2=496, y2=1296), icon.centre) for icon in icons)


@pytest.mark.parametrize("size", [(240, 1080), (4, 4), (2400, 64)])
def test_any_size_of_picture_is_searched(finder: EdgeIconFinder, size: tuple[int, int]) -> None:
    noise = np.random.default_rng(7).integers(0, 256, (*size, 3), dtype=np.uint8)
    for icon in finder.find(noise, []):
        assert 0 <= icon.box.x1 < icon.box.x2 <= size[1]
        assert 0 <= icon.box.y1 < icon.box.y2 <= size[0]
