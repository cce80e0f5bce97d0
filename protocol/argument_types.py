"""Declare the kinds of arguments that an action may have: one class of marks each.

A mark says all that depends on the kind of an argument: its type in a reply, an example of it, how a phone tool
describes it, how its value becomes that of the field and the other way round, how people are shown it. A new kind is a
class here that says what it has otherwise than ``ArgumentType``. Only how leniently a model may write it is elsewhere
(``actors/mllm/parse/action_names.py``): what is not read there is judged by the type of the reply.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_args

from annotated_types import MaxLen
from pydantic import BaseModel, Field, TypeAdapter

LONGEST = 2000
"""Characters of the longest text of a reply."""
Coordinate = Annotated[int, Field(ge=0, le=9999)]


# ---------------------------------------------------------------------------- what a field is
@dataclass(frozen=True, slots=True)
class ArgumentType:
    """Say what an argument of an action is. A value is that of the field, if a method does not say otherwise."""

    literal: ClassVar[bool] = True
    """Whether it is read as a value of JSON where a call is written in XML; else every character is part of it."""
    says: str = field(default="", kw_only=True)
    """What it tells, as the phone's tool describes it to the model; the actions that take it are added."""

    def argument(self, name: str) -> str:
        """Return what models call the argument that fills the field of this name."""
        return name

    def in_reply(self, kind: Any, default: Any) -> tuple[Any, Any]:
        """Return the argument's type and default in a reply, ``...`` for none, from the field's type with its bounds.

        A constrained decoder must come to an end: texts are bounded, numbers are whole.
        """
        return kind, default

    def example(self, default: Any) -> Any:
        """Return a value as models write it, for examples in prompts; ``default`` is the field's, None without one."""
        return default

    def schema(self, kind: Any) -> dict[str, Any]:
        """Return the JSON schema of the argument in a phone tool."""
        return _schema_of(kind)

    def read(self, value: Any, argument: str) -> Any:
        """Return the field's value for what a reply has; None to leave the field its default.

        Raises ValueError, whose message tells the model what the argument must be.
        """
        return value

    def write(self, value: Any, default: Any) -> Any:
        """Return the field's value as models write it; None to leave it out."""
        return value

    def shown(self, value: Any, *, at_point: bool) -> str:
        """Return the field's value for people, empty for nothing; ``at_point``: a point is shown before it."""
        return str(value)


@cache
def _schema_of(kind: Any) -> dict[str, Any]:
    return TypeAdapter(kind).json_schema()


@dataclass(frozen=True, slots=True)
class AxisArgument(ArgumentType):
    """Mark a coordinate. Coordinates come in pairs, first on x, then on y: each pair is a point of the screen.

    They are converted between pixels and a model's space where that is known (``actors/mllm/request/actions.py``).
    """

    name: Literal["x", "y"]

    def in_reply(self, kind: Any, default: Any) -> tuple[Any, Any]:
        return Coordinate, default

    def example(self, default: Any) -> Any:
        return 0

    def shown(self, value: Any, *, at_point: bool) -> str:
        return ""  # as part of its point


@dataclass(frozen=True, slots=True)
class TextArgument(ArgumentType):
    """Mark a text. A ``label`` names something, and blanks around it mean nothing; any other is used as written."""

    literal = False
    label: bool = False
    may_be_blank: bool = False
    written: str = ""
    """What models call the field, where that is another word than ours."""

    def argument(self, name: str) -> str:
        return self.written or name

    def in_reply(self, kind: Any, default: Any) -> tuple[Any, Any]:
        bounds = (*getattr(kind, "__metadata__", ()), MaxLen(LONGEST))
        longest = min(bound.max_length for bound in bounds if isinstance(bound, MaxLen))
        return Annotated[str, Field(max_length=longest)], default

    def example(self, default: Any) -> Any:
        return "..."

    def read(self, value: str, argument: str) -> str:
        if self.label:
            value = value.strip()
        if not (value if self.may_be_blank else value.strip()):
            raise ValueError(f"the {argument}'s name" if self.label else "a text that is not empty")
        return value

    def shown(self, value: Any, *, at_point: bool) -> str:
        return str(value) if self.label else f"“{value}”"


