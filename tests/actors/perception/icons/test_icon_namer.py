"""The names that the shipped weights give to drawn icons, and how crops are cut."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.backends import Backends
from manyhands.actors.perception.icons.icon_namer import NameSettings, OnnxIconNamer, in_place
from manyhands.actors.perception.local_backends import local_backends
from manyhands.actors.perception.onnx import SIDE, crop_of
from manyhands.actors.perception.reading import Stopwatch, read_frame
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.perception.text.reader import LineReader
from manyhands.actors.perception.text.signs import WEIGHTS as SIGNS
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element
from tests.actors.perception.pictures import Page, as_png

INK = (40, 40, 40)


@pytest.fixture(scope="module")
def namer() -> OnnxIconNamer:
    return OnnxIconNamer(NameSettings())


class Fixed:
    """An IconFinder of a picture that it knows."""

    def __init__(self, icons: tuple[Element, ...]) -> None:
        self._icons = icons

    def find(self, rgb: Rgb, texts: Sequence[Element]) -> list[Element]:
        return list(self._icons)


def icon(x1: int, y1: int, x2: int, y2: int, content: str = "") -> Element:
    return Element(kind="icon", box=Box(x1=x1, y1=y1, x2=x2, y2=y2), content=content, confidence=0.5)


def drawn() -> tuple[Rgb, dict[str, Element]]:
    """A page with icons drawn by hand, by the names they should get."""
    page = Page(540, 900)
    page.draw.ellipse((40, 40, 80, 80), outline=INK, width=6)
    page.draw.line((74, 74, 98, 98), fill=INK, width=8)
    page.draw.line((160, 42, 212, 94), fill=INK, width=6)
    page.draw.line((212, 42, 160, 94), fill=INK, width=6)
    page.draw.rectangle((300, 40, 306, 100), fill=INK)
    page.draw.rectangle((273, 67, 333, 73), fill=INK)
    for row in range(3):
        page.draw.rectangle((400, 44 + 20 * row, 460, 50 + 20 * row), fill=INK)
        page.draw.ellipse((500, 44 + 18 * row, 508, 52 + 18 * row), fill=INK)
    page.draw.polygon([(50, 200), (50, 256), (98, 228)], fill=INK)
    for left in (160, 190):
        page.draw.rectangle((left, 200, left + 14, 256), fill=INK)
    page.draw.line([(290, 200), (318, 228), (290, 256)], fill=INK, width=7, joint="curve")
    return page.rgb, {
        "search": icon(40, 40, 101, 101),
        "close": icon(158, 40, 215, 97),
        "add": icon(273, 40, 334, 101),
        "menu": icon(400, 44, 461, 91),
        "more": icon(500, 44, 509, 89),
        "play": icon(50, 200, 99, 257),
        "pause": icon(160, 200, 205, 257),
        "chevron right": icon(287, 197, 322, 260),
    }


def test_drawn_icons_get_their_names_and_keep_order_place_and_confidence(namer: OnnxIconNamer) -> None:
    rgb, icons = drawn()
    named = namer.name_icons(rgb, list(icons.values()))
    assert [one.content for one in named] == list(icons)
    assert [(one.box, one.confidence, one.kind) for one in named] == [
        (one.box, one.confidence, one.kind) for one in icons.values()
    ]


def test_what_a_finder_named_keeps_its_name(namer: OnnxIconNamer) -> None:
    rgb, icons = drawn()
    given_name = icons["close"].model_copy(update={"content": "dismiss"})
    assert [one.content for one in namer.name_icons(rgb, [icons["add"], given_name, icons["add"]])] == [
        "add",
        "dismiss",
        "add",
    ]
    assert namer.name_icons(rgb, []) == []


def test_noise_and_letters_get_no_name(namer: OnnxIconNamer) -> None:
    page = Page(540, 300)
    ink = page.text("Wk", (60, 60), 60)
    noise = np.random.default_rng(5).integers(0, 256, (120, 120, 3)).astype(np.uint8)
    rgb = page.rgb
    rgb[150:270, 300:420] = noise
    named = namer.name_icons(rgb, [icon(*ink), icon(300, 150, 420, 270)])
    assert [one.content for one in named] == ["", ""]


def test_a_threshold_above_all_probabilities_names_nothing() -> None:
    rgb, icons = drawn()
    named = OnnxIconNamer(NameSettings(threshold=1.0)).name_icons(rgb, list(icons.values()))
    assert {one.content for one in named} == {""}


def test_probabilities_do_not_depend_on_what_else_is_asked(namer: OnnxIconNamer) -> None:
    rgb, icons = drawn()
    boxes = [one.box for one in icons.values()]
    together = namer.classifier.probabilities(rgb, boxes * 5)
    assert together.shape == (40, len(namer.classifier.names))
    assert together.sum(axis=1) == pytest.approx(np.ones(40), abs=1e-4)
    alone = np.concatenate([namer.classifier.probabilities(rgb, [box]) for box in boxes])
    assert together[:8] == pytest.approx(alone, abs=1e-4)
    assert together[32:] == pytest.approx(alone, abs=1e-4)


@given(
    left=st.integers(-30, 99),
    top=st.integers(-30, 79),
    width=st.integers(1, 300),
    height=st.integers(1, 300),
)
def test_crops_have_one_shape_wherever_a_box_lies(left: int, top: int, width: int, height: int) -> None:
    rgb = np.full((80, 100, 3), (200, 100, 50), np.uint8)
    box = (left, top, left + width, top + height)
    if left + width <= 0 or top + height <= 0:
        return
    crop = crop_of(rgb, box)
    assert crop.shape == (SIDE, SIDE, 3)
    assert (crop == (200, 100, 50)).all(axis=None)


def test_a_crop_shows_the_box_in_its_middle() -> None:
    rgb = np.zeros((400, 400, 3), np.uint8)
    rgb[100:200, 150:250] = 255
    crop = crop_of(rgb, (150, 100, 250, 200))
    rows, columns = np.nonzero(crop[:, :, 0] > 127)
    edge = round(SIDE * 0.125 / 1.25)
    assert abs(int(rows.min()) - edge) <= 1
    assert abs(int(columns.max()) - (SIDE - 1 - edge)) <= 1


def test_a_box_outside_the_picture_is_a_typed_error(namer: OnnxIconNamer) -> None:
    with pytest.raises(PerceptionError, match="outside its picture of 50x40"):
        namer.name_icons(np.zeros((40, 50, 3), np.uint8), [icon(200, 10, 220, 30)])


@pytest.mark.parametrize(
    ("name", "box", "meaning"),
    [
        ("circle", (500, 2330, 560, 2390), "home"),
        ("checkbox", (800, 2330, 860, 2390), "recents"),
        ("chevron left", (200, 2330, 260, 2390), "back"),
        ("circle", (500, 1200, 560, 1260), "circle"),
        ("chevron left", (30, 150, 60, 200), "back"),
        ("chevron left", (600, 150, 630, 200), "chevron left"),
        ("search", (500, 2330, 560, 2390), "search"),
    ],
)
def test_shapes_mean_something_in_their_places(name: str, box: tuple[int, int, int, int], meaning: str) -> None:
    x1, y1, x2, y2 = box
    assert in_place(name, Box(x1=x1, y1=y1, x2=x2, y2=y2), Size(width=1080, height=2400)) == meaning


def test_weights_that_cannot_be_used_are_typed_errors(tmp_path: Path) -> None:
    with pytest.raises(PerceptionError, match="train-icon-names"):
        OnnxIconNamer(NameSettings(weights=tmp_path / "none.onnx"))
    garbage = tmp_path / "garbage.onnx"
    garbage.write_bytes(b"no network")
    with pytest.raises(PerceptionError, match="not a network"):
        OnnxIconNamer(NameSettings(weights=garbage))


def test_a_network_of_another_making_is_refused() -> None:
    detector = next((Path(__import__("rapidocr").__file__).parent / "models").glob("*det*.onnx"))
    with pytest.raises(PerceptionError, match="no names or no valid threshold"):
        OnnxIconNamer(NameSettings(weights=detector))


def test_a_network_without_a_threshold_needs_one_in_the_settings() -> None:
    with pytest.raises(PerceptionError, match="no threshold"):
        OnnxIconNamer(NameSettings(weights=SIGNS))
    assert OnnxIconNamer(NameSettings(weights=SIGNS, threshold=0.5)).threshold == 0.5


def test_a_service_names_icons_unless_it_is_told_not_to(reader: LineReader) -> None:
    rgb, icons = drawn()
    for on in (True, False):
        namer = local_backends(PerceptionSettings(names=NameSettings(on=on))).names
        backends = Backends(reader, Fixed(tuple(icons.values())), namer)
        watch = Stopwatch()
        content = read_frame(backends, as_png(rgb), Size(width=540, height=900), watch)
        assert ("close" in {one.content for one in content.elements}) == on
        assert ("names" in content.timings_ms) == on
