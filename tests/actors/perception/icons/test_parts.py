"""Icons of several parts that stand apart, and short readings that are icons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.arrangement import doubtful_glyphs
from manyhands.actors.perception.icons.edges import EdgeIconFinder
from manyhands.actors.perception.icons.parts import MOST, composed
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element
from tests.actors.perception.pictures import Page

WIDTH = 1080.0


def boxes(places: Sequence[tuple[float, float, float, float]]) -> list[tuple[float, float, float, float]]:
    return composed(np.array(places, float).reshape(-1, 4), WIDTH)


def reading(content: str, width: int, height: int, confidence: float) -> Element:
    return Element(
        kind="text", box=Box(x1=40, y1=40, x2=40 + width, y2=40 + height), content=content, confidence=confidence
    )


@given(st.integers(4, 20), st.floats(1.3, 3), st.booleans(), st.integers(0, 900), st.integers(0, 2000))
def test_three_dots_in_line_are_one_icon(side: int, step: float, upright: bool, x: int, y: int) -> None:
    offsets = [round(number * step * side) for number in range(3)]
    dots = [(x, y + offset, side, side) if upright else (x + offset, y, side, side) for offset in offsets]
    length = offsets[-1] + side
    expected = (x, y, x + side, y + length) if upright else (x, y, x + length, y + side)
    assert boxes(dots) == [expected]


@pytest.mark.parametrize("count", [2, 4, 6])
def test_other_numbers_of_dots_are_pages_or_colons(count: int) -> None:
    assert boxes([(100 + 20 * number, 300, 10, 10) for number in range(count)]) == []


@given(st.integers(30, 90), st.floats(0.15, 0.4), st.sampled_from([(1, 1, 1), (1, 0.7, 0.4), (0.5, 1, 1)]))
def test_three_bars_are_one_icon(length: int, gap: float, shares: tuple[float, float, float]) -> None:
    step = max(round(gap * length), 6)
    bars = [(50, 100 + number * step, round(share * length), 4) for number, share in enumerate(shares)]
    expected = (50, 100, 50 + max(bar[2] for bar in bars), 104 + 2 * step)
    assert boxes(bars) == [expected]


def test_lines_of_unequal_distance_are_no_icon() -> None:
    assert boxes([(50, 100, 60, 4), (50, 115, 60, 4), (50, 150, 60, 4)]) == []


@given(st.integers(45, 140), st.floats(0.2, 0.4))
def test_four_corners_are_one_frame(side: int, share: float) -> None:
    part = max(round(side * share), 8)
    near, far = 200, 200 + side - part
    corners = [(near, near, part, part), (far, near, part, part), (near, far, part, part), (far, far, part, part)]
    assert (near, near, near + side, near + side) in boxes(corners)


def test_two_upright_bars_are_a_pause_and_three_are_a_chart() -> None:
    bars = [(100 + 24 * number, 100, 14, 50) for number in range(3)]
    assert boxes(bars[:2]) == [(100, 100, 138, 150)]
    assert boxes(bars) == []


def test_a_grid_of_icons_is_no_frame() -> None:
    assert boxes([(100 + 90 * x, 100 + 90 * y, 40, 40) for x in range(3) for y in range(2)]) == []


def test_of_thousands_of_dots_and_bars_the_largest_are_looked_at() -> None:
    dots = [(90.0 * x + 20 * n, 30 * y, 10, 10) for y in range(100) for x in range(20) for n in range(3)]
    larger = [
        (90.0 * x + 24 * n, 40 * y - 4000, 12, 12) for y in range(MOST // 60) for x in range(20) for n in range(3)
    ]
    found = boxes([*dots, *larger])
    assert len(found) == MOST // 3
    assert all(y2 - y1 == 12 for _, y1, _, y2 in found)
    bars = [(90.0 * x, 100 * y + 12 * n, 60, 4) for y in range(100) for x in range(10) for n in range(3)]
    assert len(boxes(bars)) <= MOST // 3


def test_parts_that_are_drawn_are_found_as_icons(finder: EdgeIconFinder) -> None:
    page = Page(1080, 400)
    for number in range(3):
        page.draw.rectangle((60, 80 + 18 * number, 116, 85 + 18 * number), fill=(20, 20, 20))
        page.draw.ellipse((500, 70 + 20 * number, 510, 80 + 20 * number), fill=(20, 20, 20))
    found = [icon.box for icon in finder.find(page.rgb, [])]
    assert len(found) == 2
    for x1, y1, x2, y2 in ((60, 80, 117, 122), (500, 70, 511, 121)):
        assert any(max(abs(b.x1 - x1), abs(b.y1 - y1), abs(b.x2 - x2), abs(b.y2 - y2)) <= 4 for b in found)


def test_an_apps_tile_with_its_name_in_it_is_an_icon(finder: EdgeIconFinder) -> None:
    page = Page(1080, 600)
    page.draw.rounded_rectangle((100, 100, 260, 260), 40, fill=(30, 90, 200))
    name = Element(kind="text", box=Box(x1=150, y1=160, x2=215, y2=196), content="ODR", confidence=0.97)
    (found,) = finder.find(page.rgb, [name])
    assert abs(found.box.x1 - 100) <= 4
    assert abs(found.box.y2 - 260) <= 4


@pytest.mark.parametrize(
    ("text", "is_icon"),
    [
        (reading("CoD", 81, 65, 0.81), True),
        (reading("CoD", 81, 65, 0.97), False),
        (reading("ODR", 63, 34, 0.8), False),
        (reading("6", 158, 124, 0.81), True),
        (reading("6", 30, 40, 0.81), False),
        (reading("Wait", 60, 60, 0.5), False),
    ],
)
def test_squat_or_large_readings_that_are_not_sure_are_icons(text: Element, is_icon: bool) -> None:
    others = [reading("Settings", 200, 50, 0.99) for _ in range(3)]
    assert (text in doubtful_glyphs([*others, text], Size(width=1080, height=1000))) == is_icon
