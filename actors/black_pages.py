"""Find where a page is all black in a picture.

A page that forbids screenshots is captured as black, with or without the system's bars. A display that is off, and a
page that has drawn nothing yet, are black, too. Pixels do not tell these apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

BLACK = 6
"""A pixel up to this level is black: this allows for a video coder's noise. A dark theme's ground has 17 and more."""
STEP = 8
"""Every eighth column is examined first."""
LEAST = 0.4
"""At least this share of the height is black. A keyboard takes up to half."""
TOP, BOTTOM = 0.12, 0.88
"""Shares of the height. A black page begins above the first and, without a keyboard, ends below the second."""


def find_black_rows(picture: npt.NDArray[np.uint8], keyboard: bool) -> Iterator[tuple[int, int]]:
    """Yield the first row of each page that is black, and the row after its last.

    ``picture``: uint8 (height, width) or (height, width, 3). ``keyboard``: whether one may lie over the page's end.
    """
    height = picture.shape[0]
    sparse: npt.NDArray[Any] = picture[:, ::STEP].reshape(height, -1).max(axis=1) <= BLACK
    end = 0
    for value, same in itertools.groupby(sparse.tolist()):
        start, end = end, end + len(list(same))
        if not value or end - start < LEAST * height or start > TOP * height:
            continue
        if (end >= BOTTOM * height or keyboard) and int(picture[start:end].max()) <= BLACK:
            yield start, end
