"""Lines that change their style: prices and the struck ones beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from manyhands.actors.perception.text.reader import LineReader
from manyhands.actors.perception.text.splitting import SplitSettings, pieces_of
from manyhands.actors.perception.text.styles import has_two_numbers, style_changes
from manyhands.protocol.geometry import Box
from tests.actors.perception.pictures import Page

RED, GREY, BLACK, BLUE = (180, 40, 30), (110, 112, 120), (20, 20, 20), (20, 90, 220)
Style = tuple[str, int, tuple[int, int, int]]


def drawn(*parts: Style, gap: int = 20, struck: int | None = None) -> tuple[Page, Box, list[int]]:
    """Parts on one base line, the box around all, and the columns at which they begin."""
    page, x, starts = Page(700, 110), 30, []
    for number, (content, size, colour) in enumerate(parts):
        font = ImageFont.load_default(size)
        page.draw.text((x, 75), content, fill=colour, font=font, anchor="ls")
        starts.append(x)
        _, top, right, bottom = page.draw.textbbox((x, 75), content, font=font, anchor="ls")
        if number == struck:
            middle = round((top + bottom) / 2)
            page.draw.rectangle((x, middle - 1, right, middle + 1), fill=colour)
        x = int(right) + gap
    return page, Box(x1=20, y1=25, x2=x, y2=95), starts


def cuts(page: Page, line: Box) -> list[int]:
    """Columns of the page at which another style begins."""
    pieces = pieces_of(page.rgb, [line], SplitSettings(sure_gap=9, likely_gap=9))
    assert len(pieces) == 1
    (piece,) = pieces
    return [line.x1 + piece.ink.glyphs[place + 1].left for place in style_changes(page.rgb, piece)]


def test_smaller_type_of_another_colour_is_another_text() -> None:
    page, line, starts = drawn(("$17.87", 46, RED), ("was $23.17", 32, GREY))
    (cut,) = cuts(page, line)
    assert abs(cut - starts[1]) <= 3


def test_a_struck_price_is_another_text() -> None:
    page, line, starts = drawn(("$17.87", 40, BLACK), ("$23.17", 40, BLACK), struck=1)
    (cut,) = cuts(page, line)
    assert abs(cut - starts[1]) <= 3


@pytest.mark.parametrize(
    "parts",
    [
        [("Total $17.87 of $23.17", 40, BLACK)],
        [("I agree to the", 40, BLACK), ("Terms of Service", 40, BLUE)],
        [("$17", 46, RED), ("and up", 32, RED)],
        [("Room 12 on", 40, BLACK), ("us", 40, BLUE)],
    ],
)
def test_one_size_or_one_colour_is_one_text(parts: list[Style]) -> None:
    page, line, _ = drawn(*parts, gap=14)
    assert cuts(page, line) == []


def test_a_reader_reads_both_prices(reader: LineReader) -> None:
    page, _, _ = drawn(("$17.87", 46, RED), ("was $23.17", 32, GREY))
    assert [text.content for text in reader.read(page.rgb)] == ["$17.87", "was $23.17"]


def test_a_note_in_another_style_stays_with_its_words(reader: LineReader) -> None:
    page, _, _ = drawn(("Battery", 44, BLACK), ("full Tx", 32, GREY), gap=16)
    assert [text.content for text in reader.read(page.rgb)] == ["Battery full Tx"]


@given(st.text("0 9a.$", max_size=12))
def test_two_numbers_have_a_space_between_their_digits(text: str) -> None:
    words = text.split(" ")
    numbered = [number for number, part in enumerate(words) if any(one.isdigit() for one in part)]
    assert has_two_numbers(text) == (len(numbered) > 1)
