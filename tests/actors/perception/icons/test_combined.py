"""The shipped detector, alone and together with edges, on drawn pages."""

from __future__ import annotations

import pytest

from manyhands.actors.perception.arrangement import contains, merge, overlap
from manyhands.actors.perception.icons.boxes import iou
from manyhands.actors.perception.icons.combined import CombinedIconFinder, CombinedIconSettings
from manyhands.actors.perception.icons.edges import EdgeIconFinder, EdgeIconSettings
from manyhands.actors.perception.icons.yolo import WEIGHTS, YoloIconFinder, YoloIconSettings
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element
from tests.actors.perception.icons.drawn import page_of_icons, words_of

LARGEST_MB = 12


@pytest.fixture(scope="module")
def edges() -> EdgeIconFinder:
    return EdgeIconFinder(EdgeIconSettings())


@pytest.fixture(scope="module")
def both(edges: EdgeIconFinder) -> CombinedIconFinder:
    return combined(edges, CombinedIconSettings())


def combined(edges: EdgeIconFinder, settings: CombinedIconSettings) -> CombinedIconFinder:
    return CombinedIconFinder(YoloIconFinder(YoloIconSettings(confidence=settings.least)), edges, settings)


def read_as(content: str, box: Box, confidence: float = 0.99) -> Element:
    """A reading of ``box``, with the margin that readings have."""
    margin = (box.y2 - box.y1) // 6
    around = Box(x1=box.x1 - margin, y1=box.y1 - margin, x2=box.x2 + margin, y2=box.y2 + margin)
    return Element(kind="text", box=around, content=content, confidence=confidence)


def at(box: Box, icons: list[Element]) -> list[Element]:
    return [icon for icon in icons if contains(box, icon.centre)]


def test_the_weights_are_shipped_with_their_card_and_small() -> None:
    assert WEIGHTS.with_suffix(".md").read_text(encoding="utf-8").startswith("# icons.onnx")
    assert WEIGHTS.stat().st_size < LARGEST_MB * 1e6


@pytest.mark.parametrize(("width", "height"), [(1080, 2280), (720, 1280), (1440, 3120)])
def test_the_shipped_detector_alone_finds_drawn_icons_and_takes_no_words_for_some(width: int, height: int) -> None:
    page, boxes = page_of_icons(width, height)
    found = YoloIconFinder(YoloIconSettings(confidence=0.3)).find(page.rgb, [])
    assert {name for name, box in boxes.items() if at(box, found)} == set(boxes)
    words = [text.box for text in words_of(boxes, width, height)]
    assert not [icon for icon in found if any(overlap(icon.box, word) for word in words)]


def test_both_give_the_outlines_boxes_and_the_detectors_probabilities(
    both: CombinedIconFinder, edges: EdgeIconFinder
) -> None:
    page, boxes = page_of_icons()
    found, outlined = both.find(page.rgb, words_of(boxes)), edges.find(page.rgb, words_of(boxes))
    assert len(found) == len(boxes)
    assert {icon.box for icon in found} == {icon.box for icon in outlined}
    assert {icon.confidence for icon in found}.isdisjoint({icon.confidence for icon in outlined})
    for box in boxes.values():
        assert max(iou(box, icon.box) for icon in found) > 0.7


@pytest.mark.parametrize("reading", ["OA", "二", "LR."])
def test_an_icon_that_was_read_as_letters_is_found_and_the_letters_give_way(
    both: CombinedIconFinder, edges: EdgeIconFinder, reading: str
) -> None:
    page, boxes = page_of_icons()
    wrong = read_as(reading, boxes["house"])
    texts = [*words_of(boxes), wrong]
    assert at(boxes["house"], edges.find(page.rgb, texts)) == []
    icons = both.find(page.rgb, texts)
    assert len(at(boxes["house"], icons)) == 1
    assert wrong not in merge(texts, icons, Size(width=1080, height=2280))


def test_letters_stay_letters(both: CombinedIconFinder) -> None:
    page, boxes = page_of_icons()
    ink = page.text("OK", (500, 1800), 60)
    text = read_as("OK", Box(x1=ink[0], y1=ink[1], x2=ink[2], y2=ink[3]))
    assert at(text.box, both.find(page.rgb, [*words_of(boxes), text])) == []


def test_no_more_icons_than_the_limit(edges: EdgeIconFinder) -> None:
    page, boxes = page_of_icons()
    few = combined(edges, CombinedIconSettings(limit=2))
    assert len(few.find(page.rgb, words_of(boxes))) == 2


def test_beyond_the_limit_the_surest_stay(both: CombinedIconFinder, edges: EdgeIconFinder) -> None:
    page, boxes = page_of_icons()
    words = words_of(boxes)
    confidences = sorted((icon.confidence for icon in both.find(page.rgb, words)), reverse=True)
    for limit in range(1, len(confidences)):
        few = combined(edges, CombinedIconSettings(limit=limit)).find(page.rgb, words)
        assert [icon.confidence for icon in few] == confidences[:limit]
