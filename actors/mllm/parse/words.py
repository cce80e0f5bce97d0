"""Puts the action words of other formats into our replies' words. Coordinates stay in the model's space.

Each function gives the fields of an action of ``protocol.replies``, which then judges them. Case, blanks and
underscores in a name mean nothing. An action that is not known, an argument that is missing, doubtful or of another
type, is refused: never guessed, never a finish.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from manyhands.actors.mllm.parse.numbers import coordinate, seconds, whole
from manyhands.protocol.actions import LONG_PRESS_S, WAIT_S
from manyhands.protocol.errors import ReplyUnusable

Fields = dict[str, Any]

PLAIN = ("Enter", "Switch_App", "Back", "Home", "Stop")
"""Actions without arguments."""
_TAKES: dict[str, tuple[str, ...]] = {
    "Open_App": ("app",),
    "Tap": ("x", "y"),
    "Tap_Element": ("number",),
    "Long_Press": ("x", "y"),
    "Swipe": ("x1", "y1", "x2", "y2"),
    "Type": ("text",),
    "Answer": ("text",),
    "Wait": (),
    **dict.fromkeys(PLAIN, ()),
}
_MAY_TAKE: dict[str, tuple[str, ...]] = {"Type": ("clear",), "Long_Press": ("seconds",), "Wait": ("seconds",)}
_BOUNDS = {"Long_Press": LONG_PRESS_S, "Wait": WAIT_S}
"""Of ``seconds``."""
_ALIASES = {"app_name": "app", "time": "seconds", "duration": "seconds"}
_TEXTS = frozenset({"app", "text"})
_SHORTCUT = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_BUTTONS = {"back": "Back", "home": "Home", "enter": "Enter", "menu": "Switch_App"}
_PLACES = ("coordinate", "coordinate2")
_OURS = frozenset({"x", "y", "x1", "y1", "x2", "y2", "app", "app_name", "seconds", "number"})
"""Arguments by our names, which mobile_use has not."""
_ARGUMENTS = frozenset({"action", *_PLACES, "text", "time", "button", "status", "clear"})
"""Of mobile_use (Qwen-VL's phone tool), and ``clear``, which models add to type."""
_DESCRIPTIONS = frozenset({"element", "description", "target", "label", "thought", "reason", "explanation", "comment"})
"""Further arguments that say in words what is done, and change nothing of it."""


def _plain(written: str) -> str:
    """Return a name in small letters, its words apart by underscores (``Open App``, ``open-app``)."""
    return "_".join(re.split(r"[\s_-]+", written.strip())).lower()


def _variants(names: Mapping[str, str]) -> dict[str, str]:
    """Return ``names`` with those of several words also in one (``OpenApp``)."""
    return {written: name for word, name in names.items() for written in (_plain(word), _plain(word).replace("_", ""))}


_KNOWN = _variants({**{name: name for name in _TAKES}, "click": "Tap", "open": "Open_App"})
_MOBILE_USE = ("click", "long_press", "swipe", "type", "answer", "open", "wait", "system_button", "terminate")
_NATIVE = _variants({**{word: word for word in _MOBILE_USE}, "tap": "click", "open_app": "open"})
"""Actions of mobile_use."""


# ---------------------------------------------------------------------------- by our names, and the papers'
def known_name(written: str) -> str | None:
    """Return our name of an action, whatever its capitals, blanks and underscores (``Open app``, ``click``)."""
    return _KNOWN.get(_plain(written))


def takes(name: str) -> tuple[str, ...]:
    """Return the arguments that an action needs, in order."""
    return _TAKES[name]


def may_take(name: str) -> tuple[str, ...]:
    """Return the arguments of an action in order: those that it needs, then those that it may have."""
    return (*_TAKES[name], *_MAY_TAKE.get(name, ()))


def named(written: str, arguments: Any) -> Fields:
    """Return an action by its name, its arguments by theirs (Mobile-Agent-E writes them so). Raises ReplyUnusable."""
    name = known_name(written)
    if name is None:
        raise ReplyUnusable(f"{written[:40]!r} is no action")
    known = may_take(name)
    given: dict[str, Any] = {}
    for key, value in _object(name, arguments).items():
        ours = _ALIASES.get(key, key)
        if given.setdefault(ours, value) != value:
            raise ReplyUnusable(f"{name} is given {ours!r} twice")
    if name == "Open_App" and "app" not in given and "text" in given:
        given["app"] = given.pop("text")
    given = {key: value for key, value in given.items() if key in known or not _says_nothing(key, value)}
    surplus = [key for key in given if key not in known]
    if surplus:
        raise ReplyUnusable(f"{name} takes no {surplus[0][:40]!r}")
    missing = [key for key in _TAKES[name] if key not in given]
    if missing:
        raise ReplyUnusable(f"{name} lacks {missing[0]!r}")
    fields: Fields = {"name": name}
    for key, value in given.items():
        if key not in _MAY_TAKE.get(name, ()) or not _empty(value):
            fields[key] = _argument(name, key, value)
    return fields


def _argument(name: str, key: str, value: Any) -> Any:
    if key in _TEXTS or key == "clear":
        return value
    where = f"{name}, {key}"
    if key == "seconds":
        return seconds(value, where, *_BOUNDS[name])
    return whole(value, where) if key == "number" else coordinate(value, where)


def _empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _says_nothing(key: str, value: Any) -> bool:
    """Return whether a further argument changes nothing: it is empty, or describes in words what is done."""
    return _empty(value) or (key in _DESCRIPTIONS and isinstance(value, str))


def _object(name: str, arguments: Any) -> Mapping[str, Any]:
    """Return the arguments of a call; null means none."""
    if arguments is not None and not isinstance(arguments, Mapping):
        raise ReplyUnusable(f"{name[:40]}: the arguments are no object")
    return arguments or {}


def _shortcut(name: str, arguments: Any) -> Fields:
    if _SHORTCUT.fullmatch(name) is None:
        raise ReplyUnusable(f"{name[:40]!r} is no action")
    given = _object(name, arguments)
    if isinstance(given.get("action"), str):
        raise ReplyUnusable(f"there is no tool {name[:40]!r}; the phone's tool is {TOOL}")
    listed = []
    for key, value in given.items():
        written = value if isinstance(value, str) else str(coordinate(value, f"{name}, {key[:40]}"))
        listed.append({"name": key, "value": written})
    return {"name": "Shortcut", "shortcut": name, "arguments": listed}


# ---------------------------------------------------------------------------- mobile_use
def mobile_use(given: Mapping[str, Any]) -> Fields:
    """Read the arguments of Qwen's phone tool, which Mobile-Agent-v3's executor writes, too. Raises ReplyUnusable."""
    action = given.get("action")
    if not isinstance(action, str):
        raise ReplyUnusable("mobile_use: no action is given")
    rest = {key: value for key, value in given.items() if key != "action" and not _says_nothing(key, value)}
    native, ours = _NATIVE.get(_plain(action)), known_name(action)
    if ours == "Stop" and "status" in rest:
        return _terminate(_text(given, "status"))
    if ours is not None and (native is None or not _OURS.isdisjoint(rest)):
        return named(action, {key: value for key, value in rest.items() if not _says_again(ours, key, value)})
    if native is None:
        raise ReplyUnusable(f"mobile_use has no action {action[:40]!r} that can be carried out here")
    surplus = [key for key in rest if key not in _ARGUMENTS]
    places = {"click": 1, "long_press": 1, "swipe": 2}.get(native, 0)
    surplus += [key for key in _PLACES[places:] if key in rest]
    if surplus:
        raise ReplyUnusable(f"{action[:40]!r} takes no {surplus[0][:40]!r}")
    return _native(native, {**given, "action": action})


def _says_again(name: str, key: str, value: Any) -> bool:
    """Return whether an argument of mobile_use says no more than the action's own name does."""
    return (key == "button" and _BUTTONS.get(str(value).lower()) == name) or (key == "status" and value == "success")


def _native(action: str, given: Mapping[str, Any]) -> Fields:
    match action:
        case "click" | "long_press":
            x, y = _point(given, "coordinate")
            if action == "click":
                return {"name": "Tap", "x": x, "y": y}
            return {"name": "Long_Press", "x": x, "y": y, **_time("Long_Press", given)}
        case "swipe":
            x1, y1 = _point(given, "coordinate")
            x2, y2 = _point(given, "coordinate2")
            return {"name": "Swipe", "x1": x1, "y1": y1, "x2": x2, "y2": y2}
        case "type":
            clear = {} if _empty(given.get("clear")) else {"clear": given["clear"]}
            return {"name": "Type", "text": _text(given, "text"), **clear}
        case "answer":
            return {"name": "Answer", "text": _text(given, "text")}
        case "open":
            return {"name": "Open_App", "app": _text(given, "text")}
        case "wait":
            return {"name": "Wait", **_time("Wait", given)}
        case "system_button":
            return _button(_text(given, "button"))
    return _terminate(_text(given, "status"))


def _button(button: str) -> Fields:
    name = _BUTTONS.get(button.lower())
    if name is None:
        raise ReplyUnusable(f"there is no system button {button[:40]!r}")
    return {"name": name}


def _terminate(status: str) -> Fields:
    if status == "success":
        return {"name": "Stop"}
    if status in ("failure", "fail"):
        raise ReplyUnusable("the model gave up: it ended the task with the status failure")
    raise ReplyUnusable(f"terminate has no status {status[:40]!r}")


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str):
        raise ReplyUnusable(f"{given.get('action')} needs {key!r}, a text")
    return value


