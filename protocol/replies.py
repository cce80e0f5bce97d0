"""What a model must write, in its own coordinate space. Gives vLLM its JSON schemas.

Extra fields are refused; every string, list and number is bounded, so that a constrained decoder
always ends. Coordinates are integers of the model's convention (``actors.mllm.request.dialects``).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from manyhands.protocol.actions import LONG_PRESS_S, WAIT_S
from manyhands.protocol.base import Reply

Coordinate = Annotated[int, Field(ge=0, le=9999)]
Short = Annotated[str, Field(max_length=200)]
Medium = Annotated[str, Field(max_length=800)]
Long = Annotated[str, Field(max_length=2000)]


class OpenAppReply(Reply):
    name: Literal["Open_App"]
    app: Annotated[str, Field(max_length=100)]


class TapReply(Reply):
    name: Literal["Tap"]
    x: Coordinate
    y: Coordinate


class TapElementReply(Reply):
    """A tap at the centre of an element of the list that the prompt shows; the first one has number 1."""

    name: Literal["Tap_Element"]
    number: Annotated[int, Field(ge=1, le=9999)]


class LongPressReply(Reply):
    name: Literal["Long_Press"]
    x: Coordinate
    y: Coordinate
    seconds: Annotated[int | None, Field(ge=LONG_PRESS_S[0], le=LONG_PRESS_S[1])] = None


class SwipeReply(Reply):
    name: Literal["Swipe"]
    x1: Coordinate
    y1: Coordinate
    x2: Coordinate
    y2: Coordinate


class TypeReply(Reply):
    name: Literal["Type"]
    text: Long
    clear: bool = False


class PlainReply(Reply):
    """An action without arguments."""

    name: Literal["Enter", "Switch_App", "Back", "Home", "Stop"]


class WaitReply(Reply):
    name: Literal["Wait"]
    seconds: Annotated[int | None, Field(ge=WAIT_S[0], le=WAIT_S[1])] = None
    """Whole ones: of a fraction a constrained decoder could write digits without end."""


class AnswerReply(Reply):
    name: Literal["Answer"]
    text: Long


class ShortcutArgument(Reply):
    name: Short
    value: Long


class ShortcutReply(Reply):
    name: Literal["Shortcut"]
    shortcut: Short
    arguments: Annotated[list[ShortcutArgument], Field(max_length=8)]


ActionReply = Annotated[
    OpenAppReply
    | TapReply
    | TapElementReply
    | LongPressReply
    | SwipeReply
    | TypeReply
    | PlainReply
    | WaitReply
    | AnswerReply
    | ShortcutReply,
    Field(discriminator="name"),
]


def json_schema(reply: type[Reply]) -> dict[str, Any]:
    """The JSON schema that a server constrains the model to."""
    return reply.model_json_schema()
