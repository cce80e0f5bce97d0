"""Convert a model's actions from its coordinates to pixels. Convert ours to its coordinates for the history."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, assert_never

from manyhands.actors.memory.shortcuts import ShortcutAction, coordinate_arguments, expand_shortcut
from manyhands.actors.mllm.request.dialects import Dialect, OutsideScreen, to_model, to_pixel
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.roles.memory import Shortcut
from manyhands.protocol.roles.replies import (
    OUR_ACTIONS,
    ActionReply,
    ActionSet,
    AtomicActionReply,
    ScrollReply,
    ShortcutReply,
    TapElementReply,
)
from manyhands.protocol.screens.actions import ACTION, WRITTEN, Action, RunShortcut, Swipe, Tap, points_of
from manyhands.protocol.screens.argument_types import AxisArgument, Point, parameters, point_parameters
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element


class NotAnAction(ManyhandsError):
    """Signal an action that cannot be carried out: an empty text, an unknown shortcut, a swipe to nowhere."""

    code = "not_an_action"


_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_TRAVEL = 0.4
"""How far a swipe by its direction goes, as a share of the screen's shorter side (MobileWorld, for MAI-UI)."""
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,6}")


def read_action(
    reply: ActionReply,
    dialect: Dialect,
    size: Size,
    shortcuts: Sequence[Shortcut],
    elements: Sequence[Element] = (),
) -> Action:
    """Return a model's action in pixels of a screenshot of ``size``. ``elements``: in the order of the prompt's list.

    Raises OutsideScreen, NotAnAction, ShortcutUnusable. Each message explains the mistake to the model.
    """
    match reply:
        case TapElementReply():
            x, y = _element(reply.number, elements).centre
            return Tap(x=min(max(x, 0), size.width - 1), y=min(max(y, 0), size.height - 1))
        case ScrollReply():
            return _read_scroll(reply, dialect, size)
        case ShortcutReply():
            return _read_shortcut(reply, dialect, size, shortcuts)
        case AtomicActionReply():
            return _read_written(reply, dialect, size)
        case _:
            assert_never(reply)


def write_action(
    action: Action, dialect: Dialect, size: Size, shortcuts: Sequence[Shortcut], offered: ActionSet = OUR_ACTIONS
) -> dict[str, Any]:
    """Return the JSON object by which a model would write ``action``, with the model's coordinates.

    ``offered``: the actions that the model may choose from. Arguments that it is not offered are left out.
    """
    if isinstance(action, RunShortcut):
        return _write_shortcut(action, dialect, size, shortcuts)
    fields: dict[str, Any] = {"name": action.name}
    coordinates = iter([at for x, y in points_of(action) for at in to_model(dialect, x, y, size)])
    spec = offered.specs.get(action.name)
    for parameter in parameters(type(action)) if spec is None else spec.parameters:
        if isinstance(parameter.mark, AxisArgument):
            fields[parameter.name] = next(coordinates)
            continue
        value = parameter.mark.write(getattr(action, parameter.field), parameter.default)
        if value is not None:
            fields[parameter.name] = value
    return fields


def _read_written(reply: AtomicActionReply, dialect: Dialect, size: Size) -> Action:
    values: dict[str, Any] = {"name": reply.name}
    points: list[Point] = []
    for x, y in point_parameters(WRITTEN[reply.name]):
        points.append(to_pixel(dialect, getattr(reply, x.name), getattr(reply, y.name), size))
        values[x.field], values[y.field] = points[-1]
    for parameter in parameters(WRITTEN[reply.name]):
        offered = parameter.name in type(reply).model_fields
        if isinstance(parameter.mark, AxisArgument) or not offered:
            continue
        try:
            value = parameter.mark.read(getattr(reply, parameter.name), parameter.name)
        except ValueError as error:
            raise NotAnAction(f"{reply.name} needs {error}") from error
        if value is not None:
            values[parameter.field] = value
    if len(set(points)) < len(points):
        raise NotAnAction(f"{reply.name} needs two different points")
    return ACTION.validate_python(values)


