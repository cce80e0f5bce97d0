"""onnxruntime and Ultralytics find the same boxes with the same weights, and what a training leaves can be used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.icons.ultralytics import UltralyticsIconFinder, UltralyticsIconSettings
from manyhands.actors.perception.icons.yolo import Letterbox, YoloIconFinder, YoloIconSettings
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element
from tests.actors.perception.icons.drawn import page_of_icons
from tests.yolo.conftest import WIDTHS, drawn
from training.detector.labels import read_folders
from training.detector.measure import measured
from training.detector.train import Training

SURE = 0.05
"""Low, so that many boxes are compared."""
PIXELS = 2
SIZES = [(1080, 2280), (1170, 2532), (720, 1280), (1440, 3120), (2280, 1080)]


def corners(found: list[Element]) -> np.ndarray:
    return np.array([[icon.box.x1, icon.box.y1, icon.box.x2, icon.box.y2] for icon in found])


@pytest.mark.parametrize("size", SIZES)
def test_the_same_onnx_file_gives_the_same_boxes(weights: Path, size: tuple[int, int]) -> None:
    rgb, shapes = drawn(100, size)
    ours = YoloIconFinder(YoloIconSettings(weights=weights, confidence=SURE)).detect(rgb)
    theirs = UltralyticsIconFinder(UltralyticsIconSettings(weights=weights, confidence=SURE)).detect(rgb)
    assert len(ours) == len(theirs) >= len(shapes) / 3
    assert np.abs(corners(ours) - corners(theirs)).max() <= PIXELS
    assert [icon.confidence for icon in ours] == pytest.approx([icon.confidence for icon in theirs], abs=1e-3)


@pytest.mark.parametrize("size", SIZES)
def test_the_shipped_weights_give_the_same_boxes(size: tuple[int, int]) -> None:
    page, boxes = page_of_icons(*size)
    ours = YoloIconFinder(YoloIconSettings(confidence=SURE)).detect(page.rgb)
    theirs = UltralyticsIconFinder(UltralyticsIconSettings(confidence=SURE)).detect(page.rgb)
    assert len(ours) == len(theirs) >= len(boxes) - 1
    assert np.abs(corners(ours) - corners(theirs)).max() <= PIXELS
    assert [icon.confidence for icon in ours] == pytest.approx([icon.confidence for icon in theirs], abs=1e-3)


def test_both_engines_leave_the_same_icons_beside_texts(weights: Path) -> None:
    rgb, _ = drawn(101)
    ours = YoloIconFinder(YoloIconSettings(weights=weights, confidence=SURE))
    theirs = UltralyticsIconFinder(UltralyticsIconSettings(weights=weights, confidence=SURE))
    every = ours.find(rgb, [])
    text = Element(kind="text", box=every[0].box, content="word", confidence=0.99)
    assert np.abs(corners(ours.find(rgb, [text])) - corners(theirs.find(rgb, [text]))).max() <= PIXELS
    assert every[0] not in ours.find(rgb, [text])


def test_weights_of_ultralytics_own_format_and_their_export_give_the_same_boxes(tmp_path: Path) -> None:
    from ultralytics import YOLO

    torch.manual_seed(3)
    model = YOLO("yolo11n.yaml", task="detect")
    rgb, _ = drawn(102)
    _liven(model.model, rgb)
    model.save(tmp_path / "own.pt")
    exported = Path(YOLO(tmp_path / "own.pt").export(format="onnx", dynamic=True, simplify=False))
    sure = _between(exported, rgb)
    ours = YoloIconFinder(YoloIconSettings(weights=exported, confidence=sure)).detect(rgb)
    theirs = UltralyticsIconFinder(UltralyticsIconSettings(weights=tmp_path / "own.pt", confidence=sure)).detect(rgb)
    assert len(ours) == len(theirs) > 3
    assert np.abs(corners(ours) - corners(theirs)).max() <= PIXELS


def _liven(network: torch.nn.Module, rgb: Rgb) -> None:
    """Untrained, it answers the same everywhere: statistics of a real picture and larger last weights change that."""
    norms = [layer for layer in network.modules() if isinstance(layer, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = 0.5
    picture = torch.from_numpy(np.ascontiguousarray(rgb[:640, :640])).permute(2, 0, 1)[None].float() / 255
    with torch.no_grad():
        network.train()
        for _ in range(8):
            network(picture)
        network.eval()
        for branch in (*network.model[-1].cv2, *network.model[-1].cv3):
            branch[-1].weight.normal_(0, 0.06)


def _between(weights: Path, rgb: Rgb) -> float:
    """A probability that 30 to 100 places exceed: an untrained network is sure of none, and of none exactly so."""
    fit = Letterbox.of(Size(width=rgb.shape[1], height=rgb.shape[0]), 640)
    seen = fit.apply(rgb).astype(np.float32).transpose(2, 0, 1)[None] / 255
    session = onnxruntime.InferenceSession(str(weights), providers=["CPUExecutionProvider"])
    answer = session.run(None, {session.get_inputs()[0].name: np.ascontiguousarray(seen)})[0][0]
    likely = np.sort(answer[4:].max(axis=0))[::-1]
    widest = 30 + int(np.argmax(likely[30:100] - likely[31:101]))
    return float((likely[widest] + likely[widest + 1]) / 2)


def test_what_was_trained_finds_shapes_that_it_has_not_seen(weights: Path, screens: Path) -> None:
    found = measured([screens], YoloIconFinder(YoloIconSettings(weights=weights, confidence=SURE)).find)
    assert found.hit >= 0.5 * found.icons
    assert found.icon_right >= 5 * found.icon_false


def test_a_training_in_two_sessions_is_the_one_in_one(screens: Path, tmp_path: Path) -> None:
    labelled, path = read_folders([screens]), tmp_path / "a.pt"
    whole = Training(seed=2, widths=WIDTHS)
    whole.run(labelled, 5, tmp_path / "whole.pt", lambda _: None)
    Training(seed=2, widths=WIDTHS).run(labelled, 3, path, lambda _: None)
    again = Training.resumed(path)
    assert again.steps == 3
    assert again.seen_screens == len(labelled)
    again.run(labelled, 5, path, lambda _: None)
    assert Training.resumed(path).steps == whole.steps == 5
    assert _apart(whole, again) == 0


def test_steps_that_are_done_are_not_repeated(screens: Path, tmp_path: Path) -> None:
    labelled, path = read_folders([screens]), tmp_path / "a.pt"
    Training(seed=2, widths=WIDTHS).run(labelled, 2, path, lambda _: None)
    begun, again = Training.resumed(path), Training.resumed(path)
    again.run(labelled, 2, path, lambda _: None)
    assert again.steps == 2
    assert _apart(begun, again) == 0


def test_a_session_that_cools_changes_less(screens: Path, tmp_path: Path) -> None:
    labelled, path = read_folders([screens]), tmp_path / "a.pt"
    Training(seed=3, widths=WIDTHS).run(labelled, 2, path, lambda _: None)
    begun, full, cooled = (Training.resumed(path) for _ in range(3))
    full.run(labelled, 6, tmp_path / "b.pt", lambda _: None)
    cooled.run(labelled, 6, tmp_path / "b.pt", lambda _: None, cooling=True)
    assert 0 < _apart(begun, cooled) < 0.8 * _apart(begun, full)


def _apart(one: Training, other: Training) -> float:
    pairs = zip(one.network.parameters(), other.network.parameters(), strict=True)
    return sum(float((a - b).detach().pow(2).sum()) for a, b in pairs)


def test_a_file_that_is_no_network_is_said(tmp_path: Path) -> None:
    path = tmp_path / "icons.onnx"
    path.write_bytes(b"nothing")
    finder = UltralyticsIconSettings(weights=path)
    with pytest.raises(PerceptionError, match=r"icons\.onnx"):
        UltralyticsIconFinder(finder)
