"""Symbols read as letters at the ends of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.text.ink import Glyph, Ink
from manyhands.actors.perception.text.normalization import TextSegment, without_carets, without_symbols
from manyhands.actors.perception.text.reader import LineReader
from manyhands.protocol.screens.geometry import Box
from tests.actors.perception.pictures import Page


def piece(*blanks: int) -> TextSegment:
    """Glyphs of 20 by 30 pixels with these blanks between them."""
    glyphs, right = [], 0
    for blank in (0, *blanks):
        glyphs.append(Glyph(right + blank, right + blank + 20, 5, 35))
        right += blank + 20
    return TextSegment(Box(x1=100, y1=0, x2=100 + right, y2=40), Ink(40, 30, tuple(glyphs)), 0, len(glyphs))


@pytest.mark.parametrize(
    ("read", "blanks", "left", "glyphs"),
    [
        ("Q Search", (14, 3, 3, 3), "Search", (1, 5)),
        ("Q查找", (12, 2), "查找", (1, 3)),
        ("Q、 搜索", (14, 4), "搜索", (1, 3)),
        ("≡ Follow", (14, 3), "Follow", (1, 3)),
        ("On >", (3, 20), "On", (0, 2)),
        ("$24.90→", (3, 3, 8), "$24.90", (0, 3)),
        ("ShangHai v", (3, 14), "ShangHai", (0, 2)),
        ("Q Beijing >", (14, 3, 14), "Beijing", (1, 3)),
        ("口Chats", (12, 3), "Chats", (1, 3)),
        ("日历", (6,), "日历", (0, 2)),
        ("口 令", (12,), "口 令", (0, 2)),
        ("Quick", (3, 3), "Quick", (0, 3)),
        ("Q1 2026", (9, 14), "Q1 2026", (0, 3)),
        ("Q&A", (9, 9), "Q&A", (0, 3)),
        ("Improv", (3, 3), "Improv", (0, 3)),
        ("x>", (3,), "x>", (0, 2)),
        ("Q", (), "Q", (0, 1)),
        ("ribeye steak|", (3, 8), "ribeye steak", (0, 3)),
        ("|", (3,), "|", (0, 2)),
    ],
)
def test_symbols_go_where_there_is_a_blank(
    read: str, blanks: tuple[int, ...], left: str, glyphs: tuple[int, int]
) -> None:
    bare, content = without_symbols(piece(*blanks), read)
    assert (content, (bare.first, bare.end)) == (left, glyphs)


@given(st.lists(st.integers(1, 30), max_size=6), st.text("Qa >v→搜、口|", min_size=1))
def test_something_is_left_and_lies_in_the_piece(blanks: list[int], read: str) -> None:
    whole = piece(*blanks)
    content = read.strip() or "a"
    bare, left = without_symbols(whole, content)
    assert left
    assert left in content
    assert whole.first <= bare.first < bare.end <= whole.end
    touching = content.endswith("|")  # a caret that is one with the last letter leaves with no glyph
    assert (bare is whole) == (left == content) or (bare is whole and touching)


def test_a_search_field_is_read_without_its_lens(reader: LineReader) -> None:
    page = Page(420, 120)
    page.draw.rectangle((6, 22, 414, 98), outline=(120, 120, 120), width=3)
    page.draw.ellipse((30, 42, 56, 68), outline=(20, 20, 20), width=4)
    page.draw.line((52, 64, 62, 76), fill=(20, 20, 20), width=5)
    box = page.text("Search", (76, 40), 36)
    (text,) = [text for text in reader.read(page.rgb) if len(text.content) > 1]
    assert text.content == "Search"
    assert text.box.x1 > 62
    assert box[0] < text.centre[0] < box[2]


def test_the_caret_after_a_typed_text_is_no_letter_of_it(reader: LineReader) -> None:
    page = Page(540, 110)
    right = page.text("ribeye steak", (30, 20), 44)[2]
    page.draw.rectangle((right + 3, 18, right + 5, 75), fill=(20, 110, 200))
    (text,) = reader.read(page.rgb)
    assert text.content == "ribeye steak"
    assert text.box.x2 >= right - 2


def test_the_caret_before_a_hint_is_no_letter_of_it(reader: LineReader) -> None:
    page = Page(540, 110)
    page.draw.rectangle((30, 16, 34, 78), fill=(20, 110, 200))
    left = page.text("Text message", (42, 20), 44)[0]
    (text,) = reader.read(page.rgb)
    assert text.content == "Text message"
    assert 34 < text.box.x1 <= left


def bars(*heights: tuple[int, int, int]) -> TextSegment:
    """Glyphs by their width, top and bottom, 6 pixels apart, on a line of 60 with ink of 50."""
    glyphs, left = [], 0
    for width, top, bottom in heights:
        glyphs.append(Glyph(left, left + width, top, bottom))
        left += width + 6
    return TextSegment(Box(x1=0, y1=0, x2=left, y2=60), Ink(60, 50, tuple(glyphs)), 0, len(glyphs))


@pytest.mark.parametrize(
    ("glyphs", "left"),
    [
        ([(20, 15, 45), (20, 22, 45), (5, 5, 55)], (0, 2)),
        ([(5, 5, 55), (20, 15, 45), (20, 22, 45)], (1, 3)),
        ([(20, 15, 45), (4, 13, 45)], (0, 2)),
        ([(20, 15, 56), (5, 5, 55)], (0, 2)),
        ([(20, 15, 45), (12, 5, 55)], (0, 2)),
        ([(5, 5, 55)], (0, 1)),
    ],
)
def test_a_caret_reaches_beyond_all_letters(glyphs: list[tuple[int, int, int]], left: tuple[int, int]) -> None:
    bare = without_carets(bars(*glyphs))
    assert (bare.first, bare.end) == left
