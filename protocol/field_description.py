"""Describe the fields of a reply to the model; the output formats are made from this."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, get_args, get_origin

from manyhands.protocol.base import Reply


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """Give how a field of a reply is explained to the model; the output formats are made from this."""

    heading: str
    """The field's heading where replies are written in sections."""
    text: str = ""
    """What to write. The choices of a field that has some are listed by themselves."""


@dataclass(frozen=True, slots=True)
class ReplyField:
    """Describe a field of a reply that is explained to the model."""

    name: str
    kind: Any
    heading: str
    text: str

    def __post_init__(self) -> None:
        """Raise TypeError for a kind that no model can be asked for, or whose answer would not be read."""
        words = get_args(self.kind) if get_origin(self.kind) is Literal else ()
        if self.kind in (bool, int, float) or not all(isinstance(word, str) for word in words):
            raise TypeError(
                f"{self.name}: a reply's field is a text, a Literal of words, a StrEnum or bool | None, "
                f"not {self.kind}: "
                'write Literal["yes", "no"] for a bool, and words for numbers'
            )

    @property
    def choices(self) -> tuple[Any, ...]:
        """Return the values that the field may have, where they are few."""
        if isinstance(self.kind, type) and issubclass(self.kind, StrEnum):
            return tuple(one.value for one in self.kind)
        if self.kind == bool | None:
            return (True, False, None)
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()


def choices_of(reply: type[Reply], name: str) -> tuple[Any, ...]:
    """Return the values that a field of a reply may have, where they are few."""
    return next((field.choices for field in describe_fields(reply) if field.name == name), ())


def describe_fields(reply: type[Reply]) -> list[ReplyField]:
    """Return the fields of a reply that are explained to the model, in their order."""
    return [
        ReplyField(name, field.annotation, mark.heading, mark.text)
        for name, field in reply.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, FieldDescription)
    ]
