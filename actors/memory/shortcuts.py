"""Expand the call of a shortcut, a name with arguments, into the atoms that are sent (Mobile-Agent-E, section 3.2)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from manyhands.protocol.errors import ManyhandsError, explain
from manyhands.protocol.roles.memory import LongTermMemory, SeenOn, Shortcut, ShortcutStep
from manyhands.protocol.screens.actions import ATOMS, WRITTEN, AtomicAction, ClickIcon, ClickText, WrittenAction
from manyhands.protocol.screens.argument_types import AxisArgument, parameters
from manyhands.protocol.screens.geometry import Size

AxisName = Literal["x", "y"]
ShortcutAction = Annotated[AtomicAction | ClickText | ClickIcon, Field(discriminator="name")]
"""A step of a shortcut.

``ClickText`` and ``ClickIcon`` find their target on the screen at the time of the click. So a shortcut that consists of
them fits phones of any size.
"""
_ACTION = TypeAdapter[ShortcutAction](ShortcutAction)
_KNOWN: Mapping[str, type[WrittenAction]] = {**ATOMS, "Click_Text": ClickText, "Click_Icon": ClickIcon}
_NO_STEPS = ("Answer", "Stop")
"""Actions that no shortcut may contain: they speak to the user and end the task."""


class ShortcutUnusable(ManyhandsError):
    """Signal a shortcut that cannot be expanded into atoms. The message names the part that is wrong."""

    code = "shortcut_unusable"


def expand_shortcut(
    shortcut: Shortcut, arguments: Mapping[str, str | int], size: Size | None = None
) -> tuple[ShortcutAction, ...]:
    """Return the actions of a call, in order. Their coordinates are pixels of a screen of ``size``.

    A mapped value that names one of the shortcut's arguments is replaced by the argument. Any other value is a literal;
    a literal coordinate is a share of the screen. Raises ShortcutUnusable for a missing or unknown argument, for a step
    that is no valid action, and for a share of the screen if ``size`` is not given.
    """
    missing = [name for name in shortcut.arguments if name not in arguments]
    if missing:
        raise ShortcutUnusable(f"{shortcut.name} needs the argument {missing[0]!r}")
    unknown = [name for name in arguments if name not in shortcut.arguments]
    if unknown:
        takes = ", ".join(shortcut.arguments) or "no arguments"
        raise ShortcutUnusable(f"{shortcut.name} has no argument {unknown[0]!r}; it takes {takes}")
    steps = enumerate(shortcut.steps, start=1)
    return tuple(_expand(shortcut, number, step, arguments, size) for number, step in steps)


def check_shortcut(shortcut: Shortcut, shares: bool = False) -> None:
    """Check that a shortcut can be described, called and carried out, whatever the screen.

    ``shares``: a coordinate may be a share of the screen, because the caller knows the screen's size. Raises
    ShortcutUnusable that names the part that is wrong.
    """
    if shortcut.name.casefold() in {name.casefold() for name in WRITTEN}:
        raise ShortcutUnusable(f"{shortcut.name}: that is the name of an action")
    if not any(character.isalnum() for character in shortcut.precondition) or _NO_WORDS.fullmatch(
        shortcut.precondition
    ):
        raise ShortcutUnusable(f"{shortcut.name}: its precondition says nothing: when may it be used?")
    repeated = [name for number, name in enumerate(shortcut.arguments) if name in shortcut.arguments[:number]]
    if repeated:
        raise ShortcutUnusable(f"{shortcut.name}: the argument {repeated[0]!r} stands twice")
    used = {str(value) for step in shortcut.steps for value in step.arguments_map.values()}
    unused = [name for name in shortcut.arguments if name not in used]
    if unused:
        raise ShortcutUnusable(f"{shortcut.name}: nothing is done with its argument {unused[0]!r}")
    samples: dict[str, str | int] = {}
    for number, step in enumerate(shortcut.steps, start=1):
        samples |= _samples(shortcut, number, step, shares)
    coordinate_arguments(shortcut)
    expand_shortcut(shortcut, samples, _ANY_SIZE)


_ANY_SIZE = Size(width=1000, height=1000)
_NO_WORDS = re.compile(r"\s*(none|n/?a|null|no|nothing|-)\s*\.?\s*", re.IGNORECASE)


def _samples(shortcut: Shortcut, number: int, step: ShortcutStep, shares: bool) -> dict[str, str | int]:
    """Return a sample value for each argument of a step.

    Raises ShortcutUnusable for a step that no shortcut may have.
    """
    where = f"{shortcut.name}, step {number} ({step.name})"
    atom = _KNOWN.get(step.name)
    if atom is None or step.name in _NO_STEPS:
        actions = ", ".join(name for name in _KNOWN if name not in _NO_STEPS)
        raise ShortcutUnusable(f"{where}: no such action; a shortcut may have {actions}")
    samples: dict[str, str | int] = {}
    axes = _axes(atom)
    for parameter, value in step.arguments_map.items():
        if value in shortcut.arguments:
            field = atom.model_fields.get(parameter)
            samples[str(value)] = "1" if field is not None and field.annotation is str else 1
        elif parameter in axes and not (shares and _is_share(value)):
            raise ShortcutUnusable(
                f"{where}: {parameter} is {value!r}, a place on the screen of one phone: make it an argument"
            )
    return samples


def coordinate_arguments(shortcut: Shortcut) -> dict[str, AxisName]:
    """Return the arguments that become coordinates, each with its axis.

    Raises ShortcutUnusable for an argument that is used on both axes, or both as a coordinate and as something else.
    """
    uses: dict[str, set[AxisName | None]] = {name: set() for name in shortcut.arguments}
    for step in shortcut.steps:
        across = _axes(ATOMS[step.name]) if step.name in ATOMS else {}
        for parameter, value in step.arguments_map.items():
            if isinstance(value, str) and value in uses:
                uses[value].add(across.get(parameter))
    axes: dict[str, AxisName] = {}
    for name, axes_of_one in uses.items():
        if len(axes_of_one) > 1:
            raise ShortcutUnusable(f"{shortcut.name} uses the argument {name!r} for different things")
        for axis in axes_of_one:
            if axis is not None:
                axes[name] = axis
    return axes


def has_places(shortcut: Shortcut) -> bool:
    """Return whether a shortcut has a literal coordinate. Such a shortcut fits only the screen where it was learned."""
    return any(
        _is_share(value)
        for step in shortcut.steps
        for parameter, value in step.arguments_map.items()
        if parameter in _axes(_KNOWN.get(step.name))
    )


def as_shares(shortcut: Shortcut, size: Size) -> Shortcut:
    """Return a shortcut with its literal coordinates as shares of the screen, made from pixels of a screen of ``size``.

    Raises ShortcutUnusable for a place outside that screen.
    """
    steps = []
    for number, step in enumerate(shortcut.steps, start=1):
        axes, mapped = _axes(_KNOWN.get(step.name)), dict(step.arguments_map)
        for parameter in axes.keys() & mapped.keys():
            value, extent = mapped[parameter], _extent(axes[parameter], size)
            if not isinstance(value, int) or isinstance(value, bool):
                continue
            if not 0 <= value < extent:
                where = f"{shortcut.name}, step {number} ({step.name})"
                raise ShortcutUnusable(f"{where}: {parameter} is {value}, and the screen has {extent} pixels")
            mapped[parameter] = round((value + 0.5) / extent, 6)
        steps.append(step.model_copy(update={"arguments_map": mapped}))
    return shortcut.model_copy(update={"steps": tuple(steps)})


def as_pixels(shortcut: Shortcut, size: Size) -> Shortcut:
    """Return a shortcut with its shares of the screen as pixels of ``size``: This is the inverse of ``as_shares``."""
    steps = []
    for step in shortcut.steps:
        axes = _axes(_KNOWN.get(step.name))
        mapped = {
            parameter: math.floor(value * _extent(axes[parameter], size))
            if parameter in axes and isinstance(value, float) and _is_share(value)
            else value
            for parameter, value in step.arguments_map.items()
        }
        steps.append(step.model_copy(update={"arguments_map": mapped}))
    return shortcut.model_copy(update={"steps": tuple(steps)})


def offered_on(memory: LongTermMemory, size: Size | None) -> LongTermMemory:
    """Return a memory without shortcuts whose literal coordinates were learned on another or an unknown screen size.

    ``size``: the size of the phone's screen; None if the phone does not tell it.
    """

    def fits(place: int) -> bool:
        seen_on = memory.seen_on[place] if place < len(memory.seen_on) else SeenOn()
        return not has_places(memory.shortcuts[place]) or (size is not None and seen_on.size == size)

    places = [place for place in range(len(memory.shortcuts)) if fits(place)]
    if len(places) == len(memory.shortcuts):
        return memory
    return memory.model_copy(
        update={
            "shortcuts": tuple(memory.shortcuts[place] for place in places),
            "shortcut_ids": tuple(memory.shortcut_ids[place] for place in places if place < len(memory.shortcut_ids)),
            "seen_on": tuple(memory.seen_on[place] for place in places if place < len(memory.seen_on)),
        }
    )


def _axes(atom: type[WrittenAction] | None) -> dict[str, AxisName]:
    """Return the parameters of an action that are coordinates, each with its axis."""
    named = () if atom is None else parameters(atom)
    return {one.field: one.mark.name for one in named if isinstance(one.mark, AxisArgument)}


def _extent(axis: AxisName, size: Size) -> int:
    return size.width if axis == "x" else size.height


def _is_share(value: object) -> bool:
    return isinstance(value, float) and 0 <= value < 1


def _expand(
    shortcut: Shortcut, number: int, step: ShortcutStep, arguments: Mapping[str, str | int], size: Size | None
) -> ShortcutAction:
    where = f"{shortcut.name}, step {number} ({step.name})"
    atom = _KNOWN.get(step.name)
    if atom is None:
        raise ShortcutUnusable(f"{where}: no such action; known are {', '.join(_KNOWN)}")
    values: dict[str, Any] = {"name": step.name}
    axes = _axes(atom)
    for parameter, mapped in step.arguments_map.items():
        if parameter not in atom.model_fields or parameter == "name":
            raise ShortcutUnusable(f"{where}: takes no {parameter!r}")
        value = arguments[mapped] if isinstance(mapped, str) and mapped in shortcut.arguments else mapped
        if parameter in axes and isinstance(value, float) and _is_share(value):
            if size is None:
                raise ShortcutUnusable(f"{where}: {parameter} is a share of a screen whose size nobody knows")
            value = math.floor(value * _extent(axes[parameter], size))
        values[parameter] = str(value) if atom.model_fields[parameter].annotation is str else value
    try:
        return _ACTION.validate_python(values)
    except ValidationError as error:
        raise ShortcutUnusable(f"{where}: {explain(error, atom)}") from error
