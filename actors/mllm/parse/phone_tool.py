"""Read an action that is written as an object: a named call, or arguments of the phone's tool, ``mobile_use``.

``mobile_use`` is the tool of Qwen-VL and GUI-Owl; Mobile-Agent-v3's executor writes its arguments alone. GUI-Owl-1.5
adds ``key`` and ``interact``. MAI-UI's tool has the same name, but swipes by a direction, drags between two points, and
may write a box in the place of a point. Mobile-Agent-E names an action or a shortcut, with its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from manyhands.actors.mllm.parse.actions import (
    DESCRIPTIONS,
    Fields,
    OfferedActions,
    is_empty,
    is_irrelevant,
    normalize_name,
    read_argument,
    read_box,
    read_coordinate,
    read_text,
    require_mapping,
)
from manyhands.actors.mllm.vocabulary import (
    BUTTONS,
    MAI_UI,
    MOBILE_USE,
    PAPER_ARGUMENTS,
    PLACES,
    RUN_SHORTCUT,
    TOOL,
    tool_arguments,
)
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.screens.actions import ASK
from manyhands.protocol.screens.argument_types import AxisArgument, TextArgument

DIRECTIONS = ("up", "down", "left", "right")
_KEYS = {"enter": "Enter", "back": "Back", "home": "Home", "app_switch": "Switch_App"}
"""Keys of adb that are actions of ours. Others (volume, power, camera) are not carried out."""
_ASKING = frozenset({"interact", "ask_user", "call_user", "calluser"})
_TWICE = frozenset({"double_click", "double_tap"})


def read_own_action(call: Mapping[str, Any], offered: OfferedActions) -> Fields | None:
    """Return the action of arguments that only the tool of ``offered.form`` has; None for all others.

    Raises ReplyUnusable if such an action cannot be carried out.
    """
    word = normalize_name(str(call.get("action")))
    if not offered.form or offered.name(word) in ("Stop", "Answer"):
        return None
    if word in _ASKING:
        _only(word, call, "text")
        return ask_person(word, call.get("text"), offered)
    if word in _TWICE:
        raise ReplyUnusable(f"{word}: {NO_DOUBLE_TAP}")
    reading = _READINGS.get((offered.form, word))
    return None if reading is None else reading(word, call, offered)


NOBODY_ANSWERS = "no person answers during a task; choose another action, or end the task as a failure"
ASKS = "The agent asks for a person."
"""The question of a call without words."""
NO_DOUBLE_TAP = "a double tap is none of the actions here; choose another one"


def ask_person(word: str, text: Any, offered: OfferedActions) -> Fields:
    """Return the question to a person. Raises ReplyUnusable if nobody answers in this run, or if it is no text."""
    if offered.name(ASK) is None:
        raise ReplyUnusable(f"{word}: {NOBODY_ANSWERS}")
    if not isinstance(text, str | None):
        raise ReplyUnusable(f"{word}: the question is no text")
    return offered.named(ASK, {"text": (text or "").strip() or ASKS})


def _key(word: str, call: Mapping[str, Any], offered: OfferedActions) -> Fields:
    _only(word, call, "text")
    key_name = _text(call, "text")
    name = _KEYS.get(normalize_name(key_name).removeprefix("keycode_"))
    if name is None:
        raise ReplyUnusable(f"the key {key_name[:40]!r} is not pressed here; keys are {', '.join(_KEYS)}")
    return offered.named(name, {})


def _between_points(start: str, end: str) -> Callable[[str, Mapping[str, Any], OfferedActions], Fields | None]:
    """Return the function that reads a swipe between two points with these names."""

    def read(word: str, call: Mapping[str, Any], offered: OfferedActions) -> Fields | None:
        _only(word, call, start, end)
        (x1, y1), (x2, y2) = _point(call, start, boxes=True), _point(call, end, boxes=True)
        return offered.named("Swipe", {"x1": x1, "y1": y1, "x2": x2, "y2": y2})

    return read


def _by_direction(word: str, call: Mapping[str, Any], offered: OfferedActions) -> Fields | None:
    if is_empty(call.get("direction")):
        return None
    _only(word, call, "direction", "coordinate")
    place = None if is_empty(call.get("coordinate")) else _point(call, "coordinate", boxes=True)
    return scroll(word, call["direction"], place)


def scroll(word: str, direction: Any, place: tuple[int, int] | None, *, of_content: bool = False) -> Fields:
    """Return the fields of a ``ScrollReply``. ``of_content``: the direction is that of what is to be seen, opposite to
    the finger's. Raises ReplyUnusable.
    """
    if direction not in DIRECTIONS:
        raise ReplyUnusable(f"{word} has no direction {str(direction)[:40]!r}; known are {', '.join(DIRECTIONS)}")
    finger = DIRECTIONS[DIRECTIONS.index(direction) ^ 1] if of_content else direction
    fields: Fields = {"name": "Scroll", "direction": finger}
    return fields if place is None else {**fields, "x": place[0], "y": place[1]}


_READINGS: Mapping[tuple[str, str], Callable[[str, Mapping[str, Any], OfferedActions], Fields | None]] = {
    (MOBILE_USE, "key"): _key,
    (MOBILE_USE, "scroll"): _between_points("coordinate", "coordinate2"),
    (MAI_UI, "drag"): _between_points("start_coordinate", "end_coordinate"),
    (MAI_UI, "swipe"): _by_direction,
}


def _only(word: str, call: Mapping[str, Any], *keys: str) -> None:
    surplus = [key for key, one in call.items() if key not in ("action", *keys) and not is_irrelevant(key, one)]
    if surplus:
        raise ReplyUnusable(f"{word} takes no {surplus[0][:40]!r}")


def is_tool_action(word: str, offered: OfferedActions) -> bool:
    """Return whether a name is that of an action of the tool."""
    return normalize_name(word) in offered.tool


def read_tool_action(call: Mapping[str, Any], offered: OfferedActions) -> Fields:
    """Return the action that these arguments of the tool describe. Raises ReplyUnusable."""
    action = call.get("action")
    if not isinstance(action, str):
        raise ReplyUnusable(f"{TOOL}: no action is given")
    own = read_own_action(call, offered)
    if own is not None:
        return own
    rest = {key: value for key, value in call.items() if key != "action" and not is_irrelevant(key, value)}
    word, ours = offered.tool.get(normalize_name(action)), offered.name(action)
    if ours == "Stop" and "status" in rest:
        _refuse_surplus(action, [key for key in rest if key not in offered.arguments or key in PLACES])
        return _terminate(_text(call, "status"))
    if ours is not None and (word is None or not _our_arguments(offered).isdisjoint(rest)):
        arguments = {key: value for key, value in rest.items() if not _says_again(ours, key, value, offered)}
        return offered.named(action, arguments)
    if word is None:
        words = ", ".join(offered.meant)
        raise ReplyUnusable(f"{TOOL} has no action {action[:40]!r} that can be carried out here; known are {words}")
    name = offered.meant[word]
    accepted = tool_arguments(name) if name else {}
    surplus = [key for key in rest if key not in offered.arguments]
    surplus += [key for key in PLACES if key in rest and key not in accepted]
    _refuse_surplus(action, surplus)
    if name is None:
        return _button(_text(call, "button"), offered) if word == "system_button" else _terminate(_text(call, "status"))
    fields: Fields = {"name": name}
    for key, parameters in accepted.items():
        first = parameters[0]
        if isinstance(first.mark, AxisArgument):
            point = _point(call, key, boxes=offered.form == MAI_UI)
            fields.update(zip((one.name for one in parameters), point, strict=True))
        elif isinstance(first.mark, TextArgument):
            fields[first.name] = read_text(_text(call, key), f"{name}, {key}")
        elif not is_empty(call.get(key)):
            fields[first.name] = read_argument(first, call[key], f"{name}, {key}")
    return fields


def _refuse_surplus(action: str, surplus: Sequence[str]) -> None:
    if surplus:
        raise ReplyUnusable(f"{action[:40]!r} takes no {surplus[0][:40]!r}")


def _our_arguments(offered: OfferedActions) -> set[str]:
    """Return the arguments of our actions that the tool does not have."""
    named = {one.name for spec in offered.specs.values() for one in spec.parameters}
    return (named | set(PAPER_ARGUMENTS.values())) - offered.arguments


def _says_again(name: str, key: str, value: Any, offered: OfferedActions) -> bool:
    """Return whether an argument of the tool only repeats the meaning of the action's name."""
    return (key == "button" and offered.buttons.get(str(value).lower()) == name) or (
        key == "status" and value == "success"
    )


