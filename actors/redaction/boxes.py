"""Find the parts of a screenshot that are to be painted over.

Where a text stands on a picture is known from what perception read there. On a screen that was not read it may stand
anywhere.
"""

from __future__ import annotations

import re

from manyhands.actors.redaction.redacted_texts import SHORT, fold
from manyhands.actors.redaction.redactions import Redactions, Region
from manyhands.actors.redaction.screen_texts import ScreenTexts
from manyhands.protocol.journals.records import Record, Restored, ScreenCaptured, StatementJudged
from manyhands.protocol.screens.actions import WRITTEN
from manyhands.protocol.screens.element_rows import is_listed
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Screen, Screenshot

_NUMBER = re.compile(r"\d[\d.,:/ -]+\d")
"""A number of three signs or more, such as an amount."""
_VOCABULARY = frozenset(one for name in WRITTEN for one in (*fold(name), *fold(name.replace("_", " "))))
"""The names of actions. They are no texts of a screen, even where a screen shows such a word."""
WHOLE = (0, 0, 1000, 1000)
EVERYTHING = Box(x1=0, y1=0, x2=1 << 15, y2=1 << 15)
"""A box that is larger than any screen."""


def find_boxes(
    redactions: Redactions, shot: Screenshot, screen: Screen | None, finder: ScreenTexts, pieces: set[str]
) -> list[Box] | None:
    """Return what is to be painted on a screenshot, and add to ``pieces`` what is read there.

    ``screen``: what perception read; None if it did not. Return None if a text of ``finder`` may then be anywhere.
    """
    elements = screen.elements if screen is not None else ()
    regions = [
        region.box_on(shot.size)
        for region in (*redactions.regions, *(Region(app=app, box=WHOLE) for app in redactions.apps))
        if not region.app or _is_of(shot, region.app)
    ]
    for element in elements:
        if is_listed(element, shot.size) and any(_overlap(element.box, box) for box in regions):
            pieces |= _said_by(element)
    if not finder.has_texts:
        return regions
    if screen is None:
        whole = Region(box=WHOLE).box_on(shot.size)
        return [whole] if whole in regions else None
    found = finder.find(elements)
    pieces |= {element.content for element in found if any(len(one) >= SHORT for one in fold(element.content))}
    return [*regions, *(_with_margin(element.box) for element in found)]


def screenshots_of(record: Record) -> tuple[Screenshot, ...]:
    """Return the screenshots that a record describes."""
    if isinstance(record, ScreenCaptured | Restored):
        return (record.screenshot,)
    return record.screens if isinstance(record, StatementJudged) else ()


def _is_of(shot: Screenshot, app: str) -> bool:
    """Return whether a screen is of an app, or may be: the phone did not tell its app."""
    return shot.app is None or app.casefold() in (shot.app.casefold(), shot.app_label.casefold())


def _said_by(element: Element) -> set[str]:
    """Return what an element in a painted region says, as a whole and its numbers."""
    content = element.content
    if element.kind == "icon" and element.source == "vision":  # the name of a drawing
        return set()
    is_number = content.strip().isdecimal() and len(content.strip()) < 3
    pieces = set() if is_number or fold(content) & _VOCABULARY else {content}
    return pieces | {match[0].strip() for match in _NUMBER.finditer(content)}


def _overlap(one: Box, other: Box) -> bool:
    return one.x1 < other.x2 and other.x1 < one.x2 and one.y1 < other.y2 and other.y1 < one.y2


def _with_margin(box: Box) -> Box:
    margin = 2 + box.height // 8
    return Box(x1=max(0, box.x1 - margin), y1=max(0, box.y1 - margin), x2=box.x2 + margin, y2=box.y2 + margin)
