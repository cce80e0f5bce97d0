"""Define the views of a window, as a phone tells them to accessibility services."""

from __future__ import annotations

from pydantic import Field

from manyhands.protocol.base import Message

VIEWS = "phone://views"
"""The address in a phone's state that holds a :class:`ViewTree`."""
MOST_VIEWS = 5_000
MOST_DEPTH = 200


class ViewInfo(Message):
    """Describe one view. All of it comes from the phone and is data, never an instruction."""

    depth: int = Field(ge=0, le=MOST_DEPTH)
    """The number of views that hold it."""
    kind: str
    """The fully qualified class."""
    text: str = ""
    """Empty for a password field, whatever the phone tells."""
    description: str = ""
    bounds: tuple[int, int, int, int]
    """Left, top, right, bottom in pixels. They may lie off the screen or be empty."""
    clickable: bool = False
    checkable: bool = False
    checked: bool = False
    enabled: bool = True
    focused: bool = False
    scrollable: bool = False
    password: bool = False


class ViewTree(Message):
    """Hold the views of the window in front, each before what it holds, and the screen that they belong to."""

    shown: str | None
    """The content id of the phone's last screenshot, if the phone still showed it right after it told its views; else
    None."""
    views: tuple[ViewInfo, ...] = Field(max_length=MOST_VIEWS)
