"""Labelled screens from folders: ``labels.json`` beside its pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.evaluation.perception.labels import LabelledScreen, Rect, read_labels
from manyhands.protocol.errors import BadInput

Boxes = NDArray[np.float32]
"""Shape (n, 4): x1, y1, x2, y2 in pixels of the picture."""


@dataclass(frozen=True, slots=True)
class TrainingScreen:
    """Hold the boxes of one picture. ``minor`` icons and ``ignored`` places are neither right nor wrong."""

    path: Path
    icons: Boxes
    minor: Boxes
    ignored: Boxes
    texts: Boxes


def labelled_pictures(folders: Sequence[Path]) -> list[tuple[Path, LabelledScreen]]:
    """Return the pictures in ``folders`` and in the folders in them, in the order of their paths, with their labels.

    A missing picture is left out. Raises BadInput for labels of another form, and where there is no picture at all.
    """
    files = [file for folder in folders for file in sorted(folder.rglob("labels.json"))]
    labelled = ((file.parent / label.file, label) for file in files for label in read_labels(file))
    found = [(path, label) for path, label in labelled if path.is_file()]
    if not found:
        raise BadInput(f"no labelled screens in {', '.join(map(str, folders))}: make some with training.screens")
    return found


def read_folders(folders: Sequence[Path]) -> list[TrainingScreen]:
    """Read the boxes of all pictures. Raises what ``labelled_pictures`` raises."""
    return [
        TrainingScreen(
            path=path,
            icons=_boxes(icon.box for icon in label.icons if not icon.minor),
            minor=_boxes(icon.box for icon in label.icons if icon.minor),
            ignored=_boxes(label.ignore),
            texts=_boxes(text.box for text in label.texts),
        )
        for path, label in labelled_pictures(folders)
    ]


def read_picture(path: Path) -> Rgb:
    """Read a picture, uint8 (height, width, 3). Raises ValueError where the file is not one."""
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError(f"{path} is not a picture that can be read")
    return np.ascontiguousarray(picture[:, :, ::-1], np.uint8)


def _boxes(boxes: Iterable[Rect]) -> Boxes:
    return np.array(list(boxes), np.float32).reshape(-1, 4)