@dataclass(frozen=True, slots=True)
class SecondsArgument(ArgumentType):
    """Mark a time that models write as ``seconds``: a whole number from ``least`` to ``most``, or nothing."""

    literal = False
    least: int
    most: int
    units: int = 1
    """How many units of the field make a second."""

    def argument(self, name: str) -> str:
        return "seconds"

    def in_reply(self, kind: Any, default: Any) -> tuple[Any, Any]:
        return Annotated[int | None, Field(ge=self.least, le=self.most)], None

    def example(self, default: Any) -> Any:
        return self.least if default is None else self._whole(default)

    def read(self, value: int | None, argument: str) -> int | None:
        return None if value is None else value * self.units

    def write(self, value: Any, default: Any) -> Any:
        return None if value == default else self._whole(value)

    def shown(self, value: Any, *, at_point: bool) -> str:
        return f"{'for ' if at_point else ''}{value / self.units:g} s"

    def _whole(self, value: float) -> int:
        return min(max(round(value / self.units), self.least), self.most)


@dataclass(frozen=True, slots=True)
class FlagArgument(ArgumentType):
    """Mark a choice that models may leave out."""

    def shown(self, value: Any, *, at_point: bool) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class NumberArgument(ArgumentType):
    """Mark a place in a list that the prompt shows, from 1 on."""

    def example(self, default: Any) -> Any:
        return 1


Position = Literal[
    "top", "bottom", "left", "right", "center",
    "top left", "top right", "top center", "bottom left", "bottom right", "bottom center",
    "center left", "center right",
]  # fmt: skip
"""A part of the screen in one word or two."""


@dataclass(frozen=True, slots=True)
class PartOfScreen(ArgumentType):
    """Mark a part of the screen (``Position``)."""

    literal = False
    says: str = field(default="One or two of top, bottom, left, right and center", kw_only=True)

    def example(self, default: Any) -> Any:
        return "top right"

    def schema(self, kind: Any) -> dict[str, Any]:
        return {"type": "string", "enum": list(get_args(Position))}


@dataclass(frozen=True, slots=True)
class NotWritten:
    """Mark a field that models do not write."""


X = Annotated[int, AxisArgument("x")]
Y = Annotated[int, AxisArgument("y")]
Point = tuple[int, int]


# ---------------------------------------------------------------------------- the arguments of an action
@dataclass(frozen=True, slots=True)
class Parameter:
    """Describe an argument of an action as models write it."""

    name: str
    field: str
    """The field of the action that it fills."""
    mark: ArgumentType
    kind: Any
    """The field's type with its bounds."""
    required: bool
    default: Any = None
    """The field's value where nothing is written."""

    @property
    def in_reply(self) -> tuple[Any, Any]:
        """Return its type and its default in a reply."""
        return self.mark.in_reply(self.kind, ... if self.required else self.default)

    @property
    def example(self) -> Any:
        """Return a value as models write it."""
        return self.mark.example(self.default)


@cache
def parameters(kind: type[BaseModel]) -> tuple[Parameter, ...]:
    """Return what a model writes of an action or of a reply, in order: its fields with a mark."""
    found = []
    for name, declared in kind.model_fields.items():
        mark = next((mark for mark in declared.metadata if isinstance(mark, ArgumentType)), None)
        if mark is not None:
            bounds = [bound for bound in declared.metadata if bound is not mark]
            typed = Annotated[declared.annotation, *bounds] if bounds else declared.annotation
            required = declared.is_required()
            default = None if required else declared.default
            found.append(Parameter(mark.argument(name), name, mark, typed, required, default))
    return tuple(found)


def point_parameters(kind: type[BaseModel]) -> tuple[tuple[Parameter, Parameter], ...]:
    """Return the two coordinates of each point that a model writes, in order."""
    axes = [one for one in parameters(kind) if isinstance(one.mark, AxisArgument)]
    return tuple(zip(axes[::2], axes[1::2], strict=True))
