"""The door that a learned shortcut has to pass: it must have happened. Pure.

A learner may invent. What it writes is kept only if the episode that taught it carried out these very actions one after
another, each as expected; then the shortcut is what it says, and whoever uses it repeats what has worked once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from manyhands.actors.memory.private import has_long_number
from manyhands.actors.memory.shortcuts import ShortcutUnusable, as_shares, check_shortcut
from manyhands.actors.perception.grounding.places import place_at
from manyhands.protocol.actions import Action, RunShortcut, Tap
from manyhands.protocol.base import Outcome
from manyhands.protocol.geometry import Box, Size
from manyhands.protocol.marks import Position
from manyhands.protocol.memory import Shortcut, ShortcutStep
from manyhands.protocol.screens import Screen

_TYPED, _CLICKED = "Type", "Click_Text"
"""A single word that is clicked, such as Delete, stands on a button and in a goal alike; several are a name."""
_POSITIONS = get_args(Position)
_NEAR = 0.5
"""How well a place has to fit the part of the screen that a click on an icon names (``Place.fit``)."""


@dataclass(frozen=True, slots=True)
class Done:
    """What an episode did in one step, and the screen on which it did it."""

    step: int
    action: Action | None
    outcome: Outcome | None
    screen: Screen | None
    """None where nobody perceived it."""


@dataclass(frozen=True, slots=True)
class BorneOut:
    """A shortcut as it may be kept, and the first step of the run of actions that bears it out."""

    shortcut: Shortcut
    step: int


class NotBorneOut(ShortcutUnusable):
    """Signal a shortcut that the episode does not bear out; the message names the step of it that does not fit."""


def pass_door(shortcut: Shortcut, done: Sequence[Done], size: Size, private: Sequence[str]) -> BorneOut:
    """Return a shortcut as it may be kept: checked, borne out by an episode, its places as shares of the screen.

    ``private``: texts of which no part may be a literal, such as the goal and the notes. Raises ShortcutUnusable.
    """
    shared = as_shares(shortcut, size)
    check_shortcut(shared, shares=True)
    _check_literals(shortcut, private)
    furthest, why = -1, "the episode did nothing"
    for first in range(len(done)):
        fitted, reason = _fit(shortcut, done[first:])
        if fitted == len(shortcut.steps):
            return BorneOut(shared, done[first].step)
        if fitted > furthest:
            furthest, why = fitted, reason
    number = furthest + 1
    raise NotBorneOut(f"{shortcut.name}, step {number} ({shortcut.steps[furthest].name}): {why}")


def _check_literals(shortcut: Shortcut, private: Sequence[str]) -> None:
    said = [" ".join(text.casefold().split()) for text in private]
    for number, step in enumerate(shortcut.steps, start=1):
        where = f"{shortcut.name}, step {number} ({step.name})"
        for name, value in step.arguments_map.items():
            if not isinstance(value, str) or value in shortcut.arguments:
                continue
            text = " ".join(value.casefold().split())
            if has_long_number(value):
                raise NotBorneOut(f"{where}: {name} is {value!r}, a number of somebody: make it an argument")
            is_said = any(text and text in one for one in said)
            if name == "text" and is_said and (step.name == _TYPED or (step.name == _CLICKED and " " in text)):
                raise NotBorneOut(f"{where}: {name} is {value!r}, which this one task is about: make it an argument")


@dataclass(slots=True)
class _Fitting:
    """What the arguments of a shortcut were in one run of actions, as far as it has been looked at."""

    shortcut: Shortcut
    bound: dict[str, Any] = field(default_factory=dict)

    def takes(self, mapped: Any, value: Any) -> bool:
        """Return whether a mapped value may have stood for ``value``; an argument is the same throughout."""
        if isinstance(mapped, str) and mapped in self.shortcut.arguments:
            return bool(self.bound.setdefault(mapped, value) == value)
        if isinstance(value, bool):  # learners write each value as a text
            return str(mapped).casefold() == str(value).casefold()
        return str(mapped) == str(value)


def _fit(shortcut: Shortcut, done: Sequence[Done]) -> tuple[int, str]:
    """Return how many steps of a shortcut the actions bear out from their first on, and why the next one is not."""
    fitting = _Fitting(shortcut)
    for number, step in enumerate(shortcut.steps):
        if number >= len(done):
            return number, "the episode ended before it"
        did = done[number]
        if did.step != done[0].step + number:
            return number, f"step {did.step - 1} of the episode, before it, was not judged"
        if did.action is None or isinstance(did.action, RunShortcut):
            what = "a shortcut" if did.action is not None else "nothing valid"
            return number, f"step {did.step} of the episode did {what} there"
        if did.outcome is not Outcome.A:
            return number, f"step {did.step} of the episode, {did.action.name}, was not as expected"
        if not _same(fitting, step, did):
            return number, f"step {did.step} of the episode did something else: {_told(did.action)}"
    return len(shortcut.steps), ""


def _same(fitting: _Fitting, step: ShortcutStep, did: Done) -> bool:
    action = did.action
    assert action is not None
    if step.name in ("Click_Text", "Click_Icon"):
        return isinstance(action, Tap) and _clicked(fitting, step, action, did.screen)
    if step.name != action.name:
        return False
    given: Mapping[str, Any] = action.model_dump(exclude={"name"})
    defaults = {name: one.default for name, one in type(action).model_fields.items()}
    return all(fitting.takes(mapped, given.get(name)) for name, mapped in step.arguments_map.items()) and all(
        value == defaults[name] for name, value in given.items() if name not in step.arguments_map
    )


def _clicked(fitting: _Fitting, step: ShortcutStep, tap: Tap, screen: Screen | None) -> bool:
    """Return whether a tap hit what a click by words names. What an icon looks like is not told from its name."""
    if screen is None:
        return False
    hit = [one for one in screen.elements if _within(tap, one.box)]
    if step.name == "Click_Icon":
        position = step.arguments_map.get("position")
        is_there = position in fitting.shortcut.arguments or _lies_at(position, tap, screen.size)
        return is_there and any(one.kind == "icon" for one in hit)
    mapped = step.arguments_map.get("text")
    return any(fitting.takes(mapped, one.content) for one in hit if one.kind == "text")


def _lies_at(position: Any, tap: Tap, size: Size) -> bool:
    """Return whether a tap was at most a quarter of the screen away from a part of it, if it is one."""
    if position not in _POSITIONS:
        return True
    return place_at(position).fit(tap.x / size.width, tap.y / size.height) >= _NEAR


def _within(tap: Tap, box: Box) -> bool:
    return box.x1 <= tap.x < box.x2 and box.y1 <= tap.y < box.y2


def _told(action: Action) -> str:
    given = action.model_dump(exclude={"name"}, exclude_defaults=True)
    return f"{action.name}({', '.join(f'{name}={value!r}' for name, value in given.items())})"[:120]
