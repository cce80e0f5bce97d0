"""Declare the actions: one class each (Mobile-Agent-E, table 8, and a few more), in pixels of the screenshot.

An :data:`AtomicAction` is one operation. An :data:`Action` is an atomic action, the call of a shortcut, an operation in
words (Mobile-Agent v1), or a question to a person. The episode turns calls and operations into atomic actions before it
sends anything.

A class declares all that is known of an action: its name, its fields, the type of each
(``protocol.screens.argument_types``), its description in prompts, why it may change nothing, and whether it touches the
phone. The other parts are made from these declarations: reply formats, prompts, the conversion of coordinates, the
check of bounds, the history, reports. How a phone performs an atomic action is in ``actors/phones/adb/commands.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args

from pydantic import Field, TypeAdapter

from manyhands.protocol.base import Message
from manyhands.protocol.screens.argument_types import (
    ArgumentType,
    AxisArgument,
    FlagArgument,
    NotWritten,
    PartOfScreen,
    Point,
    Position,
    SecondsArgument,
    TextArgument,
    X,
    Y,
    parameters,
    point_parameters,
)

MAX_TEXT = 4000
LINK = r"^([A-Za-z][A-Za-z0-9+.-]*:\S+|android\.settings\.[A-Z_.]+)$"
"""What ``OpenLink`` opens; any other text names an app."""


# ---------------------------------------------------------------------------- the actions
class BaseAction(Message):
    """Declare what every action has beside its fields."""

    description: ClassVar[str]
    """What the action does, in the words of prompts."""
    no_effect: ClassVar[str] = ""
    """Why the screen may be unchanged after the action. Every action that touches the phone must say it."""
    touches: ClassVar[bool] = True
    """Whether the action sends anything to the phone."""
    repeatable: ClassVar[bool] = False
    """Whether the action is exempt from the limit on equal actions. The papers exempt Swipe and Back."""

    @property
    def touch_s(self) -> float:
        """Return how long a finger rests on the screen, or moves there, by the field ``ms``."""
        ms: int = getattr(self, "ms", 0)
        return ms / 1000


class WrittenAction(BaseAction):
    """Be an action that models write by its own name. An incomplete declaration raises TypeError at import."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if "name" not in cls.model_fields:  # an abstract base class
            return
        missing = [] if hasattr(cls, "description") else ["description"]
        if cls.touches and not cls.no_effect:
            missing.append("no_effect")
        for name, field in cls.model_fields.items():
            if name != "name" and not any(isinstance(mark, ArgumentType | NotWritten) for mark in field.metadata):
                missing.append(f"a mark of {name}")
        arguments = parameters(cls)
        missing += [f"an example of {one.name}" for one in arguments if one.example is None]
        axes = [one.mark.name for one in arguments if isinstance(one.mark, AxisArgument)]
        if axes != ["x", "y"] * (len(axes) // 2):
            missing.append("a y for each x, in pairs")
        if missing:
            raise TypeError(f"the action {cls.__name__} lacks {', '.join(missing)}")


K = TypeVar("K", bound=WrittenAction)


class BaseAtomicAction(WrittenAction):
    """Be one operation of the phone, or of the episode."""


class BaseOperation(WrittenAction):
    """Say an operation in words. A profile finds the place on the screen and turns the operation into atomic actions.

    Source: Mobile-Agent v1, section 2.2.
    """


class OpenApp(BaseAtomicAction):
    """Open an app by the label that people see."""

    name: Literal["Open_App"] = "Open_App"
    """The name of the action."""
    app: Annotated[str, TextArgument(label=True)] = Field(min_length=1, max_length=100)
    """The name under the app's icon."""

    description = "open an app by the name under its icon. Works from any screen."
    no_effect = "The app may be in front already."


class Tap(BaseAtomicAction):
    name: Literal["Tap"] = "Tap"
    """The name of the action."""
    x: X
    """The column, in pixels of the screenshot."""
    y: Y
    """The row, in pixels of the screenshot."""

    description = "tap the point (x, y)."
    no_effect = "Nothing at that place may react to a tap, or it may need longer to react."


class LongPress(BaseAtomicAction):
    name: Literal["Long_Press"] = "Long_Press"
    """The name of the action."""
    x: X
    """The column, in pixels of the screenshot."""
    y: Y
    """The row, in pixels of the screenshot."""
    ms: Annotated[int, SecondsArgument(1, 5, units=1000)] = Field(default=800, ge=300, le=5000)
    """How long the finger stays on the screen or moves, in milliseconds."""

    description = "press the point (x, y) for that long, for example to get a menu."
    no_effect = "Nothing at that place may react to a long press."


class Swipe(BaseAtomicAction):
    name: Literal["Swipe"] = "Swipe"
    """The name of the action."""
    x1: X
    """The column where the finger goes down, in pixels of the screenshot."""
    y1: Y
    """The row where the finger goes down."""
    x2: X
    """The column where the finger goes up."""
    y2: Y
    """The row where the finger goes up."""
    ms: Annotated[int, NotWritten()] = Field(default=500, ge=50, le=5000)
    """How long the finger stays on the screen or moves, in milliseconds."""

    description = (
        "drag from (x1, y1) to (x2, y2). To see more of a list further down, drag upwards, for example from the middle "
        "of the screen to near its top; a longer drag scrolls further. In the app switcher, drag sideways over at "
        "least half the width."
    )
    no_effect = "The end may be reached, or nothing scrolls where the swipe began."
    repeatable = True


class Type(BaseAtomicAction):
    """Type into the focused field; ``clear`` empties it first."""

    name: Literal["Type"] = "Type"
    """The name of the action."""
    text: Annotated[str, TextArgument(may_be_blank=True)] = Field(min_length=1, max_length=MAX_TEXT)
    """The text."""
    clear: Annotated[bool, FlagArgument(says="Whether what the field holds is deleted first")] = False
    """Whether what the field holds is deleted first."""

    description = (
        "type the text into the field that has the focus. Works only while the keyboard is shown; tap the field first. "
        "With clear true, what the field holds is deleted first."
    )
    no_effect = "No text field may have the focus, or the text was there already."


class Enter(BaseAtomicAction):
    name: Literal["Enter"] = "Enter"
    """The name of the action."""

    description = "press Enter, for example to start a search after typing."
    no_effect = "No text field that takes Enter may have the focus."


class SwitchApp(BaseAtomicAction):
    name: Literal["Switch_App"] = "Switch_App"
    """The name of the action."""

    description = "show the apps that are open, to go back to one of them."
    no_effect = "The app switcher may be open already."


class Back(BaseAtomicAction):
    name: Literal["Back"] = "Back"
    """The name of the action."""

    description = "go back to the screen before."
    no_effect = "There may be nothing to go back to."
    repeatable = True


class Home(BaseAtomicAction):
    name: Literal["Home"] = "Home"
    """The name of the action."""

    description = "go to the home screen."
    no_effect = "The home screen may be shown already."


class Wait(BaseAtomicAction):
    name: Literal["Wait"] = "Wait"
    """The name of the action."""
    seconds: Annotated[float, SecondsArgument(1, 30)] = Field(default=3.0, ge=0.1, le=30.0)
    """How long to wait."""

    description = "wait that long for a screen that is still loading, at most 30 seconds."
    touches = False


class Answer(BaseAtomicAction):
    """Answer the user. The phone is not touched, and the episode goes on."""

    name: Literal["Answer"] = "Answer"
    text: Annotated[str, TextArgument()] = Field(min_length=1, max_length=MAX_TEXT)

    description = "tell the user something that the instruction asks for. It does not touch the phone."
    touches = False


class Stop(BaseAtomicAction):
    """End the episode, because the operator considers the goal reached."""

    name: Literal["Stop"] = "Stop"

    description = "everything that the instruction asks for is done."
    touches = False


class AskPerson(WrittenAction):
    """Ask the user. The phone is never sent this; the episode waits for the answer."""

    name: Literal["Ask_Person"] = "Ask_Person"
    text: Annotated[str, TextArgument()] = Field(min_length=1, max_length=MAX_TEXT)

    description = (
        "ask the user for what only a person can give or do, such as a login, a captcha or a choice that the "
        "instruction leaves open. Say in one sentence what is needed; the answer comes with the next screen."
    )
    touches = False


class RunShortcut(BaseAction):
    """Call a shortcut by name. Arguments are literal values; coordinates are pixels."""

    name: Literal["Shortcut"] = "Shortcut"
    shortcut: str = Field(min_length=1, max_length=100)
    arguments: dict[str, str | int] = Field(default_factory=dict, max_length=16)

    description = "call a shortcut by its name."
    no_effect = "Its precondition may not hold on this screen."


class OpenLink(BaseAction):
    """Open a link before a check is asked. A task's author writes it; models never do."""

    name: Literal["Open_Link"] = "Open_Link"
    link: str = Field(pattern=LINK, max_length=400)
    """A URI, or the action of a page of Android's settings, such as ``android.settings.WIFI_SETTINGS``."""

    description = "open a link."
    no_effect = "No app may open such links."


class ClickText(BaseOperation):
    name: Literal["Click_Text"] = "Click_Text"
    text: Annotated[str, TextArgument()] = Field(min_length=1, max_length=200)

    description = "tap the place where this text stands on the screen, written as it is shown there."
    no_effect = "Nothing at that place may react to a tap, or it may need longer to react."


class ClickIcon(BaseOperation):
    name: Literal["Click_Icon"] = "Click_Icon"
    icon: Annotated[str, TextArgument(written="description")] = Field(min_length=1, max_length=160)
    position: Annotated[Position, PartOfScreen()]

    description = (
        "tap the icon that looks so (its shape, its colour, what it shows) in that part of the screen: one or two of "
        "top, bottom, left, right and center, such as top right."
    )
    no_effect = "Nothing at that place may react to a tap, or another icon may have been meant."


class PageUp(BaseOperation):
    name: Literal["Page_Up"] = "Page_Up"

    description = "scroll up by a page, to see what is above."
    no_effect = "The beginning may be reached, or nothing scrolls here."
    repeatable = True


class PageDown(BaseOperation):
    name: Literal["Page_Down"] = "Page_Down"

    description = "scroll down by a page, to see what is below."
    no_effect = "The end may be reached, or nothing scrolls here."
    repeatable = True


class Exit(BaseOperation):
    name: Literal["Exit"] = "Exit"

    description = "leave the app and go to the home screen."
    no_effect = "The home screen may be shown already."


# ---------------------------------------------------------------------------- all of them
AtomicAction = Annotated[
    OpenApp | Tap | LongPress | Swipe | Type | Enter | SwitchApp | Back | Home | Wait | Answer | Stop,
    Field(discriminator="name"),
]
PhoneAction = Annotated[
    OpenApp | Tap | LongPress | Swipe | Type | Enter | SwitchApp | Back | Home | Wait | Answer | Stop | OpenLink,
    Field(discriminator="name"),
]
"""What a phone is told to do: the atoms, and what a check opens."""
Operation = Annotated[ClickText | ClickIcon | PageUp | PageDown | Exit, Field(discriminator="name")]
Action = Annotated[AtomicAction | RunShortcut | Operation | AskPerson, Field(discriminator="name")]

ATOM = TypeAdapter[AtomicAction](AtomicAction)
ACTION = TypeAdapter[Action](Action)


def _actions_by_name(union: Any, base: type[K]) -> dict[str, type[K]]:
    """Return the actions of a union by name, in the order in which prompts list them.

    Raises TypeError when the union lacks a subclass of ``base``.
    """
    listed: tuple[type[K], ...] = get_args(get_args(union)[0])
    lacking = set(base.__subclasses__()) - set(listed)
    if lacking:
        name = base.__name__.removeprefix("Base")
        raise TypeError(f"{name} lacks {', '.join(sorted(kind.__name__ for kind in lacking))}")
    return {kind.model_fields["name"].default: kind for kind in listed}


ATOMS = _actions_by_name(AtomicAction, BaseAtomicAction)
OPERATIONS = _actions_by_name(Operation, BaseOperation)
ASK = "Ask_Person"
"""The name of ``AskPerson``. It is offered only in runs in which a person may answer."""
WRITTEN: Mapping[str, type[WrittenAction]] = {**ATOMS, **OPERATIONS, ASK: AskPerson}
"""The actions that models write by their own name: all but ``RunShortcut``."""


def points_of(action: Action | OpenLink) -> tuple[Point, ...]:
    """Return the points on the screen that the fields of an action name, in order."""
    return tuple((getattr(action, x.field), getattr(action, y.field)) for x, y in point_parameters(type(action)))
