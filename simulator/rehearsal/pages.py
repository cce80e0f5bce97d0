"""Hold what a role knows at one moment: texts with their places, and the rest of the request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Sketch = NDArray[np.uint8]
_SWITCH_COLUMNS = (0.78, 0.97)
_SWITCH_ROWS = (-0.012, 0.028)
"""Where the switch of a setting is: columns and rows of pixels, in shares of the screen. The rows count from the title
of the setting."""
_SATURATED = 50
_STATUS_BAR = 0.045
_BODY = (0.127, 0.93)
"""The region between the upper and lower bars, in shares of the height."""
_WORD = re.compile(r"\w{3}|[\u4e00-\u9fff]{2}")


@dataclass(frozen=True, slots=True)
class Line:
    """Be a text, or an icon without a name. Its centre x, y and height h are shares of the screen from 0 to 1."""

    text: str
    x: float
    y: float
    h: float = 0.02


@dataclass(frozen=True, slots=True)
class Page:
    """Hold an image as it was read. ``sketch``: a reduced image, uint8 of shape (height, width, 3), RGB."""

    lines: tuple[Line, ...]
    sketch: Sketch = field(repr=False, compare=False)

    def switch_is_on(self, row: Line) -> bool:
        """Return whether the switch at the end of a row is on: it has a strong colour then, and is grey otherwise."""
        band = _band(self.sketch, row)
        strong = band.max(axis=2).astype(int) - band.min(axis=2) > _SATURATED
        return bool(strong.mean() > 0.08)

    def looks_like(self, other: Page) -> bool:
        """Return whether two images are equal apart from the status bar and noise."""
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
    """Hold a moment as one role sees it. What the role does not know is empty, and no condition about it holds."""

    lines: tuple[Line, ...]
    icons: tuple[Line, ...] = ()
    page: Page | None = None
    """The image, for roles that see images."""
    keyboard: bool | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    progress: str = ""
    typed: tuple[str, ...] = ()
    """Texts that were typed according to the history, the latest first."""
    tapped: tuple[str, ...] = ()
    """Texts that were tapped. For the operator, the history tells them; for the reflector, only the latest action does.
    """
    before: Page | None = None
    """The image before the latest action, for the reflector."""

    @property
    def loading(self) -> bool:
        """Return whether the page seems to be loading, because there is no word between the bars."""
        return not any(_BODY[0] < line.y < _BODY[1] and _WORD.search(line.text) for line in self.lines)
