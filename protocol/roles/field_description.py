"""Describe the fields of a reply to the model. The output formats are made from these descriptions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, get_args, get_origin

from manyhands.protocol.base import Reply


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """Explain a field of a reply to the model."""

    heading: str
    """The field's heading where a reply is written in sections."""
    text: str = ""
    """What the model must write. Do not list choices here: the output formats list them."""


@dataclass(frozen=True, slots=True)
class ReplyField:
    """Describe a field of a reply that is explained to the model."""

    name: str
    kind: Any
    heading: str
    text: str

    def __post_init__(self) -> None:
        """Raise TypeError for a type that no output format can ask for, or whose answer could not be read."""
        words = get_args(self.kind) if get_origin(self.kind) is Literal else ()
        if self.kind in (bool, int, float) or not all(isinstance(word, str) for word in words):
            raise TypeError(
                f"{self.name}: a reply's field is a text, a Literal of words, a StrEnum or bool | None, "
                f"not {self.kind}: "
                'write Literal["yes", "no"] for a bool, and words for numbers'
            )

    @property
    def choices(self) -> tuple[Any, ...]:
        """Return the values that the field may have; empty for a field of free text."""
        if isinstance(self.kind, type) and issubclass(self.kind, StrEnum):
            return tuple(one.value for one in self.kind)
        if self.kind == bool | None:
            return (True, False, None)
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()


def choices_of(reply: type[Reply], name: str) -> tuple[Any, ...]:
    """Return the values that a field of a reply may have; empty for a field of free text."""
    return next((field.choices for field in describe_fields(reply) if field.name == name), ())


def describe_fields(reply: type[Reply]) -> list[ReplyField]:
    """Return the fields of a reply that are explained to the model, in order."""
    return [
        ReplyField(name, field.annotation, mark.heading, mark.text)
        for name, field in reply.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, FieldDescription)
    ]
