"""Lay out the screen: trees of nodes that measure themselves and are placed into a scene.

A node has a height for a given width, and is then placed into a box. Lengths of nodes are in dp (density-independent
pixels); a :class:`Look` turns them into pixels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from manyhands.simulator.phone.ui.fonts import FontBook
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.ui.scene import Action, Fill, Letters, Scene, Scroller, Stamp
from manyhands.simulator.phone.ui.theme import Colour, Theme
from manyhands.simulator.phone.views import IMAGE, LAYOUT, SCROLL, SURFACE, TEXT

# A colour, or the name of a colour in the theme, such as "accent".
Tone = Colour | str


@dataclass(frozen=True, slots=True)
class Look:
    """Hold what nodes need to measure and draw themselves: pixels per dp, theme, fonts, and the time of the drawing."""

    scale: float
    theme: Theme
    fonts: FontBook
    now: float

    def px(self, dp: float) -> int:
        return round(dp * self.scale)

    def colour(self, tone: Tone) -> Colour:
        """Return a colour; for a name, the theme's colour. Raises AttributeError for an unknown name."""
        if isinstance(tone, str):
            found: Colour = getattr(self.theme, tone)
            return found
        return tone


class Node(ABC):
    """Be a part of the screen. With ``grow``, it takes the remaining width of its row."""

    grow = False

    def width(self, look: Look, limit: int) -> int:
        """Return the natural width in pixels, at most ``limit``."""
        return limit

    @abstractmethod
    def height(self, look: Look, width: int) -> int:
        """Return the height in pixels at this width."""

    @abstractmethod
    def place(self, look: Look, scene: Scene, box: Box) -> None:
        """Draw into ``box`` of the scene."""


class Square(Node):
    """Be a part that is ``size`` dp wide and high."""

    size: float

    def width(self, look: Look, limit: int) -> int:
        return look.px(self.size)

    def height(self, look: Look, width: int) -> int:
        return look.px(self.size)


class Wrapper(Node):
    """Be a part that shows one child and has its height."""

    def __init__(self, child: Node) -> None:
        self.child = child

    def height(self, look: Look, width: int) -> int:
        return self.child.height(look, width)

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        self.child.place(look, scene, box)


class Surface(Wrapper):
    """Show a child as a game or a map draws it: accessibility services see one view, and nothing in it."""

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        scene.view(SURFACE, box)
        outline, scene.outline = scene.outline, None
        self.child.place(look, scene, box)
        scene.outline = outline


