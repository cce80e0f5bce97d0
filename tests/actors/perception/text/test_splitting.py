"""Where lines are cut into texts, on drawn lines and on lines of any glyphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.text.gaps import COLUMNS, Surroundings
from manyhands.actors.perception.text.ink import LEAST_BLANK, ink_of
from manyhands.actors.perception.text.normalization import GapJudge, SplitSettings, pieces_of
from manyhands.actors.perception.text.reader import LineReader
from manyhands.actors.perception.text.signs import WEIGHTS as SIGNS
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box
from tests.actors.perception.pictures import Page

JUDGE = GapJudge(SplitSettings())


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
    texts = pieces_of(page.rgb, [*above, around(below)], JUDGE)
    assert [piece.box.x1 > 180 for piece in texts[3:]] == [False, True, True]
    for piece, box in zip(texts[3:], below, strict=True):
        assert abs(piece.middle - (box.x1 + box.x2) / 2) <= 3


def test_columns_are_also_told_by_texts_that_are_known_already() -> None:
    page = Page(760, 360)
    above = row(page, [("Takeout", 130), ("Koubei", 320), ("Movies", 560)], 40)
    below = row(page, [("Card Repay", 130), ("Mobile Top", 320)], 240)
    assert len(pieces_of(page.rgb, [around(below)], JUDGE)) == 1
    assert len(pieces_of(page.rgb, [around(below)], JUDGE, fixed=above)) == 2


def test_a_sentence_under_labels_is_not_cut() -> None:
    page = Page(900, 360)
    above = row(page, [("Takeout", 150), ("Koubei", 380), ("Movies", 600)], 40)
    sentence = line_of(page, page.text("Turn this on to see what is new near you", (40, 240), 36))
    assert len(pieces_of(page.rgb, [*above, sentence], JUDGE)) == 4


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
    page.text("805", (84, 42), 36)
    assert "805" in [element.content for element in reader.read(page.rgb)]


@pytest.mark.parametrize("size", [30, 54])
def test_words_far_apart_alike_stay_together(size: int) -> None:
    page = Page(60 * size, 4 * size)
    box = line_of(page, page.text("One  two  three  four", (size, size), size))
    assert len(pieces_of(page.rgb, [box], JUDGE)) == 1


def justified(page: Page, sentence: str, top: int, size: int) -> Box:
    """Draw words from one margin to the other, twelve sizes apart; their box."""
    words = sentence.split()
    widths = [page.draw.textbbox((0, 0), word, font_size=size)[2] for word in words]
    blank = (12 * size - sum(widths)) / (len(words) - 1)
    boxes = [page.text(word, (round(size + sum(widths[:n]) + n * blank), top), size) for n, word in enumerate(words)]
    return line_of(page, (size, min(box[1] for box in boxes), boxes[-1][2], max(box[3] for box in boxes)))


@pytest.mark.parametrize("size", [22, 36])
def test_links_a_narrow_gap_apart_are_several_and_a_justified_line_is_one(size: int) -> None:
    page = Page(30 * size, 12 * size)
    right, links = size, ("Europe", "Americas", "Middle East", "Opinion")
    for link in links:
        box = page.text(link, (right, size), size)
        right = box[2] + size
    row = line_of(page, (size, box[1], box[2], box[3]))
    sentences = ("nobody knew why the old", "ferry had left before its", "captain was told of rain")
    paragraph = [justified(page, sentence, (4 + 2 * n) * size, size) for n, sentence in enumerate(sentences)]
    pieces = pieces_of(page.rgb, [row, *paragraph], JUDGE)
    assert [piece.line for piece in pieces] == [row] * len(links) + paragraph


@st.composite
def lines(draw: st.DrawFn) -> tuple[np.ndarray, list[Box]]:
    """A page of upright bars on paper, and boxes anywhere on it."""
    height, width = draw(st.integers(12, 120)), draw(st.integers(12, 300))
    rgb = np.full((height, width, 3), draw(st.integers(120, 255)), np.uint8)
    for _ in range(draw(st.integers(0, 25))):
        x, y = draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1))
        rgb[y : y + draw(st.integers(1, 30)), x : x + draw(st.integers(1, 9))] = draw(st.integers(0, 90))
    boxes = []
    for _ in range(draw(st.integers(1, 4))):
        x, y = draw(st.integers(0, width - 2)), draw(st.integers(0, height - 2))
        boxes.append(Box(x1=x, y1=y, x2=draw(st.integers(x + 1, width)), y2=draw(st.integers(y + 1, height))))
    return rgb, boxes


@given(lines())
def test_each_blank_of_a_line_has_its_figures_and_all_are_finite(drawn: tuple[np.ndarray, list[Box]]) -> None:
    rgb, boxes = drawn
    inks = [ink_of(rgb[box.y1 : box.y2, box.x1 : box.x2]) for box in boxes]
    page = Surroundings(rgb, boxes, inks)
    for number, ink in enumerate(inks):
        figures = page.figures(number)
        assert figures.shape == (len(ink.blanks()), COLUMNS)
        assert np.isfinite(figures).all()
        assert np.abs(figures).max(initial=0) <= 50


@given(lines())
def test_lines_are_cut_at_blanks_only_and_nothing_of_them_is_lost(drawn: tuple[np.ndarray, list[Box]]) -> None:
    rgb, boxes = drawn
    pieces = pieces_of(rgb, boxes, JUDGE)
    for left, right in itertools.pairwise(pieces):
        if right.first > 0:
            assert left.line is right.line
            assert left.end == right.first
            assert left.ink.blank(left.end - 1) >= LEAST_BLANK * left.ink.rows
        else:
            assert left.end == len(left.ink.glyphs)
    assert [piece.line for piece in pieces if piece.first == 0] == boxes


def test_a_file_that_tells_something_else_apart_is_refused() -> None:
    with pytest.raises(PerceptionError, match="make train-gaps"):
        GapJudge(SplitSettings(weights=SIGNS))


@given(st.integers(1, 40), st.integers(1, 200), st.integers(0, 2**32 - 1))
def test_any_pixels_make_pieces_that_cover_the_line_in_order(height: int, width: int, seed: int) -> None:
    rgb = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    rgb[:, np.random.default_rng(seed + 1).random(width) < 0.7] = 255
    line = Box(x1=0, y1=0, x2=width, y2=height)
    pieces = pieces_of(rgb, [line], JUDGE)
    assert pieces[0].box.x1 == 0
    assert pieces[-1].box.x2 >= width
    assert [piece.end for piece in pieces[:-1]] == [piece.first for piece in pieces[1:]]
    for left, right in itertools.pairwise(ink_of(rgb).glyphs):
        assert left.right < right.left
