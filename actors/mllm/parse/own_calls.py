"""Read actions that a model family writes as function calls: ``click(start_box='(5,6)')``, ``do(action="Tap", ...)``.

UI-TARS writes its call behind ``Action:``, AutoGLM-Phone in ``<answer>``, UI-Venus in ``<action>``. A call counts
only at the beginning of a line, behind such a mark or without one. What stands around it is checked as with every other
form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from manyhands.actors.mllm.parse.actions import (
    ActionCall,
    Fields,
    OfferedActions,
    is_empty,
    normalize_name,
    read_box,
    read_coordinate,
)
from manyhands.actors.mllm.parse.phone_tool import NO_DOUBLE_TAP, ask_person, scroll
from manyhands.actors.mllm.parse.surrounding_text import ACTION_ANYWHERE
from manyhands.actors.mllm.parse.tool_calls import read_arguments
from manyhands.actors.mllm.parse.values import NotAValue, Reader, TextSpan
from manyhands.actors.mllm.vocabulary import AUTOGLM, GELAB, UI_TARS, UI_VENUS, UI_VENUS_15
from manyhands.protocol.errors import ReplyUnusable

_MOST_CALLS = 20
_CALL = re.compile(
    rf"^((?:{ACTION_ANYWHERE}|<(?:answer|action)>|<\|[a-z_]{{1,20}}\|>|```[a-z]*|[ \t`*])*+)"
    r"([A-Za-z][A-Za-z_]*+)[ \t]*(?=[(（])",
    re.MULTILINE | re.IGNORECASE,
)
_MARK = re.compile(rf"{ACTION_ANYWHERE}|<(?:answer|action)>", re.IGNORECASE)


_QUOTING = tuple(
    re.compile(
        r"[(（]\s*+(?:action\s*+=\s*+[\"'](?P<action>[A-Za-z_ ]{1,20})[\"']\s*+,\s*+)?"
        r"(?P<key>text|message|content)\s*+=\s*+"
        rf"{quote}(?P<text>(?:[^{quote}\\\n]{apostrophe}"
        rf"|(?<=[\s(（]){quote}(?=\S)[^{quote}\\\n]++(?<=\S){quote}(?=[\s.,!?;:)）]|{quote}\s*+[)）]))++){quote}\s*+[)）]"
    )
    for quote, apostrophe in (('"', ""), ("'", r"|(?<=\w)'(?=\w)"))
)
"""Match the arguments of a call whose last text holds words in the text's own quotation marks, without escapes.

