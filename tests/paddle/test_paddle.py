"""PaddleOCR reads drawn screens and screens of a virtual phone, from local model folders."""

from __future__ import annotations

import inspect
from datetime import datetime
from pathlib import Path

import numpy as np
import paddleocr
import pytest

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.text.paddle import (
    PaddleLineFinder,
    PaddleRecognizer,
    PaddleTextSettings,
)
from manyhands.actors.perception.text.rapid import RapidTextSettings
from manyhands.actors.perception.text.reader import LineReader
from manyhands.protocol.errors import PerceptionError
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.actors.perception.pictures import Page
from tests.actors.perception.text.readers import paddle_reader, rapid_reader


@pytest.fixture(scope="session")
def reader(settings: PaddleTextSettings) -> LineReader:
    return paddle_reader(settings)


def test_reads_lines_in_reading_order_with_their_boxes(reader: LineReader) -> None:
    page = Page(540, 420)
    drawn = {
        content: page.text(content, at)
        for content, at in {
            "Battery": (30, 130),
            "100%": (400, 134),
            "Settings": (30, 30),
            "Storage": (30, 220),
        }.items()
    }
    texts = reader.read(page.rgb)
    assert [text.content for text in texts] == ["Settings", "Battery", "100%", "Storage"]
    for text in texts:
        left, top, right, bottom = drawn[text.content]
        assert left <= text.centre[0] <= right
        assert top <= text.centre[1] <= bottom
        assert 0.8 <= text.confidence <= 1


def words(reader: LineReader, rgb: Rgb) -> set[str]:
    """Without characters by themselves: what icons are taken for depends on how much grey is beside them."""
    return {text.content for text in reader.read(rgb) if len(text.content) > 1}


@pytest.mark.parametrize("seed", [1, 1001])
def test_a_screen_is_read_as_by_rapidocr_with_the_same_networks(reader: LineReader, seed: int) -> None:
    phone = VirtualPhone(seed, 720, 1600, 280, clock=lambda: 60.0, wall=lambda: datetime(2026, 3, 5, 14, 7))
    rgb = np.array(phone.frame().rgb)
    read = words(reader, rgb)
    assert {content for content, _ in phone.layout() if content.strip()} <= read
    assert read == words(rapid_reader(RapidTextSettings()), rgb)


def test_a_crop_is_read_alike_alone_and_beside_others(settings: PaddleTextSettings) -> None:
    page = Page(1400, 300)
    boxes = [
        page.text("Wi-Fi", (20, 20), 36),
        page.text("Mobile, hotspot", (20, 120), 36),
        page.text("Notification history, conversations and everything else that is new", (20, 220), 36),
    ]
    crops = [page.rgb[top - 8 : bottom + 8, left - 8 : right + 8] for left, top, right, bottom in boxes]
    recognizer = PaddleRecognizer(settings)
    together = recognizer.recognize(crops)
    alone = [recognizer.recognize([crop])[0] for crop in crops]
    assert [reading.text for reading in together] == [reading.text for reading in alone]
    for one, other in zip(together, alone, strict=True):
        assert one.confidence == pytest.approx(other.confidence, abs=1e-4)


def test_an_empty_page_has_no_text(reader: LineReader) -> None:
    assert reader.read(np.full((200, 320, 3), 255, np.uint8)) == []


@pytest.mark.parametrize("kind", [paddleocr.TextDetection, paddleocr.TextRecognition])
def test_the_constructors_take_what_is_passed(kind: type) -> None:
    """A folder that is not there is refused after the arguments were understood: by PaddleOCR, not by Python."""
    options = {"engine": "onnxruntime", "engine_config": {"intra_op_num_threads": 1}, "device": "cpu"}
    assert any(parameter.kind is parameter.VAR_KEYWORD for parameter in inspect.signature(kind).parameters.values())
    with pytest.raises(Exception, match="no-such-folder") as refused:
        kind(model_name="PP-OCRv6_small_det", model_dir="no-such-folder", **options)
    assert not isinstance(refused.value, TypeError)


def test_a_folder_that_paddleocr_cannot_open_is_named(settings: PaddleTextSettings, tmp_path: Path) -> None:
    (tmp_path / "inference.yml").write_text("Global: {model_name: PP-OCRv6_small_det}")
    with pytest.raises(PerceptionError, match=f"det_model_dir {tmp_path}"):
        PaddleLineFinder(settings.model_copy(update={"det_model_dir": tmp_path}))


def test_an_engine_that_does_not_exist_is_named(settings: PaddleTextSettings) -> None:
    with pytest.raises(PerceptionError, match="tensorflow"):
        PaddleRecognizer(settings.model_copy(update={"engine": "tensorflow"}))
