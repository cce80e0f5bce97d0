"""Names of icons by a small network over crops: no model call, a few milliseconds for a screen.

The weights lie beside this module and are made by ``training/names``; the file holds the names, their threshold and the
temperature that was calibrated.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from actors.frames import Rgb
from actors.perception.arrangement import BOTTOM_BAR
from actors.perception.onnx import open_network
from protocol.base import Input
from protocol.errors import PerceptionError
from protocol.geometry import Box, Size
from protocol.screens import Element

SIDE = 32
"""Pixels of a crop's sides, as the network sees it."""
MARGIN = 0.125
"""Of an icon's longer side: what a crop shows around it."""
BATCH = 16
"""Crops in one call of the network: more are not faster on a CPU and take more memory."""
WEIGHTS = Path(__file__).parent / "weights" / "names.onnx"
UNNAMED = "other"
NAVIGATION = {
    "circle": "home",
    "checkbox": "recents",
    "chevron left": "back",
    "back": "back",
    "menu": "recents",
    "home": "home",
}
"""What shapes mean in Android's navigation bar: a ring, a square, a triangle. Other names are not given there."""
TOP_LEFT = (0.2, 0.15)
"""Shares of width and height: a chevron to the left in this corner leads back."""


class NameSettings(Input):
    on: bool = True
    """False: icons stay without names."""
    weights: Path | None = None
    """An ONNX file made by ``training/names``; the one that is shipped if not given."""
    threshold: float | None = Field(default=None, ge=0, le=1)
    """The least probability of a name that is given; the weights' own if not given."""
    threads: int = Field(default=1, ge=1, le=64)


class OnnxIconNamer:
    """Implements IconNamer. Synchronous; belongs to one thread at a time."""

    def __init__(self, settings: NameSettings) -> None:
        """Raises PerceptionError where there is no onnxruntime, no file, or one that is not of our making."""
        path = settings.weights or WEIGHTS
        if not path.is_file():
            raise PerceptionError(f"there are no weights for icons' names at {path}; run `make train-icon-names`")
        self._network = open_network(path, settings.threads)
        try:
            about = self._network.get_modelmeta().custom_metadata_map
            self.names_known: tuple[str, ...] = tuple(json.loads(about["names"]))
            self.threshold = float(about["threshold"]) if settings.threshold is None else settings.threshold
        except (KeyError, ValueError) as error:
            raise PerceptionError(
                f"{path} says nothing of its names and threshold ({error}); use one that training/names made"
            ) from error
        self._input = self._network.get_inputs()[0].name

    def names(self, rgb: Rgb, icons: Sequence[Element]) -> list[Element]:
        """The same icons in the same order. One without a content gets a name where the network is sure.

        ``rgb`` is uint8 (height, width, 3), boxes in its pixels. An icon's confidence stays what its finder said of its
        place; a name is given at the threshold or above, and what that is worth is in docs/perception.md.
        """
        unnamed = [icon for icon in icons if not icon.content]
        size = Size(width=rgb.shape[1], height=rgb.shape[0])
        found = zip(unnamed, self.probabilities(rgb, [icon.box for icon in unnamed]), strict=True)
        named = {id(icon): self._named(icon, row, size) for icon, row in found}
        return [named.get(id(icon), icon) for icon in icons]

    def probabilities(self, rgb: Rgb, boxes: Sequence[Box]) -> NDArray[np.float32]:
        """Of each name for each box, shape (boxes, names)."""
        crops = [crop_of(rgb, (box.x1, box.y1, box.x2, box.y2)) for box in boxes]
        return self.of_crops(np.array(crops, np.uint8).reshape(-1, SIDE, SIDE, 3))

    def of_crops(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The same for crops of shape (crops, SIDE, SIDE, 3)."""
        rows = [np.empty((0, len(self.names_known)), np.float32)]
        for first in range(0, len(crops), BATCH):
            rows.append(self._network.run(None, {self._input: crops[first : first + BATCH]})[0])
        return np.concatenate(rows)

    def _named(self, icon: Element, probabilities: NDArray[np.float32], size: Size) -> Element:
        best = int(probabilities.argmax())
        name = self.names_known[best]
        if name == UNNAMED or probabilities[best] < self.threshold:
            return icon
        return icon.model_copy(update={"content": in_place(name, icon.box, size)})


def in_place(name: str, box: Box, size: Size) -> str:
    """What ``name`` means where ``box`` lies on a screen of ``size``; empty if it means nothing there."""
    x, y = box.centre
    if y >= BOTTOM_BAR * size.height and name in NAVIGATION:
        return NAVIGATION[name]
    if name == "chevron left" and x < TOP_LEFT[0] * size.width and y < TOP_LEFT[1] * size.height:
        return "back"
    return name


def crop_of(rgb: Rgb, box: tuple[int, int, int, int]) -> Rgb:
    """uint8 (SIDE, SIDE, 3): the square around ``box`` (x1, y1, x2, y2) with a margin.

    Beyond the edges of ``rgb`` its outermost pixels are repeated.
    """
    x1, y1, x2, y2 = box
    half = (0.5 + MARGIN) * max(x2 - x1, y2 - y1, 2)
    centre_x, centre_y = (x1 + x2) / 2, (y1 + y2) / 2
    left, top = round(centre_x - half), round(centre_y - half)
    side = max(2, round(2 * half))
    height, width = rgb.shape[:2]
    columns = np.clip((left, left + side), 0, width)
    rows = np.clip((top, top + side), 0, height)
    if columns[0] == columns[1] or rows[0] == rows[1]:
        raise PerceptionError(f"an icon's box {box} lies outside its picture of {width}x{height} pixels")
    part = rgb[rows[0] : rows[1], columns[0] : columns[1]]
    above, below = int(rows[0]) - top, top + side - int(rows[1])
    before, after = int(columns[0]) - left, left + side - int(columns[1])
    if above or below or before or after:
        part = np.asarray(cv2.copyMakeBorder(part, above, below, before, after, cv2.BORDER_REPLICATE), np.uint8)
    way = cv2.INTER_AREA if side > SIDE else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (SIDE, SIDE), interpolation=way), np.uint8)
