"""Parse what ``uiautomator dump`` writes: the views of the window in front, as data from a phone that is not trusted.

Entities and document types are refused. Bytes, depth and number of views are bounded. Whatever is wrong with a dump
raises StateUnavailable, never an error of the XML parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.views import MOST_DEPTH, MOST_VIEWS

MOST_BYTES = 4_000_000
LONGEST_TEXT = 2_000
"""How many characters of a text are kept."""
FARTHEST = 1_000_000
"""How far from the corner a side may lie, in pixels."""

BEGIN, _END = b"<hierarchy", b"</hierarchy>"
_BOUNDS = re.compile(r"\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]", re.ASCII)


@dataclass
class View:
    """Hold one view. ``bounds`` are left, top, right, bottom in pixels, and may lie off the screen or be empty."""

    kind: str
    text: str
    description: str
    id: str
    package: str
    bounds: tuple[int, int, int, int]
    clickable: bool
    checkable: bool
    checked: bool
    enabled: bool
    focused: bool
    selected: bool
    scrollable: bool
    password: bool
    views: list[View] = field(default_factory=list)


def parse_views(dump: bytes) -> list[View]:
    """Return the outermost views of a dump. Text before and after the hierarchy is left out.

    Raises StateUnavailable if the dump has no hierarchy, or is damaged or too large.
    """
    if len(dump) > MOST_BYTES:
        raise StateUnavailable(f"the tree of views has {len(dump)} bytes, more than {MOST_BYTES}")
    begin, end = dump.find(BEGIN), dump.rfind(_END)
    if begin < 0 or end < begin:
        words = dump[:200].decode(errors="replace").strip()
        raise StateUnavailable(f"the phone gave no tree of views: {words or 'no output'!r}")
    builder = _TreeBuilder()
    try:
        builder.parser.Parse(dump[begin : end + len(_END)], True)
    except expat.ExpatError as error:
        raise StateUnavailable(f"the tree of views is damaged: {error}") from error
    return builder.outermost


def walk(views: Iterable[View]) -> Iterator[View]:
    """Yield views and all that they hold, each before what it holds."""
    for view in views:
        yield view
        yield from walk(view.views)


class _TreeBuilder:
    """Build views while expat reads."""

    def __init__(self) -> None:
        self.outermost: list[View] = []
        self._open: list[list[View]] = []
        self._count = 0
        self.parser = expat.ParserCreate("UTF-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        raise StateUnavailable("the tree of views declares a document type or an entity, which no phone does")

    def _start(self, name: str, values: dict[str, str]) -> None:
        if not self._open:
            self._open.append(self.outermost)
            return
        if name != "node":
            raise StateUnavailable(f"the tree of views has an element {name[:40]!r}, not a node")
        self._count += 1
        if self._count > MOST_VIEWS or len(self._open) > MOST_DEPTH:
            raise StateUnavailable(f"the tree of views has more than {MOST_VIEWS} views or {MOST_DEPTH} levels")
        view = _view(values)
        self._open[-1].append(view)
        self._open.append(view.views)

    def _end(self, _: str) -> None:
        self._open.pop()


def _view(values: dict[str, str]) -> View:
    def says(name: str) -> bool:
        return values.get(name) == "true"

    return View(
        kind=values.get("class", "")[:LONGEST_TEXT],
        text=values.get("text", "")[:LONGEST_TEXT],
        description=values.get("content-desc", "")[:LONGEST_TEXT],
        id=values.get("resource-id", "")[:LONGEST_TEXT],
        package=values.get("package", "")[:LONGEST_TEXT],
        bounds=_bounds(values.get("bounds", "")),
        clickable=says("clickable"),
        checkable=says("checkable"),
        checked=says("checked"),
        enabled=says("enabled"),
        focused=says("focused"),
        selected=says("selected"),
        scrollable=says("scrollable"),
        password=says("password"),
    )


def _bounds(text: str) -> tuple[int, int, int, int]:
    found = _BOUNDS.fullmatch(text)
    sides = tuple(map(int, found.groups())) if found else ()
    if not sides or any(abs(side) > FARTHEST for side in sides):
        raise StateUnavailable(f"a view's bounds cannot be read: {text[:60]!r}")
    left, top, right, bottom = sides
    return left, top, right, bottom
