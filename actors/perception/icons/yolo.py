"""Find icons by a detector in YOLO's ONNX form, run by onnxruntime, and share what all detectors need.

A detector sees a picture reduced at its own aspect ratio, and padded to sides that the strides divide. Ultralytics
exports the form. The input is ``(n, 3, height, width)``, RGB, float32 from 0 to 1. The output is ``(n, 4 + classes,
places)``: for each place the centre x and y, width and height in pixels of the input, and the probability of each
class. Ultralytics loads the same file (``ultralytics.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import doubtful_glyphs
from manyhands.actors.perception.icons.boxes import distinct, without_groups
from manyhands.actors.perception.onnx import open_network
from manyhands.protocol.base import Input
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element

WEIGHTS = Path(__file__).parent / "weights" / "icons.onnx"
CANDIDATES = 1000
"""At most so many places are examined, the surest ones. No screen has so many icons."""

STRIDE = 32
"""The sides of a detector's input are multiples of this."""
PADDING = 114
"""The grey level of the padding: the same as Ultralytics'."""


@dataclass(frozen=True, slots=True)
class Letterbox:
    """Maps a picture to the detector's input: pixels times ``scale``, plus ``left``, ``top``."""

    picture: Size
    seen: Size
    scale: float
    left: int
    top: int

    @classmethod
    def of(cls, picture: Size, side: int) -> Letterbox:
        """Fit a picture: its longer side becomes ``side`` (a multiple of STRIDE), unless it is shorter."""
        scale = min(1.0, side / max(picture.width, picture.height))
        width, height = (max(1, round(length * scale)) for length in (picture.width, picture.height))
        padded = Size(width=_padded(width), height=_padded(height))
        return cls(picture, padded, scale, (padded.width - width) // 2, (padded.height - height) // 2)

    def apply(self, rgb: Rgb) -> Rgb:
        """Return the input, uint8 (seen.height, seen.width, 3)."""
        width, height = (max(1, round(length * self.scale)) for length in (self.picture.width, self.picture.height))
        small = rgb if self.scale == 1 else cv2.resize(rgb, (width, height), interpolation=cv2.INTER_AREA)
        out = np.full((self.seen.height, self.seen.width, 3), PADDING, np.uint8)
        out[self.top : self.top + height, self.left : self.left + width] = small
        return out

    def boxes(self, corners: NDArray[np.float32]) -> list[Box]:
        """Return boxes (n, 4) of x1, y1, x2, y2 in the input as whole pixels of the picture, clipped to it."""
        limits = np.array([self.picture.width, self.picture.height] * 2)
        moved = (corners - np.array([self.left, self.top] * 2, np.float32)) / self.scale
        whole = np.clip(np.rint(moved), 0, limits).astype(int)
        return [Box(x1=x1, y1=y1, x2=max(x1, x2), y2=max(y1, y2)) for x1, y1, x2, y2 in whole.tolist()]


def _padded(length: int) -> int:
    return -(-length // STRIDE) * STRIDE


def to_elements(fit: Letterbox, corners: NDArray[np.float32], confidences: NDArray[np.float32]) -> list[Element]:
    """Return the icons in the given order, with boxes in pixels of the picture. Leave out icons with empty boxes."""
    rows = zip(fit.boxes(corners), confidences.tolist(), strict=True)
    return [
        Element(kind="icon", box=box, content="", confidence=min(max(sure, 0.0), 1.0)) for box, sure in rows if box.area
    ]


def select_icons(detections: Sequence[Element], texts: Sequence[Element], size: Size, limit: int) -> list[Element]:
    """Return a detector's icons that stay beside ``texts``. Characters that are mostly icons do not count as texts."""
    doubtful = doubtful_glyphs(texts, size)
    text_boxes = [text.box for text in texts if text not in doubtful]
    return distinct(without_groups(detections), text_boxes, size, limit)


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
