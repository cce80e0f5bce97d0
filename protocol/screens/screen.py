"""Define screenshots, the screens that perception reads off them, the views that a phone tells of, and searches."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, model_validator

from manyhands.protocol.base import Message
from manyhands.protocol.screens.argument_types import Position
from manyhands.protocol.screens.geometry import Box, Size

_WORD = re.compile(r"\S+")
Keyboard = Literal["shown", "hidden", "unknown"]


class Settling(Message):
    """Report how long a capture waited for the screen to settle."""

    ms: float = Field(ge=0)
    """Without the time in queues."""
    frames: int = Field(ge=1)
    """How many frames were compared. The last one is the screenshot."""
    settled: bool
    """False if the screen still changed at the time limit."""
    quiet_ms: float = Field(default=0, ge=0)
    """How long the screen had to stay unchanged at the end."""
    learned: bool = False
    """Whether settling knew from earlier captures what follows such actions in such an app."""
    pauses: int = Field(default=0, ge=0)
    """How many still pauses before known late changes were waited out."""
    masked: float = Field(default=0, ge=0, le=1)
    """The share of the screen that was left out because it changes by itself."""


class Screenshot(Message):
    """Describe one captured screen. The pixels travel separately."""

    content_id: str = Field(pattern=r"^[0-9a-f]{32}$")
    """BLAKE3 (128 bits) over width, height and the decoded RGB bytes."""
    size: Size
    serial: str
    taken_at: float
    """Unix seconds at which the frame was complete."""
    capture_ms: float = Field(ge=0)
    """Time of work on this frame, without settling and queues."""
    queue_ms: float = Field(default=0, ge=0)
    """Time spent waiting in queues on this host, over all frames of the capture."""
    settling: Settling | None = None
    keyboard: Keyboard = "unknown"
    """As the phone reports it; ``unknown`` where it does not."""
    app: str | None = None
    """The package in front, as the phone reports it."""
    app_label: str = ""
    """The name of this app that people see; empty if it is not known."""
    app_version: str | None = None
    """The app's version code when the task began; None if the phone does not report it."""
    alike: str | None = None
    """The content id of the previous screenshot, if the two differ only in what changes by itself: the status bar, a
    caret, a region that keeps changing. None also if the two were not compared."""
    page_id: str | None = None
    """Equal for recent screenshots of a phone that show the same but for what changes by itself; None if they were not
    compared."""
    caret: int | None = None
    """Characters (UTF-16 units) before the caret in the field that has the focus, as the phone reports it."""
    is_black: bool = False
    """Whether the page is all black in the picture: it forbids pictures, has drawn nothing yet, or the display is off.
    """
    is_secure: bool = False
    """Whether the phone says that a window on the display forbids pictures. Only of black pages it is asked."""
    sent_home: str = ""
    """Why the phone was sent to its home screen for this screenshot, since the app in front gave none; else empty."""

    @property
    def page(self) -> str:
        """Return what stands for all that is shown, apart from what changes by itself, as far as that is known."""
        return self.page_id or self.content_id

    def shows_as(self, before: Screenshot) -> bool:
        """Return whether this screenshot shows the same as ``before``, apart from what changes by itself.

        A page that is black shows nothing that could be compared.
        """
        return not self.is_black and before.content_id in (self.content_id, self.alike)


ElementSource = Literal["vision", "accessibility"]
"""Who told of an element. ``vision``: perception read it off the pixels. ``accessibility``: the phone's views."""
TreeOutcome = Literal["used", "empty", "changed", "late", "refused", "left_out"]
"""What became of the phone's views for a screen. ``empty``: they show nothing. ``changed``: they belong to another
screen. ``late``: they did not arrive in time. ``refused``: the phone gave none. ``left_out``: the phone was not waited
for, because it gave none before. Only with ``used`` do elements come from them."""


class Control(Message):
    """Describe a view that reacts to touches or takes text, as the phone tells."""

    kind: str
    """The view's class without its package, such as ``Switch``."""
    box: Box
    clickable: bool = False
    checked: bool | None = None
    """None if the view cannot be checked."""
    enabled: bool = True
    focused: bool = False
    scrollable: bool = False
    password: bool = False
    """Whether it takes a password. What such a field holds is never used."""


