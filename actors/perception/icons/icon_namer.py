"""Name icons by a small network over crops. It calls no model and takes a few milliseconds for a screen.

The weights lie beside this module and are made by ``training/names``. Their file holds the names, the threshold and the
calibrated temperature.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import BOTTOM_BAR
from manyhands.actors.perception.onnx import CropClassifier
from manyhands.protocol.base import Input
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element

WEIGHTS = Path(__file__).parent / "weights" / "names.onnx"
MADE_BY = "make train-icon-names"
UNNAMED = "other"
NAVIGATION = {
    "circle": "home",
    "checkbox": "recents",
    "chevron left": "back",
    "back": "back",
    "menu": "recents",
    "home": "home",
}
"""The names of shapes in Android's navigation bar: a ring, a square, a triangle. Other names are unchanged there."""
TOP_LEFT = (0.2, 0.15)
"""Shares of width and height. A chevron to the left in this corner leads back."""


class NameSettings(Input):
    on: bool = True
    """If false, icons get no names."""
    weights: Path | None = None
    """An ONNX file made by ``training/names``. The default is the one that is shipped."""
    threshold: float | None = Field(default=None, ge=0, le=1)
    """The least probability for giving a name. The default is the weights' own."""
    threads: int = Field(default=1, ge=1, le=64)


class OnnxIconNamer:
    """Implements IconNamer. Synchronous; belongs to one thread at a time."""

    def __init__(self, settings: NameSettings) -> None:
        """Open the weights. Raises PerceptionError without onnxruntime or a file, or for weights that are not ours."""
        weights = settings.weights or WEIGHTS
        self.classifier = CropClassifier(weights, settings.threads, MADE_BY)
        threshold = self.classifier.threshold if settings.threshold is None else settings.threshold
        if threshold is None:
            raise PerceptionError(
                f"{weights} has no threshold; use a file that `{MADE_BY}` made, or set names.threshold"
            )
        self.threshold = threshold

    def name_icons(self, rgb: Rgb, icons: Sequence[Element]) -> list[Element]:
        """Return the same icons in the same order. Give names to icons without content if the network is sure.

        ``rgb`` is uint8 (height, width, 3), and boxes are in its pixels. The confidence of an icon stays as its finder
        gave it: it tells how sure the place is. A name is given from the threshold on; docs/perception.md reports how
        often such names are right.
        """
        unnamed = [icon for icon in icons if not icon.content]
        size = Size(width=rgb.shape[1], height=rgb.shape[0])
        rows = zip(unnamed, self.classifier.probabilities(rgb, [icon.box for icon in unnamed]), strict=True)
        named = {id(icon): self._named(icon, row, size) for icon, row in rows}
        return [named.get(id(icon), icon) for icon in icons]

    def _named(self, icon: Element, probabilities: NDArray[np.float32], size: Size) -> Element:
        best = int(probabilities.argmax())
        name = self.classifier.names[best]
        if name == UNNAMED or probabilities[best] < self.threshold:
            return icon
        return icon.model_copy(update={"content": in_place(name, icon.box, size)})


def in_place(name: str, box: Box, size: Size) -> str:
    """Return what ``name`` means at ``box`` on a screen of ``size``."""
    x, y = box.centre
    if y >= BOTTOM_BAR * size.height and name in NAVIGATION:
        return NAVIGATION[name]
    if name == "chevron left" and x < TOP_LEFT[0] * size.width and y < TOP_LEFT[1] * size.height:
        return "back"
    return name
