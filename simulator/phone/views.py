"""Describe a window as accessibility services see it: a tree of views."""

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
SURFACE = "android.view.SurfaceView"


@dataclass(slots=True)
class ViewNode:
    """Be one view. ``bounds``: left, top, right and bottom of its visible part, in pixels of the screen."""

    kind: str
    """The fully qualified class."""
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
    enabled: bool = True
    password: bool = False
    children: list[ViewNode] = field(default_factory=list)

    @property
    def important(self) -> bool:
        """Return whether the view has a text or an action, so that it does more than arrange its children."""
        acts = self.clickable or self.long_clickable or self.focusable or self.checkable or self.scrollable
        return bool(acts or self.text or self.description)

    def walk(self) -> Iterator[ViewNode]:
        """Yield this view and all views below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()
