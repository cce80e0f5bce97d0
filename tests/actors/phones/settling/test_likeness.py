from __future__ import annotations

import zlib
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.actors.frames import Rgb
from manyhands.actors.phones.settling.changes import ComparableScreenshot, Tiles, grey, same

SIZE = (2400, 1080)
RNG = np.random.default_rng(3)
PAGE: Rgb = np.repeat(np.repeat(RNG.integers(200, 256, (75, 34, 3), np.uint8), 32, axis=0), 32, axis=1)[:, :1080].copy()
TILES = (72, 34)

Blink = Literal["appears", "disappears"]


def shown(rgb: Rgb, caret: int | None = None, restless: Tiles | None = None) -> ComparableScreenshot:
    return ComparableScreenshot(f"{zlib.crc32(rgb.tobytes()):032x}", grey(rgb), restless, caret)


def drawn(x: int, y: int, width: int, height: int, level: int = 40) -> Rgb:
    picture = PAGE.copy()
    picture[y : y + height, x : x + width] = level
    return picture


CARET = drawn(500, 1000, 5, 62)


def test_equal_pixels_show_the_same() -> None:
    assert same(shown(PAGE), shown(PAGE.copy()), touched=True)


def test_the_clock_does_not_count() -> None:
    assert same(shown(PAGE), shown(drawn(40, 20, 200, 50)), touched=True)


@settings(max_examples=25)
@given(
    x=st.integers(0, 1019),
    y=st.integers(96, 2339),
    width=st.integers(1, 60),
    height=st.integers(1, 60),
    levels=st.sampled_from([0, 90, 180]),
)
def test_whatever_is_drawn_counts_but_a_caret(x: int, y: int, width: int, height: int, levels: int) -> None:
    """A letter, a digit in a badge, a switch; also a bar that may be a typed l, if the caret moved or is not told."""
    picture = drawn(x, y, width, height, levels)
    assert not same(shown(PAGE), shown(picture), touched=True)
    assert not same(shown(PAGE, caret=3), shown(picture, caret=4), touched=True)
    if width > 8 or height > 108:
        assert not same(shown(PAGE, caret=3), shown(picture, caret=3), touched=False)


@pytest.mark.parametrize("kind", ["appears", "disappears"])
def test_a_caret_that_stands_where_it_stood_may_blink(kind: Blink) -> None:
    before, after = (PAGE, CARET) if kind == "appears" else (CARET, PAGE)
    assert same(shown(before, caret=7), shown(after, caret=7), touched=True)
    assert same(shown(before), shown(after), touched=False), "nothing was sent, so nothing was typed"
    assert not same(shown(before, caret=7), shown(after, caret=8), touched=True)
    assert not same(shown(before), shown(after), touched=True)


def test_a_caret_and_something_else_is_more_than_a_caret() -> None:
    dot = CARET.copy()
    dot[1500:1504, 100:104] = 0
    assert not same(shown(PAGE, caret=7), shown(dot, caret=7), touched=True)


def test_a_region_counts_not_only_if_it_kept_changing_at_both_screenshots() -> None:
    video = drawn(320, 416 + 96, 256, 256)
    tiles = np.zeros(TILES, np.bool_)
    tiles[13:21, 10:18] = True
    assert same(shown(PAGE, restless=tiles), shown(video, restless=tiles), touched=True)
    assert not same(shown(PAGE, restless=None), shown(video, restless=tiles), touched=True), "it began to play"
    still = np.zeros(TILES, np.bool_)
    assert not same(shown(PAGE, restless=tiles), shown(video, restless=still), touched=True), "it was paused"
    beside = video.copy()
    beside[1800:1830, 700:720] = 0
    assert not same(shown(PAGE, restless=tiles), shown(beside, restless=tiles), touched=True)
    everything = np.ones(TILES, np.bool_)
    assert not same(shown(PAGE, restless=everything), shown(video, restless=everything), touched=True)


def test_a_phone_that_turned_shows_something_else() -> None:
    turned = np.ascontiguousarray(PAGE.transpose(1, 0, 2))
    assert not same(shown(PAGE), shown(turned), touched=True)
