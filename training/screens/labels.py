"""Labels of rendered screens in the form that the scorer reads: images with texts, icons and places to ignore."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from training.screens.grammar import Page

WHOLE = 0.95
"""Visible share from which on an icon counts as whole; below, it is minor."""
HALF = 0.5
"""Below this share an icon is neither right nor wrong."""
DIMMED = 0.3
"""Behind a scrim as strong as this, what is seen counts as minor."""
FAINT = 12
"""An icon whose box holds fewer levels of luminance than this between its 2nd and 98th percentile is not to be seen."""
PALE = 14
"""Levels; a tile that differs less from what lies around it is not seen as one, and its glyph is labelled alone."""
SMALLEST = 2, 6
"""Pixels of the shorter and the longer side; a smaller box holds nothing that could be found."""

NOTES = (
    "Rendered screens; boxes are [x1,y1,x2,y2] in pixels of the picture, read off the page. Icons: the ink of a glyph, "
    "or the tile or button that it stands on; 'set' and 'raw' are the icon set (or the kit, for its own controls) "
    "and its name there. 'minor': the phone's status bar, badges, keys, and what is half hidden or dimmed. 'ignore': "
    "photographs, sliders, cut texts, icons hidden by more than half."
)
Luminance = NDArray[np.uint8]


@dataclass(frozen=True)
class Shot:
    """Hold a picture as Chromium encoded it, and what collect.js found, in CSS pixels."""

    picture: bytes
    found: Mapping[str, Any]


def label(page: Page, shot: Shot, file: str) -> dict[str, Any]:
    """Return the labels of one picture. Raises OSError where the picture cannot be read."""
    with Image.open(io.BytesIO(shot.picture)) as picture:
        rgb = np.asarray(picture.convert("RGB"))
        luminance = np.asarray(picture.convert("L"))
    height, width = luminance.shape
    density = page.phone.density
    icons, ignored = [], [_box(box, density, width, height) for box in (*shot.found["ignore"], *shot.found["cut"])]
    for icon in shot.found["icons"]:
        box = _box(icon["seen"], density, width, height)
        if icon.get("ink") and icon["share"] >= WHOLE and not _stands_out(rgb, box):
            box = _box(icon["ink"], density, width, height)
        if _is_tiny(box) or _is_faint(luminance, box):
            continue
        if icon["share"] < HALF:
            ignored.append(box)
            continue
        row = {"name": icon["raw"].replace("-", " "), "box": box, "set": icon["set"], "raw": icon["raw"]}
        if icon["minor"] or icon["share"] < WHOLE or icon["dimmed"] > DIMMED:
            row["minor"] = True
        icons.append(row)
    texts = []
    for line in shot.found["texts"]:
        box = _box(line["box"], density, width, height)
        if _is_tiny(box) or _is_faint(luminance, box):
            continue
        row = {"text": " ".join(line["text"].split()), "box": box}
        if line["minor"] or line["dimmed"] > DIMMED:
            row["minor"] = True
        texts.append(row)
    blob = hashlib.sha1(b"blob %d\0" % len(shot.picture) + shot.picture, usedforsecurity=False).hexdigest()
    theme = "dark" if page.dark else "light"
    return {
        "file": file,
        "blob": blob,
        "licence": "Apache-2.0",
        "width": width,
        "height": height,
        "tag": f"{page.kit.name} {page.variant}, {theme}, {page.language}, {page.tag}",
        "texts": texts,
        "icons": icons,
        "ignore": [box for box in ignored if box[2] > box[0] and box[3] > box[1]],
    }


def read(path: Path) -> list[dict[str, Any]]:
    """Return the images of a label file, and none where there is no such file. Raises ValueError for other JSON."""
    if not path.exists():
        return []
    images: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["images"]
    return images


def write(path: Path, images: Iterable[dict[str, Any]]) -> None:
    """Replace the file as a whole, so that a reader never sees half of it."""
    rest = path.with_suffix(".part")
    body = ",\n".join(json.dumps(image, ensure_ascii=False) for image in images)
    rest.write_text('{"notes": ' + json.dumps(NOTES) + ', "images": [\n' + body + "\n]}\n", "utf-8")
    os.replace(rest, path)


def _box(box: Sequence[float], density: float, width: int, height: int) -> list[int]:
    """Convert CSS pixels to whole pixels of the picture, within it."""
    x1, y1, x2, y2 = (value * density for value in box)
    return [
        min(max(round(x1), 0), width),
        min(max(round(y1), 0), height),
        min(max(round(x2), 0), width),
        min(max(round(y2), 0), height),
    ]


def _stands_out(rgb: NDArray[np.uint8], box: Sequence[int]) -> bool:
    """Return whether a tile differs in colour from its surroundings, on at least two of its sides."""
    x1, y1, x2, y2 = box
    x, y = (x1 + x2) // 2, (y1 + y2) // 2
    sides = (
        ((x1 + 4, y), (x1 - 5, y)),
        ((x2 - 5, y), (x2 + 4, y)),
        ((x, y1 + 4), (x, y1 - 5)),
        ((x, y2 - 5), (x, y2 + 4)),
    )
    seen = [float(np.abs(_colour(rgb, *inner) - _colour(rgb, *outer)).max()) for inner, outer in sides]
    return sum(difference >= PALE for difference in seen) >= 2


def _colour(rgb: NDArray[np.uint8], x: int, y: int) -> NDArray[np.float64]:
    height, width, _ = rgb.shape
    x, y = min(max(x, 1), width - 2), min(max(y, 1), height - 2)
    return np.asarray(rgb[y - 1 : y + 2, x - 1 : x + 2].mean((0, 1)))


def _is_tiny(box: Sequence[int]) -> bool:
    short, long = sorted((box[2] - box[0], box[3] - box[1]))
    return short < SMALLEST[0] or long < SMALLEST[1]


def _is_faint(luminance: Luminance, box: Sequence[int]) -> bool:
    x1, y1, x2, y2 = box
    around = luminance[max(y1 - 3, 0) : y2 + 3, max(x1 - 3, 0) : x2 + 3]
    low, high = np.percentile(around, (2, 98))
    return bool(high - low < FAINT)
