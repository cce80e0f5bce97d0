"""What the tests of both engines share: torch, ultralytics, and weights made from drawn screens."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from manyhands.actors.frames import Rgb
from tests.actors.perception.pictures import Page
from training.detector.export import export
from training.detector.labels import read_folders
from training.detector.train import Training

STEPS = 80
WIDTHS = (16, 24, 32, 48)
"""Channels: few, so that training takes seconds."""


def _declare_nms() -> None:
    """The operator that ultralytics takes from torchvision, in PyTorch alone.

    A torchvision that was built for CUDA cannot be imported beside a torch for the CPU: operators are missing. Where
    it can be imported, nothing is done.
    """
    importable = subprocess.run([sys.executable, "-c", "import torchvision"], capture_output=True, check=False)
    if importable.returncode == 0:
        return
    for name in ("nms", "qnms"):
        torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    torch.library.impl("torchvision::nms", "CPU", _nms)
    import torchvision

    torchvision.extension._has_ops = lambda: True


def _nms(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    kept: list[int] = []
    left = scores.argsort(descending=True, stable=True)
    area = (boxes[:, 2:] - boxes[:, :2]).prod(dim=1)
    while len(left):
        first, left = left[0], left[1:]
        kept.append(int(first))
        low = torch.maximum(boxes[left, :2], boxes[first, :2])
        high = torch.minimum(boxes[left, 2:], boxes[first, 2:])
        common = (high - low).clamp(min=0).prod(dim=1)
        left = left[common <= iou_threshold * (area[left] + area[first] - common)]
    return torch.tensor(kept, dtype=torch.long)


_declare_nms()


def drawn(number: int, size: tuple[int, int] = (1080, 2280)) -> tuple[Rgb, list[tuple[int, int, int, int]]]:
    """A list of rings, tiles and chevrons with words beside them, and the boxes of the shapes."""
    rng = np.random.default_rng(number)
    page, shapes = Page(*size), []
    for row in range(size[1] // 160):
        x, y, side = int(rng.integers(40, 140)), 40 + 160 * row, int(rng.integers(40, 100))
        box = (x, y, x + side, y + side)
        draw = (page.draw.ellipse, page.draw.rectangle)[int(rng.integers(2))]
        draw(box, outline=tuple(int(c) for c in rng.integers(0, 150, 3)), width=6)
        shapes.append(box)
        page.text("Some words here"[: int(rng.integers(5, 15))], (260, y), 44)
        if rng.random() < 0.6:
            page.draw.line(
                [(size[0] - 80, y), (size[0] - 58, y + 22), (size[0] - 80, y + 44)], fill=(20, 20, 20), width=5
            )
            shapes.append((size[0] - 82, y - 2, size[0] - 55, y + 47))
    return page.rgb, shapes


def save_screens(folder: Path, numbers: Sequence[int]) -> None:
    images = []
    for number in numbers:
        rgb, shapes = drawn(number)
        Image.fromarray(rgb).save(folder / f"{number}.png")
        icons = [{"name": "shape", "box": list(box)} for box in shapes]
        height, width = rgb.shape[:2]
        images.append({"file": f"{number}.png", "width": width, "height": height, "icons": icons, "texts": []})
    (folder / "labels.json").write_text(json.dumps({"images": images}))


@pytest.fixture(scope="session")
def screens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of ten drawn screens with their labels."""
    folder = tmp_path_factory.mktemp("screens")
    save_screens(folder, range(10))
    return folder


@pytest.fixture(scope="session")
def weights(screens: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ONNX file of a network that has seen the drawn screens for STEPS steps."""
    folder = tmp_path_factory.mktemp("weights")
    training = Training(seed=1, widths=WIDTHS)
    training.run(read_folders([screens]), STEPS, folder / "training.pt", lambda _: None)
    export(training, folder / "icons.onnx")
    return folder / "icons.onnx"
