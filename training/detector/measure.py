"""How well icons are found on labelled screens, by the finder that users run, counted as ``manyhands perceive --score``
counts them (docs/perception.md, "Scoring")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from manyhands.actors.frames import Rgb
from manyhands.evaluation.perception.labels import Rect
from manyhands.evaluation.perception.report import shares_of
from manyhands.evaluation.perception.scoring import Tally, score_screen
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element
from training.detector.labels import labelled_pictures, read_picture


def measured(folders: Sequence[Path], find: Callable[[Rgb, Sequence[Element]], Sequence[Element]]) -> Tally:
    """Count hits and misses over all labelled screens of ``folders``; ``find`` is given a picture and its texts.

    The texts are those of the labels, so that reading them is not measured with it. Raises BadInput for labels of
    another form and where there is no screen, ValueError where a file is not a picture.
    """
    total = Tally()
    for path, label in labelled_pictures(folders):
        texts = [_text(text.box) for text in label.texts]
        total = total.plus(score_screen(label, find(read_picture(path), texts)).tally)
    return total


def summary(tally: Tally) -> str:
    """Return the shares of icons in one line, minor labels left out of recall."""
    shares = shares_of(tally)
    recall, tight, precision = (
        "none" if share is None else f"{100 * share:.1f} %"
        for share in (shares.icon_recall, shares.icon_recall_iou, shares.icon_precision)
    )
    return f"{tally.icons} icons: recall {recall}, at IoU 0.5 {tight}, precision {precision}"


def _text(box: Rect) -> Element:
    x1, y1, x2, y2 = (int(edge) for edge in box)
    return Element(kind="text", box=Box(x1=x1, y1=y1, x2=x2, y2=y2), content="a labelled text", confidence=1.0)
