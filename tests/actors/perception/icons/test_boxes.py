"""Which findings stay where they lie in, on or around each other and texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.icons.boxes import distinct, iou, is_text, within, without_bullets, without_groups
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element

SCREEN = Size(width=1080, height=2400)


def box(x: int, y: int, width: int, height: int) -> Box:
    return Box(x1=x, y1=y, x2=x + width, y2=y + height)


def icon(place: Box, confidence: float = 0.5) -> Element:
    return Element(kind="icon", box=place, content="", confidence=confidence)


boxes = st.builds(box, st.integers(0, 900), st.integers(0, 900), st.integers(0, 180), st.integers(0, 180))
icons = st.lists(st.builds(icon, boxes, st.sampled_from([0.3, 0.5, 0.9])), max_size=25)
words = st.lists(boxes, max_size=6)


@given(icons, words, st.integers(1, 30))
def test_what_stays_is_some_of_what_was_found_each_place_once(
    found: list[Element], texts: list[Box], limit: int
) -> None:
    kept = distinct(found, texts, SCREEN, limit)
    assert len(kept) <= limit
    assert all(item in found for item in kept)
    for number, one in enumerate(kept):
        assert one.box.area > 0
        assert not is_text(one.box, texts)
        for other in kept[:number]:
            assert iou(one.box, other.box) < 0.5
            assert not within(one.box, other.box)
            assert not within(other.box, one.box)


@given(icons, words, st.randoms(use_true_random=False))
def test_the_order_of_findings_does_not_matter_and_the_answer_is_its_own(
    found: list[Element], texts: list[Box], random: object
) -> None:
    kept = distinct(found, texts, SCREEN, 100)
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert distinct(shuffled, texts, SCREEN, 100) == kept
    assert distinct(kept, texts, SCREEN, 100) == kept


@given(icons, words)
def test_whatever_falls_out_has_a_reason(found: list[Element], texts: list[Box]) -> None:
    kept = distinct(found, texts, SCREEN, 100)
    for lost in (item for item in found if item not in kept):
        sides = lost.box.x2 - lost.box.x1, lost.box.y2 - lost.box.y1
        surer = [item for item in kept if item.confidence >= lost.confidence]
        assert (
            lost.box.area == 0
            or max(sides) > SCREEN.width / 4
            or is_text(lost.box, texts)
            or any(iou(lost.box, item.box) >= 0.5 for item in surer)
            or any(within(lost.box, item.box) or within(item.box, lost.box) for item in surer)
        )


@given(boxes, boxes)
def test_iou_is_symmetric_and_whole_only_for_the_same_box(one: Box, other: Box) -> None:
    assert iou(one, other) == iou(other, one)
    assert 0 <= iou(one, other) <= 1
    assert (iou(one, other) == 1) == (one == other and one.area > 0)


def test_of_a_badge_on_an_icon_and_the_icon_the_surer_one_stays() -> None:
    bell, badge = icon(box(100, 100, 80, 80), 0.9), icon(box(150, 100, 24, 24), 0.6)
    assert distinct([badge, bell], [], SCREEN, 10) == [bell]


def test_a_panel_of_icons_gives_way_to_its_icons() -> None:
    tabs = [icon(box(20 + 60 * number, 30, 30, 30), 0.6) for number in range(4)]
    panel = icon(box(10, 10, 240, 70), 0.8)
    assert without_groups([panel, *tabs]) == tabs


def test_an_icon_made_of_four_squares_is_one_icon() -> None:
    squares = [icon(box(x, y, 30, 30), 0.4) for x in (100, 136) for y in (100, 136)]
    whole = icon(box(100, 100, 66, 66), 0.8)
    assert distinct(without_groups([*squares, whole]), [], SCREEN, 10) == [whole]


def test_pictures_buttons_and_words_are_no_icons() -> None:
    word = box(400, 400, 120, 40)
    found = [
        icon(box(0, 500, 700, 700), 0.9),
        icon(box(380, 390, 160, 60), 0.9),
        icon(box(410, 405, 30, 30), 0.9),
        icon(box(340, 400, 40, 40), 0.4),
    ]
    assert distinct(found, [word], SCREEN, 10) == [found[3]]


def test_bullets_before_texts_are_no_icons_and_all_else_is() -> None:
    text = box(140, 100, 400, 40)
    bullet, lens = icon(box(100, 112, 16, 16)), icon(box(90, 105, 30, 30))
    badge = icon(box(560, 112, 16, 16))
    far = icon(box(20, 112, 16, 16))
    found = [bullet, lens, badge, far]
    assert without_bullets(found, [text]) == [lens, badge, far]
    assert without_bullets(found, []) == found
