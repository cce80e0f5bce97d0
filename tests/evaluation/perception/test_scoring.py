"""Figures of readings made up for labels made up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.perception.labels import (
    LabelledIcon,
    LabelledScreen,
    LabelledText,
    Rect,
    iou,
    read_labels,
    rect_of,
)
from manyhands.evaluation.perception.report import ScreenReading, report_on
from manyhands.evaluation.perception.scoring import MissedIcon, MissedText, ScreenScore, WrongName, score_screen
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element

ROW = 40


def word(content: str, row: int, x1: int = 0, x2: int = 100, off: int = 0) -> Element:
    box = Box(x1=x1 + off, y1=ROW * row + off, x2=x2 + off, y2=ROW * row + 20 + off)
    return Element(kind="text", box=box, content=content, confidence=0.9)


def icon(x: int, name: str = "", off: int = 0, side: int = 40) -> Element:
    box = Box(x1=x + off, y1=500, x2=x + off + side, y2=500 + side)
    return Element(kind="icon", box=box, content=name, confidence=0.5)


def text_label(text: str, row: int, x1: int = 0, x2: int = 100, minor: bool = False, *alt: str) -> LabelledText:
    return LabelledText(text=text, box=Rect(x1, ROW * row, x2, ROW * row + 20), minor=minor, alt=alt)


def icon_label(name: str, x: int, minor: bool = False) -> LabelledIcon:
    return LabelledIcon(name=name, box=Rect(x, 500, x + 40, 540), minor=minor)


def screen(
    texts: tuple[LabelledText, ...] = (), icons: tuple[LabelledIcon, ...] = (), ignore: tuple[Rect, ...] = ()
) -> LabelledScreen:
    return LabelledScreen(file="one.png", width=400, height=800, texts=texts, icons=icons, ignore=ignore)


def scored(label: LabelledScreen, *elements: Element) -> ScreenScore:
    return score_screen(label, elements)


# ---------------------------------------------------------------------------- texts
def test_exact_and_similar_texts() -> None:
    label = screen((text_label("Connected devices", 0), text_label("Wi-Fi", 1), text_label("Storage", 2)))
    score = scored(label, word("Connected device5", 0), word("wi–fi", 1, off=3))
    tally = score.tally
    assert (tally.texts, tally.exact, tally.similar, tally.contained) == (3, 1, 2, 2)
    assert (tally.text_right, tally.text_wrong, tally.text_unlabelled) == (2, 0, 0)
    assert [(missed.text, missed.found) for missed in score.missed_texts] == [
        ("Connected devices", ("Connected device5",)),
        ("Storage", ()),
    ]
    assert [error.centre_px for error in score.boxes] == [0, pytest.approx(18**0.5)]


def test_labels_read_as_one_line_are_contained_and_the_line_is_wrong() -> None:
    label = screen((text_label("Pocket", 0), text_label("Transport", 0, 120, 220)))
    score = scored(label, word("Pocket Transport", 0, 0, 220))
    assert (score.tally.exact, score.tally.similar, score.tally.contained, score.tally.text_wrong) == (0, 0, 2, 1)
    assert score.wrong_texts == ("Pocket Transport",)
    assert score.missed_texts[0] == MissedText(text="Pocket", box=(0, 0, 100, 20), found=("Pocket Transport",))


def test_another_reading_counts_and_a_text_where_none_is_labelled_does_not() -> None:
    label = screen((text_label("周杰倫", 0, 0, 100, False, "周杰伦"),))
    tally = scored(label, word("周杰伦", 0), word("in a photograph", 9)).tally
    assert (tally.exact, tally.text_right, tally.text_unlabelled) == (1, 1, 1)


def test_minor_labels_are_counted_apart() -> None:
    label = screen((text_label("12:30", 0, 0, 100, True), text_label("Home", 1)), (icon_label("key", 0, True),))
    score = scored(label, word("Home", 1))
    assert (score.tally.texts, score.tally.exact, score.tally.all_texts, score.tally.all_exact) == (1, 1, 2, 1)
    assert (score.tally.icons, score.tally.all_icons) == (0, 1)
    assert (score.missed_texts, score.missed_icons) == ((), ())


# ---------------------------------------------------------------------------- icons
def test_an_icon_is_hit_by_its_centre_or_by_overlap() -> None:
    label = screen(icons=(icon_label("search", 0), icon_label("back", 100), icon_label("cart", 200)))
    score = scored(label, icon(0, off=2), icon(110, side=10))
    tally = score.tally
    assert (tally.hit, tally.hit_iou, tally.icon_right, tally.icon_right_iou) == (2, 1, 2, 1)
    assert score.missed_icons == (MissedIcon(name="cart", box=(200, 500, 240, 540)),)


def test_an_icon_on_a_text_or_an_ignored_region_is_neither_right_nor_false() -> None:
    label = screen((text_label("Search", 0),), (icon_label("bell", 0),), (Rect(300, 0, 400, 100),))
    elements = [
        icon(0),
        icon(1),
        Element(kind="icon", box=Box(x1=10, y1=2, x2=30, y2=18), content="", confidence=1),
        Element(kind="icon", box=Box(x1=320, y1=40, x2=340, y2=60), content="", confidence=1),
        Element(kind="icon", box=Box(x1=200, y1=300, x2=220, y2=320), content="", confidence=1),
    ]
    score = scored(label, *elements)
    tally = score.tally
    counts = (tally.icon_right, tally.icon_repeated, tally.icon_on_text, tally.icon_ignored, tally.icon_false)
    assert counts == (2, 1, 1, 1, 1)
    assert score.false_icons == ((200, 300, 220, 320),)


def test_names_count_where_the_icon_was_found() -> None:
    label = screen(icons=tuple(icon_label(name, 60 * x) for x, name in enumerate(("gear", "back", "cart", "bell"))))
    score = scored(label, icon(0, "settings"), icon(60, "forward"), icon(120), icon(300, "bell"))
    assert (score.tally.hit, score.tally.named, score.tally.named_right) == (3, 2, 1)
    assert score.wrong_names == (WrongName(name="back", found="forward"),)


def test_the_finding_that_fits_best_gives_the_name() -> None:
    label = screen(icons=(icon_label("gear", 0),))
    score = scored(label, icon(0, "cart", off=15), icon(0, "gear", off=1))
    assert (score.tally.named, score.tally.named_right) == (1, 1)


# ---------------------------------------------------------------------------- over screens
def test_shares_are_of_all_screens_together_and_a_screen_in_error_counts_as_empty() -> None:
    label = screen((text_label("One", 0), text_label("Two", 1)), (icon_label("gear", 0),))
    elements = (word("One", 0), word("Two", 1), icon(0))
    read = ScreenReading(elements=elements, timings_ms={"text": 300, "icons": 100}, cpu_ms=350)
    report = report_on([label, label], [read, ScreenReading(error="damaged")], 200)
    assert (report.total.texts, report.total.exact) == (4, 2)
    assert (report.shares.text_exact, report.shares.text_precision, report.shares.icon_recall) == (0.5, 1, 0.5)
    assert report.shares.named == 0
    assert report.shares.named_right is None
    assert report.screens[0].shares.text_exact == 1
    assert report.screens[1].error == "damaged"
    assert report.stages_ms["total"].p50 == 400
    assert set(report.stages_ms) == {"text", "icons", "total", "cpu"}
    assert set(report.box_errors_px) == {"text_side", "text_centre", "icon_side", "icon_centre"}


Corners = tuple[int, int, int, int]
CORNERS = st.tuples(*[st.integers(0, 60)] * 4)


def box_of(corners: tuple[int, int, int, int]) -> Box:
    x1, y1, x2, y2 = corners
    return Box(x1=min(x1, x2), y1=min(y1, y2), x2=max(x1, x2), y2=max(y1, y2))


@given(st.lists(CORNERS, max_size=8), st.lists(CORNERS, max_size=8))
def test_every_finding_and_every_label_is_counted_once(found: list[Corners], labelled: list[Corners]) -> None:
    icons = tuple(LabelledIcon(name="gear", box=rect_of(box_of(corners))) for corners in labelled)
    texts = tuple(LabelledText(text="gear", box=label.box) for label in icons[:2])
    elements = [Element(kind="icon", box=box_of(corners), content="gear", confidence=1) for corners in found]
    words = [element.model_copy(update={"kind": "text"}) for element in elements]
    score = scored(screen(texts, icons), *elements, *words)
    tally = score.tally
    assert tally.icon_right + tally.icon_on_text + tally.icon_ignored + tally.icon_false == len(found)
    assert tally.text_right + tally.text_wrong + tally.text_unlabelled == len(found)
    assert tally.hit_iou <= tally.hit <= tally.icons == len(labelled)
    assert tally.hit + len(score.missed_icons) == tally.icons
    assert tally.named_right == tally.named == tally.hit
    assert len(score.boxes) == tally.hit + tally.similar
    assert tally.exact + len(score.missed_texts) == tally.texts


@given(CORNERS, CORNERS)
def test_overlap_by_union(one: Corners, other: Corners) -> None:
    a, b = rect_of(box_of(one)), rect_of(box_of(other))
    pixels = {(x, y) for x in range(a.x1, a.x2) for y in range(a.y1, a.y2)}
    others = {(x, y) for x in range(b.x1, b.x2) for y in range(b.y1, b.y2)}
    union = len(pixels | others)
    assert iou(a, b) == (pytest.approx(len(pixels & others) / union) if union else 0)


# ---------------------------------------------------------------------------- label files
def written(path: Path, images: object) -> Path:
    path.write_text(json.dumps({"notes": "made up", "images": images}))
    return path


ONE = {
    "file": "one.png",
    "width": 400,
    "height": 800,
    "licence": "Apache-2.0",
    "texts": [{"text": "Wi-Fi", "box": [1, 2, 30.5, 14], "alt": ["WiFi"]}],
    "icons": [{"name": "gear", "box": [1, 2, 3, 4], "minor": True, "set": "ionicons"}],
    "ignore": [[0, 0, 400, 50]],
}


def test_a_label_file_is_read_and_what_it_says_beside_is_left(tmp_path: Path) -> None:
    (label,) = read_labels(written(tmp_path / "labels.json", [ONE]))
    assert label.texts[0].readings == ("Wi-Fi", "WiFi")
    assert label.texts[0].box == Rect(1, 2, 30.5, 14)
    assert label.icons[0].minor
    assert label.ignore == (Rect(0, 0, 400, 50),)


@pytest.mark.parametrize(
    ("images", "reason"),
    [
        ([], "images"),
        ([{"file": "one.png"}], "images.0.width"),
        ([{**ONE, "ignore": [[9, 0, 1, 5]]}], "out of order"),
        ([{**ONE, "ignore": [[9, 0, 1]]}], "images.0.ignore.0"),
        ([ONE, ONE], "one.png is labelled twice"),
        ("none", "images"),
    ],
)
def test_what_is_no_label_file_is_bad_input(tmp_path: Path, images: object, reason: str) -> None:
    path = written(tmp_path / "labels.json", images)
    with pytest.raises(BadInput, match=reason) as caught:
        read_labels(path)
    assert str(path) in str(caught.value)


def test_a_label_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        read_labels(tmp_path / "gone.json")
    (tmp_path / "labels.json").write_text("texts:")
    with pytest.raises(BadInput, match="no labels"):
        read_labels(tmp_path / "labels.json")
