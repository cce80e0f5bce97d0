"""Declare the types of arguments that an action may have: a class of marks for each type.

A mark is an annotation of an action's field. It holds all that depends on the type of an argument: the type in a reply,
an example, the description in a phone tool, the conversion between the model's value and the field's, and the text for
people. To add a type, write a class here that overrides what differs from ``ArgumentType``. Only one thing is declared
elsewhere: how much a model may deviate from the type when it writes the argument
(``actors/mllm/parse/actions.py``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_args

from annotated_types import MaxLen
from pydantic import BaseModel, Field, TypeAdapter

LONGEST = 2000
"""The length limit of a text in a reply, in characters."""
Coordinate = Annotated[int, Field(ge=0, le=9999)]


# ---------------------------------------------------------------------------- what a field is
@dataclass(frozen=True, slots=True)
class ArgumentType:
    """Describe an argument of an action. Unless a method is overridden, the model writes the field's own value."""

    literal: ClassVar[bool] = True
    """Whether a call in XML writes the argument as a JSON value. Otherwise its characters are taken as they are."""
    says: str = field(default="", kw_only=True)
    """The argument's description in the phone tool. The tool adds which actions take it."""

    def argument(self, name: str) -> str:
        """Return the name by which models write the field ``name``."""
        return name

    def in_reply(self, kind: Any, default: Any) -> tuple[Any, Any]:
        """Return the argument's type and default in a reply; ``...`` stands for "no default".

        ``kind`` is the field's type with its bounds. Texts must be bounded and numbers whole, because a constrained
        decoder must come to an end.
        """
        return kind, default

    def example(self, default: Any) -> Any:
        """Return an example value as models write it. ``default`` is the field's default, or None."""
        return default

    def schema(self, kind: Any) -> dict[str, Any]:
        """Return the JSON schema of the argument in a phone tool."""
        return _schema_of(kind)

    def read(self, value: Any, argument: str) -> Any:
        """Return the field's value for the model's ``value``; None keeps the field's default.

        Raises ValueError. Its message tells the model what the argument must be.
        """
        return value

    def write(self, value: Any, default: Any) -> Any:
        """Return the value that models write for the field's ``value``; None leaves the argument out."""
        return value

    def shown(self, value: Any, *, at_point: bool) -> str:
        """Return the field's value as text for people; empty for none. ``at_point``: a point stands before the text."""
        return str(value)


@cache
def _schema_of(kind: Any) -> dict[str, Any]:
    return TypeAdapter(kind).json_schema()


@dataclass(frozen=True, slots=True)
class AxisArgument(ArgumentType):
    """Mark a coordinate. Coordinates come in pairs, x before y; each pair is a point on the screen.

    ``actors/mllm/request/actions.py`` converts them between pixels and the model's coordinate space.
    """

    name: Literal["x", "y"]

    def in_reply(self, kind: Any, default: Any) -> tuple[Any, Any]:
        return Coordinate, default

    def example(self, default: Any) -> Any:
        return 0

    def shown(self, value: Any, *, at_point: bool) -> str:
        return ""  # the point shows both coordinates


@dataclass(frozen=True, slots=True)
class TextArgument(ArgumentType):
    """Mark a text. A ``label`` is a name, so blanks around it are removed; any other text is used as written."""

    literal = False
    label: bool = False
    may_be_blank: bool = False
    written: str = ""
    """The name by which models write the field, where it differs from ours."""

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
    """Mark a duration. Models write it as ``seconds``: a whole number from ``least`` to ``most``, or nothing."""

    literal = False
    least: int
    most: int
    units: int = 1
    """How many units of the field make a second: 1000 for milliseconds."""

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
    """Mark the number of an entry in a list that the prompt shows, counted from 1."""

    def example(self, default: Any) -> Any:
        return 1


Position = Literal[
    "top", "bottom", "left", "right", "center",
    "top left", "top right", "top center", "bottom left", "bottom right", "bottom center",
    "center left", "center right",
]  # fmt: skip
"""A part of the screen, in one or two words."""


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
    """The name of the action's field that the argument fills."""
    mark: ArgumentType
    kind: Any
    """The field's type with its bounds."""
    required: bool
    default: Any = None
    """The field's value where the model leaves the argument out."""

    @property
    def in_reply(self) -> tuple[Any, Any]:
        """Return the argument's type and default in a reply."""
        return self.mark.in_reply(self.kind, ... if self.required else self.default)

    @property
    def example(self) -> Any:
        """Return an example value as models write it."""
        return self.mark.example(self.default)


@cache
def parameters(kind: type[BaseModel]) -> tuple[Parameter, ...]:
    """Return the arguments that a model writes, in order: the fields of an action or a reply that have a mark."""
    types = []
    for name, declared in kind.model_fields.items():
        mark = next((mark for mark in declared.metadata if isinstance(mark, ArgumentType)), None)
        if mark is not None:
            bounds = [bound for bound in declared.metadata if bound is not mark]
            typed = Annotated[declared.annotation, *bounds] if bounds else declared.annotation
            required = declared.is_required()
            default = None if required else declared.default
            types.append(Parameter(mark.argument(name), name, mark, typed, required, default))
    return tuple(types)


def point_parameters(kind: type[BaseModel]) -> tuple[tuple[Parameter, Parameter], ...]:
    """Return the two coordinates of each point that a model writes, in order."""
    axes = [one for one in parameters(kind) if isinstance(one.mark, AxisArgument)]
    return tuple(zip(axes[::2], axes[1::2], strict=True))
