"""What a role knows of the moment: texts where they stand, and the rest of the request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Sketch = NDArray[np.uint8]
_SWITCH_COLUMNS = (0.78, 0.97)
_SWITCH_ROWS = (-0.012, 0.028)
"""Where a row's switch lies, as shares of the screen; rows relative to the row's title."""
_SATURATED = 50
_STATUS_BAR = 0.045
_BODY = (0.127, 0.93)
"""Between the bars above and the bars below, as shares of the height."""
_WORD = re.compile(r"\w{3}|[\u4e00-\u9fff]{2}")


@dataclass(frozen=True, slots=True)
class Line:
    """A text, or an icon without a name. x and y are its centre, h its height, as shares of the screen from 0 to 1."""

    text: str
    x: float
    y: float
    h: float = 0.02


@dataclass(frozen=True, slots=True)
class Page:
    """An image as read. sketch: uint8 (height, width, 3), RGB, a fraction of the image's size."""

    lines: tuple[Line, ...]
    sketch: Sketch = field(repr=False, compare=False)

    def switch_is_on(self, row: Line) -> bool:
        """Return whether the switch at the end of a row is on: its track is in a strong colour then, else grey."""
        band = _band(self.sketch, row)
        strong = band.max(axis=2).astype(int) - band.min(axis=2) > _SATURATED
        return bool(strong.mean() > 0.08)

    def looks_like(self, other: Page) -> bool:
        """Return whether nothing but the status bar and noise differs."""
        if self.sketch.shape != other.sketch.shape:
            return False
        top = int(self.sketch.shape[0] * _STATUS_BAR)
        difference = np.abs(self.sketch[top:].astype(np.int16) - other.sketch[top:])
        return bool((difference.max(axis=2) > 24).mean() < 0.0008)


def _band(sketch: Sketch, row: Line) -> Sketch:
    height, width = sketch.shape[:2]
    top, bottom = (min(height - 1, max(0, round((row.y + offset) * height))) for offset in _SWITCH_ROWS)
    left, right = (round(share * width) for share in _SWITCH_COLUMNS)
    return sketch[top : bottom + 1, left:right]


@dataclass(frozen=True, slots=True)
class Sight:
    """A moment as one role sees it. What a role does not know stays empty, and no condition on it holds."""

    lines: tuple[Line, ...]
    icons: tuple[Line, ...] = ()
    page: Page | None = None
    """The image, for roles that look at it."""
    keyboard: bool | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    progress: str = ""
    typed: tuple[str, ...] = ()
    """Texts that were typed by the history, the latest first."""
    tapped: tuple[str, ...] = ()
    """Texts that were tapped: for the operator by the history, for the reflector in the latest action."""
    before: Page | None = None
    """The image before the latest action, for the reflector."""

    @property
    def loading(self) -> bool:
        """Return whether there is not a word between the bars: a page that has not come yet."""
        return not any(_BODY[0] < line.y < _BODY[1] and _WORD.search(line.text) for line in self.lines)