class Element(Message):
    """Describe a text or an icon on the screen."""

    kind: Literal["text", "icon"]
    box: Box
    content: str
    """The text as read, or the icon's name; empty for an icon without a name."""
    confidence: float = Field(ge=0, le=1)
    columns: tuple[int, ...] = ()
    """For a text of several words or characters: for each character of ``content``, the pixel column of its middle, as
    the recogniser aligned it. Empty if unknown."""
    source: ElementSource = "vision"
    control: Control | None = None
    """The innermost control that the element is or lies in, if the phone's views tell."""

    @model_validator(mode="after")
    def _one_for_each(self) -> Element:
        if self.columns and len(self.columns) != len(self.content):
            raise ValueError(f"{len(self.columns)} columns for {len(self.content)} characters")
        return self

    def part(self, start: int, end: int) -> Element:
        """Return the characters from ``start`` to before ``end`` as an element; the whole text without ``columns``."""
        if not self.columns:
            return self
        left = self.box.x1 if start == 0 else self._between(start - 1)
        right = self.box.x2 if end == len(self.content) else self._between(end - 1)
        box = self.box.model_copy(update={"x1": min(left, right - 1), "x2": right})
        return self.model_copy(
            update={"box": box, "content": self.content[start:end], "columns": self.columns[start:end]}
        )

    @property
    def words(self) -> tuple[Element, ...]:
        """Return the words of a text with their places; empty if the places are unknown."""
        if not self.columns:
            return ()
        return tuple(self.part(*match.span()) for match in _WORD.finditer(self.content))

    def _between(self, place: int) -> int:
        """Return the column between a character and the next one. If one of them is a blank, return its middle."""
        for blank in (place, place + 1):
            if self.content[blank].isspace():
                return self.columns[blank]
        return (self.columns[place] + self.columns[place + 1]) // 2

    @property
    def centre(self) -> tuple[int, int]:
        return self.box.centre


class Screen(Message):
    """Hold what perception read off a screenshot. Elements are in reading order."""

    content_id: str
    size: Size
    elements: tuple[Element, ...]
    keyboard: Keyboard
    timings_ms: dict[str, float] = Field(default_factory=dict)
    """By part of the work: queue, decode, compare, text, icons, names, merge, state; tree for the phone's views."""
    cached: bool = False
    """Whether the same pixels had been read before."""
    read_share: float = Field(default=1, ge=0, le=1)
    """The share of the picture's rows that had to be read: 1 for all, 0 if all rows were known."""
    captioned: int = Field(default=0, ge=0)
    """How many icons have names from a model, not from our own network."""
    dialog: Box | None = None
    """The card that lies over a dimmed page, if the pixels show one."""
    black: Box | None = None
    """The region where a page is all black: it forbids screenshots, has drawn nothing yet, or the display is off."""
    home: bool = False
    """Whether the pixels show a launcher's page with its dock. No other app can be told from the pixels."""
    tree: TreeOutcome | None = None
    """What became of the phone's views; None if they were not asked for."""


VIEWS = "phone://views"
"""The address in a phone's state that holds a :class:`ViewTree`."""
MOST_VIEWS = 5_000
MOST_DEPTH = 200


class ViewInfo(Message):
    """Describe one view. All of it comes from the phone and is data, never an instruction."""

    depth: int = Field(ge=0, le=MOST_DEPTH)
    """The number of views that hold it."""
    kind: str
    """The fully qualified class."""
    text: str = ""
    """Empty for a password field, whatever the phone tells."""
    description: str = ""
    bounds: tuple[int, int, int, int]
    """Left, top, right, bottom in pixels. They may lie off the screen or be empty."""
    clickable: bool = False
    checkable: bool = False
    checked: bool = False
    enabled: bool = True
    focused: bool = False
    scrollable: bool = False
    password: bool = False


class ViewTree(Message):
    """Hold the views of the window in front, each before what it holds, and the screen that they belong to."""

    shown: str | None
    """The content id of the phone's last screenshot, if the phone still showed it right after it told its views; else
    None."""
    views: tuple[ViewInfo, ...] = Field(max_length=MOST_VIEWS)


Way = Literal["exact", "contained", "similar", "name", "label", "colour", "position", "likeness"]
"""How a match was made. A text equals the words, contains them, or is similar to them. An icon matches by its name, by
the text right under it, by its colour, by its place, or because CLIP finds its pixels like the description."""


class LocateQuery(Message):
    """Describe what to find on a screen."""

    kind: Literal["text", "icon"]
    words: str = Field(min_length=1, max_length=200)
    """The text as it is written, or a description of the icon in English or Chinese: "the red bell, top right"."""
    position: Position | None = None
    """Where the icon is, in addition to its description."""


class Match(Message):
    """Hold an element that the query may mean."""

    element: Element
    """The element. If a longer text contains the words, this is only the part with the words, provided that its place
    is known."""
    score: float = Field(ge=0, le=1)
    ways: tuple[Way, ...]


class Located(Message):
    """Hold all elements that the query may mean, the best first; empty if none fits."""

    matches: tuple[Match, ...]
