"""Provide the parts of apps: bars, rows, switches, fields, buttons, pictures, placeholders while loading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manyhands.simulator.phone.ui.field import Field
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.ui.glyph_paths import SPINNER_STEPS
from manyhands.simulator.phone.ui.layout import (
    Center,
    Column,
    Gap,
    Grow,
    Icon,
    Look,
    Node,
    Panel,
    Row,
    Square,
    Text,
    Tone,
    put_text,
)
from manyhands.simulator.phone.ui.scene import Action, Fill, Scene, Stamp
from manyhands.simulator.phone.ui.theme import Colour, mix
from manyhands.simulator.phone.views import DRAWN, EDIT, IMAGE, PROGRESS, SWITCH

SPINNER_STEP_S = 0.08
MESSAGE_LINES = 5


def icon_button(name: str, tap: Action, colour: Tone = "ink", size: float = 24) -> Panel:
    """Return a glyph with an area that is large enough for a finger."""
    return Panel(Center(Icon(name, size, colour)), size=(44, 44), tap=tap)


def top_bar(title: str, back: Action | None = None, actions: Sequence[Node] = ()) -> Node:
    lead: list[Node] = [icon_button("back", back)] if back else [Gap(12)]
    heading = Grow(Text(title, 21, bold=True, lines=1))
    return Panel(Row([*lead, heading, *actions], gap=4), pad=(4, 6, 8, 6))


def button(label: str, tap: Action, filled: bool = True, tone: Tone = "accent") -> Panel:
    text = Text(label, 15, bold=True, lines=1, align="center", colour="on_accent" if filled else tone)
    return Panel(text, pad=(20, 9, 20, 10), fill=tone if filled else None, radius=22, tap=tap)


def wide_button(label: str, tap: Action, tone: Tone = "accent") -> Panel:
    text = Text(label, 16, bold=True, lines=1, align="center", colour="on_accent")
    return Panel(Grow(text), pad=(20, 12, 20, 12), fill=tone, radius=26, tap=tap)


def chip(label: str, tap: Action | None, chosen: bool = False) -> Panel:
    text = Text(label, 14, bold=chosen, lines=1, colour="accent" if chosen else "ink")
    return Panel(text, pad=(14, 7, 14, 7), fill="tint" if chosen else "sunken", radius=18, tap=tap)


def section(title: str) -> Node:
    return Panel(Text(title, 14, bold=True, colour="accent"), pad=(20, 16, 20, 6))


def card(children: Sequence[Node], tap: Action | None = None, hold: Action | None = None) -> Node:
    inner = Panel(Column(children, gap=4), pad=(16, 14, 16, 14), fill="card", radius=20, tap=tap, hold=hold)
    return Panel(inner, pad=(12, 0, 12, 0))


def list_row(
    title: str,
    detail: str = "",
    icon: str | None = None,
    end: Node | None = None,
    tap: Action | None = None,
) -> Node:
    """Return a row of a list: an optional glyph, a title above a detail, and an optional node at its end."""
    texts: list[Node] = [Text(title, 17, lines=2)]
    if detail:
        texts.append(Text(detail, 14, colour="muted", lines=2))
    lead: list[Node] = [Icon(icon, 24, "muted")] if icon else []
    tail: list[Node] = [end] if end else []
    row = Row([*lead, Grow(Column(texts, gap=1)), *tail], gap=18)
    return Panel(row, pad=(20, 13, 20, 13), tap=tap)


def heading(title: str, below: float = 8) -> Node:
    """Return the large title of an app's first page."""
    return Panel(Text(title, 30, bold=True), pad=(20, 14, 20, below))


