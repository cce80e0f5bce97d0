"""Icons drawn once, tight to their ink, so that training only has to colour and place them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from training.names.icon_sets import Icon

SIDE = 96
"""Pixels of an icon's longer side."""
VIEW = 128
"""Pixels of the drawing that it is cut from."""
STROKES = (0.7, 1.45)
"""Widths of strokes, by the set's own, in which icons that are made of strokes are drawn besides."""
_STROKE = re.compile(r'stroke-width="([0-9.]+)"')


@dataclass(frozen=True, slots=True)
class Raster:
    """Hold one drawing. ``pixels``: uint8 RGBA (height, width, 4) with its own colours, or coverage (height, width)."""

    set: str
    name: str
    label: str
    pixels: NDArray[np.uint8]


def rasters(icons: Iterable[Icon], *, strokes: bool = True) -> Iterator[Raster]:
    """Yield drawings of ``icons``, several of one where its strokes can be drawn thinner and thicker (``strokes``).

    What cannot be drawn, or has no ink, is left out. Raises ImportError without resvg_py.
    """
    with ThreadPoolExecutor(2) as pool:
        jobs = ((icon, svg) for icon in icons for svg in ([icon.svg, *_stroked(icon.svg)] if strokes else [icon.svg]))
        for icon, pixels in pool.map(lambda job: (job[0], _drawn(job[1])), jobs):
            if pixels is not None:
                yield Raster(icon.set, icon.name, icon.label, pixels if icon.colour else pixels[:, :, 3])


def _stroked(svg: str) -> list[str]:
    if not _STROKE.search(svg):
        return []
    return [_STROKE.sub(partial(_wider, by), svg) for by in STROKES]


def _wider(by: float, found: re.Match[str]) -> str:
    return f'stroke-width="{float(found[1]) * by:.3g}"'


def _drawn(svg: str) -> NDArray[np.uint8] | None:
    import resvg_py

    try:
        png = resvg_py.svg_to_bytes(svg_string=svg, width=VIEW, height=VIEW)
    except ValueError:
        return None
    picture = cv2.imdecode(np.frombuffer(bytes(png), np.uint8), cv2.IMREAD_UNCHANGED)
    if picture is None or picture.ndim != 3 or picture.shape[2] != 4:
        return None
    rows, columns = np.nonzero(picture[:, :, 3] > 24)
    if len(rows) < 12:
        return None
    cut = picture[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    scale = SIDE / max(cut.shape[:2])
    size = (max(2, round(cut.shape[1] * scale)), max(2, round(cut.shape[0] * scale)))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.cvtColor(cv2.resize(cut, size, interpolation=way), cv2.COLOR_BGRA2RGBA), np.uint8)
