"""How well icons are found on labelled screens, by the finder that users run.

The same rules as for labelled real screens: a label is hit by an icon whose centre lies in it, or whose intersection
over union with it is at least 0.5. An icon that hits no label is false, unless it lies on a minor label, a text or an
ignored place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from actors.frames import Rgb
from protocol.geometry import Box
from protocol.screens import Element
from training.detector.labels import Boxes, LabelledScreen


@dataclass(frozen=True, slots=True)
class Found:
    """Counts over screens: labels, labels hit, labels hit at IoU 0.5, icons on labels, false icons."""

    labels: int = 0
    hit: int = 0
    tight: int = 0
    right: int = 0
    false: int = 0

    def __add__(self, other: Found) -> Found:
        pairs = ("labels", "hit", "tight", "right", "false")
        return Found(*(getattr(self, name) + getattr(other, name) for name in pairs))

    def __str__(self) -> str:
        recall, tight = (100 * part / max(self.labels, 1) for part in (self.hit, self.tight))
        precision = 100 * self.right / max(self.right + self.false, 1)
        return f"{self.labels} icons: recall {recall:.1f} %, at IoU 0.5 {tight:.1f} %, precision {precision:.1f} %"


def measured(screens: Sequence[LabelledScreen], find: Callable[[Rgb, Sequence[Element]], Sequence[Element]]) -> Found:
    """``find`` is given the texts of the labels, so that reading them is not measured with it."""
    total = Found()
    for screen in screens:
        picture = cv2.imread(str(screen.path), cv2.IMREAD_COLOR)
        if picture is None:
            raise ValueError(f"{screen.path} is not a picture that can be read")
        icons = find(np.ascontiguousarray(picture[:, :, ::-1]), [_text(box) for box in screen.texts])
        boxes = [[icon.box.x1, icon.box.y1, icon.box.x2, icon.box.y2] for icon in icons]
        total += score(screen, np.array(boxes, np.float32).reshape(-1, 4))
    return total


def score(screen: LabelledScreen, found: Boxes) -> Found:
    hits, tight = _hits(found, screen.icons), overlaps(found, screen.icons) >= 0.5
    neutral = np.concatenate([screen.minor, screen.texts, screen.ignored])
    right = hits.any(axis=1)
    beside = _hits(found, neutral).any(axis=1)
    return Found(
        labels=len(screen.icons),
        hit=int(hits.any(axis=0).sum()),
        tight=int(tight.any(axis=0).sum()),
        right=int(right.sum()),
        false=int((~right & ~beside).sum()),
    )


def _hits(found: Boxes, labels: Boxes) -> NDArray[np.bool_]:
    """Shape (found, labels)."""
    centre = (found[:, None, :2] + found[:, None, 2:]) / 2
    inside = ((centre >= labels[None, :, :2]) & (centre <= labels[None, :, 2:])).all(axis=2)
    return inside | (overlaps(found, labels) >= 0.5)


def overlaps(one: Boxes, other: Boxes) -> NDArray[np.float32]:
    """Intersection over union of all pairs, shape (one, other)."""
    low = np.maximum(one[:, None, :2], other[None, :, :2])
    high = np.minimum(one[:, None, 2:], other[None, :, 2:])
    common = np.clip(high - low, 0, None).prod(axis=2)
    area = (one[:, 2:] - one[:, :2]).prod(axis=1)[:, None] + (other[:, 2:] - other[:, :2]).prod(axis=1)[None]
    return np.asarray(common / np.maximum(area - common, 1e-6), np.float32)


def _text(box: NDArray[np.float32]) -> Element:
    x1, y1, x2, y2 = (int(edge) for edge in box)
    return Element(kind="text", box=Box(x1=x1, y1=y1, x2=x2, y2=y2), content="a labelled text", confidence=1.0)
