"""Name what an action touched, by what perception read off the screen before it."""

from __future__ import annotations

from collections.abc import Iterator

from manyhands.protocol.roles.sections import short_name
from manyhands.protocol.screens.actions import Action, LongPress, Tap
from manyhands.protocol.screens.geometry import Box
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
    under = [one for one in _named(screen) if _distance(one.box, x, y) == 0]
    if under:
        return _quoted(min(under, key=lambda one: one.box.area))
    reach = REACH * max(screen.size.width, screen.size.height)
    near = [(_distance(one.box, x, y), one) for one in _named(screen)]
    distance, nearest = min(near, key=lambda candidate: candidate[0], default=(reach + 1, None))
    return f"near {_quoted(nearest)}" if nearest is not None and distance <= reach else ""


def _quoted(element: Element) -> str:
    """Return an element's content in quotation marks. None of its own marks can end the quotation."""
    return '"' + short_name(element.content).replace('"', "'") + '"'


def _named(screen: Screen) -> Iterator[Element]:
    return (one for one in screen.elements if one.content.strip())


def _distance(box: Box, x: int, y: int) -> float:
    """Return how far a point is from a box, in pixels; 0 inside it."""
    across, down = max(box.x1 - x, 0, x - box.x2 + 1), max(box.y1 - y, 0, y - box.y2 + 1)
    return float((across**2 + down**2) ** 0.5)
