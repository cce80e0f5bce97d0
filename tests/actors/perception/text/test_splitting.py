"""Where lines are cut into texts, on drawn lines and on lines of any glyphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.text.reader import LineReader
from manyhands.actors.perception.text.splitting import (
    WORD_BLANK,
    Glyph,
    Ink,
    SplitSettings,
    ink_of,
    pieces_of,
    wide_blanks,
)
from manyhands.protocol.geometry import Box
from tests.actors.perception.pictures import Page

SETTINGS = SplitSettings()


def line_of(page: Page, box: tuple[int, int, int, int]) -> Box:
    """The box of ink with as much around it as a detector leaves."""
    left, top, right, bottom = box
    pad = (bottom - top) // 5
    return Box(x1=max(left - pad, 0), y1=top - pad, x2=min(right + pad, page.rgb.shape[1]), y2=bottom + pad)


def row(page: Page, labels: list[tuple[str, int]], top: int) -> list[Box]:
    """Draws labels centred at these columns; their boxes."""
    boxes = []
    for content, middle in labels:
        left, _, right, _ = page.draw.textbbox((0, top), content, font_size=36)
        boxes.append(line_of(page, page.text(content, (round(middle - (left + right) / 2), top), 36)))
    return boxes


def around(boxes: list[Box]) -> Box:
    return Box(
        x1=min(box.x1 for box in boxes),
        y1=min(box.y1 for box in boxes),
        x2=max(box.x2 for box in boxes),
        y2=max(box.y2 for box in boxes),
    )


def test_labels_in_columns_are_cut_where_another_row_has_its_columns() -> None:
    """Card Repay and Mobile Top are no farther apart than their words."""
    page = Page(760, 360)
    above = row(page, [("Takeout", 130), ("Koubei", 320), ("Movies", 560)], 40)
    below = row(page, [("Card Repay", 130), ("Mobile Top", 320), ("Air Rail", 560)], 240)
    assert below[1].x1 < below[0].x2
    texts = pieces_of(page.rgb, [*above, around(below)], SETTINGS)
    assert [piece.box.x1 > 180 for piece in texts[3:]] == [False, True, True]
    for piece, box in zip(texts[3:], below, strict=True):
        assert abs(piece.middle - (box.x1 + box.x2) / 2) <= 3


def test_columns_are_also_told_by_texts_that_are_known_already() -> None:
    page = Page(760, 360)
    above = row(page, [("Takeout", 130), ("Koubei", 320), ("Movies", 560)], 40)
    below = row(page, [("Card Repay", 130), ("Mobile Top", 320)], 240)
    assert len(pieces_of(page.rgb, [around(below)], SETTINGS)) == 1
    assert len(pieces_of(page.rgb, [around(below)], SETTINGS, known=above)) == 2


def test_a_sentence_under_labels_is_not_cut() -> None:
    page = Page(900, 360)
    above = row(page, [("Takeout", 150), ("Koubei", 380), ("Movies", 600)], 40)
    sentence = line_of(page, page.text("Turn this on to see what is new near you", (40, 240), 36))
    assert len(pieces_of(page.rgb, [*above, sentence], SETTINGS)) == 4


def test_what_follows_a_label_that_was_cut_short_is_another_label(reader: LineReader) -> None:
    page = Page(700, 120)
    first = page.text("Zhima Cr...", (30, 40), 36)
    page.text("Health Care", (first[2] + 24, 40), 36)
    assert [text.content for text in reader.read(page.rgb)] == ["Zhima Cr...", "Health Care"]


def test_a_blank_that_is_odd_in_its_line_separates(reader: LineReader) -> None:
    page = Page(900, 120)
    first = page.text("Auto debit done", (30, 40), 36)
    page.text("3 hours ago", (first[2] + 26, 40), 36)
    assert [text.content for text in reader.read(page.rgb)] == ["Auto debit done", "3 hours ago"]


def test_a_symbol_beside_a_text_is_cut_off(reader: LineReader) -> None:
    page = Page(400, 120)
    page.draw.ellipse((20, 34, 70, 84), outline=(20, 20, 20), width=5)
    text = page.text("805", (84, 42), 36)
    pieces = pieces_of(page.rgb, [Box(x1=14, y1=28, x2=text[2] + 8, y2=90)], SETTINGS)
    assert [piece.end for piece in pieces] == [1, 4]
    assert "805" in [element.content for element in reader.read(page.rgb)]


@pytest.mark.parametrize("size", [18, 30, 54])
def test_words_far_apart_alike_stay_together(size: int) -> None:
    page = Page(60 * size, 4 * size)
    box = line_of(page, page.text("One  two  three  four", (size, size), size))
    assert len(pieces_of(page.rgb, [box], SETTINGS)) == 1


@st.composite
def inks(draw: st.DrawFn) -> Ink:
    rows = draw(st.integers(12, 60))
    glyphs, right = [], draw(st.integers(0, 9))
    for _ in range(draw(st.integers(0, 14))):
        width, height = draw(st.integers(1, rows)), draw(st.integers(1, rows))
        glyphs.append(Glyph(right, right + width, rows - height, rows))
        right += width + draw(st.integers(1, rows))
    return Ink(draw(st.integers(rows, 2 * rows)), rows, tuple(glyphs))


@given(inks())
def test_cuts_lie_between_glyphs_at_blanks_of_a_word_or_more(ink: Ink) -> None:
    places = wide_blanks(ink, SETTINGS)
    assert places == sorted(set(places))
    assert all(0 <= place < len(ink.glyphs) - 1 for place in places)
    assert all(ink.blank(place) >= WORD_BLANK[0] * ink.rows for place in places)


@given(inks(), st.integers(2, 5))
def test_cuts_do_not_depend_on_the_size_of_the_picture(ink: Ink, times: int) -> None:
    def larger(glyph: Glyph) -> Glyph:
        return Glyph(*(times * side for side in (glyph.left, glyph.right, glyph.top, glyph.bottom)))

    grown = Ink(times * ink.height, times * ink.rows, tuple(map(larger, ink.glyphs)))
    assert wide_blanks(grown, SETTINGS) == wide_blanks(ink, SETTINGS)


@given(st.integers(1, 40), st.integers(1, 200), st.integers(0, 2**32 - 1))
def test_any_pixels_make_pieces_that_cover_the_line_in_order(height: int, width: int, seed: int) -> None:
    rgb = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    rgb[:, np.random.default_rng(seed + 1).random(width) < 0.7] = 255
    line = Box(x1=0, y1=0, x2=width, y2=height)
    pieces = pieces_of(rgb, [line], SETTINGS)
    assert pieces[0].box.x1 == 0
    assert pieces[-1].box.x2 >= width
    assert [piece.end for piece in pieces[:-1]] == [piece.first for piece in pieces[1:]]
    for left, right in itertools.pairwise(ink_of(rgb).glyphs):
        assert left.right < right.left
