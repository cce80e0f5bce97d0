"""Labels merged or cut, and words that no text holds: by places and by what was read there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.perception.labels import LabelledScreen, LabelledText, LabelledWord, Rect
from manyhands.evaluation.perception.lines import LineTally, lost_words, tally_lines
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element


def line(*words: str, x: int = 0, y: int = 0, minor: bool = False) -> LabelledText:
    """A line of words 40 pixels wide, 10 apart."""
    boxes = [Rect(x + 50 * at, y, x + 50 * at + 40, y + 20) for at in range(len(words))]
    placed = tuple(LabelledWord(text=word, box=box) for word, box in zip(words, boxes, strict=True))
    return LabelledText(text=" ".join(words), box=Rect(x, y, boxes[-1].x2, y + 20), words=placed, minor=minor)


def text(content: str, x1: int, x2: int, y: int = 0, kind: str = "text") -> Element:
    return Element.model_validate(
        {"kind": kind, "content": content, "box": Box(x1=x1, y1=y, x2=x2, y2=y + 20), "confidence": 1}
    )


def tally(labels: list[LabelledText], *elements: Element) -> LineTally:
    return tally_lines(LabelledScreen(file="a.png", width=500, height=500, texts=tuple(labels)), elements)


def test_a_line_read_as_it_is_is_neither_merged_nor_cut() -> None:
    found = tally([line("Open", "now")], text("Open now", 0, 90))
    assert found == LineTally(labels=1, words=2)


def test_links_in_one_text_are_merged_each_of_them() -> None:
    links = [line("World"), line("Politics", x=50), line("Sports", x=100, minor=True)]
    found = tally(links, text("World Politics Sports", 0, 140))
    assert (found.labels, found.merged, found.cut, found.lost) == (2, 2, 0, 0)


def test_a_line_in_pieces_is_cut_once() -> None:
    found = tally([line("a", "justified", "line")], text("a", 0, 40), text("justified", 50, 90), text("line", 100, 140))
    assert (found.merged, found.cut, found.lost) == (0, 1, 0)


def test_a_word_without_a_text_is_lost_and_perhaps_to_an_icon() -> None:
    labels = [line("Sushi", "$$$")]
    assert tally(labels, text("Sushi", 0, 40)).lost == 1
    found = tally(labels, text("Sushi", 0, 40), text("", 50, 90, kind="icon"))
    assert (found.words, found.lost, found.lost_to_icons) == (2, 1, 1)


def test_a_text_over_a_word_has_to_hold_it() -> None:
    labels = [line("Chicago,", "IL")]
    assert tally(labels, text("Chicago,", 0, 90)).lost == 1
    assert tally(labels, text("Chicogo, IL", 0, 90)).lost == 0


def test_a_star_is_nothing_to_be_read() -> None:
    assert tally([line("4.5", "★")], text("4.5", 0, 40)).words == 1


def test_a_label_without_words_is_one() -> None:
    bare = LabelledText(text="Open now", box=Rect(0, 0, 90, 20))
    assert tally([bare], text("Open now", 0, 90)) == LineTally(labels=1, words=1)


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=5))
def test_a_line_that_is_read_loses_nothing_and_one_that_is_not_everything(words: list[str]) -> None:
    label = line(*words)
    places = [(word.text, word.box) for word in label.words]
    assert lost_words(places, [(label.box, "".join(words))]) == []
    assert lost_words(places, []) == [box for _, box in places]
