"""What a window consists of, as accessibility services see it: a tree of views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

ROOT = "android.widget.FrameLayout"
LAYOUT = "android.widget.LinearLayout"
TEXT = "android.widget.TextView"
BUTTON = "android.widget.Button"
IMAGE = "android.widget.ImageView"
IMAGE_BUTTON = "android.widget.ImageButton"
EDIT = "android.widget.EditText"
SWITCH = "android.widget.Switch"
PROGRESS = "android.widget.ProgressBar"
SCROLL = "android.widget.ScrollView"
DRAWN = "android.view.View"


@dataclass(slots=True)
class ViewNode:
    """One view. ``bounds``: left, top, right and bottom of what is visible of it, in pixels of the screen."""

    kind: str
    """The class, fully qualified."""
    bounds: tuple[int, int, int, int]
    text: str = ""
    description: str = ""
    resource_id: str = ""
    checkable: bool = False
    checked: bool = False
    clickable: bool = False
    long_clickable: bool = False
    focusable: bool = False
    focused: bool = False
    scrollable: bool = False
    children: list[ViewNode] = field(default_factory=list)

    @property
    def important(self) -> bool:
        """Return whether it has a text or does something, so that it is more than an arrangement of its children."""
        acts = self.clickable or self.long_clickable or self.focusable or self.checkable or self.scrollable
        return bool(acts or self.text or self.description)

    def walk(self) -> Iterator[ViewNode]:
        """Give this view and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()
