"""Labelled screens from folders: ``labels.json`` beside its pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Boxes = NDArray[np.float32]
"""Shape (n, 4): x1, y1, x2, y2 in pixels of the picture."""


class LabelsUnusable(Exception):
    """A folder holds no labels that can be read; says which and why."""

    @classmethod
    def nowhere(cls, folders: Sequence[Path]) -> LabelsUnusable:
        return cls(f"no labelled screens in {', '.join(map(str, folders))}: make some with training.screens")


@dataclass(frozen=True, slots=True)
class LabelledScreen:
    """One picture. ``minor`` icons and ``ignored`` places are neither right nor wrong."""

    path: Path
    icons: Boxes
    minor: Boxes
    ignored: Boxes
    texts: Boxes


def read_folders(folders: Sequence[Path]) -> list[LabelledScreen]:
    """All screens of ``folders`` and of the folders in them, in the order of their paths.

    A screen whose picture is not there is left out. Raises LabelsUnusable: for JSON of another form, and if there is
    no screen at all.
    """
    screens = [screen for file in label_files(folders) for screen in _read(file)]
    if not screens:
        raise LabelsUnusable.nowhere(folders)
    return screens


def label_files(folders: Sequence[Path]) -> list[Path]:
    """Those in ``folders`` and in the folders in them, in the order of their paths."""
    return [file for folder in folders for file in sorted(folder.rglob("labels.json"))]


def _read(file: Path) -> Iterator[LabelledScreen]:
    try:
        images = json.loads(file.read_text(encoding="utf-8"))["images"]
        for image in images:
            path = file.parent / image["file"]
            if path.is_file():
                yield _screen(path, image)
    except (ValueError, KeyError, TypeError) as error:
        raise LabelsUnusable(f"{file}: {type(error).__name__}: {error}") from error


def _screen(path: Path, image: dict[str, Any]) -> LabelledScreen:
    icons = image["icons"]
    return LabelledScreen(
        path=path,
        icons=_boxes(icon["box"] for icon in icons if not icon.get("minor")),
        minor=_boxes(icon["box"] for icon in icons if icon.get("minor")),
        ignored=_boxes(image.get("ignore", [])),
        texts=_boxes(text["box"] for text in image.get("texts", [])),
    )


def _boxes(boxes: Any) -> Boxes:
    return np.array(list(boxes), np.float32).reshape(-1, 4)