Each mark inside must open or close a quotation, or be an apostrophe. Any other one may be the text's end.
"""


class OwnCall(NamedTuple):
    """Hold a call that was read: its action and place, and the words with which it ends the task."""

    action: ActionCall
    words: str


def read_own_calls(text: str, offered: OfferedActions) -> list[OwnCall]:
    """Return the calls of the family's functions in ``text``, in order; none if its form has no functions.

    Raises ReplyUnusable for a call that is broken, unknown behind its mark, or not carried out here.
    """
    functions = _FORMS.get(offered.form)
    if functions and offered.form == GELAB:
        return _read_tabbed(text, functions, offered)
    own_calls: list[OwnCall] = []
    line = _CALL.search(text) if functions else None
    while line and functions and len(own_calls) < _MOST_CALLS:
        convert = functions.get(line[2].lower())
        if convert is None and not _MARK.search(line[1]):
            line = _CALL.search(text, line.end())
            continue
        if convert is None:
            raise ReplyUnusable(f"{line[2][:40]!r} is none of the functions {', '.join(functions)}")
        reader = Reader(text, line.end())
        try:
            positional, keywords = read_arguments(reader)
        except NotAValue as error:
            quoting = next(filter(None, (one.match(text, line.end()) for one in _QUOTING)), None)
            if quoting is None:
                raise ReplyUnusable(f"{line[2]}(...) cannot be read: {error}") from None
            reader.position = quoting.end()
            positional, keywords = [], {"action": quoting["action"], quoting["key"]: quoting["text"]}
        if positional:
            raise ReplyUnusable(f"{line[2]}(...): each argument has its name")
        fields, words = convert(_Arguments(line[2], keywords, _ENDS_OF_SIDES.get(offered.form)), offered)
        own_calls.append(OwnCall(ActionCall(fields, TextSpan(line.start(2), reader.position)), words))
        line = _CALL.search(text, reader.position)
    return own_calls


def _read_tabbed(text: str, functions: Mapping[str, _Function], offered: OfferedActions) -> list[OwnCall]:
    """Return the one call of a text whose parts tabs part, as GELab-Zero writes it; none if no part is an action.

    The summary must end the text: without it, the text may have been cut in an argument. Raises ReplyUnusable.
    """
    parts = [_PART.fullmatch(part) for part in text.strip().split("\t")]
    values = {part[1]: part[2] for part in parts if part}
    if "action" not in values:
        return []
    if None in parts or len(values) < len(parts) or list(values)[-1] != "summary":
        raise ReplyUnusable("its parts are explain, action, the action's arguments and summary, each once, in a line")
    arguments = {
        key: _TABBED_POINT.sub(r"(\1,\2)", value) if key.startswith("point") else value
        for key, value in values.items()
        if key not in ("explain", "action", "summary")
    }
    convert = functions.get(values["action"].lower())
    if convert is None:
        raise ReplyUnusable(f"{values['action'][:40]!r} is none of the actions {', '.join(functions).upper()}")
    fields, words = convert(_Arguments(values["action"], arguments, None), offered)
    return [OwnCall(ActionCall(fields, TextSpan(len(text) - len(text.lstrip()), len(text.rstrip()))), words)]


_PART = re.compile(r"[ \n]*(explain|action|value|return|point[12]?|summary) *: *(.*?) *")
_TABBED_POINT = re.compile(r"\A([0-9]{1,4}) *[ ,] *([0-9]{1,4})\Z")


def find_final_call(text: str, offered: OfferedActions) -> OwnCall | None:
    """Return the call in its tag at the end of reasoning that was never closed; None unless there is exactly one.

    Raises ReplyUnusable for a broken call.
    """
    tag = next((one for one in ("answer>", "action>") if text.rstrip().endswith(f"</{one}")), None)
    if tag is None:
        return None
    calls = read_own_calls(text, offered)
    return calls[0] if len(calls) == 1 and text[: calls[0].action.span.start].endswith(f"<{tag}") else None


class _Arguments:
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
_Function = Callable[[_Arguments, OfferedActions], _Meaning]


def _at_point(name: str, *keys: str, ignored: tuple[str, ...] = ()) -> _Function:
    def read(arguments: _Arguments, offered: OfferedActions) -> _Meaning:
        x, y = arguments.point(*keys)
        for key in ignored:
            arguments.take(key)
        arguments.end()
        return offered.named(name, {"x": x, "y": y}), ""

    return read


def _drag(start: tuple[str, ...], end: tuple[str, ...]) -> _Function:
    def read(arguments: _Arguments, offered: OfferedActions) -> _Meaning:
        (x1, y1), (x2, y2) = arguments.point(*start), arguments.point(*end)
        arguments.end()
        return offered.named("Swipe", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}), ""

    return read


def _with_text(name: str, theirs: str, ours: str, place: str = "", **more: Any) -> _Function:
    """``place``: an argument with the point of the field, which has the focus already."""

    def read(arguments: _Arguments, offered: OfferedActions) -> _Meaning:
        text = arguments.text(theirs)
        if place:
            arguments.point(place)
        arguments.end()
        return offered.named(name, {ours: text, **more}), ""

    return read


def _plain(name: str) -> _Function:
    def read(arguments: _Arguments, offered: OfferedActions) -> _Meaning:
        arguments.end()
        return offered.named(name, {}), ""

    return read


def _end(key: str) -> _Function:
    """Return the function that reads the end of a task. The words that it ends with are no action."""

    def read(arguments: _Arguments, offered: OfferedActions) -> _Meaning:
        words = arguments.take(key)
        arguments.end()
        if not isinstance(words, str | None):
            raise ReplyUnusable(f"{arguments.name}: {key!r} is no text")
        return offered.named("Stop", {}), words or ""

    return read


def _ask(*keys: str) -> _Function:
    """Return the function that reads a question to a person; its words are in one of these arguments, or left out."""

    def read(arguments: _Arguments, offered: OfferedActions) -> _Meaning:
        words = arguments.take(*keys)
        arguments.end()
        return ask_person(arguments.name, words, offered), ""

    return read


def _refused(why: str) -> _Function:
    def read(arguments: _Arguments, offered: OfferedActions) -> _Meaning:
        raise ReplyUnusable(f"{arguments.name}: {why}")

    return read


_STARTS, _ENDS = ("start_box", "start_point", "point"), ("end_box", "end_point")


def _scroll(arguments: _Arguments, offered: OfferedActions) -> _Meaning:
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


def _wait(arguments: _Arguments, offered: OfferedActions) -> _Meaning:
    duration = arguments.take("duration", "value")
    arguments.end()
    return offered.named("Wait", {} if duration is None else {"seconds": duration}), ""


_DO: Mapping[str, _Function] = {
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


def _do(arguments: _Arguments, offered: OfferedActions) -> _Meaning:
    word = arguments.text("action")
    meaning = _DO.get(normalize_name(word))
    if meaning is None:
        raise ReplyUnusable(f"do has no action {word[:40]!r}; known are {', '.join(_DO)}")
    arguments.name = f"do, {word}"
    return meaning(arguments, offered)


_VENUS: Mapping[str, _Function] = {
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
_FORMS: Mapping[str, Mapping[str, _Function]] = {
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
_ENDS_OF_SIDES: Mapping[str, int] = {UI_VENUS: 1000}
"""The least number that is no coordinate in forms whose own parsers refuse it, although the dialect means the edge."""
