"""Say what the functions mean that model families call: each becomes one of our actions, or is refused.

``own_calls`` finds the calls. A new function of a family is a line in ``FUNCTIONS``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from manyhands.actors.mllm.parse.actions import (
    Fields,
    OfferedActions,
    is_empty,
    normalize_name,
    read_box,
    read_coordinate,
)
from manyhands.actors.mllm.parse.phone_tool import NO_DOUBLE_TAP, ask_person, scroll
from manyhands.actors.mllm.vocabulary import AUTOGLM, GELAB, UI_TARS, UI_VENUS, UI_VENUS_15
from manyhands.protocol.errors import ReplyUnusable


class CallArguments:
    """Hold the named arguments of a call, each of which must be taken."""

    def __init__(self, name: str, arguments: Mapping[str, Any], end_of_sides: int | None) -> None:
        """``end_of_sides``: the least number that is no coordinate any more; None where the dialect says it alone."""
        self.name = name
        self._end_of_sides = end_of_sides
        self._given = {key: one for key, one in arguments.items() if not is_empty(one)}

    def take(self, *keys: str) -> Any:
        """Return the argument of one of these names, and take it; None if it is not given. Raises ReplyUnusable."""
        named = [key for key in keys if key in self._given]
        if len(named) > 1:
            raise ReplyUnusable(f"{self.name} is given {named[0]!r} and {named[1]!r}")
        return self._given.pop(named[0]) if named else None

    def text(self, key: str) -> str:
        value = self.take(key)
        if not isinstance(value, str):
            raise ReplyUnusable(f"{self.name} needs {key!r}, a text")
        return value

    def point(self, *keys: str) -> tuple[int, int]:
        point = self.point_if_given(*keys)
        if point is None:
            raise ReplyUnusable(f"{self.name} lacks {keys[0]!r}")
        return point

    def point_if_given(self, *keys: str) -> tuple[int, int] | None:
        value = self.take(*keys)
        point = None if value is None else _point(value, f"{self.name}, {keys[0]}")
        if point is not None and self._end_of_sides is not None and max(point) >= self._end_of_sides:
            raise ReplyUnusable(f"{self.name}, {keys[0]}: coordinates end at {self._end_of_sides - 1}")
        return point

    def end(self) -> None:
        """Raise ReplyUnusable if an argument is left."""
        if self._given:
            raise ReplyUnusable(f"{self.name} takes no {next(iter(self._given))[:40]!r}")


_NUMBER = r"-?[0-9]{1,6}(?:\.[0-9]{1,6})?"
_PAIR = rf"({_NUMBER})\s*+,\s*+({_NUMBER})"
_SPACED = rf"({_NUMBER})[\s,]++({_NUMBER})"
_PLACES = (
    *(
        re.compile(
            rf"(?:<\|box_start\|>)?\s*+{opening}\s*+{_PAIR}(?:\s*+,\s*+{_PAIR})?\s*+{closing}\s*+(?:<\|box_end\|>)?"
        )
        for opening, closing in ((r"\(", r"\)"), (r"\[", r"\]"))
    ),
    re.compile(rf"<point>\s*+{_SPACED}\s*+</point>"),
    re.compile(rf"<bbox>\s*+{_SPACED}(?:[\s,]++{_SPACED})?\s*+</bbox>"),
)


def _point(value: Any, where: str) -> tuple[int, int]:
    """Return a point from a list of two numbers, or from the text of a point or a box. Raises ReplyUnusable."""
    numbers: list[Any] = value if isinstance(value, list) and len(value) == 2 else []
    if isinstance(value, str):
        match = next(filter(None, (place.fullmatch(value.strip()) for place in _PLACES)), None)
        numbers = [one for one in match.groups() if one is not None] if match else []
    if len(numbers) == 4:
        return read_box(numbers, where)
    if len(numbers) != 2:
        raise ReplyUnusable(f"{where}: {str(value)[:40]!r} is no point")
    return read_coordinate(numbers[0], where), read_coordinate(numbers[1], where)


# ---------------------------------------------------------------------------- what the functions mean
_Meaning = tuple[Fields, str]
Function = Callable[[CallArguments, OfferedActions], _Meaning]


def _at_point(name: str, *keys: str, ignored: tuple[str, ...] = ()) -> Function:
    def read(arguments: CallArguments, offered: OfferedActions) -> _Meaning:
        x, y = arguments.point(*keys)
        for key in ignored:
            arguments.take(key)
        arguments.end()
        return offered.named(name, {"x": x, "y": y}), ""

    return read


def _drag(start: tuple[str, ...], end: tuple[str, ...]) -> Function:
    def read(arguments: CallArguments, offered: OfferedActions) -> _Meaning:
        (x1, y1), (x2, y2) = arguments.point(*start), arguments.point(*end)
        arguments.end()
        return offered.named("Swipe", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}), ""

    return read


def _with_text(name: str, theirs: str, ours: str, place: str = "", **more: Any) -> Function:
    """``place``: an argument with the point of the field, which has the focus already."""

    def read(arguments: CallArguments, offered: OfferedActions) -> _Meaning:
        text = arguments.text(theirs)
        if place:
            arguments.point(place)
        arguments.end()
        return offered.named(name, {ours: text, **more}), ""

    return read


def _plain(name: str) -> Function:
    def read(arguments: CallArguments, offered: OfferedActions) -> _Meaning:
        arguments.end()
        return offered.named(name, {}), ""

    return read


def _end(key: str) -> Function:
    """Return the function that reads the end of a task. The words that it ends with are no action."""

    def read(arguments: CallArguments, offered: OfferedActions) -> _Meaning:
        words = arguments.take(key)
        arguments.end()
        if not isinstance(words, str | None):
            raise ReplyUnusable(f"{arguments.name}: {key!r} is no text")
        return offered.named("Stop", {}), words or ""

    return read


def _ask(*keys: str) -> Function:
    """Return the function that reads a question to a person; its words are in one of these arguments, or left out."""

    def read(arguments: CallArguments, offered: OfferedActions) -> _Meaning:
        words = arguments.take(*keys)
        arguments.end()
        return ask_person(arguments.name, words, offered), ""

    return read


def _refused(why: str) -> Function:
    def read(arguments: CallArguments, offered: OfferedActions) -> _Meaning:
        raise ReplyUnusable(f"{arguments.name}: {why}")

    return read


_STARTS, _ENDS = ("start_box", "start_point", "point"), ("end_box", "end_point")


def _scroll(arguments: CallArguments, offered: OfferedActions) -> _Meaning:
    """Read a scroll: from one point to another (UI-TARS-1.0), or to the side that is to be seen."""
    start, end, direction = (
        arguments.point_if_given(*_STARTS),
        arguments.point_if_given(*_ENDS),
        arguments.take("direction"),
    )
    arguments.end()
    if end is None:
        return scroll(arguments.name, direction, start, of_content=True), ""
    if start is None or direction is not None:
        raise ReplyUnusable(f"{arguments.name} goes from a start to an end, or in a direction")
    return offered.named("Swipe", {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}), ""


def _wait(arguments: CallArguments, offered: OfferedActions) -> _Meaning:
    duration = arguments.take("duration", "value")
    arguments.end()
    return offered.named("Wait", {} if duration is None else {"seconds": duration}), ""


_DO: Mapping[str, Function] = {
    "launch": _with_text("Open_App", "app", "app"),
    "tap": _at_point("Tap", "element", ignored=("message",)),
    "long_press": _at_point("Long_Press", "element"),
    "double_tap": _refused(NO_DOUBLE_TAP),
    "type": _with_text("Type", "text", "text", clear=True),
    "type_name": _with_text("Type", "text", "text", clear=True),
    "swipe": _drag(("start",), ("end",)),
    "back": _plain("Back"),
    "home": _plain("Home"),
    "wait": _wait,
    "take_over": _ask("message"),
    "interact": _ask("message"),
    "note": _refused("a note is no action here; write what is to be kept into your thought, and choose an action"),
    "call_api": _refused("no such service is called here; choose an action on the phone"),
}


def _do(arguments: CallArguments, offered: OfferedActions) -> _Meaning:
    word = arguments.text("action")
    meaning = _DO.get(normalize_name(word))
    if meaning is None:
        raise ReplyUnusable(f"do has no action {word[:40]!r}; known are {', '.join(_DO)}")
    arguments.name = f"do, {word}"
    return meaning(arguments, offered)


_VENUS: Mapping[str, Function] = {
    "click": _at_point("Tap", "point", "box"),
    "longpress": _at_point("Long_Press", "point", "box"),
    "drag": _drag(("start",), ("end",)),
    "type": _with_text("Type", "content", "text", clear=True),
    "wait": _plain("Wait"),
    "pressback": _plain("Back"),
    "presshome": _plain("Home"),
    "pressenter": _plain("Enter"),
    "pressrecent": _plain("Switch_App"),
    "finished": _end("content"),
}
"""The functions that both versions of UI-Venus have."""
FUNCTIONS: Mapping[str, Mapping[str, Function]] = {
    UI_TARS: {
        "click": _at_point("Tap", *_STARTS),
        "long_press": _at_point("Long_Press", *_STARTS, ignored=("time",)),
        "type": _with_text("Type", "content", "text"),
        "scroll": _scroll,
        "open_app": _with_text("Open_App", "app_name", "app"),
        "drag": _drag(_STARTS, _ENDS),
        "press_home": _plain("Home"),
        "press_back": _plain("Back"),
        "finished": _end("content"),
        "wait": _plain("Wait"),
        "call_user": _ask("content"),
    },
    AUTOGLM: {"do": _do, "finish": _end("message")},
    GELAB: {
        "click": _at_point("Tap", "point"),
        "type": _with_text("Type", "value", "text", place="point"),
        "complete": _end("return"),
        "wait": _wait,
        "awake": _with_text("Open_App", "value", "app"),
        "info": _ask("value"),
        "abort": _refused("the model gave up"),
        "slide": _drag(("point1",), ("point2",)),
        "longpress": _at_point("Long_Press", "point"),
    },
    UI_VENUS: {
        **_VENUS,
        "doubleclick": _refused(NO_DOUBLE_TAP),
        "swipe": _drag(("start",), ("end",)),
        "launchapp": _with_text("Open_App", "app", "app"),
        "calluser": _ask("content"),
        "getscreenshot": _refused("no picture is put into the phone's album here; choose another action"),
        "answer": _with_text("Answer", "content", "text"),
    },
    UI_VENUS_15: {
        **_VENUS,
        "scroll": _drag(("start",), ("end",)),
        "launch": _with_text("Open_App", "app", "app"),
        "calluser": _with_text("Answer", "content", "text"),
    },
}
"""The functions of each form, by their names in small letters."""
ENDS_OF_SIDES: Mapping[str, int] = {UI_VENUS: 1000}
"""The least number that is no coordinate in forms whose own parsers refuse it, although the dialect means the edge."""
