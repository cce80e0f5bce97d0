"""Screens by their texts, for tests of the policy: one text below the other."""

from __future__ import annotations

from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Control, Element, Screen

SIZE = Size(width=1000, height=2000)
HEIGHT = 80


def screen(*texts: str, icons: tuple[str, ...] = (), password: bool = False) -> Screen:
    kinds = [("text", text) for text in texts] + [("icon", name) for name in icons]
    elements = []
    for number, (kind, content) in enumerate(kinds):
        top = 100 + 2 * HEIGHT * number
        box = Box(x1=100, y1=top, x2=900, y2=top + HEIGHT)
        control = Control(kind="EditText", box=box, focused=True, password=True) if password else None
        elements.append(Element(kind=kind, box=box, content=content, confidence=1.0, control=control))
    return Screen(content_id="0" * 32, size=SIZE, elements=tuple(elements), keyboard="hidden")


def place(number: int) -> tuple[int, int]:
    """The middle of the element of this number."""
    return 500, 100 + 2 * HEIGHT * number + HEIGHT // 2
