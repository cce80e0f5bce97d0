"""Find and recognize texts by PaddleOCR 3.x from local model folders. No other module imports PaddleOCR.

PaddleOCR is imported when a model is opened. A model folder is what PaddleOCR exports: ``inference.yml``, which names
the model and its inputs, and the network in the form of the chosen engine. Both folders must be given, and nothing is
downloaded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.rows import Mask
from manyhands.actors.perception.text.engines import RecognizedText, boxes_around, fit_crop
from manyhands.actors.perception.text.reader import LineSettings
from manyhands.protocol.base import Input
from manyhands.protocol.errors import BadInput, PerceptionError
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.utilities.yaml_document import read_yaml

CONFIG = "inference.yml"


class PaddleTextSettings(Input):
    """Configure PaddleOCR. The names are those of its own arguments."""

    det_model_dir: Path | None = None
    rec_model_dir: Path | None = None
    device: str = Field(default="cpu", pattern=r"^[a-z]+(:\d+)?$")
    """``cpu``, ``gpu:0``, ..."""
    engine: str | None = None
    """``paddle``, ``paddle_static``, ``onnxruntime``, ...; PaddleOCR chooses if not given. Needs PaddleOCR 3.5."""
    engine_config: dict[str, Any] = Field(default_factory=dict)
    """The engine's own options, as PaddleOCR documents them."""
    batch_size: int = Field(default=8, ge=1, le=256)
    """The most crops that are recognised together."""
    detect_side: int = Field(default=1280, ge=320, le=4096)
    """The longer side of the detector's input. Recognition reads the full resolution."""
    lines: LineSettings = LineSettings()


class PaddleLineFinder:
    """Implements LineFinder. Always reads the whole picture."""

    def __init__(self, settings: PaddleTextSettings) -> None:
        """Load the model. Raises PerceptionError if PaddleOCR or the folder is missing or unusable."""
        # The thresholds are those of the same models in ONNX (``LineDetector``).
        limits = {"limit_side_len": settings.detect_side, "limit_type": "max"}
        thresholds = {"thresh": 0.3, "box_thresh": 0.5, "unclip_ratio": 1.6}
        self._module = _module("TextDetection", "det_model_dir", settings, **limits, **thresholds)

    def lines(self, rgb: Rgb, open_rows: Mask | None = None) -> list[Box]:
        height, width = rgb.shape[:2]
        (prediction,) = self._module.predict(_bgr(rgb), batch_size=1)
        return boxes_around(prediction["dt_polys"], width, height)


class PaddleRecognizer:
    """Implements Recognizer with batches of crops of one width, because PaddleOCR pads a batch to its widest crop."""

    def __init__(self, settings: PaddleTextSettings) -> None:
        """Load the model. Raises PerceptionError if PaddleOCR or the folder is missing or unusable."""
        self._batch_size = settings.batch_size
        self._module = _module("TextRecognition", "rec_model_dir", settings)

    def recognize(self, crops: Sequence[Rgb]) -> list[RecognizedText]:
        fitted = [_bgr(fit_crop(crop)) for crop in crops]
        alike: dict[int, list[int]] = defaultdict(list)
        for place, crop in enumerate(fitted):
            alike[crop.shape[1]].append(place)
        readings = [RecognizedText("", 0.0)] * len(fitted)
        for places in alike.values():
            predictions = self._module.predict([fitted[place] for place in places], batch_size=self._batch_size)
            for place, read in zip(places, predictions, strict=True):
                readings[place] = RecognizedText(str(read["rec_text"]), min(max(float(read["rec_score"]), 0.0), 1.0))
        return readings


def _bgr(rgb: Rgb) -> Rgb:
    """Return the picture in the channel order that PaddleOCR expects."""
    return np.ascontiguousarray(rgb[:, :, ::-1])


def _module(kind: str, setting: str, settings: PaddleTextSettings, **options: Any) -> Any:
    """Open PaddleOCR's module ``kind`` with the folder in ``setting``."""
    folder: Path | None = getattr(settings, setting)
    if folder is None:
        raise PerceptionError(f"PaddleOCR needs a local model folder: set {setting}; nothing is downloaded")
    options |= {"model_name": _model_name(folder, setting), "model_dir": str(folder), "device": settings.device}
    if settings.engine is not None:
        options["engine"] = settings.engine
    if settings.engine_config:
        options["engine_config"] = settings.engine_config
    try:
        import paddleocr
    except ImportError as error:
        raise PerceptionError(
            f"this text reader needs paddleocr ({error}); install manyhands[paddle] in an environment of its own"
        ) from error
    try:
        return getattr(paddleocr, kind)(**options)
    except Exception as error:  # the engines raise types of their own
        raise PerceptionError(f"PaddleOCR cannot open {setting} {folder}: {type(error).__name__}: {error}") from error


def _model_name(folder: Path, setting: str) -> str:
    """Return the model's name from the folder's description. PaddleOCR requires it."""
    try:
        return str(read_yaml(folder / CONFIG).data["Global"]["model_name"])
    except (BadInput, KeyError, TypeError) as error:
        raise PerceptionError(
            f"{setting} {folder} is no model folder of PaddleOCR: {CONFIG} there must say Global.model_name ({error!r})"
        ) from error
