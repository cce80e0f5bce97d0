"""Read the pages of a chat without pictures: each message lists the elements of one screen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from manyhands.protocol.roles.sections import ListedElement, parse_screen_body, unfenced
from manyhands.protocol.screens.element_rows import parse_element_row
from manyhands.simulator.rehearsal.pages import Line, Page
from manyhands.simulator.rehearsal.request import Said

_PLAIN_ROW = re.compile(r"^(.*) \[([1-9]\d{0,3})\](?: \(([a-z, ]+)\))?$")
_KEYBOARD = Line("ADB Keyboard", 0.5, 0.95)
_KEYBOARD_TOLD = "The keyboard is up."
_BODY = (0.14, 0.92)
"""Where the rows of a list without places are taken to be, as shares of the screen's height."""
_TITLES, _TITLE_Y = 2, 70
"""So many first rows of such a list are taken for the page's title and the button beside it, at this height."""
_SIDE = 1000
_SWITCH_REACH = (-0.012, 0.028)
"""Where the switch of a setting is, from the title of the setting, as shares of the screen's height."""


@dataclass(frozen=True, slots=True)
class TextPage(Page):
    """Hold a screen as a list tells it. It has no image, so ``sketch`` is empty."""

    numbers: tuple[int, ...] = ()
    """The number of each line in the list; fewer than the lines, because the last may tell of the keyboard."""
    switches: tuple[tuple[float, bool], ...] = ()
    """The switches from top to bottom: how far down each is, and whether it is on."""

    def switch_is_on(self, row: Line) -> bool:
        """Return whether the switch beside a row is on."""
        above, below = _SWITCH_REACH
        return next((is_on for y, is_on in self.switches if above <= y - row.y <= below), False)

    def looks_like(self, other: Page) -> bool:
        """Return whether both lists are the same."""
        return isinstance(other, TextPage) and (self.lines, self.switches) == (other.lines, other.switches)

    def number_of(self, line: Line) -> int | None:
        """Return the number by which a line is listed; None for a line that is not of the list."""
        return next((number for one, number in zip(self.lines, self.numbers, strict=False) if one == line), None)


def text_pages(conversation: Sequence[Said]) -> list[TextPage]:
    """Return the page of each message that lists elements, in order."""
    messages = [one.text for one in conversation if one.by == "user"]
    return [page for text in messages if (page := _page(text)) is not None]


def _page(text: str) -> TextPage | None:
    rows = unfenced(text)
    if not rows:
        return None
    head = next((parsed for line in text.splitlines() if (parsed := parse_screen_body(line)) is not None), None)
    elements = list(_placed(rows)) if head is not None else list(_in_order(rows))
    width, height = (_SIDE, _SIDE) if head is None else (head.width, head.height)
    lines = tuple(Line(one.content, one.x / width, one.y / height) for one in elements)
    switches = tuple(
        (one.y / height, "not checked" not in one.facts and "off" not in one.facts)
        for one in elements
        if {"checked", "not checked", "on", "off"} & {*one.facts}
    )
    keyboard = (_KEYBOARD,) if _KEYBOARD_TOLD in text else ()
    numbers = tuple(one.number for one in elements)
    return TextPage((*lines, *keyboard), np.zeros((0, 0, 3), np.uint8), numbers, switches)


def _placed(rows: Sequence[str]) -> Iterator[ListedElement]:
    return (element for row in rows if (element := parse_element_row(row)) is not None)


def _in_order(rows: Sequence[str]) -> Iterator[ListedElement]:
    """Yield the elements of a list without places, one below the other. A switch is at the height of its title."""
    top, bottom = (round(share * _SIDE) for share in _BODY)
    before: ListedElement | None = None
    for index, row in enumerate(rows):
        match = _PLAIN_ROW.match(row)
        if match is None:
            continue
        facts = tuple((match[3] or "").split(", "))
        y = _TITLE_Y if index < _TITLES else top + (bottom - top) * index // len(rows)
        element = ListedElement(number=int(match[2]), kind="text", x=_SIDE // 2, y=y, content=match[1], facts=facts)
        if before is not None and {"on", "off"} & {*facts}:
            element = element.model_copy(update={"y": before.y})
        yield element
        before = element
