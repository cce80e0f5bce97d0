"""Expand shortcuts: from a name and arguments to the atoms that are sent (Mobile-Agent-E, section 3.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from manyhands.protocol.actions import ATOMS, WRITTEN, Atom, ClickIcon, ClickText, WrittenAction
from manyhands.protocol.errors import ManyhandsError, explain
from manyhands.protocol.marks import Axis, parameters
from manyhands.protocol.memory import Shortcut, ShortcutStep

AxisName = Literal["x", "y"]
ShortcutAction = Annotated[Atom | ClickText | ClickIcon, Field(discriminator="name")]
"""What a shortcut consists of. What is clicked by words is looked for on the screen that is there then: such a shortcut
fits phones of any size."""
_ACTION = TypeAdapter[ShortcutAction](ShortcutAction)
_KNOWN: Mapping[str, type[WrittenAction]] = {**ATOMS, "Click_Text": ClickText, "Click_Icon": ClickIcon}
_NO_STEPS = ("Answer", "Stop")
"""They say something to the user, and end the task: that is nothing to be repeated."""


class ShortcutUnusable(ManyhandsError):
    """Signal a shortcut that cannot become atoms; the message says which part is wrong."""

    code = "shortcut_unusable"


def expand_shortcut(shortcut: Shortcut, arguments: Mapping[str, str | int]) -> tuple[ShortcutAction, ...]:
    """Return the actions of a call, in order, coordinates in pixels.

    A mapped value that names one of the shortcut's arguments is replaced by it, any other is a literal.
    Raises ShortcutUnusable for a missing or unknown argument and for a step that is no valid action.
    """
    missing = [name for name in shortcut.arguments if name not in arguments]
    if missing:
        raise ShortcutUnusable(f"{shortcut.name} needs the argument {missing[0]!r}")
    unknown = [name for name in arguments if name not in shortcut.arguments]
    if unknown:
        takes = ", ".join(shortcut.arguments) or "no arguments"
        raise ShortcutUnusable(f"{shortcut.name} has no argument {unknown[0]!r}; it takes {takes}")
    return tuple(_expand(shortcut, number, step, arguments) for number, step in enumerate(shortcut.steps, start=1))


def check_shortcut(shortcut: Shortcut) -> None:
    """Check what holds of a shortcut whatever the screen is: that it can be told, called and carried out.

    Raises ShortcutUnusable that names the part that is wrong.
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
        samples |= _samples(shortcut, number, step)
    coordinate_arguments(shortcut)
    expand_shortcut(shortcut, samples)


_NO_WORDS = re.compile(r"\s*(none|n/?a|null|no|nothing|-)\s*\.?\s*", re.IGNORECASE)


def _samples(shortcut: Shortcut, number: int, step: ShortcutStep) -> dict[str, str | int]:
    """Return a value for each argument that a step takes. Raises ShortcutUnusable for what no shortcut may have."""
    where = f"{shortcut.name}, step {number} ({step.name})"
    atom = _KNOWN.get(step.name)
    if atom is None or step.name in _NO_STEPS:
        known = ", ".join(name for name in _KNOWN if name not in _NO_STEPS)
        raise ShortcutUnusable(f"{where}: no such action; a shortcut may have {known}")
    samples: dict[str, str | int] = {}
    axes = {one.field for one in parameters(atom) if isinstance(one.mark, Axis)}
    for parameter, value in step.arguments_map.items():
        if value in shortcut.arguments:
            field = atom.model_fields.get(parameter)
            samples[str(value)] = "1" if field is not None and field.annotation is str else 1
        elif parameter in axes:
            raise ShortcutUnusable(
                f"{where}: {parameter} is {value!r}, a place on the screen of one phone: make it an argument"
            )
    return samples


def coordinate_arguments(shortcut: Shortcut) -> dict[str, AxisName]:
    """Return the arguments that become coordinates, with the axis each lies on.

    Raises ShortcutUnusable for one that is used on both axes, or as a coordinate and as something else.
    """
    uses: dict[str, set[AxisName | None]] = {name: set() for name in shortcut.arguments}
    for step in shortcut.steps:
        named = parameters(ATOMS[step.name]) if step.name in ATOMS else ()
        across = {one.field: one.mark.name for one in named if isinstance(one.mark, Axis)}
        for parameter, value in step.arguments_map.items():
            if isinstance(value, str) and value in uses:
                uses[value].add(across.get(parameter))
    axes: dict[str, AxisName] = {}
    for name, found in uses.items():
        if len(found) > 1:
            raise ShortcutUnusable(f"{shortcut.name} uses the argument {name!r} for different things")
        for axis in found:
            if axis is not None:
                axes[name] = axis
    return axes


def _expand(shortcut: Shortcut, number: int, step: ShortcutStep, arguments: Mapping[str, str | int]) -> ShortcutAction:
    where = f"{shortcut.name}, step {number} ({step.name})"
    atom = _KNOWN.get(step.name)
    if atom is None:
        raise ShortcutUnusable(f"{where}: no such action; known are {', '.join(_KNOWN)}")
    values: dict[str, Any] = {"name": step.name}
    for parameter, mapped in step.arguments_map.items():
        if parameter not in atom.model_fields or parameter == "name":
            raise ShortcutUnusable(f"{where}: takes no {parameter!r}")
        value = arguments[mapped] if isinstance(mapped, str) and mapped in shortcut.arguments else mapped
        values[parameter] = str(value) if atom.model_fields[parameter].annotation is str else value
    try:
        return _ACTION.validate_python(values)
    except ValidationError as error:
        raise ShortcutUnusable(f"{where}: {explain(error, atom)}") from error