def _read_scroll(reply: ScrollReply, dialect: Dialect, size: Size) -> Swipe:
    """Return the swipe of a direction. It begins in the middle of the screen, unless the model gave a place."""
    if (reply.x is None) != (reply.y is None):
        raise NotAnAction("a swipe by its direction needs both x and y, or neither")
    x, y = size.width // 2, size.height // 2
    if reply.x is not None and reply.y is not None:
        x, y = to_pixel(dialect, reply.x, reply.y, size)
    across, down = _WAYS[reply.direction]
    travel = round(_TRAVEL * min(size.width, size.height))
    x2 = min(max(x + across * travel, 0), size.width - 1)
    y2 = min(max(y + down * travel, 0), size.height - 1)
    if (x, y) == (x2, y2):
        raise NotAnAction(f"a swipe {reply.direction} from there leaves the screen")
    return Swipe(x1=x, y1=y, x2=x2, y2=y2)


def _element(number: int, elements: Sequence[Element]) -> Element:
    if not 1 <= number <= len(elements):
        listed = f"the list has 1 to {len(elements)}" if elements else "no elements were listed"
        raise NotAnAction(f"there is no element {number}; {listed}")
    return elements[number - 1]


def _find(name: str, shortcuts: Sequence[Shortcut]) -> Shortcut | None:
    return next((shortcut for shortcut in shortcuts if shortcut.name == name), None)


def _read_shortcut(reply: ShortcutReply, dialect: Dialect, size: Size, shortcuts: Sequence[Shortcut]) -> RunShortcut:
    shortcut = _find(reply.shortcut, shortcuts)
    if shortcut is None:
        names = ", ".join((*(one.name for one in shortcuts), *OUR_ACTIONS.specs))
        raise NotAnAction(f"there is no action or shortcut {reply.shortcut!r}; known: {names}")
    arguments: dict[str, str | int] = {argument.name: argument.value for argument in reply.arguments}
    if len(arguments) < len(reply.arguments):
        raise NotAnAction(f"{shortcut.name} was given an argument twice")
    for name, axis in coordinate_arguments(shortcut).items():
        if name in arguments:
            arguments[name] = _coordinate(
                f"{shortcut.name}, argument {name!r}", str(arguments[name]), axis, dialect, size
            )
    for atom in expand_shortcut(shortcut, arguments, size):
        _on_screen(shortcut, atom, size)
    return RunShortcut(shortcut=shortcut.name, arguments=arguments)


def _coordinate(where: str, text: str, axis: str, dialect: Dialect, size: Size) -> int:
    if _WHOLE_NUMBER.fullmatch(text.strip()) is None:
        raise NotAnAction(f"{where}: {text[:40]!r} is not a whole number")
    value = int(text)
    x, y = to_pixel(dialect, value, 0, size) if axis == "x" else to_pixel(dialect, 0, value, size)
    return x if axis == "x" else y


def _on_screen(shortcut: Shortcut, atom: ShortcutAction, size: Size) -> None:
    if not all(size.contains(x, y) for x, y in points_of(atom)):
        raise OutsideScreen(f"{shortcut.name}: {atom.name} would be outside the screen")


def _write_shortcut(action: RunShortcut, dialect: Dialect, size: Size, shortcuts: Sequence[Shortcut]) -> dict[str, Any]:
    shortcut = _find(action.shortcut, shortcuts)
    axes = coordinate_arguments(shortcut) if shortcut else {}
    arguments: list[dict[str, str]] = []
    for name, value in action.arguments.items():
        if name in axes and isinstance(value, int):
            x, y = to_model(dialect, value, value, size)
            value = x if axes[name] == "x" else y
        arguments.append({"name": name, "value": str(value)})
    return {"name": action.name, "shortcut": action.shortcut, "arguments": arguments}
