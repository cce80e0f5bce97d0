"""Read the views of the window in front, from ``uiautomator dump``, as data from a phone that is not trusted.

Android waits until the window has been idle for a moment. A window that keeps moving gives no views.

Entities and document types are refused. Bytes, depth and number of views are bounded. If the dump itself is wrong,
StateUnavailable is raised, never an error of the XML parser. A wrong value of one view condemns no other: characters
that XML does not allow are left out, and bounds that cannot be read are empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from manyhands.actors.phones.adb.shell import Ask, quote_answer
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.screens.screen import MOST_DEPTH, MOST_VIEWS, ViewInfo

LONGEST_S = 12
"""A dump that hangs is ended on the phone after so many seconds, because no other can run beside it. Android itself
waits for an idle window for at most 10."""
_FILE = "/data/local/tmp/manyhands_views.xml"
_LIMIT = f"$(which timeout > /dev/null && echo timeout {LONGEST_S})"
"""Android has ``timeout`` from version 8 on."""
VIEWS_LINE = f"rm -f {_FILE}; {_LIMIT} uiautomator dump --compressed {_FILE} > /dev/null; cat {_FILE}; rm -f {_FILE}"
"""Prints the views without those that only arrange others. Changes nothing on the phone."""

MOST_BYTES = 4_000_000
LONGEST_TEXT = 2_000
"""How many characters of a text are kept."""
FARTHEST = 1_000_000
"""How far from the corner a side may lie, in pixels."""

BEGIN, _END = b"<hierarchy", b"</hierarchy>"
_BOUNDS = re.compile(r"\[(-?\d{1,12}),(-?\d{1,12})\]\[(-?\d{1,12}),(-?\d{1,12})\]", re.ASCII)
_REFERENCE = re.compile(rb"&#(?:x([0-9A-Fa-f]+)|([0-9]+));")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    is_visible: bool
    """False if the phone says that no user sees the view. Then none sees those in it either."""
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
        builder.parser.Parse(_cleaned(dump[begin : end + len(_END)]), True)
    except expat.ExpatError as error:
        raise StateUnavailable(f"the tree of views is damaged: {error}") from error
    return builder.outermost


def walk(views: Iterable[View]) -> Iterator[View]:
    """Yield views and all that they hold, each before what it holds."""
    for view in views:
        yield view
        yield from walk(view.views)


async def visible_views(ask: Ask) -> tuple[View, ...]:
    """Return the views that a user may see, each before what it holds. Raises StateUnavailable, PhoneLost."""
    return tuple(_visible(parse_views((await ask(VIEWS_LINE)).stdout)))


def _visible(views: Iterable[View]) -> Iterator[View]:
    for view in (one for one in views if one.is_visible):
        yield view
        yield from _visible(view.views)


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
        is_visible=values.get("visible-to-user") != "false",
    )


def _bounds(text: str) -> tuple[int, int, int, int]:
    """Return the sides. Bounds that are missing, or that no screen has, are empty."""
    match = _BOUNDS.fullmatch(text)
    sides = tuple(map(int, match.groups())) if match else ()
    if not sides or any(abs(side) > FARTHEST for side in sides):
        return 0, 0, 0, 0
    left, top, right, bottom = sides
    return left, top, right, bottom


def _cleaned(dump: bytes) -> str:
    """Return a dump without characters that XML does not allow.

    Phones write half an emoji where an app cut a text, and each half of a whole one by itself: as a reference, or as
    three bytes.
    """
    expanded = _REFERENCE.sub(_written_out, dump)
    try:
        text = expanded.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = expanded.decode("utf-8", "replace")
    return _NOT_XML.sub("", text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore"))


def _written_out(reference: re.Match[bytes]) -> bytes:
    """Return half of a character as its bytes, nothing for what is no character, and other references unchanged."""
    digits, base = (reference[1], 16) if reference[1] else (reference[2], 10)
    code = int(digits.lstrip(b"0")[:9] or b"0", base)  # no character has a number of nine digits or more
    if 0xD800 <= code <= 0xDFFF:
        return chr(code).encode("utf-8", "surrogatepass")
    return b"" if code > 0x10FFFF or _NOT_XML.match(chr(code)) else reference[0]


async def read_views(ask: Ask) -> tuple[ViewInfo, ...]:
    """Return the views, each before what it holds, but for those that no user sees.

    They may hold orders to an agent. The text of a password field is left out, too.

    Raises StateUnavailable, PhoneLost.
    """
    answer = await ask(VIEWS_LINE)
    try:
        outermost = parse_views(answer.stdout)
    except StateUnavailable as error:
        raise StateUnavailable(f"{error}; it answered: {quote_answer(answer)}") from error
    return tuple(_flatten(outermost, 0))


def _flatten(views: Iterable[View], depth: int) -> Iterator[ViewInfo]:
    for view in (one for one in views if one.is_visible):
        yield ViewInfo(
            depth=depth,
            kind=view.kind,
            text="" if view.password else view.text,
            description=view.description,
            bounds=view.bounds,
            clickable=view.clickable,
            checkable=view.checkable,
            checked=view.checked,
            enabled=view.enabled,
            focused=view.focused,
            scrollable=view.scrollable,
            password=view.password,
        )
        yield from _flatten(view.views, depth + 1)
