"""How well icons are found on labelled screens, by the finder that users run, counted as ``manyhands perceive --score``
counts them (docs/perception.md, "Scoring")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

from manyhands.actors.frames import Rgb
from manyhands.evaluation.perception.boxes import Rect
from manyhands.evaluation.perception.labels import read_labels
from manyhands.evaluation.perception.report import shares_of
from manyhands.evaluation.perception.scoring import Tally, score_screen
from manyhands.protocol.geometry import Box
from manyhands.protocol.screens import Element
from training.detector.labels import LabelsUnusable, label_files


def measured(folders: Sequence[Path], find: Callable[[Rgb, Sequence[Element]], Sequence[Element]]) -> Tally:
    """Counts over all screens of ``folders`` whose pictures are there; ``find`` gets a picture and its texts.

    The texts are those of the labels, so that reading them is not measured with it. Raises BadInput for labels of
    another form, LabelsUnusable if there is no screen, and ValueError where a file is no picture.
    """
    total, screens = Tally(), 0
    for file in label_files(folders):
        for label in read_labels(file):
            path = file.parent / label.file
            if not path.is_file():
                continue
            picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if picture is None:
                raise ValueError(f"{path} is not a picture that can be read")
            texts = [_text(text.box) for text in label.texts]
            total = total.plus(score_screen(label, find(np.ascontiguousarray(picture[:, :, ::-1]), texts)).tally)
            screens += 1
    if not screens:
        raise LabelsUnusable.nowhere(folders)
    return total


def told(tally: Tally) -> str:
    """Its shares of icons, minor labels left out of recall."""
    shares = shares_of(tally)
    recall, tight, precision = (
        "none" if share is None else f"{100 * share:.1f} %"
        for share in (shares.icon_recall, shares.icon_recall_iou, shares.icon_precision)
    )
    return f"{tally.icons} icons: recall {recall}, at IoU 0.5 {tight}, precision {precision}"


def _text(box: Rect) -> Element:
    x1, y1, x2, y2 = (int(edge) for edge in box)
    return Element(kind="text", box=Box(x1=x1, y1=y1, x2=x2, y2=y2), content="a labelled text", confidence=1.0)
