"""Find icons by a detector in YOLO's ONNX form, run by onnxruntime.

Ultralytics exports this form. The input is ``(n, 3, height, width)``, RGB, float32 from 0 to 1. The output is ``(n, 4 +
classes, places)``: for each place the centre x and y, width and height in pixels of the input, and the probability of
each class. Ultralytics loads the same file (``ultralytics.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.icons.detection import STRIDE, Letterbox, select_icons, to_elements
from manyhands.actors.perception.networks.onnx import open_network
from manyhands.protocol.base import Input
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element

WEIGHTS = Path(__file__).parent / "weights" / "icons.onnx"
CANDIDATES = 1000
"""At most so many places are examined, the surest ones. No screen has so many icons."""


class YoloIconSettings(Input):
    """Configure both engines. Probabilities and lengths refer to the detector's input."""

    weights: Path | None = None
    """An ONNX file in YOLO's form. The default is the one that is shipped."""
    side: int = Field(default=640, ge=STRIDE, le=2048, multiple_of=STRIDE)
    """The longer side of the detector's input, in pixels."""
    confidence: float = Field(default=0.2, gt=0, lt=1)
    """A place is an icon from this probability on."""
    overlap: float = Field(default=0.5, gt=0, lt=1)
    """Two findings are one from this intersection over union on."""
    limit: int = Field(default=60, ge=1, le=1000)
    """The most icons of a screen. The surest stay."""
    threads: int = Field(default=1, ge=1, le=64)


def weights_file(settings: YoloIconSettings) -> Path:
    """Return the file that ``settings`` name, or the shipped one. Raises PerceptionError if it does not exist."""
    path = settings.weights or WEIGHTS
    if not path.is_file():
        raise PerceptionError(f"there are no icon weights at {path}; set icons.weights, or run `make train-icons`")
    return path


class YoloIconFinder:
    """Implements IconFinder. One instance belongs to one thread at a time."""

    def __init__(self, settings: YoloIconSettings) -> None:
        """Load the weights. Raises PerceptionError if they are missing or are not a YOLO detector's."""
        self._settings = settings
        path = weights_file(settings)
        self._network = open_network(path, settings.threads)
        inputs, outputs = self._network.get_inputs(), self._network.get_outputs()
        if len(inputs) != 1 or len(inputs[0].shape) != 4 or len(outputs) != 1 or len(outputs[0].shape) != 3:
            raise PerceptionError(f"{path} is no detector in YOLO's form: one picture in, (n, 4 + classes, places) out")
        if any(isinstance(side, int) for side in inputs[0].shape[2:]):
            raise PerceptionError(f"{path} takes pictures of one size only; export it with dynamic sides")
        self._input = inputs[0].name

    def find(self, rgb: Rgb, texts: Sequence[Element]) -> list[Element]:
        """Find icons that are not among ``texts``, the surest first, with empty contents."""
        size = Size(width=rgb.shape[1], height=rgb.shape[0])
        return select_icons(self.detect(rgb), texts, size, self._settings.limit)

    def detect(self, rgb: Rgb) -> list[Element]:
        """Find icons whatever the texts, the surest first, one for each place."""
        fit = Letterbox.of(Size(width=rgb.shape[1], height=rgb.shape[0]), self._settings.side)
        planes = np.ascontiguousarray(fit.apply(rgb).transpose(2, 0, 1))[None]
        answer = self._network.run(None, {self._input: np.divide(planes, 255, dtype=np.float32)})[0]
        corners, confidences = decode(answer[0], self._settings.confidence, self._settings.overlap)
        return to_elements(fit, corners, confidences)


def decode(
    answer: NDArray[np.float32], confidence: float, overlap: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return corners (n, 4) in the input's pixels and probabilities (n,), the surest first, of all classes.

    ``answer``: (4 + classes, places). If the intersection over union of two places is above ``overlap``, the surer one
    stays.
    """
    probability = answer[4:].max(axis=0)
    order = np.argsort(-probability, kind="stable")[:CANDIDATES]
    order = order[probability[order] > confidence]
    centre, size = answer[:2, order].T, answer[2:4, order].T
    corners = np.concatenate([centre - size / 2, centre + size / 2], axis=1).astype(np.float32)
    boxes = np.concatenate([corners[:, :2], size], axis=1).astype(float)
    indices = np.asarray(
        cv2.dnn.NMSBoxes(boxes.tolist(), probability[order].tolist(), confidence, overlap), int
    ).ravel()
    return corners[indices], probability[order][indices]
