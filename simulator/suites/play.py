"""Play a human's operations on a virtual phone, in a language of one operation a line.

::

    open LABEL           start an app by its label (in the phone's language)
    tap TEXT             tap the first text on the screen that is TEXT; if none is, the first that contains it
    tap TEXT (2)         tap the second such text from the top
    tap 88% 89%          tap a point, in percent of width and height (for icons without a name)
    long press TEXT      press the text for a second
    type TEXT            append to the focused field; \\n is a line break; {PATH} is the value at that path in the
                         phone's state, which a human reads off the screen and which no file can know
    clear                empty the focused field
    enter, back, home    the keys
    swipe up, swipe down drag the content by half a screen
    wait                 let two seconds pass

After every operation a moment passes, long enough for pages to load.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from manyhands.protocol.tasks.predicates import find
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.virtual_phone import VirtualPhone

KEYS = {"home": 3, "back": 4, "enter": 66}
MOMENT_S = 1.5
WAIT_S = 2.0
REST_S = 5.0
"""Seconds after an operation until its transitions have certainly ended."""
DENSITY_AT = (420, 1080)
"""The dots per inch of a phone, and its width in pixels. Phones of other widths are in proportion."""
SHOWN_TIME = datetime(2026, 3, 5, 14, 7)
"""What the clock of a ``PlayedPhone`` shows."""
_POINT = re.compile(r"^(\d+(?:\.\d+)?)% (\d+(?:\.\d+)?)%$")
_COUNTED = re.compile(r"^(.+) \((\d+)\)$")
_READ = re.compile(r"\{([a-z_.*\d]+)\}")


class CannotPlay(ValueError):
    """Report an invalid operation, or one that does not fit what the screen shows."""


class PlayedPhone:
    """Hold a virtual phone whose time passes only when this class says so. So every picture shows a screen at rest."""

    def __init__(self, seed: int, width: int, height: int) -> None:
        self._now = 1000.0
        density = round(DENSITY_AT[0] * width / DENSITY_AT[1])
        self.phone = VirtualPhone(seed, width, height, density, clock=lambda: self._now, wall=lambda: SHOWN_TIME)

    def play(self, operation: str) -> None:
        """Carry out an operation. Raises CannotPlay."""
        play(self.phone, [operation], self._pass_time)

    def at_rest(self) -> NDArray[np.uint8]:
        """Return the screen once its transitions have ended."""
        for _ in range(2):
            self._pass_time(REST_S)
            rgb = np.array(self.phone.frame().rgb)
        return rgb

    def _pass_time(self, seconds: float) -> None:
        self._now += seconds


def play(phone: VirtualPhone, operations: Iterable[str], pass_time: Callable[[float], None]) -> int:
    """Carry out ``operations``, and return their number. ``pass_time`` advances the phone's clock by seconds.

    Raises CannotPlay, whose message names the operation and what the screen shows.
    """
    count = 0
    for operation in operations:
        try:
            _play_one(phone, operation.strip(), pass_time)
        except CannotPlay as error:
            shown = " / ".join(text for text, _ in phone.layout())
            raise CannotPlay(f"operation {count + 1}, {operation!r}: {error}; the screen shows: {shown}") from None
        pass_time(MOMENT_S)
        count += 1
    return count


def _play_one(phone: VirtualPhone, operation: str, pass_time: Callable[[float], None]) -> None:
    verb, _, rest = operation.partition(" ")
    if operation in KEYS:
        phone.key(KEYS[operation])
    elif operation == "wait":
        pass_time(WAIT_S)
    elif operation == "clear":
        phone.ime_clear()
    elif operation in ("swipe up", "swipe down"):
        phone.swipe(*swiped(phone, up=rest == "up"), 300)
    elif verb == "open":
        phone.launch(_package(phone, rest))
    elif verb == "type":
        if not phone.keyboard_shown():
            raise CannotPlay("the keyboard is not up")
        phone.ime_commit(filled(phone, rest))
    elif verb == "tap":
        phone.tap(*place(phone, rest))
    elif operation.startswith("long press "):
        phone.long_press(*place(phone, operation.removeprefix("long press ")), 1000)
    else:
        raise CannotPlay("no such operation")


def filled(phone: VirtualPhone, text: str) -> str:
    """Return the text to type: each ``{PATH}`` is replaced by the value in the phone's state. Raises CannotPlay."""
    state = phone.state()

    def value(match: re.Match[str]) -> str:
        found = next(find(state, match[1]), None)
        if found is None:
            raise CannotPlay(f"the phone's state has nothing at {match[1]!r}")
        return str(found)

    return _READ.sub(value, text).replace("\\n", "\n")


def _package(phone: VirtualPhone, label: str) -> str:
    for app in phone.apps():
        if app.label == label:
            return app.package
    raise CannotPlay(f"no app is called {label!r}")


def swiped(phone: VirtualPhone, *, up: bool) -> tuple[int, int, int, int]:
    """Return where a swipe begins and ends: x1, y1, x2, y2."""
    low, high, middle = phone.height * 7 // 10, phone.height * 3 // 10, phone.width // 2
    return (middle, low, middle, high) if up else (middle, high, middle, low)


def place(phone: VirtualPhone, words: str) -> tuple[int, int]:
    """Return the point to touch: the one given in percent, or the centre of the named text. Raises CannotPlay."""
    point = _POINT.match(words)
    if point:
        return int(phone.width * float(point[1]) / 100), int(phone.height * float(point[2]) / 100)
    layout = phone.layout()
    found = meant(layout, words)
    if not found:
        raise CannotPlay(f"{words!r} is not on the screen")
    box = layout[found[0]][1]
    return box.x + box.w // 2, box.y + box.h // 2


def meant(layout: Sequence[tuple[str, Box]], words: str) -> list[int]:
    """Return the index of the text that TEXT or TEXT (2) names, in a list; an empty list if there is none.

    Texts that are equal to TEXT come first. If none is equal, those that contain it are counted.
    """
    counted = _COUNTED.match(words)
    text, place = (counted[1], int(counted[2]) - 1) if counted else (words, 0)
    order = sorted(range(len(layout)), key=lambda number: (layout[number][1].y, layout[number][1].x))
    same = [number for number in order if layout[number][0] == text]
    return (same or [number for number in order if text in layout[number][0]])[place : place + 1]
