"""Validate learned shortcuts against the actions that their episode executed. Pure.

A learner may invent steps. A shortcut is accepted only if its episode executed exactly these actions one after another,
each with outcome A. So every accepted shortcut has worked once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from manyhands.actors.memory.personal_data import has_long_number
from manyhands.actors.memory.shortcuts import ShortcutUnusable, as_shares, check_shortcut
from manyhands.actors.perception.grounding.interpretation import place_at
from manyhands.protocol.base import Outcome
from manyhands.protocol.roles.memory import Shortcut, ShortcutStep
from manyhands.protocol.screens.actions import Action, RunShortcut, Tap
from manyhands.protocol.screens.argument_types import Position
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Screen

_TYPED, _CLICKED = "Type", "Click_Text"
"""Actions whose texts must not be private.

A clicked text of one word is allowed: a word such as Delete may be on a button and in the goal by chance. Several words
are a name.
"""
_POSITIONS = get_args(Position)
_LEAST_FIT = 0.5
"""The least ``ScreenRegion.fit`` of a tap with the part of the screen that a click on an icon names."""


@dataclass(frozen=True, slots=True)
class ExecutedStep:
    """Hold the action that an episode executed in one step, its outcome, and the screen before it."""

    step: int
    action: Action | None
    outcome: Outcome | None
    screen: Screen | None
    """The screen before the action; None if it was not perceived."""


@dataclass(frozen=True, slots=True)
class ValidatedShortcut:
    """Hold an accepted shortcut, and the step of the episode at which the actions that support it begin."""

    shortcut: Shortcut
    step: int


class ShortcutNotSupported(ShortcutUnusable):
    """Signal a shortcut that its episode does not support. The message names the first step that does not match."""


def validate_shortcut(
    shortcut: Shortcut, executed: Sequence[ExecutedStep], size: Size, private: Sequence[str]
) -> ValidatedShortcut:
    """Validate a shortcut against the steps of its episode. Return it with coordinates as shares of the screen.

    ``executed``: the judged steps in order. ``size``: the screen's size in pixels. ``private``: texts, such as the goal
    and the notes, no part of which may be a literal. Raises ShortcutUnusable.
    """
    shared = as_shares(shortcut, size)
    check_shortcut(shared, shares=True)
    _check_literals(shortcut, private)
    furthest, why = -1, "the episode did nothing"
    for first in range(len(executed)):
        matched, reason = _match(shortcut, executed[first:])
        if matched == len(shortcut.steps):
            return ValidatedShortcut(shared, executed[first].step)
        if matched > furthest:
            furthest, why = matched, reason
    number = furthest + 1
    raise ShortcutNotSupported(f"{shortcut.name}, step {number} ({shortcut.steps[furthest].name}): {why}")


def _check_literals(shortcut: Shortcut, private: Sequence[str]) -> None:
    private_texts = [" ".join(text.casefold().split()) for text in private]
    for number, step in enumerate(shortcut.steps, start=1):
        where = f"{shortcut.name}, step {number} ({step.name})"
        for name, value in step.arguments_map.items():
            if not isinstance(value, str) or value in shortcut.arguments:
                continue
            text = " ".join(value.casefold().split())
            if has_long_number(value):
                raise ShortcutNotSupported(f"{where}: {name} is {value!r}, a number of somebody: make it an argument")
            is_private = any(text and text in one for one in private_texts)
            if name == "text" and is_private and (step.name == _TYPED or (step.name == _CLICKED and " " in text)):
                raise ShortcutNotSupported(
                    f"{where}: {name} is {value!r}, which this one task is about: make it an argument"
                )


@dataclass(slots=True)
class _ArgumentBinding:
    """Bind the arguments of a shortcut to values while it is matched against a sequence of actions."""

    shortcut: Shortcut
    bound: dict[str, Any] = field(default_factory=dict)

    def accepts(self, mapped: Any, value: Any) -> bool:
        """Return whether a mapped value can stand for ``value``.

        An argument keeps the first value that it was bound to.
        """
        if isinstance(mapped, str) and mapped in self.shortcut.arguments:
            return bool(self.bound.setdefault(mapped, value) == value)
        if isinstance(value, bool):  # learners write each value as text
            return str(mapped).casefold() == str(value).casefold()
        return str(mapped) == str(value)


def _match(shortcut: Shortcut, executed: Sequence[ExecutedStep]) -> tuple[int, str]:
    """Return how many steps of a shortcut match the executed steps from the first on, and why the next step
    does not match.
    """
    binding = _ArgumentBinding(shortcut)
    for number, step in enumerate(shortcut.steps):
        if number >= len(executed):
            return number, "the episode ended before it"
        judged = executed[number]
        if judged.step != executed[0].step + number:
            return number, f"step {judged.step - 1} of the episode, before it, was not judged"
        if judged.action is None or isinstance(judged.action, RunShortcut):
            what = "a shortcut" if judged.action is not None else "nothing valid"
            return number, f"step {judged.step} of the episode did {what} there"
        if judged.outcome is not Outcome.A:
            return number, f"step {judged.step} of the episode, {judged.action.name}, was not as expected"
        if not _matches(binding, step, judged):
            return number, f"step {judged.step} of the episode did something else: {_describe(judged.action)}"
    return len(shortcut.steps), ""


def _matches(binding: _ArgumentBinding, step: ShortcutStep, judged: ExecutedStep) -> bool:
    action = judged.action
    assert action is not None
    if step.name in ("Click_Text", "Click_Icon"):
        return isinstance(action, Tap) and _hits(binding, step, action, judged.screen)
    if step.name != action.name:
        return False
    arguments: Mapping[str, Any] = action.model_dump(exclude={"name"})
    defaults = {name: one.default for name, one in type(action).model_fields.items()}
    return all(binding.accepts(mapped, arguments.get(name)) for name, mapped in step.arguments_map.items()) and all(
        value == defaults[name] for name, value in arguments.items() if name not in step.arguments_map
    )


def _hits(binding: _ArgumentBinding, step: ShortcutStep, tap: Tap, screen: Screen | None) -> bool:
    """Return whether a tap hit the element that a click by words names. The name of an icon is not compared."""
    if screen is None:
        return False
    hit = [one for one in screen.elements if _within(tap, one.box)]
    if step.name == "Click_Icon":
        position = step.arguments_map.get("position")
        is_there = position in binding.shortcut.arguments or _lies_at(position, tap, screen.size)
        return is_there and any(one.kind == "icon" for one in hit)
    mapped = step.arguments_map.get("text")
    return any(binding.accepts(mapped, one.content) for one in hit if one.kind == "text")


def _lies_at(position: Any, tap: Tap, size: Size) -> bool:
    """Return whether a tap was at most a quarter of the screen away from ``position``; True if ``position``
    names no position.
    """
    if position not in _POSITIONS:
        return True
    return place_at(position).fit(tap.x / size.width, tap.y / size.height) >= _LEAST_FIT


def _within(tap: Tap, box: Box) -> bool:
    return box.x1 <= tap.x < box.x2 and box.y1 <= tap.y < box.y2


def _describe(action: Action) -> str:
    arguments = action.model_dump(exclude={"name"}, exclude_defaults=True)
    return f"{action.name}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"[:120]
