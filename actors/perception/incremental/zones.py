"""The parts of a picture that a detector has to see to find the texts on some of its rows.

Parts are whole strips over the full width, 32 pixels of the detector's picture high: its network halves the picture
five times, so what it sees of a strip is the same wherever the part begins. It also weighs what it sees by averages
over all of its picture, so very small parts are read worse: they are grown.
"""

from __future__ import annotations

import math

import numpy as np

from manyhands.actors.perception.incremental.rows import Mask, spans

STRIP = 32


def zones(open_rows: Mask, strips: int, context: float, least: int) -> list[tuple[int, int]]:
    """Return half-open intervals of strips, from the top, apart from each other.

    ``open_rows``: rows of the whole picture that must be covered. ``strips``: how many the detector's picture has.
    ``context``: strips that must be seen above and below. ``least``: strips of each zone, if there are as many.
    """
    wanted = np.zeros(strips, np.bool_)
    rows_each = len(open_rows) / strips
    for first, end in spans(open_rows):
        low = max(0, math.floor(first / rows_each - context))
        high = min(strips, math.ceil(end / rows_each + context))
        lacking = least - (high - low)
        if lacking > 0:
            low = max(0, min(low - lacking // 2, strips - least))
            high = min(strips, max(high, low + least))
        wanted[low:high] = True
    return spans(wanted)