def _button(button: str, offered: OfferedActions) -> Fields:
    name = offered.buttons.get(button.lower())
    if name is None:
        raise ReplyUnusable(f"there is no system button {button[:40]!r}; known are {', '.join(_buttons(offered))}")
    return {"name": name}


def _buttons(offered: OfferedActions) -> list[str]:
    return [button for button, name in BUTTONS.items() if name in offered.specs]


def _terminate(status: str) -> Fields:
    if status == "success":
        return {"name": "Stop"}
    if status in ("failure", "fail"):
        raise ReplyUnusable("the model gave up: it ended the task with the status failure")
    raise ReplyUnusable(f"terminate has no status {status[:40]!r}")


def _text(call: Mapping[str, Any], key: str) -> str:
    value = call.get(key)
    if not isinstance(value, str):
        raise ReplyUnusable(f"{str(call['action'])[:40]} needs {key!r}, a text")
    return value


def _point(call: Mapping[str, Any], key: str, boxes: bool) -> tuple[int, int]:
    value = call.get(key)
    if boxes and isinstance(value, list) and len(value) == 4:
        return read_box(value, key)
    if not isinstance(value, list) or len(value) != 2:
        raise ReplyUnusable(f"{str(call['action'])[:40]} needs {key!r}, a list of two numbers")
    return read_coordinate(value[0], key), read_coordinate(value[1], key)


