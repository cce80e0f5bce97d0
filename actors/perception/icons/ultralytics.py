"""Find icons by Ultralytics' engine: on a GPU, or with weights in its own format (.pt).

No other module imports ultralytics. That package is AGPL-3.0, so it is an extra (``manyhands[yolo]``) and is imported
when a finder is made. Our own code prepares the network's input and reads its output, as in ``yolo.py``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.icons.yolo import (
    STRIDE,
    Letterbox,
    YoloIconSettings,
    select_icons,
    to_elements,
    weights_file,
)
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element

QUIET = {"YOLO_AUTOINSTALL": "false", "YOLO_OFFLINE": "true"}
"""ultralytics reads these at its import. Without them, it installs packages that it misses, and reports its use."""


class UltralyticsIconSettings(YoloIconSettings):
    """Configure the engine. ``weights`` may be an ONNX file or a ``.pt`` of Ultralytics. ``threads`` has no effect."""

    device: str = Field(default="cpu", pattern=r"^(cpu|mps|cuda(:\d+)?|\d+)$")
    """The device, by Ultralytics' name."""


class UltralyticsIconFinder:
    """Implements IconFinder. One instance belongs to one thread at a time."""

    def __init__(self, settings: UltralyticsIconSettings) -> None:
        """Load the weights. Raises PerceptionError without ultralytics, or if the weights cannot be loaded."""
        for name, value in QUIET.items():
            os.environ.setdefault(name, value)
        try:
            from ultralytics import YOLO
        except ImportError as error:
            raise PerceptionError(
                f"the icon engine 'ultralytics' is not installed ({error}): pip install 'manyhands[yolo]'"
            ) from error
        self._settings = settings
        path = weights_file(settings)
        try:
            self._model: Any = YOLO(str(path), task="detect")
            self._predict(np.zeros((STRIDE, STRIDE, 3), np.uint8))  # loads what is loaded only on first use
        except Exception as error:  # the loaders raise many types
            raise PerceptionError(f"{path} cannot be used by ultralytics: {error}") from error

    def find(self, rgb: Rgb, texts: Sequence[Element]) -> list[Element]:
        """Find icons that are not among ``texts``, the surest first, with empty contents."""
        size = Size(width=rgb.shape[1], height=rgb.shape[0])
        return select_icons(self.detect(rgb), texts, size, self._settings.limit)

    def detect(self, rgb: Rgb) -> list[Element]:
        """Find icons whatever the texts, the surest first, one for each place."""
        fit = Letterbox.of(Size(width=rgb.shape[1], height=rgb.shape[0]), self._settings.side)
        result = self._predict(np.ascontiguousarray(fit.apply(rgb)[:, :, ::-1]))  # Ultralytics expects BGR arrays
        corners: NDArray[np.float32] = result.boxes.xyxy.cpu().numpy()
        confidences: NDArray[np.float32] = result.boxes.conf.cpu().numpy()
        return to_elements(fit, corners, confidences)

    def _predict(self, picture: NDArray[np.uint8]) -> Any:
        """Return Ultralytics' result for one picture (BGR, sides multiples of STRIDE)."""
        return self._model.predict(
            picture,
            imgsz=picture.shape[:2],
            conf=self._settings.confidence,
            iou=self._settings.overlap,
            agnostic_nms=True,
            device=self._settings.device,
            verbose=False,
        )[0]