def _time(name: str, given: Mapping[str, Any]) -> Fields:
    value = given.get("time")
    return {} if _empty(value) else {"seconds": seconds(value, f"{name}, time", *_BOUNDS[name])}


def _point(given: Mapping[str, Any], key: str) -> tuple[int, int]:
    value = given.get(key)
    if not isinstance(value, list) or len(value) != 2:
        raise ReplyUnusable(f"{given.get('action')} needs {key!r}, a list of two numbers")
    return coordinate(value[0], key), coordinate(value[1], key)


# ---------------------------------------------------------------------------- dictionaries
TOOL = "mobile_use"
_RUN_SHORTCUT = "run_shortcut"


def dictionary(value: Mapping[str, Any]) -> Fields | None:
    """Return an action written as an object: a call by name, a shortcut's too, or the arguments of mobile_use alone.

    None where it has the shape of neither. Raises ReplyUnusable.
    """
    name, action = value.get("name"), value.get("action")
    keys = {key for key in value if not (key in _WORDS_BESIDE and isinstance(value[key], str | None))}
    if isinstance(name, str) and keys == {"name", "arguments"}:
        return called(name, value["arguments"])
    if isinstance(action, str) and "name" not in value:
        return mobile_use({key: value[key] for key in value if key in keys})
    return None


