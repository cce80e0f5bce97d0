"""Signs told from letters by the shipped weights, and what becomes of texts that have some."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import doubtful_glyphs
from manyhands.actors.perception.icons.icon_namer import WEIGHTS as ICON_NAMES
from manyhands.actors.perception.text.engines import RecognizedText
from manyhands.actors.perception.text.ink import ink_of
from manyhands.actors.perception.text.normalization import TextSegment
from manyhands.actors.perception.text.reader import LineReader
from manyhands.actors.perception.text.signs import (
    WEIGHTS,
    SignJudge,
    SignSettings,
    reads_on,
    weighed,
    without_signs,
)
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element
from tests.actors.perception.pictures import Page

INK = (20, 20, 20)
SETTINGS = SignSettings()


@pytest.fixture(scope="module")
def judge() -> SignJudge:
    return SignJudge(SETTINGS)


def person(page: Page, x: int, y: int) -> Box:
    """A head and shoulders, which are read as an 8."""
    page.draw.ellipse((x + 12, y, x + 36, y + 24), outline=INK, width=4)
    page.draw.arc((x, y + 28, x + 48, y + 76), 180, 360, fill=INK, width=4)
    page.draw.line((x + 1, y + 52, x + 47, y + 52), fill=INK, width=4)
    return Box(x1=x, y1=y, x2=x + 49, y2=y + 55)


def pause(page: Page, x: int, y: int) -> Box:
    for left in (x, x + 28):
        page.draw.rounded_rectangle((left, y, left + 16, y + 48), 5, outline=INK, width=4)
    return Box(x1=x, y1=y, x2=x + 45, y2=y + 49)


def back(page: Page, x: int, y: int, side: int = 40) -> Box:
    middle = y + side // 2
    page.draw.line((x, middle, x + side, middle), fill=INK, width=5)
    page.draw.line([(x + side // 2, y), (x, middle), (x + side // 2, y + side)], fill=INK, width=5, joint="curve")
    return Box(x1=x - 2, y1=y, x2=x + side, y2=y + side + 1)


def reading(content: str, box: Box, confidence: float = 0.99) -> Element:
    return Element(kind="text", box=box, content=content, confidence=confidence)


def word(page: Page, content: str, at: tuple[int, int], size: int) -> Box:
    x1, y1, x2, y2 = page.text(content, at, size)
    return Box(x1=x1, y1=y1, x2=x2, y2=y2)


def uncut(rgb: Rgb, line: Box) -> TextSegment:
    """The line as one piece, wherever its blanks are."""
    ink = ink_of(rgb[line.y1 : line.y2, line.x1 : line.x2])
    return TextSegment(line, ink, 0, len(ink.glyphs))


def test_drawn_signs_are_told_from_letters(judge: SignJudge) -> None:
    page = Page(540, 300)
    signs = [person(page, 40, 40), pause(page, 200, 40), back(page, 340, 40)]
    letters = [word(page, content, (40 + 110 * n, 180), 50) for n, content in enumerate(("A", "R8", "27", "Go"))]
    probabilities = judge.signs(page.rgb, [*signs, *letters])
    assert (probabilities[:3] >= SETTINGS.alone).all()
    assert (probabilities[3:] < SETTINGS.alone).all()
    assert judge.signs(page.rgb, []).shape == (0,)


def test_a_sign_read_as_a_character_is_doubtful_and_a_digit_is_not(judge: SignJudge) -> None:
    page = Page(540, 600)
    sign = reading("8", person(page, 60, 200))
    digit = reading("8", word(page, "8", (300, 300), 60))
    long = reading("8888", person(page, 60, 400))
    found = weighed(page.rgb, [sign, digit, long], judge, SETTINGS)
    assert [text.content for text in found] == ["8", "8", "8888"]
    assert found[0].confidence <= 1 - SETTINGS.alone
    assert found[1:] == [digit, long]
    assert doubtful_glyphs(found, Size(width=540, height=600)) == (found[0],)


def test_letters_in_a_row_of_keys_are_what_they_say(judge: SignJudge) -> None:
    page = Page(600, 300)
    row = [reading(letter, back(page, 30 + 100 * number, 150)) for number, letter in enumerate("qwert")]
    assert weighed(page.rgb, row, judge, SETTINGS) == row
    assert all(text.confidence < 0.5 for text in weighed(page.rgb, row[:3], judge, SETTINGS))


def test_signs_before_and_after_a_text_are_cut_off(judge: SignJudge) -> None:
    page = Page(700, 120)
    before = back(page, 30, 40)
    text = word(page, "Privacy", (90, 32), 42)
    after = back(page, text.x2 + 18, 40)
    line = Box(x1=20, y1=25, x2=after.x2 + 10, y2=95)
    pieces = [uncut(page.rgb, line)]
    bare = without_signs(page.rgb, pieces, judge, SETTINGS)
    inside = [
        piece for piece in bare if piece is not None and piece.box.x1 < text.x1 + 20 and piece.box.x2 > text.x2 - 20
    ]
    (left,) = inside
    assert before.x2 < left.box.x1 <= text.x1
    assert text.x2 <= left.box.x2 < after.x1 + 5


def test_a_row_of_signs_is_no_text_at_all(judge: SignJudge) -> None:
    page = Page(300, 120)
    back(page, 30, 40)
    back(page, 92, 40)
    pieces = [uncut(page.rgb, Box(x1=20, y1=30, x2=142, y2=90))]
    assert without_signs(page.rgb, pieces, judge, SETTINGS) == [None]


@pytest.mark.parametrize(
    ("whole", "bare", "letters"),
    [
        (("+10.23%", 0.999), ("0.23%", 1.0), True),
        (("Cotton jacket (L)", 0.999), ("Cotton jacket", 1.0), True),
        (("Q What are you looking for?", 0.979), ("What are you looking for?", 1.0), False),
        (("O Ask anything", 0.935), ("Ask anything", 1.0), False),
        (("9:41", 0.99), ("9:41", 0.98), False),
        (("", 0.0), ("Ask", 0.9), False),
    ],
)
def test_an_end_read_as_surely_as_letters_are_is_letters(
    whole: tuple[str, float], bare: tuple[str, float], letters: bool
) -> None:
    assert reads_on(RecognizedText(*whole), RecognizedText(*bare), SETTINGS) is letters


@pytest.mark.parametrize("content", ["+10.23%", "Cotton jacket (L)", "$$$ Tapas", "99 km/h", "-1.42%"])
def test_ends_of_texts_are_not_lost(reader: LineReader, content: str) -> None:
    page = Page(700, 160)
    page.text(content, (60, 50), 40)
    assert [text.content for text in reader.read(page.rgb)] == [content]


@pytest.mark.parametrize(
    "content",
    [
        "Shopping list",
        "I am here",
        "Call Bill",
        "Tap All",
        "Fill it in",
        "€ 9",
        "5 %",
        "R & D",
        "A to Z",
        "$ 1450",
        "Is it OK?",
        "No. 7",
        "12:35 PM",
    ],
)
def test_words_at_the_ends_of_texts_stay(judge: SignJudge, content: str) -> None:
    page = Page(700, 120)
    box = word(page, content, (30, 30), 46)
    line = Box(x1=box.x1 - 6, y1=box.y1 - 6, x2=box.x2 + 6, y2=box.y2 + 6)
    pieces = [uncut(page.rgb, line)]
    assert without_signs(page.rgb, pieces, judge, SETTINGS) == pieces


def test_a_reader_reads_the_text_beside_an_icon_and_doubts_the_icon(reader: LineReader) -> None:
    page = Page(540, 160)
    icon = back(page, 30, 54)
    text = word(page, "Settings", (90, 44), 42)
    texts = reader.read(page.rgb)
    assert "Settings" in [found.content for found in texts]
    (found,) = [one for one in texts if one.content == "Settings"]
    assert icon.x2 < found.box.x1 <= text.x1
    assert all(one.confidence < 0.5 for one in texts if one is not found)


class Sure(SignJudge):
    """Takes everything for a sign."""

    def __init__(self) -> None:
        pass

    def signs(self, rgb: Rgb, boxes: Sequence[Box]) -> NDArray[np.float32]:
        return np.ones(len(boxes), np.float32)


@given(
    st.lists(st.tuples(st.integers(2, 40), st.integers(4, 50), st.integers(1, 40)), max_size=8),
)
def test_what_is_left_lies_in_its_piece_and_lines_without_ink_stay(glyphs: list[tuple[int, int, int]]) -> None:
    rgb = np.full((70, 800, 3), 250, np.uint8)
    x = 10
    for width, height, blank in glyphs:
        rgb[60 - height : 60, x : x + width] = 20
        x += width + blank
    pieces = [uncut(rgb, Box(x1=2, y1=2, x2=790, y2=68))]
    left = without_signs(rgb, pieces, Sure(), SETTINGS)
    left = [piece for piece in left if piece is not None]
    assert all(piece.first < piece.end for piece in left if piece.ink.glyphs)
    assert all(any(whole.first <= one.first and one.end <= whole.end for whole in pieces) for one in left)
    if not glyphs:
        assert left == pieces


@pytest.mark.parametrize(
    ("content", "confidence", "stays"),
    [("电台", 0.999, True), ("购物车", 0.999, True), ("二口", 0.9, False), ("文A", 0.999, False), ("口", 0.999, False)],
)
def test_chinese_words_read_with_certainty_are_no_signs(content: str, confidence: float, stays: bool) -> None:
    text = reading(content, Box(x1=10, y1=10, x2=60, y2=40), confidence)
    (found,) = weighed(Page(100, 80).rgb, [text], Sure(), SETTINGS)
    assert (found == text) == stays


def test_without_weights_it_is_said_what_makes_them(tmp_path: Path) -> None:
    with pytest.raises(PerceptionError, match="make train-signs"):
        SignJudge(SignSettings(weights=tmp_path / "none.onnx"))
    assert WEIGHTS.stat().st_size < 1024 * 1024


def test_a_network_that_tells_other_things_apart_is_refused() -> None:
    with pytest.raises(PerceptionError, match="does not tell signs from letters; use a file that `make train-signs`"):
        SignJudge(SignSettings(weights=ICON_NAMES))
