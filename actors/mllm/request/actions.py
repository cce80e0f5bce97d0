"""Between the actions that a model writes and ours: from its coordinate space to pixels, and back for its history."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from manyhands.actors.memory.shortcuts import coordinate_arguments, expand_shortcut
from manyhands.actors.mllm.request.dialects import Dialect, OutsideScreen, to_model, to_pixel
from manyhands.protocol import actions, replies
from manyhands.protocol.actions import ATOM, Action, Atom
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.geometry import Size
from manyhands.protocol.memory import Shortcut
from manyhands.protocol.screens import Element


class NotAnAction(ManyhandsError):
    """A reply's action that cannot be carried out: empty text, an unknown shortcut, a swipe to nowhere."""

    code = "not_an_action"


_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,6}")


def read_action(
    reply: replies.ActionReply,
    dialect: Dialect,
    size: Size,
    shortcuts: Sequence[Shortcut],
    elements: Sequence[Element] = (),
) -> Action:
    """A model's action in pixels of a screenshot of ``size``; ``elements`` are those that its prompt listed, in order.

    Raises OutsideScreen, NotAnAction, ShortcutUnusable; each says what was wrong in words for the model.
    """
    match reply:
        case replies.TapReply():
            x, y = to_pixel(dialect, reply.x, reply.y, size)
            return actions.Tap(x=x, y=y)
        case replies.TapElementReply():
            x, y = _element(reply.number, elements).centre
            return actions.Tap(x=min(max(x, 0), size.width - 1), y=min(max(y, 0), size.height - 1))
        case replies.LongPressReply():
            x, y = to_pixel(dialect, reply.x, reply.y, size)
            return (
                actions.LongPress(x=x, y=y)
                if reply.seconds is None
                else actions.LongPress(x=x, y=y, ms=reply.seconds * 1000)
            )
        case replies.SwipeReply():
            x1, y1 = to_pixel(dialect, reply.x1, reply.y1, size)
            x2, y2 = to_pixel(dialect, reply.x2, reply.y2, size)
            if (x1, y1) == (x2, y2):
                raise NotAnAction("Swipe needs two different points")
            return actions.Swipe(x1=x1, y1=y1, x2=x2, y2=y2)
        case replies.OpenAppReply():
            return actions.OpenApp(app=_some(reply.app, "Open_App needs the app's name").strip())
        case replies.TypeReply():
            if not reply.text:
                raise NotAnAction("Type needs a text that is not empty")
            return actions.Type(text=reply.text, clear=reply.clear)
        case replies.AnswerReply():
            return actions.Answer(text=_some(reply.text, "Answer needs a text that is not empty"))
        case replies.ShortcutReply():
            return _read_shortcut(reply, dialect, size, shortcuts)
        case replies.WaitReply():
            return actions.Wait() if reply.seconds is None else actions.Wait(seconds=reply.seconds)
        case replies.PlainReply():
            return ATOM.validate_python({"name": reply.name})


def write_action(action: Action, dialect: Dialect, size: Size, shortcuts: Sequence[Shortcut]) -> dict[str, Any]:
    """The JSON object that a model would write for ``action``, in its coordinates."""
    match action:
        case actions.Tap() | actions.LongPress():
            x, y = to_model(dialect, action.x, action.y, size)
            return {"name": action.name, "x": x, "y": y, **_written_time(action)}
        case actions.Wait():
            return {"name": action.name, **_written_time(action)}
        case actions.Swipe():
            x1, y1 = to_model(dialect, action.x1, action.y1, size)
            x2, y2 = to_model(dialect, action.x2, action.y2, size)
            return {"name": action.name, "x1": x1, "y1": y1, "x2": x2, "y2": y2}
        case actions.OpenApp() | actions.Type() | actions.Answer():
            return action.model_dump(mode="json")
        case actions.RunShortcut():
            return _write_shortcut(action, dialect, size, shortcuts)
        case _:
            return {"name": action.name}


def _written_time(action: actions.Tap | actions.LongPress | actions.Wait) -> dict[str, int]:
    """Return how long an action takes, in whole seconds, where that is not what it takes if nothing is said."""
    match action:
        case actions.LongPress() if action.ms != actions.LongPress.model_fields["ms"].default:
            return {"seconds": _whole(action.ms / 1000, *actions.LONG_PRESS_S)}
        case actions.Wait() if action.seconds != actions.Wait.model_fields["seconds"].default:
            return {"seconds": _whole(action.seconds, *actions.WAIT_S)}
    return {}


def _whole(seconds: float, least: int, most: int) -> int:
    return min(max(round(seconds), least), most)


def _element(number: int, elements: Sequence[Element]) -> Element:
    if not 1 <= number <= len(elements):
        listed = f"the list has 1 to {len(elements)}" if elements else "no elements were listed"
        raise NotAnAction(f"there is no element {number}; {listed}")
    return elements[number - 1]


def _some(text: str, problem: str) -> str:
    if not text.strip():
        raise NotAnAction(problem)
    return text


def _find(name: str, shortcuts: Sequence[Shortcut]) -> Shortcut | None:
    return next((shortcut for shortcut in shortcuts if shortcut.name == name), None)


def _read_shortcut(
    reply: replies.ShortcutReply, dialect: Dialect, size: Size, shortcuts: Sequence[Shortcut]
) -> actions.RunShortcut:
    shortcut = _find(reply.shortcut, shortcuts)
    if shortcut is None:
        known = ", ".join(one.name for one in shortcuts) or "none"
        raise NotAnAction(f"there is no action or shortcut {reply.shortcut!r}; known: {known}")
    given: dict[str, str | int] = {argument.name: argument.value for argument in reply.arguments}
    if len(given) < len(reply.arguments):
        raise NotAnAction(f"{shortcut.name} was given an argument twice")
    for name, axis in coordinate_arguments(shortcut).items():
        if name in given:
            given[name] = _coordinate(f"{shortcut.name}, argument {name!r}", str(given[name]), axis, dialect, size)
    for atom in expand_shortcut(shortcut, given):
        _on_screen(shortcut, atom, size)
    return actions.RunShortcut(shortcut=shortcut.name, arguments=given)


def _coordinate(where: str, written: str, axis: str, dialect: Dialect, size: Size) -> int:
    if _WHOLE_NUMBER.fullmatch(written.strip()) is None:
        raise NotAnAction(f"{where}: {written[:40]!r} is not a whole number")
    value = int(written)
    x, y = to_pixel(dialect, value, 0, size) if axis == "x" else to_pixel(dialect, 0, value, size)
    return x if axis == "x" else y


def _on_screen(shortcut: Shortcut, atom: Atom, size: Size) -> None:
    match atom:
        case actions.Tap() | actions.LongPress():
            points = [(atom.x, atom.y)]
        case actions.Swipe():
            points = [(atom.x1, atom.y1), (atom.x2, atom.y2)]
        case _:
            return
    if not all(size.contains(x, y) for x, y in points):
        raise OutsideScreen(f"{shortcut.name}: {atom.name} would be outside the screen")


def _write_shortcut(
    action: actions.RunShortcut, dialect: Dialect, size: Size, shortcuts: Sequence[Shortcut]
) -> dict[str, Any]:
    shortcut = _find(action.shortcut, shortcuts)
    axes = coordinate_arguments(shortcut) if shortcut else {}
    written: list[dict[str, str]] = []
    for name, value in action.arguments.items():
        if name in axes and isinstance(value, int):
            x, y = to_model(dialect, value, value, size)
            value = x if axes[name] == "x" else y
        written.append({"name": name, "value": str(value)})
    return {"name": action.name, "shortcut": action.shortcut, "arguments": written}
