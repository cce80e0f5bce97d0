"""Describe what is drawn where, and what reacts to fingers where.

The layout of a tree of nodes fills a scene with marks in the order of painting, targets for fingers, scrolling areas
and texts. Marks compare by value, so a comparison of two scenes tells which part of the screen must be repainted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import cv2
import numpy as np

from manyhands.simulator.phone.ui.canvas import Canvas, Pixels
from manyhands.simulator.phone.ui.fonts import FontBook
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.ui.glyphs import glyph
from manyhands.simulator.phone.ui.outline import Outline
from manyhands.simulator.phone.ui.theme import Colour

Action = Callable[[], None]
BLACK: Colour = (0, 0, 0)
_NOTHING: AbstractContextManager[None] = nullcontext()


class Mark(Protocol):
    """Be something that is painted. Equal marks paint equal pixels."""

    @property
    def box(self) -> Box: ...

    @property
    def clip(self) -> Box: ...

    def paint(self, canvas: Canvas, fonts: FontBook) -> None: ...


@dataclass(frozen=True, slots=True)
class Fill:
    """Paint a box in one colour, with round corners."""

    box: Box
    clip: Box
    colour: Colour
    radius: int = 0

    def paint(self, canvas: Canvas, fonts: FontBook) -> None:
        canvas.fill(self.box, self.colour, self.radius)


@dataclass(frozen=True, slots=True)
class Letters:
    """Paint one line of text. ``paper`` is the colour beneath the text; None if there are several colours."""

    box: Box
    clip: Box
    text: str
    size: int
    bold: bool
    colour: Colour
    paper: Colour | None

    def paint(self, canvas: Canvas, fonts: FontBook) -> None:
        mask = fonts.mask(self.text, self.size, self.bold)
        canvas.mask(self.box.x, self.box.y, mask, self.colour, self.paper)


@dataclass(frozen=True, slots=True)
class Stamp:
    """Paint a glyph in one colour."""

    box: Box
    clip: Box
    name: str
    colour: Colour
    paper: Colour | None

    def paint(self, canvas: Canvas, fonts: FontBook) -> None:
        canvas.mask(self.box.x, self.box.y, glyph(self.name, self.box.w), self.colour, self.paper)


@dataclass(frozen=True, slots=True)
class Shade:
    """Paint a translucent colour over all that is beneath."""

    box: Box
    clip: Box
    colour: Colour
    share: float

    def paint(self, canvas: Canvas, fonts: FontBook) -> None:
        canvas.shade(self.box, self.colour, self.share)


@lru_cache(maxsize=8)
def _gradient(width: int, height: int, stops: tuple[Colour, ...]) -> Pixels:
    """Return a picture that blends the colours from top left to bottom right, softly curved."""
    small_h, small_w = max(2, height // 8), max(2, width // 8)
    y, x = np.mgrid[0:small_h, 0:small_w].astype(np.float32)
    t = 0.75 * y / small_h + 0.25 * x / small_w + 0.05 * np.sin(5 * x / small_w)
    colours = np.array(stops, np.float32)
    place = np.clip(t, 0, 1) * (len(stops) - 1)
    low = np.minimum(place.astype(int), len(stops) - 2)
    share = (place - low)[:, :, None]
    picture = colours[low] * (1 - share) + colours[low + 1] * share
    return np.asarray(cv2.resize(picture, (width, height)).clip(0, 255).astype(np.uint8))


@dataclass(frozen=True, slots=True)
class Gradient:
    """Paint blending colours, such as a wallpaper."""

    box: Box
    clip: Box
    stops: tuple[Colour, ...]

    def paint(self, canvas: Canvas, fonts: FontBook) -> None:
        canvas.paste(self.box.x, self.box.y, _gradient(self.box.w, self.box.h, self.stops))


@dataclass(slots=True)
class Scroller:
    """Hold how far a scrolling area is scrolled, in pixels. A page owns its scrollers; each layout updates their sizes.

    ``sticky``: once at its end, the area stays there when content is added, as in a conversation.
    """

    offset: int = 0
    content: int = 0
    view: int = 0
    horizontal: bool = False
    sticky: bool = False

    def by(self, distance: int) -> None:
        self.offset = max(0, min(self.offset + distance, self.content - self.view))

    def fit(self, content: int, view: int) -> None:
        """Store new sizes, and keep the offset within them."""
        at_end = self.offset >= self.content - self.view
        self.content, self.view = content, view
        self.by(content if self.sticky and at_end else 0)


@dataclass(frozen=True, slots=True)
class Target:
    """Be an area that reacts to fingers. A target without ``tap`` swallows touches."""

    box: Box
    tap: Action | None
    hold: Action | None = None
    fling: Action | None = None


@dataclass(slots=True)
class Scene:
    """Hold all marks, targets, scrolling areas and texts of one moment. ``wake``: when the scene changes by itself.

    ``whole``: place nodes outside the visible part, too, to find the caret.
    """

    bounds: Box
    clip: Box
    paper: Colour | None = None
    marks: list[Mark] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    scrollers: list[tuple[Box, Scroller]] = field(default_factory=list)
    texts: list[tuple[str, Box]] = field(default_factory=list)
    wake: float = float("inf")
    whole: bool = False
    caret: Box | None = None
    caret_in: tuple[Box, Scroller] | None = None
    outline: Outline | None = None
    """Collects views, if somebody has asked for them."""

    def add(self, mark: Mark) -> None:
        if not mark.box.cut(mark.clip).empty:
            self.marks.append(mark)

    def view(self, kind: str, box: Box, glyph: str = "", **facts: Any) -> None:
        """Add a view without children."""
        if self.outline is not None:
            self.outline.leaf(kind, box.cut(self.clip), glyph, **facts)

    def group(self, kind: str, box: Box, **facts: Any) -> AbstractContextManager[None]:
        """Add a view. What is placed within the block is inside it."""
        return _NOTHING if self.outline is None else self.outline.group(kind, box.cut(self.clip), **facts)

    def touchable(self, box: Box, tap: Action | None, hold: Action | None = None, fling: Action | None = None) -> None:
        box = box.cut(self.clip)
        if not box.empty:
            self.targets.append(Target(box, tap, hold, fling))

    def modal(self, box: Box, beside: Action | None) -> None:
        """Make all targets and scrolling areas so far inactive. From now on, a tap into ``box`` does ``beside``."""
        self.targets = [Target(box, beside)]
        self.scrollers.clear()
        self.texts.clear()

    def black_out(self) -> None:
        """Cover all that was drawn so far with black. Fingers still reach it."""
        self.add(Fill(self.bounds, self.bounds, BLACK))
        self.paper = BLACK
        self.texts.clear()

    def at(self, x: int, y: int) -> Target | None:
        return next((target for target in reversed(self.targets) if target.box.holds(x, y)), None)

    def scroller_at(self, x: int, y: int, horizontal: bool) -> Scroller | None:
        found = (s for box, s in reversed(self.scrollers) if box.holds(x, y) and s.horizontal is horizontal)
        return next(found, None)

    def changes_at(self, when: float) -> None:
        self.wake = min(self.wake, when)


def damage(old: Sequence[Mark], new: Sequence[Mark]) -> Box:
    """Return a box outside of which both scenes paint the same pixels.

    Both lists may begin with the same marks and end with the same marks. The box encloses all marks between these.
    """
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    box = Box(0, 0, 0, 0)
    for mark in (*old[first : len(old) - last], *new[first : len(new) - last]):
        box = box.join(mark.box.cut(mark.clip))
    return box


def paint(marks: Sequence[Mark], canvas: Canvas, fonts: FontBook, area: Box) -> None:
    """Paint all marks that touch ``area``, and only inside it."""
    for mark in marks:
        canvas.clip = mark.clip.cut(area)
        if not mark.box.cut(canvas.clip).empty:
            mark.paint(canvas, fonts)
