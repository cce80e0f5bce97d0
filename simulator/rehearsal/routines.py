"""Define what a script teaches once its task is done: tips, and routines, which become shortcuts as in the paper.

A script has a routine's precondition as conditions. Prompts have it as sentences, and the operator and the verifier
turn these sentences back into the same conditions. So both roles look for exactly what the precondition says.
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
"""Matches conditions that no sentence about one screen can express."""
POINT = ("x", "y")
"""The names of the two arguments that are a point on the screen."""
KNOWN_PRECONDITIONS = {"An empty text field is visible on the screen, and (x, y) lies inside it.": (EMPTY_FIELD,)}
"""Preconditions of shortcuts that are in no script, each with the conditions that the screen can show."""


class RoutineStep(Input):
    """Hold one action of a routine. Scripts write it as ``Tap: {x: x, y: y}``.

    A value that is the name of one of the routine's arguments stands for the value of this argument.
    """

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
    """Hold a sequence of actions that other tasks can use. ``when``: what the screen shows before the first action."""

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
    """Hold a tip. ``seen``: a regular expression; the tip is taught if the history contains a match."""

    say: str
    seen: str


class Lessons(Input):
    """Hold what tasks of one form can teach.

    A routine is taught if its actions were carried out, and if it is unknown or a use of it has failed.
    """

    tips: tuple[TipToTeach, ...] = ()
    routines: tuple[Routine, ...] = ()


def conditions_of(precondition: str) -> Sequence[str] | None:
    """Return the conditions that a precondition names; None if this model cannot read it."""
    known = KNOWN_PRECONDITIONS.get(" ".join(precondition.split()))
    return expectations.read(precondition) if known is None else known
