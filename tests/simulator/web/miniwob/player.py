"""Play MiniWoB's pages as a person would: look at the accessibility tree, touch, type, press keys."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

ENTER, BACKSPACE, LEFT, RIGHT = 66, 67, 21, 22
"""Android's codes of the keys that are pressed."""
PAGE_WIDTH = 160
"""The width of a page in its own pixels. Distances of the pictures beside texts are given in these."""
QUERY_HEIGHT = 50
"""The height of the yellow field with the goal."""
PATIENCE_S = 10.0
PAUSE_S = 0.1
BETWEEN_TAPS_S = 0.4
"""Two touches near each other within less than that are a double touch, which selects a word of a field."""
MOST_SWIPES = 12
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Node:
    """Hold a node of ``uiautomator dump``. ``kind``: the end of its class, such as ``Button``; the box is in pixels."""

    text: str
    kind: str
    left: int
    top: int
    right: int
    bottom: int
    checked: bool = False
    focused: bool = False
    enabled: bool = True

    @property
    def middle(self) -> tuple[int, int]:
        """Return the point in its middle."""
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2


class Hand(Protocol):
    """Touch a phone and look at it."""

    width: int

    def nodes(self) -> list[Node]:
        """Return what the screen shows, in the page's order."""

    def tap(self, x: int, y: int) -> None: ...

    def swipe(self, x1: int, y1: int, x2: int, y2: int, ms: int) -> None: ...

    def type(self, text: str) -> None:
        """Type into the focused field."""

    def key(self, code: int) -> None: ...


class Missing(AssertionError):
    """Report that the screen does not show what a player looks for."""


class Player:
    """Act on nodes that the screen shows."""

    def __init__(self, hand: Hand, goal: str) -> None:
        self.hand = hand
        self.goal = goal
        texts = [node for node in hand.nodes() if node.text and node.text in goal]
        self.page_top = min((node.top for node in texts), default=0) - self.pixels(3)
        self._touched_at = 0.0

    def pixels(self, distance: float) -> int:
        """Return a distance of the page in pixels of the screen."""
        return round(distance * self.hand.width / PAGE_WIDTH)

    def quoted(self) -> list[str]:
        """Return what stands in double quotes in the goal."""
        return re.findall(r'"([^"]*)"', self.goal)

    def words(self, pattern: str) -> tuple[str, ...]:
        """Return the groups of a pattern in the goal. Raises Missing."""
        match = re.search(pattern, self.goal)
        if match is None:
            raise Missing(f"{self.goal!r} has no {pattern!r}")
        return match.groups()

    def nodes(self, *kinds: str) -> list[Node]:
        """Return the nodes below the goal, of these kinds or of all."""
        top = self.page_top + self.pixels(QUERY_HEIGHT)
        return [node for node in self.hand.nodes() if node.middle[1] >= top and (not kinds or node.kind in kinds)]

    def texts(self) -> list[Node]:
        """Return the nodes that have a text."""
        return [node for node in self.nodes() if node.text.strip()]

    def find(self, text: str, *kinds: str) -> Node:
        """Return the first node with this text, as soon as there is one. Raises Missing."""
        return self.wait(lambda: self.all(text, *kinds), text)[0]

    def all(self, text: str, *kinds: str) -> list[Node]:
        """Return the nodes with this text."""
        return [node for node in self.nodes(*kinds) if node.text.strip() == text]

    def wait(self, look: Callable[[], T], name: str = "something") -> T:
        """Look until there is something. Raises Missing."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            if seen := look():
                return seen
            if time.monotonic() > deadline:
                shown = " / ".join(f"{node.kind}:{node.text}" for node in self.nodes())
                raise Missing(f"no {name!r}; the screen shows {shown}")
            time.sleep(PAUSE_S)

    def wait_for_rest(self) -> None:
        """Wait until two looks show the same: no section unfolds, nothing scrolls. Raises Missing."""
        looks: list[list[Node]] = []

        def is_at_rest() -> bool:
            looks.append(self.hand.nodes())
            return len(looks) > 1 and looks[-1] == looks[-2]

        self.wait(is_at_rest, "rest")

    def tap(self, node: Node | str, *kinds: str) -> None:
        """Touch a node, or the first one with a text. Raises Missing."""
        self._touched_at = time.monotonic()
        self.hand.tap(*(self.find(node, *kinds) if isinstance(node, str) else node).middle)

    def tap_beside(self, node: Node, x: float, y: float = 0) -> None:
        """Touch a point at a distance from the middle of a node's left side, in the page's pixels."""
        self.hand.tap(node.left + self.pixels(x), node.middle[1] + self.pixels(y))

    def submit(self, text: str = "Submit") -> None:
        """Touch the button that ends the task."""
        self.tap(text, "Button", "TextView", "View")

    def fields(self) -> list[Node]:
        """Return the fields for texts."""
        return self.nodes("EditText")

    def fill(self, field: Node, text: str) -> None:
        """Touch a field and type into it."""
        self.wait(lambda: time.monotonic() > self._touched_at + BETWEEN_TAPS_S, "pause after the last touch")
        self.tap(field)
        self.hand.type(text)

    def scroll(self, distance: float = 60) -> None:
        """Drag the page's content up by a distance in the page's pixels; down if it is negative."""
        middle, start = self.hand.width // 2, self.page_top + self.pixels(130)
        half = self.pixels(distance) // 2
        self.hand.swipe(middle, start + half, middle, start - half, 600)
        self.wait_for_rest()

    def seek(self, look: Callable[[], list[Node]], name: str = "something") -> Node:
        """Return the first node that ``look`` returns; scroll down for it. Raises Missing."""
        for _ in range(MOST_SWIPES):
            if seen := look():
                return seen[0]
            self.scroll()
        raise Missing(f"no {name!r}; the screen shows {[node.text for node in self.nodes()]}")
