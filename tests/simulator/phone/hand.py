"""A hand on a virtual phone, for tests: finds texts where they are drawn and taps them; owns the clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from manyhands.simulator.phone.content.library import Library
from manyhands.simulator.phone.device import VIEW, Link
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.virtual_phone import VirtualPhone

MORNING = datetime(2025, 6, 5, 9, 41, 10)
LATIN = "com.android.inputmethod.latin/.LatinIME"
SETTLED_S = 1.0


class Clock:
    """Time that passes only when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def wall(self) -> datetime:
        return MORNING + timedelta(seconds=self.now - 1000)


class Hand:
    """Drives a phone as a person does: by what is on the screen."""

    def __init__(
        self,
        seed: int = 0,
        width: int = 1080,
        height: int = 2400,
        density: int = 420,
        content: Callable[[int], Library] = Library,
    ) -> None:
        self.clock = Clock()
        self.phone = VirtualPhone(seed, width, height, density, clock=self.clock, wall=self.clock.wall, content=content)

    def wait(self, seconds: float = SETTLED_S) -> None:
        self.clock.now += seconds

    def texts(self) -> list[str]:
        return [text for text, _ in self.phone.layout()]

    def sees(self, text: str) -> bool:
        return any(text in shown for shown in self.texts())

    def box(self, text: str) -> Box:
        """Where a text is, the whole line before a part of one, the topmost before those beneath."""
        layout = list(reversed(self.phone.layout()))
        for shown, box in layout:
            if shown == text:
                return box
        for shown, box in layout:
            if text in shown:
                return box
        raise LookupError(f"{text!r} is not on the screen, which says {self.texts()}")

    def tap(self, text: str) -> None:
        box = self.box(text)
        self.phone.tap(box.x + box.w // 2, box.y + box.h // 2)
        self.wait()

    def hold(self, text: str) -> None:
        box = self.box(text)
        self.phone.long_press(box.x + box.w // 2, box.y + box.h // 2, 800)
        self.wait()

    def type(self, text: str) -> None:
        self.phone.ime_commit(text)

    def key(self, code: int) -> None:
        self.phone.key(code)
        self.wait()

    def back(self) -> None:
        self.key(4)

    def home(self) -> None:
        self.key(3)

    def enter(self) -> None:
        self.key(66)

    def scroll(self, share: float = 0.4) -> None:
        """A swipe upwards (downwards where negative) by a share of the screen's height."""
        phone, x = self.phone, self.phone.width // 2
        middle, reach = phone.height // 2, round(phone.height * share / 2)
        phone.swipe(x, middle + reach, x, middle - reach, 400)
        self.wait()

    def open(self, label: str) -> None:
        """From wherever the phone is, by the icon on the home screen."""
        self.home()
        self.tap(label)

    def visit(self, address: str) -> None:
        """A link, opened from elsewhere."""
        self.phone.open_link(Link(VIEW, address))

    def field(self) -> str:
        """Return what the field in focus shows: its text, or its hint where it is empty."""
        root = self.phone.hierarchy()
        assert root is not None
        return next(view.text for view in root.walk() if view.focused)

    def state(self, path: str) -> Any:
        """``state("notes.items.0.title")``."""
        found: Any = self.phone.state()
        for part in path.split("."):
            found = found[int(part)] if isinstance(found, list) else found[part]
        return found
