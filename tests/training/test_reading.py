"""Pages to read without a browser: which there are, in which part, and how what was read of them is counted."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.geometry import Box
from manyhands.protocol.screens import Element
from training.reading.designs import FONTS, PARTS, Part
from training.reading.kinds import KINDS
from training.reading.measure import Counts, measure
from training.reading.pages import page


class Labels(HTMLParser):
    """The texts of a page's labels."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = False
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if "data-label" in dict(attrs):
            self._inside = True
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1] += data


@given(st.sampled_from(PARTS), st.integers(0, 99), st.integers(0, 999))
def test_a_page_is_the_same_each_time_and_says_something_in_every_label(part: Part, seed: int, number: int) -> None:
    made = page(part, seed, number)
    assert made == page(part, seed, number)
    assert made.kind == list(KINDS)[number % len(KINDS)]
    texts = Labels(made.document).found
    assert len(texts) >= 6
    assert all(text.strip() and "{" not in text for text in texts)


def test_parts_have_no_font_and_no_page_in_common() -> None:
    for one, other in combinations(PARTS, 2):
        families = [{family for pair in FONTS[part] for family in pair} for part in (one, other)]
        assert families[0].isdisjoint(families[1])
        assert page(one, 0, 0).body != page(other, 0, 0).body


# ---------------------------------------------------------------------------- counting
def labelled(*texts: tuple[str, int, int]) -> dict[str, Any]:
    """Labels of one line, each with its left and right side; all letters are equally wide."""
    lines = []
    for text, left, right in texts:
        step, words, at = (right - left) / len(text), [], 0
        for word in text.split():
            start = text.index(word, at)
            at = start + len(word)
            words.append({"text": word, "box": [left + start * step, 10, left + at * step, 40]})
        lines.append({"text": text, "box": [left, 10, right, 40], "words": words})
    return {"file": "a.png", "width": 1000, "height": 100, "texts": lines}


def text(content: str, left: int, right: int, aligned: bool = True) -> Element:
    step = (right - left) / len(content)
    columns = tuple(int(left + step * (place + 0.5)) for place in range(len(content))) if aligned else ()
    box = Box(x1=left, y1=8, x2=right, y2=42)
    return Element(kind="text", box=box, content=content, confidence=0.9, columns=columns)


ROW = (("News", 100, 180), ("Far East", 220, 380))


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ([text("News", 98, 182), text("Far East", 218, 382)], {"exact": 2, "placed": 3, "tapped": 3}),
        ([text("News  Far East", 98, 382)], {"merged": 2, "placed": 3, "tapped": 3}),
        ([text("News  Far East", 98, 382, aligned=False)], {"merged": 2}),
        (
            [text("News", 98, 182), text("Far", 218, 280), text("East", 300, 382)],
            {"exact": 1, "cut": 1, "placed": 3, "tapped": 3},
        ),
        ([text("News", 98, 182)], {"exact": 1, "lost": 2, "placed": 1, "tapped": 1}),
    ],
)
def test_what_became_of_labels_is_counted(read: list[Element], expected: dict[str, int]) -> None:
    counts = measure(labelled(*ROW), read)
    assert (counts.labels, counts.words) == (2, 3)
    names = ("exact", "merged", "cut", "lost", "placed", "tapped")
    assert {name: getattr(counts, name) for name in names} == {**dict.fromkeys(names, 0), **expected}


def test_shares_are_of_all_pages() -> None:
    whole = Counts()
    for read in ([text("News", 98, 182)], [text("News", 98, 182), text("Far East", 218, 382)]):
        whole.add(measure(labelled(*ROW), read))
    assert (whole.pages, whole.shares["exact"], whole.shares["lost"]) == (2, 75.0, pytest.approx(33.33))
    assert Counts().shares["exact"] == 100.0
