"""Labels of a page: lines with their words, tight to what is painted; what is only half there is to be ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.screens.reading.pages import Page

Box = list[int]
SLACK = 1.5
"""CSS pixels by which letters may reach out of the rows that their font's measures give."""
WHOLE = 0.6
"""Share of a line's height that has to be painted; less is a line cut by what lies over it."""


@dataclass(frozen=True)
class Shot:
    """Hold a page as a browser shows it; ``found`` is what collect.js found, in CSS pixels."""

    picture: bytes
    """PNG."""
    ink: NDArray[np.bool_]
    """Pixels that change when the texts and icons are not painted."""
    found: Mapping[str, Any]


def label(page: Page, shot: Shot, file: str) -> dict[str, Any]:
    """Return the labels of one picture, in the format that ``manyhands perceive --score`` reads, with more keys."""
    height, width = shot.ink.shape
    scale = _Scale(page.phone.density, width, height)
    ignored = [scale.box(box) for box in shot.found["ignore"]]
    texts, icons = list[dict[str, Any]](), list[dict[str, Any]]()
    for order, line in enumerate(shot.found["texts"]):
        row = _line(line, scale, shot.ink)
        if row is None:
            continue
        if not _is_whole(line, row, scale):
            ignored.append(row["box"])
            continue
        texts.append(row | {"order": order, "group": line["group"]})
    for icon in shot.found["icons"]:
        if icon["standing"] == "hidden":
            continue
        box = scale.box(icon["box"])
        tight = _tight(shot.ink, scale.box(_meet(icon["box"], icon["clip"])))
        if tight is None:
            continue
        if not _is_within(icon["box"], icon["clip"]):
            ignored.append(tight)
            continue
        row = {"name": icon["name"], "box": tight if icon["drawn"] else box, "set": icon["set"], "raw": icon["raw"]}
        row["group"] = icon["group"]
        if icon["minor"] or icon["standing"] == "dimmed":
            row["minor"] = True
        icons.append(row)
    return {
        "file": file,
        "licence": "Apache-2.0",
        "width": width,
        "height": height,
        "kind": page.kind,
        "part": page.part,
        "language": page.language,
        "tag": f"{page.site}, {page.kind}, {page.font}, {'dark' if page.dark else 'light'}, {page.language}",
        "texts": texts,
        "icons": icons,
        "ignore": [box for box in ignored if box[2] > box[0] and box[3] > box[1]],
    }


class _Scale:
    """Converts CSS pixels to pixels of the picture, within it."""

    def __init__(self, density: float, width: int, height: int) -> None:
        self.density, self._width, self._height = density, width, height

    def box(self, box: Sequence[float]) -> Box:
        x1, y1, x2, y2 = (value * self.density for value in box)
        return [
            min(max(round(x1), 0), self._width),
            min(max(round(y1), 0), self._height),
            min(max(round(x2), 0), self._width),
            min(max(round(y2), 0), self._height),
        ]


def _line(line: dict[str, Any], scale: _Scale, ink: NDArray[np.bool_]) -> dict[str, Any] | None:
    """Return a line with its words as painted, and None where most of it is not painted at all."""
    if line["standing"] == "hidden":
        return None
    words = []
    for word in line["words"]:
        x1, y1, x2, y2 = word["box"]
        box = _tight(ink, scale.box(_meet((x1, y1 - SLACK, x2, y2 + SLACK), line["clip"])))
        if box is not None:
            words.append({"text": word["text"], "box": box})
    if len(words) * 2 < len(line["words"]) or not words:
        return None
    row: dict[str, Any] = {"text": line["text"], "box": _union([word["box"] for word in words]), "words": words}
    if line["lead"]:
        row["alt"] = [f"{line['lead']} {line['text']}"]
    if line["minor"] or line["standing"] == "dimmed":
        row["minor"] = True
    return row


def _is_whole(line: dict[str, Any], row: dict[str, Any], scale: _Scale) -> bool:
    whole = [word["box"] for word in line["words"]]
    box = [f(each[at] for each in whole) for at, f in enumerate((min, min, max, max))]
    painted = (row["box"][3] - row["box"][1]) / max(1e-6, (box[3] - box[1]) * scale.density)
    return _is_within(box, line["clip"]) and len(row["words"]) == len(whole) and painted >= WHOLE


def _is_within(box: Sequence[float], clip: Sequence[float], slack: float = 1.0) -> bool:
    return (
        box[0] >= clip[0] - slack
        and box[1] >= clip[1] - slack
        and box[2] <= clip[2] + slack
        and box[3] <= clip[3] + slack
    )


def _meet(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])]


def _tight(ink: NDArray[np.bool_], box: Box) -> Box | None:
    """Return the extent of what is painted in a box, None where nothing is."""
    x1, y1, x2, y2 = box
    part = ink[y1 : max(y1, y2), x1 : max(x1, x2)]
    rows, columns = np.flatnonzero(part.any(1)), np.flatnonzero(part.any(0))
    if not len(rows) or not len(columns):
        return None
    return [x1 + int(columns[0]), y1 + int(rows[0]), x1 + int(columns[-1]) + 1, y1 + int(rows[-1]) + 1]


def _union(boxes: Sequence[Box]) -> Box:
    return [f(box[at] for box in boxes) for at, f in enumerate((min, min, max, max))]
