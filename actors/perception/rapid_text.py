"""Text by RapidOCR: the PP-OCR models in ONNX that its wheel carries. Nothing is downloaded.

Detection and recognition are called apart, because a detected line is cut at wide gaps in between:
neighbouring labels (a grid of app names) come out of the detector as one box.
"""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from pydantic import Field

from actors.frames import Rgb
from actors.perception.arrangement import reading_order
from actors.perception.parts import Part, unread
from protocol.base import Input
from protocol.errors import PerceptionError
from protocol.geometry import Box
from protocol.screens import Element

if TYPE_CHECKING:
    from actors.perception.text_detector import LineDetector

INK_CONTRAST = 28
"""Grey levels between the lightest and darkest pixel of a column that holds ink."""
INK_MARGIN = 0.25
"""Paper around the ink of a text, in heights of the ink: as much as the detector leaves on average."""


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
        folder = settings.models or _wheel_models()
        self._settings = settings
        self._detector = _detector(settings, folder)
        self._engine = _engine(settings, folder)

    def read(self, rgb: Rgb, part: Part | None = None) -> list[Element]:
        boxes, crops = [], []
        lines = self._detector.lines(rgb, None if part is None else part.open_rows)
        for line in lines if part is None else unread(lines, part):
            for left, right in self._parts(rgb[line.y1 : line.y2, line.x1 : line.x2]):
                margin = (line.y2 - line.y1) // 10
                box = Box(
                    x1=max(line.x1 + left - margin, 0),
                    y1=line.y1,
                    x2=min(line.x1 + right + margin, rgb.shape[1]),
                    y2=line.y2,
                )
                box = _snapped(rgb, box)
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


def _snapped(rgb: Rgb, box: Box) -> Box:
    """``box`` with its sides at fixed distances from the ink in it; a side that cuts ink stays where it is.

    The detector's sides differ by a pixel or two with what else it sees; so that the same text is read alike
    wherever it stands, the recognition is not to see that.
    """
    height, width = rgb.shape[:2]
    grey = cv2.cvtColor(rgb[box.y1 : box.y2, box.x1 : box.x2], cv2.COLOR_RGB2GRAY).astype(np.int16)
    paper = int(np.median(np.concatenate([grey[0], grey[-1]])))
    ink = np.abs(grey - paper) > INK_CONTRAST
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if len(rows) == 0:
        return box
    (top, bottom), (left, right) = (rows[0], rows[-1] + 1), (columns[0], columns[-1] + 1)
    pad = max(2, round(INK_MARGIN * int(bottom - top)))
    return Box(
        x1=max(0, box.x1 + int(left) - pad) if left > 0 else box.x1,
        y1=max(0, box.y1 + int(top) - pad) if top > 0 else box.y1,
        x2=min(width, box.x1 + int(right) + pad) if right < grey.shape[1] else box.x2,
        y2=min(height, box.y1 + int(bottom) + pad) if bottom < grey.shape[0] else box.y2,
    )


def _detector(settings: RapidTextSettings, folder: Path) -> LineDetector:
    try:
        from actors.perception.text_detector import LineDetector
    except ImportError as error:
        raise _missing(error) from error
    return LineDetector(_model(folder, "det"), settings.threads, settings.detect_side)


def _engine(settings: RapidTextSettings, folder: Path) -> Any:
    """RapidOCR, of which only the recognition is used: it loads the other networks when they are asked."""
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise _missing(error) from error
    return RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_cls": False,
            "Rec.model_path": str(_model(folder, "rec")),
            "Rec.rec_img_shape": [3, 48, 32],
            "Rec.rec_batch_num": 1,
            "EngineConfig.onnxruntime.intra_op_num_threads": settings.threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _missing(error: ImportError) -> PerceptionError:
    return PerceptionError(f"the text reader needs rapidocr and onnxruntime ({error}); install manyhands[fleet]")


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
