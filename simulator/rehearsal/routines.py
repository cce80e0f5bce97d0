"""What a script teaches once its task is done: tips, and routines as shortcuts in the form of the paper.

A routine's precondition is written as conditions; it is told in sentences that are read back as these conditions, so
that an operator and a verifier look for just what it says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import Field, field_validator, model_validator

from manyhands.protocol.base import Input
from manyhands.simulator.rehearsal import expectations
from manyhands.simulator.rehearsal.conditions import EMPTY_FIELD

_NOT_SEEN = re.compile(r"!(?!keyboard$)|(noted|typed|tapped|on|off|turned):")
"""Conditions that are no sentence about one screen."""
POINT = ("x", "y")
"""The arguments of a place."""
KNOWN_PRECONDITIONS = {"An empty text field is visible on the screen, and (x, y) lies inside it.": (EMPTY_FIELD,)}
"""Those of shortcuts that nobody has rehearsed, by what can be seen of them."""


class RoutineStep(Input):
    """One action. Written as ``Tap: {x: x, y: y}``; an argument that names one of the routine's stands for it."""

    name: str
    arguments: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, written: Any) -> Any:
        if isinstance(written, dict) and len(written) == 1 and "name" not in written:
            ((name, arguments),) = written.items()
            return {"name": name, "arguments": arguments or {}}
        return written


class Routine(Input):
    """A run of actions that other tasks can use. ``when``: what the screen shows before its first one."""

    name: str
    arguments: tuple[str, ...] = ()
    description: str
    when: tuple[str, ...] = Field(min_length=1)
    steps: tuple[RoutineStep, ...] = Field(min_length=2)

    @field_validator("when")
    @classmethod
    def _sayable(cls, when: tuple[str, ...]) -> tuple[str, ...]:
        unseen = [condition for condition in when if _NOT_SEEN.match(condition)]
        if unseen or expectations.read(expectations.say(when)) != list(when):
            raise ValueError(f"{unseen or list(when)} cannot be said as what a screen shows")
        return when

    @property
    def precondition(self) -> str:
        return expectations.say(self.when)


class TipToTeach(Input):
    """A tip. ``seen``: a regular expression; it is taught where a run of lines of the history bears it out."""

    say: str
    seen: str


class Lessons(Input):
    """What tasks of one form teach: the first of the routines that is not known and was carried out, and tips."""

    tips: tuple[TipToTeach, ...] = ()
    routines: tuple[Routine, ...] = ()


def conditions_of(precondition: str) -> Sequence[str] | None:
    """Return what can be looked for of a precondition; None for one that this model cannot read."""
    known = KNOWN_PRECONDITIONS.get(" ".join(precondition.split()))
    return expectations.read(precondition) if known is None else known