class Text(Node):
    """Show wrapped text. With more than ``lines`` lines, the last one ends in an ellipsis."""

    def __init__(
        self,
        text: str,
        size: float = 15,
        bold: bool = False,
        colour: Tone = "ink",
        lines: int | None = None,
        align: Literal["left", "center"] = "left",
    ) -> None:
        self.text, self.size, self.bold, self.colour = text, size, bold, colour
        self.lines, self.align = lines, align

    def _lines(self, look: Look, width: int) -> tuple[str, ...]:
        return look.fonts.wrap(self.text, look.px(self.size), self.bold, width, self.lines)

    def _pitch(self, look: Look) -> int:
        return look.fonts.line_height(look.px(self.size)) + look.px(self.size * 0.12)

    def width(self, look: Look, limit: int) -> int:
        size = look.px(self.size)
        return min(limit, max(look.fonts.width(line, size, self.bold) for line in self._lines(look, limit)))

    def height(self, look: Look, width: int) -> int:
        return self._pitch(look) * len(self._lines(look, width))

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        scene.view(TEXT, box, text=self.text)
        size, pitch = look.px(self.size), self._pitch(look)
        y = box.y
        for line in self._lines(look, box.w):
            spare = box.w - look.fonts.width(line, size, self.bold)
            x = box.x + (spare // 2 if self.align == "center" else 0)
            put_text(look, scene, x, y + look.px(self.size * 0.06), line, size, self.bold, self.colour)
            y += pitch


def put_text(look: Look, scene: Scene, x: int, y: int, line: str, size: int, bold: bool, colour: Tone) -> None:
    """Draw one line of text at a place. If it is visible, add it to the scene's texts."""
    box = Box(x, y, look.fonts.width(line, size, bold), look.fonts.line_height(size))
    if line and not box.cut(scene.clip).empty:
        scene.add(Letters(box, scene.clip, line, size, bold, look.colour(colour), scene.paper))
        scene.texts.append((line, box.cut(scene.clip)))


class Gap(Node):
    """Be an empty space of ``dp`` along its column or row."""

    def __init__(self, dp: float) -> None:
        self.dp = dp

    def width(self, look: Look, limit: int) -> int:
        return min(limit, look.px(self.dp))

    def height(self, look: Look, width: int) -> int:
        return look.px(self.dp)

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        """Draw nothing."""


class Icon(Square):
    """Show a glyph of ``size`` dp."""

    def __init__(self, name: str, size: float = 22, colour: Tone = "ink") -> None:
        self.name, self.size, self.colour = name, size, colour

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        mark = box.middle(look.px(self.size), look.px(self.size))
        scene.view(IMAGE, mark, self.name)
        scene.add(Stamp(mark, scene.clip, self.name, look.colour(self.colour), scene.paper))


class Column(Node):
    """Put children one above the other. Children outside the visible part are measured but not placed."""

    def __init__(self, children: Sequence[Node], gap: float = 0) -> None:
        self.children, self.gap = children, gap

    def width(self, look: Look, limit: int) -> int:
        return max((child.width(look, limit) for child in self.children), default=0)

    def height(self, look: Look, width: int) -> int:
        spaces = max(0, len(self.children) - 1) * look.px(self.gap)
        return sum(child.height(look, width) for child in self.children) + spaces

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        y = box.y
        with scene.group(LAYOUT, box):
            for child in self.children:
                tall = child.height(look, box.w)
                if scene.whole or (y < scene.clip.bottom and y + tall > scene.clip.y):
                    child.place(look, scene, Box(box.x, y, box.w, tall))
                y += tall + look.px(self.gap)


class Grow(Wrapper):
    """Take the remaining width of a row."""

    grow = True


class Row(Node):
    """Put children side by side, centred vertically. ``Grow`` children share the remaining width."""

    def __init__(self, children: Sequence[Node], gap: float = 0) -> None:
        self.children, self.gap = children, gap

    def _widths(self, look: Look, width: int) -> list[int]:
        left = width - look.px(self.gap) * max(0, len(self.children) - 1)
        widths = [0 if child.grow else child.width(look, max(0, left)) for child in self.children]
        if sum(widths) > left:
            widest = widths.index(max(widths))
            widths[widest] = max(0, widths[widest] - (sum(widths) - left))
        growing = sum(child.grow for child in self.children)
        share = max(0, left - sum(widths)) // growing if growing else 0
        return [share if child.grow else wide for child, wide in zip(self.children, widths, strict=True)]

    def width(self, look: Look, limit: int) -> int:
        if any(child.grow for child in self.children):
            return limit
        return min(limit, sum(self._widths(look, limit)) + look.px(self.gap) * max(0, len(self.children) - 1))

    def height(self, look: Look, width: int) -> int:
        pairs = zip(self.children, self._widths(look, width), strict=True)
        return max((child.height(look, wide) for child, wide in pairs if not isinstance(child, Gap)), default=0)

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        x = box.x
        with scene.group(LAYOUT, box):
            for child, wide in zip(self.children, self._widths(look, box.w), strict=True):
                tall = child.height(look, wide)
                child.place(look, scene, Box(x, box.y + (box.h - tall) // 2, wide, tall))
                x += wide + look.px(self.gap)


Pad = float | tuple[float, float, float, float]


class Panel(Node):
    """Add padding, a fill colour, round corners, a fixed size and reactions to a child. All are optional.

    ``pad``: dp for all sides or (left, top, right, bottom). ``size``: (width, height) in dp; None is the natural one.
    """

    def __init__(
        self,
        child: Node,
        pad: Pad = 0,
        fill: Tone | None = None,
        radius: float = 0,
        size: tuple[float | None, float | None] = (None, None),
        tap: Action | None = None,
        hold: Action | None = None,
    ) -> None:
        self.child, self.fill, self.radius, self.size = child, fill, radius, size
        self.pad = pad if isinstance(pad, tuple) else (pad, pad, pad, pad)
        self.tap, self.hold = tap, hold

    def _pads(self, look: Look) -> tuple[int, int, int, int]:
        left, top, right, bottom = self.pad
        return look.px(left), look.px(top), look.px(right), look.px(bottom)

    def width(self, look: Look, limit: int) -> int:
        if self.size[0] is not None:
            return min(limit, look.px(self.size[0]))
        left, _, right, _ = self._pads(look)
        return min(limit, self.child.width(look, max(0, limit - left - right)) + left + right)

    def height(self, look: Look, width: int) -> int:
        if self.size[1] is not None:
            return look.px(self.size[1])
        left, top, right, bottom = self._pads(look)
        return self.child.height(look, max(0, width - left - right)) + top + bottom

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        paper = scene.paper
        if self.fill is not None:
            scene.paper = look.colour(self.fill)
            scene.add(Fill(box, scene.clip, scene.paper, look.px(self.radius)))
        inner = box.inset(*self._pads(look))
        tall = self.child.height(look, inner.w)
        within = Box(inner.x, inner.y + max(0, inner.h - tall) // 2, inner.w, tall)
        if self.tap or self.hold:
            scene.touchable(box, self.tap, self.hold)
            tap, hold = self.tap is not None, self.hold is not None
            with scene.group(LAYOUT, box, clickable=tap, long_clickable=hold, focusable=tap):
                self.child.place(look, scene, within)
        else:
            self.child.place(look, scene, within)
        scene.paper = paper


class Center(Wrapper):
    """Put a child of natural width in the middle of the row."""

    def height(self, look: Look, width: int) -> int:
        return self.child.height(look, self.child.width(look, width))

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        wide = self.child.width(look, box.w)
        self.child.place(look, scene, Box(box.x + (box.w - wide) // 2, box.y, wide, box.h))


class Seen(Wrapper):
    """Call ``seen`` when at least half of the child is visible."""

    def __init__(self, child: Node, seen: Callable[[], None]) -> None:
        super().__init__(child)
        self.seen = seen

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        if 2 * box.cut(scene.clip).h >= box.h > 0:
            self.seen()
        super().place(look, scene, box)


class Scroll(Wrapper):
    """Show a child of any height in a box of fixed height. The scroller moves the child."""

    def __init__(self, child: Node, scroller: Scroller) -> None:
        super().__init__(child)
        self.scroller = scroller

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        tall = self.child.height(look, box.w)
        self.scroller.fit(tall, box.h)
        outer, scene.clip = scene.clip, scene.clip.cut(box)
        scene.scrollers.append((scene.clip, self.scroller))
        moves = tall > box.h
        with scene.group(SCROLL, box, scrollable=moves, focusable=moves):
            self.child.place(look, scene, Box(box.x, box.y - self.scroller.offset, box.w, tall))
        if scene.caret and not scene.caret_in:
            scene.caret_in = (box, self.scroller)
        scene.clip = outer
