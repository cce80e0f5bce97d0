"""The action space, in pixels of the screenshot (Mobile-Agent-E, table 8, and a few more).

An :data:`Atom` is one operation on the phone. An :data:`Action` is an atom or the call of a shortcut,
which the episode expands into atoms before anything is sent.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from manyhands.protocol.base import Message

MAX_TEXT = 4000
LONG_PRESS_S = (1, 5)
"""How long a model may rest on a place: whole seconds, the least and the most."""
WAIT_S = (1, 30)
"""How long a model may wait for a screen: whole seconds, the least and the most."""


class OpenApp(Message):
    """Open an app by the label that people see."""

    name: Literal["Open_App"] = "Open_App"
    app: str = Field(min_length=1, max_length=100)


class Tap(Message):
    name: Literal["Tap"] = "Tap"
    x: int
    y: int


class LongPress(Message):
    name: Literal["Long_Press"] = "Long_Press"
    x: int
    y: int
    ms: int = Field(default=800, ge=300, le=5000)


class Swipe(Message):
    name: Literal["Swipe"] = "Swipe"
    x1: int
    y1: int
    x2: int
    y2: int
    ms: int = Field(default=500, ge=50, le=5000)


class Type(Message):
    """Type into the focused field; ``clear`` empties it first."""

    name: Literal["Type"] = "Type"
    text: str = Field(min_length=1, max_length=MAX_TEXT)
    clear: bool = False


class Enter(Message):
    name: Literal["Enter"] = "Enter"


class SwitchApp(Message):
    name: Literal["Switch_App"] = "Switch_App"


class Back(Message):
    name: Literal["Back"] = "Back"


class Home(Message):
    name: Literal["Home"] = "Home"


class Wait(Message):
    name: Literal["Wait"] = "Wait"
    seconds: float = Field(default=3.0, ge=0.1, le=30.0)


class Answer(Message):
    """Tell the user something. Touches nothing; the episode goes on."""

    name: Literal["Answer"] = "Answer"
    text: str = Field(min_length=1, max_length=MAX_TEXT)


class Stop(Message):
    """The operator holds the goal for reached."""

    name: Literal["Stop"] = "Stop"


class RunShortcut(Message):
    """Call a shortcut by name; the arguments are literal values, coordinates in pixels."""

    name: Literal["Shortcut"] = "Shortcut"
    shortcut: str = Field(min_length=1, max_length=100)
    arguments: dict[str, str | int] = Field(default_factory=dict, max_length=16)


Atom = Annotated[
    OpenApp | Tap | LongPress | Swipe | Type | Enter | SwitchApp | Back | Home | Wait | Answer | Stop,
    Field(discriminator="name"),
]
Action = Annotated[
    OpenApp | Tap | LongPress | Swipe | Type | Enter | SwitchApp | Back | Home | Wait | Answer | Stop | RunShortcut,
    Field(discriminator="name"),
]

ATOM = TypeAdapter[Atom](Atom)
ACTION = TypeAdapter[Action](Action)

UNTOUCHING = (Wait, Answer, Stop)
"""Atoms that send nothing to the phone."""


def is_repeatable(action: Action) -> bool:
    """Whether the limit on equal actions leaves this one out (the papers except Swipe and Back)."""
    return isinstance(action, Swipe | Back)
