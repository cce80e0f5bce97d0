"""Text on real pixels, read by the real engine."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from manyhands.actors.perception.text.rapid import RapidTextSettings
from manyhands.actors.perception.text.reader import LineReader
from manyhands.protocol.errors import PerceptionError
from tests.actors.perception.pictures import Page
from tests.actors.perception.text.readers import rapid_reader


def test_reads_lines_in_reading_order_with_their_boxes(reader: LineReader) -> None:
    page = Page(540, 420)
    drawn = {
        content: page.text(content, at)
        for content, at in {
            "Sound and vibration": (30, 320),
            "Battery": (30, 130),
            "100%": (400, 134),
            "Settings": (30, 30),
            "Storage": (30, 220),
        }.items()
    }
    texts = reader.read(page.rgb)
    assert [text.content for text in texts] == ["Settings", "Battery", "100%", "Storage", "Sound and vibration"]
    for text in texts:
        left, top, right, bottom = drawn[text.content]
        assert left <= text.centre[0] <= right
        assert top <= text.centre[1] <= bottom
        assert text.kind == "text"
        assert 0.8 <= text.confidence <= 1


def test_neighbouring_labels_are_read_apart(reader: LineReader) -> None:
    """The detector joins labels that stand close in one row; a tap on their common centre hits neither."""
    page = Page(540, 120)
    first = page.text("Transport", (30, 40), 30)
    second = page.text("Card Repay", (first[2] + 30, 40), 30)
    page.text("Mobile Top", (second[2] + 30, 40), 30)
    assert [text.content for text in reader.read(page.rgb)] == ["Transport", "Card Repay", "Mobile Top"]


def test_words_of_one_line_stay_together(reader: LineReader) -> None:
    page = Page(540, 100)
    page.text("Allow Shop to send notifications?", (20, 30), 30)
    assert [text.content for text in reader.read(page.rgb)] == ["Allow Shop to send notifications?"]


def test_light_text_on_a_dark_page(reader: LineReader) -> None:
    page = Page(360, 110)
    page.text("Do Not Disturb", (30, 35), 32)
    dark = (255 - page.rgb).astype(np.uint8)
    assert [text.content for text in reader.read(dark)] == ["Do Not Disturb"]


def test_an_empty_page_has_no_text(reader: LineReader) -> None:
    assert reader.read(np.full((200, 320, 3), 255, np.uint8)) == []


@pytest.mark.parametrize("x", [-4, 20])
def test_boxes_stay_on_the_picture(reader: LineReader, x: int) -> None:
    """The text begins before its left edge, or ends beyond its right one."""
    page = Page(300, 60)
    page.text("Edge to edge text", (x, 10), 36)
    texts = reader.read(page.rgb)
    assert texts
    for text in texts:
        assert 0 <= text.box.x1 < text.box.x2 <= 300
        assert 0 <= text.box.y1 < text.box.y2 <= 60


def test_a_folder_without_models_is_named(tmp_path: Path) -> None:
    with pytest.raises(PerceptionError, match=r"det.*none"):
        rapid_reader(RapidTextSettings(models=tmp_path))


@pytest.mark.parametrize("damaged", ["det", "rec"])
@pytest.mark.parametrize("half", [0, 1])
def test_a_model_that_is_empty_or_cut_in_half_is_named(tmp_path: Path, damaged: str, half: int) -> None:
    package = importlib.util.find_spec("rapidocr")
    assert package is not None
    assert package.origin is not None
    whole = {part: next((Path(package.origin).parent / "models").glob(f"*{part}*.onnx")) for part in ("det", "rec")}
    for part, model in whole.items():
        data = model.read_bytes()
        (tmp_path / f"{part}.onnx").write_bytes(data[: half * len(data) // 2] if part == damaged else data)
    with pytest.raises(PerceptionError, match=rf"{damaged}\.onnx cannot be"):
        rapid_reader(RapidTextSettings(models=tmp_path))
