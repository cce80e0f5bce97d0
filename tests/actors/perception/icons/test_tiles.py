"""Glyphs on tiles and round buttons, on keys, and parts that cut into each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageDraw

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.icons.boxes import joined_where_they_cross, without_keys
from manyhands.actors.perception.icons.edges import EdgeIconFinder
from manyhands.actors.perception.icons.parts import tile_around
from manyhands.protocol.screens.geometry import Box
from tests.actors.perception.pictures import Page

WIDTH = 540


def box(x: int, y: int, width: int, height: int) -> Box:
    return Box(x1=x, y1=y, x2=x + width, y2=y + height)


def striped() -> Page:
    """A page of stripes whose edges run into everything on it."""
    page = Page(WIDTH, 400)
    for x in range(0, WIDTH, 30):
        page.draw.rectangle((x, 0, x + 14, 399), fill=(120, 60, 160))
    return page


@pytest.mark.parametrize("shape", [ImageDraw.ImageDraw.rectangle, ImageDraw.ImageDraw.ellipse])
def test_a_tile_is_found_from_its_glyph_whatever_is_behind_it(shape: Callable[..., None]) -> None:
    page = striped()
    shape(page.draw, (200, 100, 269, 169), fill=(20, 120, 220))
    page.draw.rectangle((225, 125, 244, 144), outline=(255, 255, 255), width=4)
    found = tile_around(page.rgb, (225, 125, 245, 145))
    assert found is not None
    assert np.abs(np.array(found) - [200, 100, 270, 170]).max() <= 2


def test_a_tile_with_a_gradient_is_one_ground() -> None:
    page = striped()
    for row in range(70):
        page.draw.line((200, 100 + row, 269, 100 + row), fill=(20, 80 + 2 * row, 220 - 2 * row))
    page.draw.rectangle((225, 125, 244, 144), fill=(255, 255, 255))
    assert tile_around(page.rgb, (225, 125, 245, 145)) == (200, 100, 270, 170)


@pytest.mark.parametrize("tile", [(10, 90, 530, 180), (200, 100, 300, 150), (222, 122, 247, 147), (150, 115, 250, 215)])
def test_bars_buttons_rims_and_corners_are_no_tiles(tile: tuple[int, int, int, int]) -> None:
    page = striped()
    page.draw.rectangle(tile, fill=(20, 120, 220))
    page.draw.rectangle((225, 125, 244, 144), fill=(255, 255, 255))
    assert tile_around(page.rgb, (225, 125, 245, 145)) is None


@given(st.integers(0, 1000), st.tuples(*[st.floats(0, 200)] * 4))
def test_whatever_the_glyph_a_tile_lies_on_the_picture(seed: int, edges: tuple[float, float, float, float]) -> None:
    picture: Rgb = np.random.default_rng(seed).integers(0, 8, (200, 200, 3)).astype(np.uint8)
    x1, x2 = sorted(edges[:2])
    y1, y2 = sorted(edges[2:])
    found = tile_around(picture, (x1, y1, x2, y2))
    if found is not None:
        assert 0 <= found[0] < found[2] <= 200
        assert 0 <= found[1] < found[3] <= 200


def test_app_tiles_on_a_busy_wallpaper_are_found_whole(finder: EdgeIconFinder) -> None:
    page = striped()
    page.draw.rounded_rectangle((200, 100, 269, 169), 14, fill=(20, 120, 220))
    page.draw.ellipse((222, 122, 247, 147), fill=(255, 255, 255))
    places = [[icon.box.x1, icon.box.y1, icon.box.x2, icon.box.y2] for icon in finder.find(page.rgb, [])]
    assert any(np.abs(np.array(place) - [200, 100, 270, 170]).max() <= 3 for place in places)


def test_of_a_key_with_an_icon_in_its_middle_the_icon_stays() -> None:
    key, glyph = box(100, 100, 90, 120), box(125, 140, 40, 40)
    assert without_keys([key, glyph], WIDTH) == [glyph]


@pytest.mark.parametrize(
    "inner",
    [
        [],
        [box(105, 115, 30, 30)],
        [box(110, 140, 30, 30), box(150, 140, 30, 30)],
        [box(102, 105, 86, 110)],
    ],
)
def test_what_is_no_key_stays(inner: list[Box]) -> None:
    outer = box(100, 100, 90, 120)
    assert outer in without_keys([outer, *inner], WIDTH)


def test_a_square_tile_with_its_glyph_stays() -> None:
    tile = box(100, 100, 90, 92)
    assert tile in without_keys([tile, box(125, 125, 40, 40)], WIDTH)


def test_parts_that_cut_into_each_other_are_one() -> None:
    arrow, tray, other = box(110, 100, 20, 34), box(100, 120, 40, 30), box(300, 300, 30, 30)
    assert joined_where_they_cross([arrow, tray, other], WIDTH) == [box(100, 100, 40, 50), other]


places = st.builds(box, st.integers(0, 300), st.integers(0, 300), st.integers(1, 80), st.integers(1, 80))


@given(st.lists(places, max_size=15))
def test_joining_covers_what_was_there_and_nothing_grows_too_large(found: list[Box]) -> None:
    joined = joined_where_they_cross(found, WIDTH)
    assert len(joined) <= len(found)
    for one in found:
        assert any(
            other.x1 <= one.x1 and other.y1 <= one.y1 and other.x2 >= one.x2 and other.y2 >= one.y2 for other in joined
        )
    for one in joined:
        assert one in found or max(one.x2 - one.x1, one.y2 - one.y1) <= 0.12 * WIDTH