def spaced(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes of a list with a gap below each."""
    return [part for node in nodes for part in (node, Gap(10))]


class Divider(Node):
    """Draw a thin line."""

    def height(self, look: Look, width: int) -> int:
        return max(1, look.px(0.8))

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        scene.view(DRAWN, box)
        scene.add(Fill(box, scene.clip, look.theme.line))


class Switch(Node):
    """Draw a switch that is on or off."""

    def __init__(self, on: bool) -> None:
        self.on = on

    def width(self, look: Look, limit: int) -> int:
        return look.px(50)

    def height(self, look: Look, width: int) -> int:
        return look.px(30)

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        theme = look.theme
        scene.view(SWITCH, box, checkable=True, checked=self.on)
        track = theme.accent if self.on else theme.line
        scene.add(Fill(box, scene.clip, track, box.h // 2))
        side = look.px(22 if self.on else 16)
        margin = (box.h - side) // 2
        x = box.right - margin - side if self.on else box.x + margin
        thumb = theme.on_accent if self.on else theme.muted
        scene.add(Fill(Box(x, box.y + margin, side, side), scene.clip, thumb, side // 2))


class Input(Node):
    """Draw a text field. With ``plain``, it has no background, like the lines of an editor."""

    def __init__(
        self,
        field: Field,
        hint: str,
        focused: bool,
        tap: Action,
        icon: str | None = None,
        plain: bool = False,
        size: float = 16,
        bold: bool = False,
    ) -> None:
        self.field, self.hint, self.focused, self.tap = field, hint, focused, tap
        self.icon, self.plain, self.size, self.bold = icon, plain, size, bold

    def _lines(self, look: Look, width: int) -> list[tuple[int, str]]:
        """Return the visible lines, each with its place in the text."""
        size, field = look.px(self.size), self.field
        if not field.wraps:
            field.starts = (0,)
            return [self._window(look, size, width)]
        lines: list[tuple[int, str]] = []
        paragraph_at = 0
        for paragraph in field.text.split("\n"):
            at = 0
            for line in look.fonts.wrap(paragraph, size, self.bold, width):
                at = max(at, paragraph.find(line, at))
                lines.append((paragraph_at + at, line))
                at += len(line)
            paragraph_at += len(paragraph) + 1
        field.starts = tuple(start for start, _ in lines)
        if field.multiline:
            return lines
        first = min(field.line, max(0, len(lines) - MESSAGE_LINES))
        return lines[first : first + MESSAGE_LINES]

    def _window(self, look: Look, size: int, width: int) -> tuple[int, str]:
        """Return the visible part of a long line, and its place in the text. The caret is near its right end."""
        before, after = self.field.text[: self.field.caret], self.field.text[self.field.caret :]
        while before and look.fonts.width(before, size, self.bold) > width:
            before = before[max(1, len(before) // 16) :]
        while after and look.fonts.width(before + after, size, self.bold) > width:
            after = after[: -max(1, len(after) // 16)]
        return self.field.caret - len(before), before + after

    def _inset(self, look: Look) -> tuple[int, int]:
        side = look.px(4 if self.plain else 18)
        return side + (look.px(32) if self.icon else 0), side

    def _pitch(self, look: Look) -> int:
        return look.px(self.size * 1.4)

    def height(self, look: Look, width: int) -> int:
        left, right = self._inset(look)
        lines = len(self._lines(look, width - left - right))
        least = look.px(46 if not self.plain else 40)
        return max(least, lines * self._pitch(look) + look.px(16))

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        theme, paper = look.theme, scene.paper
        if not self.plain:
            scene.paper = theme.sunken
            scene.add(Fill(box, scene.clip, theme.sunken, look.px(23)))
        scene.touchable(box, self.tap)
        shown = self.field.text or self.hint
        scene.view(EDIT, box, text=shown, focused=self.focused, clickable=True, long_clickable=True, focusable=True)
        left, right = self._inset(look)
        pitch = self._pitch(look)
        lines = self._lines(look, box.w - left - right)
        y = box.y + (look.px(8) if self.field.multiline else (box.h - pitch * len(lines)) // 2)
        if self.icon:
            side = look.px(22)
            mark = Box(box.x + look.px(16), box.y + (box.h - side) // 2, side, side)
            scene.add(Stamp(mark, scene.clip, self.icon, theme.muted, scene.paper))
        size = look.px(self.size)
        for index, (start, line) in enumerate(lines):
            self._place_selection(look, scene, Box(box.x + left, y + index * pitch, 0, pitch), start, line)
            put_text(look, scene, box.x + left, y + index * pitch, line, size, self.bold, theme.ink)
        if not self.field.text:  # a little to the right of the caret
            put_text(look, scene, box.x + left + look.px(5), y, self.hint, size, self.bold, theme.muted)
        if self.focused:
            row = max((index for index, (start, _) in enumerate(lines) if start <= self.field.caret), default=0)
            start, line = lines[row]
            wide = look.fonts.width(line[: max(0, self.field.caret - start)], size, self.bold)
            caret = Box(box.x + left + wide + look.px(1), y + row * pitch, look.px(2), round(size * 1.25))
            scene.add(Fill(caret, scene.clip, theme.accent))
            scene.caret = caret
        scene.paper = paper

    def _place_selection(self, look: Look, scene: Scene, at: Box, start: int, line: str) -> None:
        """Draw the background of the selection in a line, which begins at ``at``."""
        first, last = (min(max(0, place - start), len(line)) for place in self.field.selection)
        if self.focused and last > first:
            size = look.px(self.size)
            skipped = look.fonts.width(line[:first], size, self.bold)
            wide = look.fonts.width(line[:last], size, self.bold) - skipped
            scene.add(Fill(Box(at.x + skipped, at.y, wide, at.h), scene.clip, look.theme.tint))


class Picture(Node):
    """Draw the picture of a thing: its glyph on a soft background."""

    def __init__(self, glyph: str, colour: Colour, size: tuple[float | None, float], radius: float = 14) -> None:
        self.glyph, self.colour, self.size, self.radius = glyph, colour, size, radius

    def width(self, look: Look, limit: int) -> int:
        return limit if self.size[0] is None else min(limit, look.px(self.size[0]))

    def height(self, look: Look, width: int) -> int:
        return look.px(self.size[1])

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        scene.view(IMAGE, box)
        ground = mix(self.colour, look.theme.card, 0.82 if not look.theme.dark else 0.7)
        scene.add(Fill(box, scene.clip, ground, look.px(self.radius)))
        side = round(min(box.w, box.h) * 0.6)
        mark = box.middle(side, side)
        ink = self.colour if not look.theme.dark else mix(self.colour, (255, 255, 255), 0.35)
        scene.add(Stamp(mark, scene.clip, self.glyph, ink, ground))


class Avatar(Square):
    """Draw a contact's disc in the contact's colour."""

    def __init__(self, colour: Colour, size: float = 44) -> None:
        self.colour, self.size = colour, size

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        scene.view(IMAGE, box)
        scene.add(Fill(box, scene.clip, self.colour, box.w // 2))
        mark = box.middle(round(box.w * 0.6), round(box.w * 0.6))
        scene.add(Stamp(mark, scene.clip, "person", (255, 255, 255), self.colour))


class AppIcon(Square):
    """Draw an app's icon: a white glyph on a coloured disc."""

    def __init__(self, glyph: str, colour: Colour, size: float = 56) -> None:
        self.glyph, self.colour, self.size = glyph, colour, size

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        side = look.px(self.size)
        disc = Box(box.x + (box.w - side) // 2, box.y, side, side)
        scene.view(IMAGE, disc)
        scene.add(Fill(disc, scene.clip, self.colour, side // 2))
        mark = disc.middle(round(side * 0.54), round(side * 0.54))
        scene.add(Stamp(mark, scene.clip, self.glyph, (255, 255, 255), self.colour))


def badge(count: int) -> Panel:
    text = Text(str(count), 13, bold=True, colour="on_accent", align="center", lines=1)
    return Panel(text, pad=(8, 2, 8, 3), fill="accent", radius=12)


def rating(stars: float, size: float = 14) -> Row:
    """Return a star and a figure such as 4.6."""
    return Row([Icon("star", size, "star"), Text(f"{stars:.1f}", size, bold=True, lines=1)], gap=4)


class Spinner(Square):
    """Draw a spinner, which shows that a page is loading."""

    size = 40

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        side = look.px(self.size)
        step = int(look.now / SPINNER_STEP_S)
        mark = Box(box.x + (box.w - side) // 2, box.y, side, side)
        scene.view(PROGRESS, mark)
        scene.add(Stamp(mark, scene.clip, f"spinner-{step % SPINNER_STEPS}", look.theme.accent, scene.paper))
        scene.changes_at((step + 1) * SPINNER_STEP_S)


class _Bar(Node):
    """Draw a grey bar in place of a text that is loading. ``share`` is its part of the width."""

    def __init__(self, share: float, dp: float) -> None:
        self.share, self.dp = share, dp

    def height(self, look: Look, width: int) -> int:
        return look.px(self.dp)

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        bar = Box(box.x, box.y, round(box.w * self.share), box.h)
        scene.add(Fill(bar, scene.clip, look.theme.sunken, min(box.h // 2, look.px(12))))


def skeleton() -> Node:
    """Return the placeholder of a list that is loading."""
    rows: list[Node] = [Gap(20), Spinner(), Gap(20)]
    lines = [_Bar(0.6, 16), Gap(4), _Bar(0.95, 12), Gap(2), _Bar(0.8, 12)]
    return Column(rows + spaced([card(lines)] * 4))
