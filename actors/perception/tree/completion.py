"""Fill what a phone's views lack with what perception has read: canvases, games, web pages, bars and keyboards."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from manyhands.actors.perception.arrangement import contains, overlap, reading_order
from manyhands.actors.perception.tree.elements import TreeReading
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Control, Element

MOST_OF = 0.5
"""What was read belongs to a view if at least this share of it lies in the view."""
COMPARABLE = 0.06
"""An icon, or a few characters, are the view itself if they fill at least this share of it. A glyph of 16 dp in a
button of 56 dp fills 0.08. A longer text is the view itself from ``MOST_OF`` on."""
FEW = 2
"""The most characters that a reader makes of a glyph."""
ALIKE = 0.75
"""From this similarity on, a text that was read is the view's text, or a part of it."""


def complete(tree: TreeReading, read: Sequence[Element]) -> tuple[Element, ...]:
    """Return the elements of the views, and those of ``read`` that the views do not tell, in reading order.

    A control without a name gives way to what was read in it. Each added element has the innermost control that it lies
    in. What is read in a password field is left out.
    """
    added = [_with_control(element, tree.controls) for element in read if not _is_told(element, tree)]
    added = [
        element
        for element in added
        if element.control is None or not (element.control.password and element.kind == "text")
    ]
    from_tree = [
        one for one in tree.elements if one.content or not any(_lies_in(element, one.box) for element in added)
    ]
    return tuple(reading_order([*from_tree, *added]))


def _is_told(element: Element, tree: TreeReading) -> bool:
    """Return whether the views tell what was read in this place. A line may reach over several views."""
    if sum(overlap(element.box, box) for box in tree.covered) >= MOST_OF * max(element.box.area, 1):
        return True
    return any(_is_same(element, one) for one in tree.elements if one.content and _lies_in(element, one.box))


def _is_same(element: Element, of_tree: Element) -> bool:
    short = element.kind == "icon" or len(element.content) <= FEW
    return element.box.area >= (COMPARABLE if short else MOST_OF) * of_tree.box.area or _is_part(
        element.content, of_tree.content
    )


def _is_part(text: str, whole: str) -> bool:
    """Return whether a text that was read is in a text that the phone tells, apart from a few wrong characters."""
    one, other = "".join(text.split()).casefold(), "".join(whole.split()).casefold()
    if not one or not other:
        return False
    run = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    start = max(run.b - run.a, 0)
    return SequenceMatcher(None, one, other[start : start + len(one)], autojunk=False).ratio() >= ALIKE


def _lies_in(element: Element, box: Box) -> bool:
    return overlap(element.box, box) >= MOST_OF * max(element.box.area, 1)


def _with_control(element: Element, controls: Sequence[Control]) -> Element:
    around = [control for control in controls if contains(control.box, element.centre)]
    if not around:
        return element
    return element.model_copy(update={"control": min(around, key=lambda control: control.box.area)})
