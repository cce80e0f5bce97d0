"""PaddleOCR's reader where PaddleOCR is not: what is missing is said. Its tests on a real one are in tests/paddle."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from pydantic import ValidationError

from manyhands.actors.perception.text.paddle import PaddleTextSettings
from manyhands.protocol.errors import PerceptionError
from tests.actors.perception.text.readers import paddle_reader


def test_folders_must_be_given() -> None:
    with pytest.raises(PerceptionError, match="set det_model_dir"):
        paddle_reader(PaddleTextSettings())


@pytest.mark.parametrize("description", [None, "", "- a list", "Global: {}", "{", "\x00"])
def test_a_folder_that_is_none_is_named(tmp_path: Path, description: str | None) -> None:
    if description is not None:
        (tmp_path / "inference.yml").write_text(description)
    with pytest.raises(PerceptionError, match=r"no model folder of PaddleOCR: inference\.yml"):
        paddle_reader(PaddleTextSettings(det_model_dir=tmp_path))


@pytest.mark.skipif(importlib.util.find_spec("paddleocr") is not None, reason="PaddleOCR is installed here")
def test_without_paddleocr_the_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "inference.yml").write_text("Global: {model_name: PP-OCRv6_small_det}")
    with pytest.raises(PerceptionError, match=r"manyhands\[paddle\]"):
        paddle_reader(PaddleTextSettings(det_model_dir=tmp_path))


def test_a_device_is_a_word_and_a_number() -> None:
    assert PaddleTextSettings(device="gpu:1").device == "gpu:1"
    with pytest.raises(ValidationError):
        PaddleTextSettings(device="GPU 1")
