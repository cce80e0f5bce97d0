"""Make elements of a phone's views, and fill what they lack with what perception has read.

Elements are texts, named images, and controls without a name. Views lack canvases, games, web pages, bars and
keyboards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from manyhands.actors.perception.arrangement import contains, overlap, reading_order
from manyhands.protocol.screens.element_rows import FIELDS
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Control, Element, ViewInfo

MOST_OF = 0.5
"""What was read belongs to a view if at least this share of it lies in the view."""
COMPARABLE = 0.06
"""An icon, or a few characters, are the view itself if they fill at least this share of it. A glyph of 16 dp in a
button of 56 dp fills 0.08. A longer text is the view itself from ``MOST_OF`` on."""
FEW = 2
"""The most characters that a reader makes of a glyph."""
ALIKE = 0.75
"""From this similarity on, a text that was read is the view's text, or a part of it."""

LONGEST = 500
"""The most characters of an element's text. Fields may hold a text that is longer than the screen."""
CONTROL_NAMES = {
    "EditText": "text field",
    "AutoCompleteTextView": "text field",
    "SeekBar": "slider",
    "Spinner": "list of choices",
}
"""What a control without a text is called, by its class."""
CHECKED_NAMES = {
    "CheckBox": ("checkbox", "checkbox checked"),
    "RadioButton": ("radio button", "radio button on"),
    "Switch": ("switch off", "switch on"),
    "SwitchCompat": ("switch off", "switch on"),
    "ToggleButton": ("switch off", "switch on"),
}
"""What one is called that can be checked, unchecked and checked: the names that our network gives."""
PASSWORD_NAME = "password field"
OPAQUE = ("WebView", "View", "SurfaceView", "TextureView", "ViewGroup", "FrameLayout")
"""Classes that may draw more than the text that they tell."""


@dataclass(frozen=True, slots=True)
class TreeReading:
    """Hold what a phone's views tell about a screen."""

    elements: tuple[Element, ...]
    """In reading order."""
    controls: tuple[Control, ...]
    """All controls, each before those in it."""
    covered: tuple[Box, ...]
    """Places where nothing is shown but the text of an element."""


@dataclass(slots=True)
class _Branch:
    """Hold a view and the views in it."""

    view: ViewInfo
    inner: list[_Branch] = field(default_factory=list)


def read_tree(views: Sequence[ViewInfo], size: Size) -> TreeReading:
    """Return the elements of the views on a screen of this size.

    A view with a text is a text, wherever it is in the tree. A view with a description alone is an icon if it is an
    image, else a text; it is left out if the views in it say the same. A control without either is an icon, named by
    its class if that says something, and is left out if other elements lie in it. Each element has the innermost
    control that it is or lies in. The text of a password field is never used.
    """
    collector = _Collector(size)
    elements = [element for branch in _branches(views) for element in collector.collect(branch, None)]
    return TreeReading(tuple(reading_order(elements)), tuple(collector.controls), tuple(collector.covered))


def _branches(views: Sequence[ViewInfo]) -> list[_Branch]:
    outermost: list[_Branch] = []
    open_ones: list[_Branch] = []
    for view in views:
        branch = _Branch(view)
        del open_ones[view.depth :]  # a phone that skips a level has told a wrong depth: its view goes one level up
        (open_ones[-1].inner if open_ones else outermost).append(branch)
        open_ones.append(branch)
    return outermost


class _Collector:
    """Collect elements, controls and covered places of one screen."""

    def __init__(self, size: Size) -> None:
        self._size = size
        self.controls: list[Control] = []
        self.covered: list[Box] = []

    def collect(self, branch: _Branch, control: Control | None) -> list[Element]:
        """Return the elements of a view and of those in it. ``control``: the innermost one around the view."""
        view, box = branch.view, self._visible(branch.view)
        reacts = view.clickable or view.checkable or view.password or _is_field(view)
        if box is not None and reacts:
            control = _control(view, box)
            self.controls.append(control)
        inner = [element for part in branch.inner for element in self.collect(part, control)]
        if box is None:
            return inner
        text = "" if view.password else _collapse_lines(view.text)
        if text:
            if not branch.inner and _class_name(view) not in OPAQUE:
                self.covered.append(box)
            return [_element("text", box, text, control), *inner]
        description = _collapse_lines(view.description)
        if description:
            if inner and set(description.split()) <= set(_words(inner)):
                return inner
            return [_element("icon" if _is_image(view) else "text", box, description, control), *inner]
        if reacts and not inner:
            return [_element("icon", box, _control_name(view), control)]
        return inner

    def _visible(self, view: ViewInfo) -> Box | None:
        """Return the part of the view on the screen; None if there is none."""
        left, top, right, bottom = view.bounds
        left, top = max(left, 0), max(top, 0)
        right, bottom = min(right, self._size.width), min(bottom, self._size.height)
        return Box(x1=left, y1=top, x2=right, y2=bottom) if left < right and top < bottom else None


def _control(view: ViewInfo, box: Box) -> Control:
    return Control(
        kind=_class_name(view),
        box=box,
        clickable=view.clickable,
        checked=view.checked if view.checkable else None,
        enabled=view.enabled,
        focused=view.focused,
        scrollable=view.scrollable,
        password=view.password,
    )


def _control_name(view: ViewInfo) -> str:
    """Return what a control without a text is called; empty if its class does not say."""
    if view.password:
        return PASSWORD_NAME
    kind = _class_name(view)
    return CHECKED_NAMES[kind][view.checked] if kind in CHECKED_NAMES else CONTROL_NAMES.get(kind, "")


def _element(kind: str, box: Box, content: str, control: Control | None) -> Element:
    fields = {"kind": kind, "box": box, "content": content, "confidence": 1.0}
    return Element.model_validate({**fields, "source": "accessibility", "control": control})


def _collapse_lines(text: str) -> str:
    """Return a text in one line, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _words(elements: Sequence[Element]) -> Iterator[str]:
    for element in elements:
        yield from element.content.split()


def _class_name(view: ViewInfo) -> str:
    return view.kind.rpartition(".")[2]


def _is_field(view: ViewInfo) -> bool:
    return _class_name(view) in FIELDS


def _is_image(view: ViewInfo) -> bool:
    return "Image" in _class_name(view)


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
