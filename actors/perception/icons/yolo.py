"""Icons by a detector in YOLO's ONNX form, run by onnxruntime.

The form is what Ultralytics exports: input ``(n, 3, height, width)``, RGB, float32 from 0 to 1; output
``(n, 4 + classes, places)``, for each place the centre x and y, width and height in pixels of the input, and the
probability of each class. Ultralytics loads the same file, see ``ultralytics.py``.
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
from manyhands.protocol.geometry import Size
from manyhands.protocol.screens import Element

WEIGHTS = Path(__file__).parent / "weights" / "icons.onnx"
CANDIDATES = 1000
"""Places that are looked at, the surest: more are never icons of one screen."""


class YoloIconSettings(Input):
    """Settings of both engines. Probabilities and lengths refer to the detector's input."""

    weights: Path | None = None
    """ONNX file in YOLO's form; the one that is shipped if not given."""
    side: int = Field(default=640, ge=STRIDE, le=2048, multiple_of=STRIDE)
    """Longer side of what the detector sees."""
    confidence: float = Field(default=0.2, gt=0, lt=1)
    """Probability from which a place is an icon."""
    overlap: float = Field(default=0.5, gt=0, lt=1)
    """Intersection over union from which two findings are one."""
    limit: int = Field(default=60, ge=1, le=1000)
    """Icons per screen, at most; the surest stay."""
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
        """Load the weights. Raises PerceptionError without weights, or if they are not a YOLO detector's."""
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
        """Find icons that are not among ``texts``, the surest first, contents empty."""
        size = Size(width=rgb.shape[1], height=rgb.shape[0])
        return select_icons(self.detect(rgb), texts, size, self._settings.limit)

    def detect(self, rgb: Rgb) -> list[Element]:
        """Find icons without regard to texts, the surest first, each place once."""
        fit = Letterbox.of(Size(width=rgb.shape[1], height=rgb.shape[0]), self._settings.side)
        planes = np.ascontiguousarray(fit.apply(rgb).transpose(2, 0, 1))[None]
        answer = self._network.run(None, {self._input: np.divide(planes, 255, dtype=np.float32)})[0]
        corners, confidences = decode(answer[0], self._settings.confidence, self._settings.overlap)
        return to_elements(fit, corners, confidences)


def decode(
    answer: NDArray[np.float32], confidence: float, overlap: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return corners (n, 4) in the input's pixels and probabilities (n,), the surest first, whatever their class.

    ``answer``: (4 + classes, places). Of two whose intersection over union is above ``overlap`` the surer one stays.
    """
    probability = answer[4:].max(axis=0)
    order = np.argsort(-probability, kind="stable")[:CANDIDATES]
    order = order[probability[order] > confidence]
    centre, size = answer[:2, order].T, answer[2:4, order].T
    corners = np.concatenate([centre - size / 2, centre + size / 2], axis=1).astype(np.float32)
    chosen = np.concatenate([corners[:, :2], size], axis=1).astype(float)
    kept = np.asarray(cv2.dnn.NMSBoxes(chosen.tolist(), probability[order].tolist(), confidence, overlap), int).ravel()
    return corners[kept], probability[order][kept]