_SHORTCUT = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_WORDS_BESIDE = frozenset({"thought", "expectation", *DESCRIPTIONS})
"""Keys that hold prose beside an action."""
_OF_CALL = frozenset({"name", "arguments"})


def read_dictionary(value: Mapping[str, Any], offered: OfferedActions) -> Fields | None:
    """Return an action written as an object with ``name`` and ``arguments``, or as the arguments of mobile_use alone.

    Return None if the object has neither shape. Raises ReplyUnusable.
    """
    name, action = value.get("name"), value.get("action")
    keys = {key for key in value if not (key in _WORDS_BESIDE and isinstance(value[key], str | None))}
    if isinstance(name, str) and keys == _OF_CALL:
        return read_named_object(value, offered)
    if isinstance(action, str) and "name" not in value:
        return read_tool_action({key: value[key] for key in value if key in keys}, offered)
    return None


def read_named_object(item: Mapping[str, Any], offered: OfferedActions) -> Fields:
    """Return the action of an object with ``name`` and ``arguments``.

    Raises ReplyUnusable, also if what stands beside its arguments differs from them.
    """
    name, arguments = item["name"], require_mapping(item["name"], item["arguments"])
    for key, value in item.items():
        if key in offered.arguments - _OF_CALL and not is_empty(value) and arguments.get(key) != value:
            raise ReplyUnusable(f"{name[:40]}: {key!r} beside the arguments is not what they say")
    return read_call(name, arguments, offered)


def read_call(name: str, arguments: Any, offered: OfferedActions) -> Fields:
    """Return the action of a call, named by Qwen's tool, by an action or by a shortcut. Raises ReplyUnusable."""
    values = require_mapping(name, arguments)
    if normalize_name(name) == normalize_name(TOOL):
        return read_tool_action(values, offered)
    if normalize_name(name) == RUN_SHORTCUT:
        if values.keys() != {"shortcut", "arguments"} or not isinstance(values["shortcut"], str):
            raise ReplyUnusable(f"{RUN_SHORTCUT} needs 'shortcut', a name, and 'arguments'")
        return _shortcut(values["shortcut"], values["arguments"], offered)
    if is_tool_action(name, offered) and (offered.name(name) is None or not values.keys().isdisjoint(PLACES)):
        if not _is_same_action(values.get("action", name), name, offered):
            raise ReplyUnusable(f"{name[:40]!r} is called, and its 'action' is another one")
        return read_tool_action({"action": name, **values}, offered)
    return _shortcut(name, values, offered) if offered.name(name) is None else offered.named(name, values)


def _is_same_action(value: Any, name: str, offered: OfferedActions) -> bool:
    if not isinstance(value, str):
        return False
    ours = offered.name(value)
    return normalize_name(value) == normalize_name(name) or (ours is not None and ours == offered.name(name))


def read_flat_action(item: Mapping[str, Any], offered: OfferedActions) -> Fields:
    """Return an action whose arguments are beside its name, as in our JSON.

    Leave a wrong one for the reply's type to refuse.
    """
    name = item["name"]
    if name == "Shortcut":
        arguments = item.get("arguments")
        if not isinstance(arguments, Mapping) or not isinstance(item.get("shortcut"), str):
            return dict(item)
        return _shortcut(item["shortcut"], arguments, offered)
    ours = offered.name(name)
    if ours is None:
        return dict(item)
    try:
        return read_call(name, {key: one for key, one in item.items() if key != "name"}, offered)
    except ReplyUnusable:
        return {**item, "name": ours}


def _shortcut(name: str, arguments: Any, offered: OfferedActions) -> Fields:
    if _SHORTCUT.fullmatch(name) is None:
        raise offered.unknown(name)
    values = require_mapping(name, arguments)
    if isinstance(values.get("action"), str):
        raise ReplyUnusable(f"there is no tool {name[:40]!r}; the phone's tool is {TOOL}")
    listed = []
    for key, value in values.items():
        text = value if isinstance(value, str) else str(read_coordinate(value, f"{name}, {key[:40]}"))
        listed.append({"name": key, "value": text})
    return {"name": "Shortcut", "shortcut": name, "arguments": listed}
