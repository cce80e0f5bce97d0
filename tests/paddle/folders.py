"""Model folders for PaddleOCR from the ONNX models that RapidOCR's wheel carries: the same PP-OCR networks.

PaddleOCR 3.7 runs such networks with its engine ``onnxruntime`` where a folder has ``inference.onnx`` and an
``inference.yml`` that says how pictures become inputs and outputs become texts.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import onnxruntime
import yaml

DETECTOR, RECOGNIZER = "PP-OCRv6_small_det", "PP-OCRv6_small_rec"
DECODE = {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}


def make_folders(models: Path, target: Path) -> tuple[Path, Path]:
    """Folders of the detector and the recogniser, made in ``target`` from the ONNX files in ``models``."""
    half = [0.5, 0.5, 0.5]
    detector = {
        "Global": {"model_name": DETECTOR},
        "PreProcess": {
            "transform_ops": [
                DECODE,
                {"DetResizeForTest": None},
                {"NormalizeImage": {"mean": half, "std": half, "scale": 1 / 255, "order": "hwc"}},
                {"ToCHWImage": None},
                {"KeepKeys": {"keep_keys": ["image", "shape"]}},
            ]
        },
        "PostProcess": {"name": "DBPostProcess", "thresh": 0.3, "box_thresh": 0.5, "unclip_ratio": 1.6},
    }
    found = _only(models, "det")
    read = _only(models, "rec")
    recognizer = {
        "Global": {"model_name": RECOGNIZER},
        "PreProcess": {"transform_ops": [DECODE, {"RecResizeImg": {"image_shape": [3, 48, 320]}}]},
        "PostProcess": {"name": "CTCLabelDecode", "character_dict": _characters(read)},
    }
    return _folder(target / DETECTOR, found, detector), _folder(target / RECOGNIZER, read, recognizer)


def _only(models: Path, part: str) -> Path:
    (model,) = models.glob(f"*{part}*.onnx")
    return model


def _characters(model: Path) -> list[str]:
    """What the recogniser's outputs mean, but for the blank before and the space after them."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    return list(session.get_modelmeta().custom_metadata_map["character"].splitlines())


def _folder(folder: Path, model: Path, description: dict[str, Any]) -> Path:
    folder.mkdir(parents=True)
    shutil.copyfile(model, folder / "inference.onnx")
    (folder / "inference.yml").write_text(yaml.safe_dump(description, allow_unicode=True), encoding="utf-8")
    return folder
