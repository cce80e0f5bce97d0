"""Name what an action touched, by what perception read off the screen before it."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.protocol.roles.sections import short_name
from manyhands.protocol.screens.actions import Action, LongPress, Tap
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Screen

REACH = 0.04
"""How far an element may be from the finger, as a share of the screen's longer side."""


def name_touched(action: Action | None, screen: Screen | None) -> str:
    """Return the text or the icon's name at the place of a tap, in quotation marks, as the phone's word.

    Return an empty text for other actions, or if nothing is there. If no element with a name lies under the finger, the
    nearest one within reach is named, as what it is near to.
    """
    if not isinstance(action, Tap | LongPress) or screen is None:
        return ""
    x, y = action.x, action.y
    element = find_nearest(x, y, [one for one in screen.elements if one.content.strip()], screen.size)
    if element is None:
        return ""
    return _quoted(element) if _distance(element.box, x, y) == 0 else f"near {_quoted(element)}"


def find_nearest(x: int, y: int, elements: Sequence[Element], size: Size) -> Element | None:
    """Return the smallest element under a point, or else the nearest one within reach; None if there is none."""
    reach = REACH * max(size.width, size.height)
    near = [(_distance(one.box, x, y), one.box.area, one) for one in elements]
    within = [(distance, area if distance == 0 else 0, one) for distance, area, one in near if distance <= reach]
    return min(within, key=lambda candidate: candidate[:2])[2] if within else None


def _quoted(element: Element) -> str:
    """Return an element's content in quotation marks. None of its own marks can end the quotation."""
    return '"' + short_name(element.content).replace('"', "'") + '"'


def _distance(box: Box, x: int, y: int) -> float:
    """Return how far a point is from a box, in pixels; 0 inside it."""
    across, down = max(box.x1 - x, 0, x - box.x2 + 1), max(box.y1 - y, 0, y - box.y2 + 1)
    return float((across**2 + down**2) ** 0.5)
