"""Which lines are one wrapped text, on drawn pages read by the real engine, and on any lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.text.rapid import RapidRecognizer, RapidTextSettings, rapid_detector
from manyhands.actors.perception.text.reader import LineReader, LineSettings
from manyhands.actors.perception.text.wrapping import joined, wrapped
from manyhands.protocol.geometry import Box
from manyhands.protocol.screens import Element
from tests.actors.perception.pictures import Page


@pytest.fixture(scope="module")
def joining() -> LineReader:
    settings = RapidTextSettings(lines=LineSettings(join_wrapped=True))
    return LineReader(rapid_detector(settings), RapidRecognizer(settings), settings.lines)


def contents(reader: LineReader, page: Page) -> list[str]:
    return [text.content for text in reader.read(page.rgb)]


def test_lines_of_a_paragraph_become_one_text(joining: LineReader, reader: LineReader) -> None:
    lines = ("Turn this on so that the phone", "can find devices nearby, even", "in your pocket")
    page = Page(640, 260)
    for number, content in enumerate(lines):
        page.text(content, (40, 40 + 46 * number), 34)
    assert contents(joining, page) == [" ".join(lines)]
    assert contents(reader, page) == list(lines)


def test_a_centred_label_of_two_lines_becomes_one_text(joining: LineReader) -> None:
    page = Page(500, 200)
    for number, content in enumerate(("Digital", "Wellbeing")):
        left, _, right, _ = page.draw.textbbox((0, 0), content, font_size=34)
        page.text(content, (250 - int(right - left) // 2, 40 + 42 * number), 34)
    assert contents(joining, page) == ["Digital Wellbeing"]


def test_a_title_and_its_subtitle_stay_two_texts(joining: LineReader) -> None:
    page = Page(640, 200)
    page.text("Network & internet", (40, 40), 40)
    page.text("Mobile, Wi-Fi, hotspot", (40, 96), 30)
    assert contents(joining, page) == ["Network & internet", "Mobile, Wi-Fi, hotspot"]


def test_rows_of_a_list_stay_apart(joining: LineReader) -> None:
    page = Page(480, 420)
    rows = ["Battery", "Storage", "Sound and vibration", "Display"]
    for number, content in enumerate(rows):
        page.text(content, (40, 30 + 96 * number), 36)
    assert contents(joining, page) == rows


def test_a_short_line_ends_its_text(joining: LineReader) -> None:
    """The first word of the next line had room on it."""
    page = Page(760, 200)
    page.text("Dear all,", (40, 40), 34)
    page.text("the meeting is on Thursday at noon", (40, 86), 34)
    assert len(contents(joining, page)) == 2


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        (("容易引发火灾，", "大家要多注意"), "容易引发火灾，大家要多注意"),
        (("a well-", "known place"), "a well-known place"),
    ],
)
def test_words_are_joined_as_their_script_has_it(lines: tuple[str, str], whole: str) -> None:
    boxes = (Box(x1=10, y1=10, x2=300, y2=50), Box(x1=8, y1=60, x2=280, y2=100))
    made = joined(
        [
            Element(kind="text", box=box, content=line, confidence=confidence)
            for box, line, confidence in zip(boxes, lines, (0.9, 0.7), strict=True)
        ]
    )
    assert made == Element(kind="text", box=Box(x1=8, y1=10, x2=300, y2=100), content=whole, confidence=0.7)


@st.composite
def lines(draw: st.DrawFn) -> list[Element]:
    found = []
    for _ in range(draw(st.integers(0, 8))):
        x1, y1 = draw(st.integers(0, 300)), draw(st.integers(0, 300))
        box = Box(x1=x1, y1=y1, x2=x1 + draw(st.integers(1, 300)), y2=y1 + draw(st.integers(1, 60)))
        content = draw(st.sampled_from(("more", "Apply now", "设置", "A long line of words", "8")))
        found.append(Element(kind="text", box=box, content=content, confidence=draw(st.sampled_from((0.6, 0.99)))))
    return found


@given(lines())
def test_every_line_is_in_one_text_in_order(found: list[Element]) -> None:
    texts = wrapped(found)
    assert sorted(map(id, (line for text in texts for line in text))) == sorted(map(id, found))
    for text in texts:
        assert [line.box.y1 for line in text] == sorted(line.box.y1 for line in text)
