"""Define a flow: the steps of a verified episode, to be carried out again without asking a model.

A step says what the screen must show before it, and what it touches, in words. No part is a coordinate, because other
phones have other sizes. A flow belongs to a task, so its texts may hold the task's variables (``${name}``).
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from manyhands.protocol.policy import Effect
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.screens.actions import (
    MAX_TEXT,
    AtomicAction,
    Back,
    Enter,
    Home,
    LongPress,
    OpenApp,
    Swipe,
    SwitchApp,
    Tap,
    Type,
)
from manyhands.protocol.screens.argument_types import Point
from manyhands.protocol.screens.geometry import Size

MOST_STEPS = 200
MOST_SHOWN = 8
"""The most texts of a signpost."""
SHORT_SIDE, LONG_SIDE = 0.25, 0.75
"""Where a drag begins and ends, as shares of the screen's side along which it goes."""
Text = Annotated[str, Field(min_length=1, max_length=500)]
Direction = Literal["up", "down", "left", "right"]


class Target(PublicInput):
    """Describe what is touched, by what perception and the phone's views say of it."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    text: str = Field(default="", max_length=500)
    """The text, or the icon's name; empty for a control without a name."""
    kind: Literal["text", "icon"] = "text"
    """Whether it is a text or an icon."""
    control: str = Field(default="", max_length=100)
    """The class of the view that reacts, such as `Switch`; empty for any."""
    near: str = Field(default="", max_length=500)
    """The text beside it or above it. It is needed where others look the same."""
    checked: bool | None = None
    """Whether a switch or a checkbox in its row must be on; None if there is none."""

    @model_validator(mode="after")
    def _describes(self) -> Self:
        if not (self.text or self.control):
            raise ValueError("a target needs a 'text' or a 'control'")
        return self

    @property
    def words(self) -> str:
        """Return what people are told of it."""
        name = f'"{self.text}"' if self.text else self.control
        return f'{name} near "{self.near}"' if self.near else name


class Signpost(PublicInput):
    """Tell a screen by what it shows."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    app: str = ""
    """The package in front; empty for any."""
    shows: tuple[Text, ...] = Field(default=(), max_length=MOST_SHOWN)
    """Texts of the screen. At least half of them must be there."""
    keyboard: bool = False
    """Whether the keyboard must be shown."""


class FlowAction(PublicInput):
    """Be an atomic action that names a target where the atomic action has a point."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    name: Literal["Open_App", "Tap", "Long_Press", "Swipe", "Type", "Enter", "Switch_App", "Back", "Home"]
    """The name of the atomic action."""
    target: Target | None = None
    """What `Tap` and `Long_Press` touch."""
    app: str | None = Field(default=None, min_length=1, max_length=100)
    """The app that `Open_App` opens."""
    text: str | None = Field(default=None, min_length=1, max_length=MAX_TEXT)
    """What `Type` types."""
    clear: bool = False
    """Whether `Type` first deletes what the field holds."""
    direction: Direction | None = None
    """Where the finger goes in a `Swipe`."""
    ms: int = Field(default=800, ge=300, le=5000)
    """How long the finger of a `Long_Press` stays, in milliseconds."""

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        needs = {
            "Open_App": self.app is not None,
            "Tap": self.target is not None,
            "Long_Press": self.target is not None,
            "Swipe": self.direction is not None,
            "Type": self.text is not None,
        }
        if not needs.get(self.name, True):
            key = {"Open_App": "app", "Swipe": "direction", "Type": "text"}.get(self.name, "target")
            raise ValueError(f"{self.name} needs {key!r}")
        return self

    def atom(self, point: Point | None, size: Size) -> AtomicAction:
        """Return the atomic action on a screen of ``size``. ``point``: where its target is."""
        x, y = point or (0, 0)
        match self.name:
            case "Open_App":
                return OpenApp(app=self.app or "")
            case "Tap":
                return Tap(x=x, y=y)
            case "Long_Press":
                return LongPress(x=x, y=y, ms=self.ms)
            case "Swipe":
                return drag(self.direction or "up", size)
            case "Type":
                return Type(text=self.text or "", clear=self.clear)
            case "Enter":
                return Enter()
            case "Switch_App":
                return SwitchApp()
            case "Back":
                return Back()
            case "Home":
                return Home()


def drag(direction: Direction, size: Size) -> Swipe:
    """Return the drag of a finger over the middle of a screen."""
    x, y = size.width // 2, size.height // 2
    left, right = round(size.width * SHORT_SIDE), round(size.width * LONG_SIDE)
    top, bottom = round(size.height * SHORT_SIDE), round(size.height * LONG_SIDE)
    ends = {
        "up": (x, bottom, x, top),
        "down": (x, top, x, bottom),
        "left": (right, y, left, y),
        "right": (left, y, right, y),
    }
    x1, y1, x2, y2 = ends[direction]
    return Swipe(x1=x1, y1=y1, x2=x2, y2=y2)


def direction_of(swipe: Swipe) -> Direction:
    """Return where the finger of a swipe goes."""
    across, down = swipe.x2 - swipe.x1, swipe.y2 - swipe.y1
    if abs(across) > abs(down):
        return "right" if across > 0 else "left"
    return "down" if down > 0 else "up"


class FlowStep(PublicInput):
    """Hold one action, and how its screen is recognised."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    before: Signpost = Signpost()
    """What the screen must show before the action."""
    action: FlowAction
    """What is done."""
    search: Direction | None = None
    """Where the finger goes to look for a target that is not shown; None if nobody looks for it."""
    reads: tuple[Text, ...] = Field(default=(), max_length=MOST_SHOWN)
    """Texts of earlier screens that told what is typed. Where one of them was not shown, only the agent does the step.
    """
    effects: tuple[Effect, ...] = ()
    """What the action does that cannot be undone. Such a step is never done twice."""

    @property
    def words(self) -> str:
        """Return what people and the model are told of it."""
        action = self.action
        match action.name:
            case "Tap" | "Long_Press":
                return f"{action.name} {action.target.words if action.target else ''}"
            case "Open_App":
                return f"Open_App {action.app}"
            case "Type":
                return f'Type "{action.text}"'
            case "Swipe":
                return f"Swipe {action.direction}"
        return action.name


class Flow(PublicInput):
    """Hold the steps of a goal that was carried out before."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    made_from: str = Field(default="", max_length=500)
    """The run and the episode whose steps these are."""
    calls: int = Field(default=0, ge=0)
    """How many answers of models that episode took."""
    seconds: float = Field(default=0.0, ge=0)
    """How long that episode took."""
    is_checked: bool = False
    """Whether a second run of the flow, on another phone or other content, was verified."""
    versions: dict[str, str] = Field(default_factory=dict, max_length=100)
    """The version codes of the apps, by package, for which it was made. Other ones are warned of."""
    steps: tuple[FlowStep, ...] = Field(min_length=1, max_length=MOST_STEPS)
    """The steps, in order."""
    end: Signpost = Signpost()
    """What the screen must show at the end."""
