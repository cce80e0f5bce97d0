"""Text by RapidOCR: the PP-OCR models in ONNX that its wheel carries. Nothing is downloaded.

Detection and recognition are called apart, because a detected line is cut at wide gaps in between:
neighbouring labels (a grid of app names) come out of the detector as one box.
"""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from pydantic import Field

from actors.frames import Rgb
from actors.perception.arrangement import reading_order
from protocol.base import Input
from protocol.errors import PerceptionError
from protocol.geometry import Box
from protocol.screens import Element

INK_CONTRAST = 28
"""Grey levels between the lightest and darkest pixel of a column that holds ink."""


class RapidTextSettings(Input):
    """Chosen by measurement, see docs/perception.md."""

    threads: int = Field(default=1, ge=1, le=64)
    """onnxruntime's threads in each reader."""
    detect_side: int = Field(default=1280, ge=320, le=4096)
    """The longer side of the picture that the detector sees; recognition reads the full resolution."""
    min_confidence: float = Field(default=0.5, ge=0, le=1)
    sure_gap: float = Field(default=0.95, gt=0)
    """A blank this wide, in heights of the line, always separates two texts."""
    likely_gap: float = Field(default=0.5, gt=0)
    """A blank this wide separates two texts where broad glyphs stand on both sides. Beside a narrow one it
    may be the blank half of a Chinese comma or bracket (0.5 to 0.7)."""
    models: Path | None = None
    """Folder with one ``*det*.onnx`` and one ``*rec*.onnx``; RapidOCR's own if not given."""


class RapidTextReader:
    """Implements TextReader. Takes 0.3 s to make. Raises PerceptionError where there is no RapidOCR or model."""

    def __init__(self, settings: RapidTextSettings) -> None:
        self._settings = settings
        self._engine = _engine(settings)

    def read(self, rgb: Rgb) -> list[Element]:
        boxes, crops = [], []
        for line in self._lines(rgb):
            for left, right in self._parts(rgb[line.y1 : line.y2, line.x1 : line.x2]):
                margin = (line.y2 - line.y1) // 10
                box = Box(
                    x1=max(line.x1 + left - margin, 0),
                    y1=line.y1,
                    x2=min(line.x1 + right + margin, rgb.shape[1]),
                    y2=line.y2,
                )
                boxes.append(box)
                crops.append(np.ascontiguousarray(rgb[box.y1 : box.y2, box.x1 : box.x2, ::-1]))
        if not crops:
            return []
        read = self._engine.recognize_txt(crops)
        texts = [
            Element(kind="text", box=box, content=content.strip(), confidence=min(max(float(score), 0.0), 1.0))
            for box, content, score in zip(boxes, read.txts, read.scores, strict=True)
            if content.strip() and score >= self._settings.min_confidence
        ]
        return reading_order(texts)

    def _lines(self, rgb: Rgb) -> list[Box]:
        """Upright boxes around the detected lines, clipped to the picture."""
        bgr = np.ascontiguousarray(rgb[:, :, ::-1])
        found = self._engine(bgr, use_det=True, use_cls=False, use_rec=False).boxes
        if found is None:
            return []
        height, width = rgb.shape[:2]
        low = np.floor(found.min(axis=1)).astype(int)
        high = np.ceil(found.max(axis=1)).astype(int)
        lines = [
            Box(x1=max(int(x1), 0), y1=max(int(y1), 0), x2=min(int(x2), width), y2=min(int(y2), height))
            for (x1, y1), (x2, y2) in zip(low, high, strict=True)
            if x1 < width and y1 < height
        ]
        return [line for line in lines if line.x2 - line.x1 >= 3 and line.y2 - line.y1 >= 3]

    def _parts(self, line: Rgb) -> list[tuple[int, int]]:
        """Columns (left, right) of the texts in a detected line; the whole line if it has no wide gap."""
        height, width = line.shape[:2]
        if width < 2 * height:
            return [(0, width)]
        grey = cv2.cvtColor(line, cv2.COLOR_RGB2GRAY)
        ink = grey.max(axis=0).astype(np.int16) - grey.min(axis=0) > INK_CONTRAST
        edges = np.flatnonzero(np.diff(np.concatenate(([0], ink.astype(np.int8), [0]))))
        glyphs = [(int(left), int(right)) for left, right in edges.reshape(-1, 2)]
        if len(glyphs) < 2:
            return [(0, width)]
        parts, start = [], 0
        broad = 0.3 * height
        for (left, right), (following, end) in itertools.pairwise(glyphs):
            gap = following - right
            both_broad = right - left >= broad and end - following >= broad
            if gap >= self._settings.sure_gap * height or (gap >= self._settings.likely_gap * height and both_broad):
                parts.append((start, right))
                start = following
        return [*parts, (start, width)] if parts else [(0, width)]


def _engine(settings: RapidTextSettings) -> Any:
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise PerceptionError(
            f"the text reader needs rapidocr and onnxruntime ({error}); install manyhands[fleet]"
        ) from error
    folder = settings.models or _wheel_models()
    return RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_cls": False,
            "Global.max_side_len": 16384,
            "Det.model_path": str(_model(folder, "det")),
            "Det.limit_type": "max",
            "Det.limit_side_len": settings.detect_side,
            "Det.use_dilation": False,
            "Rec.model_path": str(_model(folder, "rec")),
            "Rec.rec_img_shape": [3, 48, 32],
            "Rec.rec_batch_num": 1,
            "EngineConfig.onnxruntime.intra_op_num_threads": settings.threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _wheel_models() -> Path:
    package = importlib.util.find_spec("rapidocr")
    if package is None or package.origin is None:
        raise PerceptionError("rapidocr is not installed as a package with files")
    return Path(package.origin).parent / "models"


def _model(folder: Path, part: str) -> Path:
    """The one model file for ``part``: named by path, RapidOCR downloads nothing."""
    found = sorted(folder.glob(f"*{part}*.onnx"))
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise PerceptionError(
            f"{folder} must hold one *{part}*.onnx, it holds {names}; set text.models to a folder that does"
        )
    return found[0]
