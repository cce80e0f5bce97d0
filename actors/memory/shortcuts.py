"""Expand shortcuts: from a name and arguments to the atoms that are sent (Mobile-Agent-E, section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ValidationError

from manyhands.protocol.actions import ATOM, ATOMS, Atom, Axis, parameters
from manyhands.protocol.errors import ManyhandsError, explain
from manyhands.protocol.memory import Shortcut, ShortcutStep

AxisName = Literal["x", "y"]


class ShortcutUnusable(ManyhandsError):
    """Signal a shortcut that cannot become atoms; the message says which part is wrong."""

    code = "shortcut_unusable"


def expand_shortcut(shortcut: Shortcut, arguments: Mapping[str, str | int]) -> tuple[Atom, ...]:
    """Return the atoms of a call, in order, coordinates in pixels.

    A mapped value that names one of the shortcut's arguments is replaced by it, any other is a literal.
    Raises ShortcutUnusable for a missing or unknown argument and for a step that is no valid atom.
    """
    missing = [name for name in shortcut.arguments if name not in arguments]
    if missing:
        raise ShortcutUnusable(f"{shortcut.name} needs the argument {missing[0]!r}")
    unknown = [name for name in arguments if name not in shortcut.arguments]
    if unknown:
        takes = ", ".join(shortcut.arguments) or "no arguments"
        raise ShortcutUnusable(f"{shortcut.name} has no argument {unknown[0]!r}; it takes {takes}")
    return tuple(_expand(shortcut, number, step, arguments) for number, step in enumerate(shortcut.steps, start=1))


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


def _expand(shortcut: Shortcut, number: int, step: ShortcutStep, arguments: Mapping[str, str | int]) -> Atom:
    where = f"{shortcut.name}, step {number} ({step.name})"
    atom = ATOMS.get(step.name)
    if atom is None:
        raise ShortcutUnusable(f"{where}: no such action; known are {', '.join(ATOMS)}")
    values: dict[str, Any] = {"name": step.name}
    for parameter, mapped in step.arguments_map.items():
        if parameter not in atom.model_fields or parameter == "name":
            raise ShortcutUnusable(f"{where}: takes no {parameter!r}")
        value = arguments[mapped] if isinstance(mapped, str) and mapped in shortcut.arguments else mapped
        values[parameter] = str(value) if atom.model_fields[parameter].annotation is str else value
    try:
        return ATOM.validate_python(values)
    except ValidationError as error:
        raise ShortcutUnusable(f"{where}: {explain(error, atom)}") from error
