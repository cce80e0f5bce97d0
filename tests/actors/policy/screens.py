"""Screens by their texts, for tests of the policy: one text below the other, or each where it is put."""

from __future__ import annotations

from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Control, Element, Keyboard, Screen

SIZE = Size(width=1000, height=2000)
HEIGHT = 80
Edges = tuple[int, int, int, int]


def screen(*texts: str, icons: tuple[str, ...] = (), password: bool = False) -> Screen:
    kinds = [("text", text) for text in texts] + [("icon", name) for name in icons]
    elements = []
    for number, (kind, content) in enumerate(kinds):
        top = 100 + 2 * HEIGHT * number
        box = Box(x1=100, y1=top, x2=900, y2=top + HEIGHT)
        control = Control(kind="EditText", box=box, focused=True, password=True) if password else None
        elements.append(Element(kind=kind, box=box, content=content, confidence=1.0, control=control))
    return laid_out(*elements)


def laid_out(*elements: Element, keyboard: Keyboard = "hidden", black: Edges | None = None) -> Screen:
    return Screen(
        content_id="0" * 32,
        size=SIZE,
        elements=elements,
        keyboard=keyboard,
        black=None if black is None else _box(black),
    )


def text(content: str, *edges: int, control: Control | None = None) -> Element:
    """A text with these edges: left, top, right, bottom."""
    return Element(kind="text", box=_box(edges), content=content, confidence=1.0, control=control)


def icon(name: str, *edges: int, control: Control | None = None) -> Element:
    return Element(kind="icon", box=_box(edges), content=name, confidence=1.0, control=control)


def control(kind: str, *edges: int, focused: bool = False) -> Control:
    """A control that can be clicked."""
    return Control(kind=kind, box=_box(edges), clickable=True, focused=focused)


def _box(edges: tuple[int, ...]) -> Box:
    left, top, right, bottom = edges
    return Box(x1=left, y1=top, x2=right, y2=bottom)


def place(number: int) -> tuple[int, int]:
    """The middle of the element of this number."""
    return 500, 100 + 2 * HEIGHT * number + HEIGHT // 2
