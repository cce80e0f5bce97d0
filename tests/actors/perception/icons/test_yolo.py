"""The detector's form, its decoding, and what it says of files that are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rapidocr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from manyhands.actors.perception.icons.boxes import iou
from manyhands.actors.perception.icons.ultralytics import UltralyticsIconFinder, UltralyticsIconSettings
from manyhands.actors.perception.icons.yolo import Letterbox, YoloIconFinder, YoloIconSettings, decode, to_elements
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box, Size

SEEN = Letterbox.of(Size(width=288, height=640), 640)


def answer(*places: tuple[float, float, float, float, float]) -> np.ndarray:
    """In YOLO's form: (5, places) of centre x, y, width, height, probability."""
    return np.array(places, np.float32).T


def test_places_become_boxes_the_surest_first() -> None:
    corners, sure = decode(answer((50, 60, 20, 10, 0.6), (200, 300, 30, 40, 0.9)), 0.3, 0.5)
    assert corners.tolist() == [[185, 280, 215, 320], [40, 55, 60, 65]]
    assert sure.tolist() == pytest.approx([0.9, 0.6])


def test_of_overlapping_places_the_surest_stays_and_unsure_ones_fall_out() -> None:
    same = answer((50, 50, 20, 20, 0.7), (52, 50, 20, 20, 0.8), (150, 50, 20, 20, 0.2), (90, 50, 20, 20, 0.5))
    corners, _ = decode(same, 0.3, 0.5)
    assert corners[:, 0].tolist() == [42, 80]


def test_the_surest_class_of_several_counts() -> None:
    two_classes = np.concatenate([answer((50, 50, 20, 20, 0.2)), [[0.8]]]).astype(np.float32)
    _, sure = decode(two_classes, 0.3, 0.5)
    assert sure.tolist() == pytest.approx([0.8])


@given(arrays.arrays(np.float32, st.tuples(st.just(5), st.integers(0, 40)), elements=st.floats(0, 1, width=32)))
def test_no_two_boxes_that_stay_overlap(raw: np.ndarray) -> None:
    raw[:4] *= 200
    corners, sure = decode(raw, 0.3, 0.5)
    assert len(corners) == len(sure)
    assert (sure > 0.3).all()
    assert (np.diff(sure) <= 0).all()
    found = [item.box for item in to_elements(SEEN, corners, sure)]
    assert all(isinstance(box, Box) and box.area > 0 for box in found)
    for number, (one, exact) in enumerate(zip(corners, corners.tolist(), strict=True)):
        for other in corners[:number]:
            low, high = np.maximum(one[:2], other[:2]), np.minimum(one[2:], other[2:])
            common = np.clip(high - low, 0, None).prod()
            union = (one[2:] - one[:2]).prod() + (other[2:] - other[:2]).prod() - common
            assert common <= 0.5 * union + 1e-2, exact


def test_missing_weights_are_said() -> None:
    with pytest.raises(PerceptionError, match=r"no icon weights at /nowhere/icons\.onnx"):
        YoloIconFinder(YoloIconSettings(weights=Path("/nowhere/icons.onnx")))


def test_a_file_that_is_no_onnx_is_said(tmp_path: Path) -> None:
    path = tmp_path / "icons.onnx"
    path.write_bytes(b"not a network")
    with pytest.raises(PerceptionError, match="cannot be loaded as ONNX"):
        YoloIconFinder(YoloIconSettings(weights=path))


def test_a_network_of_another_form_is_said() -> None:
    models = Path(rapidocr.__file__).parent / "models"
    detector = next(path for path in sorted(models.glob("*.onnx")) if "_det_" in path.name)
    with pytest.raises(PerceptionError, match="no detector in YOLO's form"):
        YoloIconFinder(YoloIconSettings(weights=detector))


def test_ultralytics_is_optional_and_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ultralytics", None)
    with pytest.raises(PerceptionError, match=r"pip install 'manyhands\[yolo\]'"):
        UltralyticsIconFinder(UltralyticsIconSettings())


def test_boxes_of_the_detector_lie_on_the_picture() -> None:
    fit = Letterbox.of(Size(width=1080, height=2400), 640)
    (found,) = to_elements(fit, np.array([[-5, 12, 40, 700]], np.float32), np.array([0.7], np.float32))
    assert found.box == Box(x1=0, y1=45, x2=150, y2=2400)
    assert iou(found.box, found.box) == 1
