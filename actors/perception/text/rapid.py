"""Read texts by RapidOCR, with the PP-OCR models in ONNX that its wheel contains. Nothing is downloaded."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.text.engines import RecognizedText
from manyhands.actors.perception.text.reader import LineSettings
from manyhands.protocol.base import Input
from manyhands.protocol.errors import PerceptionError

if TYPE_CHECKING:
    from manyhands.actors.perception.text.detector import LineDetector


class RapidTextSettings(Input):
    """Configure RapidOCR. The defaults were chosen by measurement (docs/perception.md)."""

    threads: int = Field(default=1, ge=1, le=64)
    """onnxruntime's threads in each reader."""
    detect_side: int = Field(default=1280, ge=320, le=4096)
    """The longer side of the detector's input. Recognition reads the full resolution."""
    lines: LineSettings = LineSettings()
    models: Path | None = None
    """A folder with one ``*det*.onnx`` and one ``*rec*.onnx``. The default is RapidOCR's own."""


class RapidRecognizer:
    """Implements Recognizer with one crop at a time. A batch would pad crops to the widest, which changes readings."""

    def __init__(self, settings: RapidTextSettings, batch: int = 1) -> None:
        """``batch``: how many crops the network runs at once. More than 1 only for crops of one shape.

        Raises PerceptionError if RapidOCR or the model is missing, or if the model is damaged.
        """
        model = _model(settings.models or _wheel_models(), "rec")
        try:
            self._engine = _engine(settings, model, batch)
            self.recognize([np.full((48, 32, 3), 255, np.uint8)])  # RapidOCR opens the network on first use
        except PerceptionError:
            raise
        except Exception as error:  # onnxruntime, omegaconf and RapidOCR have types of their own, by the kind of damage
            raise PerceptionError(
                f"{model} cannot be used to recognise text: {type(error).__name__}: {error}; "
                "set text.models to a folder with PP-OCR's models in ONNX"
            ) from error

    def recognize(self, crops: Sequence[Rgb]) -> list[RecognizedText]:
        if not crops:
            return []
        read = self._engine.recognize_txt([np.ascontiguousarray(crop[:, :, ::-1]) for crop in crops])
        return [
            RecognizedText(text, min(max(float(score), 0.0), 1.0), _character_positions(aligned))
            for text, score, aligned in zip(read.txts, read.scores, read.word_results, strict=True)
        ]


def rapid_detector(settings: RapidTextSettings) -> LineDetector:
    """Make the line finder. Raises PerceptionError without RapidOCR or a model, or for a damaged model."""
    try:
        from manyhands.actors.perception.text.detector import LineDetector
    except ImportError as error:
        raise _missing(error) from error
    folder = settings.models or _wheel_models()
    return LineDetector(_model(folder, "det"), settings.threads, settings.detect_side)


def _engine(settings: RapidTextSettings, model: Path, batch: int) -> Any:
    """Open RapidOCR for recognition only. It would load other networks on first use."""
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise _missing(error) from error
    return RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_cls": False,
            "Global.return_word_box": True,
            "Rec.model_path": str(model),
            "Rec.rec_img_shape": [3, 48, 32],
            "Rec.rec_batch_num": batch,
            "EngineConfig.onnxruntime.intra_op_num_threads": settings.threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _character_positions(aligned: Any) -> tuple[float, ...]:
    """Return the places of characters, by the network's step at which each was first recognized."""
    steps = (step for word in aligned.word_cols for step in word)
    return tuple(min((step + 0.5) / aligned.line_txt_len, 1.0) for step in steps)


def _missing(error: ImportError) -> PerceptionError:
    return PerceptionError(f"the text reader needs rapidocr and onnxruntime ({error}); install manyhands[fleet]")


def _wheel_models() -> Path:
    package = importlib.util.find_spec("rapidocr")
    if package is None or package.origin is None:
        raise PerceptionError("rapidocr is not installed as a package with files")
    return Path(package.origin).parent / "models"


def _model(folder: Path, part: str) -> Path:
    """Return the one model file for ``part``. With a given path, RapidOCR downloads nothing."""
    models = sorted(folder.glob(f"*{part}*.onnx"))
    if len(models) != 1:
        names = ", ".join(path.name for path in models) or "none"
        raise PerceptionError(
            f"{folder} must hold one *{part}*.onnx, it holds {names}; set text.models to a folder that does"
        )
    return models[0]
