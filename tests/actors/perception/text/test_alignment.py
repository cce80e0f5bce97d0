"""Where the characters of a text stand: by the real engine on drawn lines, and for texts that are told otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.text.engines import RecognizedText, columns_of
from manyhands.actors.perception.text.rapid import RapidTextSettings
from manyhands.actors.perception.text.reader import LineReader
from manyhands.protocol.screens.geometry import Box
from tests.actors.perception.pictures import Page
from tests.actors.perception.text.readers import rapid_reader

CROP = Box(x1=100, y1=0, x2=300, y2=40)
LINES = (
    ("World", "Americas", "Asia", "Europe", "Weather"),
    ("Keep", "a", "note", "of", "the", "next", "delivery"),
    ("Total:", "12,50", "EUR", "for", "3", "items"),
)


@pytest.fixture(scope="module")
def reader() -> LineReader:
    return rapid_reader(RapidTextSettings())


@pytest.mark.parametrize("size", [24, 34, 52])
def test_the_middle_of_each_words_box_lies_on_the_word(reader: LineReader, size: int) -> None:
    page, drawn = Page(1080, 600), {}
    for row, line in enumerate(LINES):
        x = 40
        for word in line:
            left, top, right, bottom = page.text(word, (x, 40 + 160 * row), size)
            drawn[word] = (left, top, right, bottom)
            x = right + round(0.28 * size)
    found = [word for text in reader.read(page.rgb) for word in text.words]
    assert [word.content for word in found] == [word for line in LINES for word in line]
    for word in found:
        left, top, right, bottom = drawn[word.content]
        x, y = word.centre
        assert left <= x < right, word
        assert top <= y < bottom, word


def test_what_is_told_otherwise_than_it_was_read_keeps_its_places() -> None:
    read = RecognizedText("＃ A··b", 0.9, (0.1, 0.3, 0.5, 0.6, 0.7))
    assert columns_of(read, "A..b c", CROP) == (160, 186, 213, 240, 240, 240)
    assert columns_of(read, "A", CROP) == columns_of(read, "Ab", CROP) == (), "one word needs none"
    assert columns_of(RecognizedText("A b", 0.9), "A b", CROP) == (), "an engine that does not say"
    assert columns_of(RecognizedText("A b", 0.9, (0.5,)), "A b", CROP) == ()
    assert columns_of(RecognizedText("A b", 0.9, (0.1, 0.2)), "x y", CROP) == ()


@given(st.text("abcd 亚洲", min_size=1, max_size=15), st.text("abcd 亚洲x.", min_size=1, max_size=15))
def test_columns_rise_within_the_crop_whatever_became_of_the_text(read: str, content: str) -> None:
    letters = len("".join(read.split()))
    places = tuple((place + 0.5) / letters for place in range(letters))
    columns = columns_of(RecognizedText(read, 0.9, places), content, CROP)
    assert len(columns) in (0, len(content))
    assert list(columns) == sorted(columns)
    assert all(CROP.x1 <= column <= CROP.x2 for column in columns)