_WORDS_BESIDE = frozenset({"thought", "expectation", *_DESCRIPTIONS})
"""Keys of prose beside an action."""


def called(name: str, arguments: Any) -> Fields:
    """Return a call of a tool, of an action by its name, or of a shortcut by its own. Raises ReplyUnusable."""
    given = _object(name, arguments)
    plain = _plain(name)
    if plain == _plain(TOOL):
        return mobile_use(given)
    if plain == _RUN_SHORTCUT:
        if given.keys() != {"shortcut", "arguments"} or not isinstance(given["shortcut"], str):
            raise ReplyUnusable("run_shortcut needs 'shortcut', a name, and 'arguments'")
        return _shortcut(given["shortcut"], given["arguments"])
    if plain in _NATIVE and (known_name(name) is None or not given.keys().isdisjoint(_PLACES)):
        return mobile_use({"action": name, **given})
    return named(name, given) if plain in _KNOWN else _shortcut(name, given)


def flat(written: Mapping[str, Any]) -> Fields:
    """Return an action whose arguments stand beside its name, as in our JSON; where one is wrong, as it is written."""
    name = written["name"]
    if name == "Shortcut":
        arguments = written.get("arguments")
        if not isinstance(arguments, Mapping) or not isinstance(written.get("shortcut"), str):
            return dict(written)
        return _shortcut(written["shortcut"], arguments)
    known = known_name(name)
    if known is None:
        return dict(written)
    try:
        return called(name, {key: one for key, one in written.items() if key != "name"})
    except ReplyUnusable:
        return {**written, "name": known}
