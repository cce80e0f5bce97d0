"""The action words of other formats, put into our replies' words. Coordinates stay in the model's space.

Each function gives the fields of an action of ``protocol.replies``, which then judges them. An action that is not
known, an argument that is missing, doubtful or of another type, is refused: never guessed, never a finish.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from protocol.errors import ReplyUnusable

Fields = dict[str, Any]

PLAIN = ("Enter", "Switch_App", "Back", "Home", "Wait", "Stop")
_TAKES: dict[str, tuple[str, ...]] = {
    "Open_App": ("app",),
    "Tap": ("x", "y"),
    "Tap_Element": ("number",),
    "Long_Press": ("x", "y"),
    "Swipe": ("x1", "y1", "x2", "y2"),
    "Type": ("text",),
    "Answer": ("text",),
    **dict.fromkeys(PLAIN, ()),
}
_KNOWN = {name.lower(): name for name in _TAKES}
_ALIASES = {"app_name": "app"}
_TEXTS = frozenset({"app", "text"})
_SHORTCUT = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_BUTTONS = {"back": "Back", "home": "Home", "enter": "Enter", "menu": "Switch_App"}
_PLACES = ("coordinate", "coordinate2")
_ARGUMENTS = frozenset({"action", *_PLACES, "text", "time", "button", "status"})
"""Of mobile_use (Qwen-VL's phone tool)."""


# ---------------------------------------------------------------------------- by our names, and the papers'
def known_name(written: str) -> str | None:
    """Our name of an action, whatever its capitals and blanks (``Open app``)."""
    return _KNOWN.get("_".join(written.split()).lower())


def takes(name: str) -> tuple[str, ...]:
    """The arguments of an action in order."""
    return _TAKES[name]


def named(written: str, arguments: Any) -> Fields:
    """An action by its name, with its arguments by theirs (Mobile-Agent-E writes them so). Raises ReplyUnusable."""
    name = known_name(written)
    if name is None:
        raise ReplyUnusable(f"{written[:40]!r} is no action")
    given = {_ALIASES.get(key, key): value for key, value in _object(name, arguments).items()}
    wanted = _TAKES[name]
    surplus = [key for key in given if key not in wanted and not (name == "Type" and key == "clear")]
    if surplus:
        raise ReplyUnusable(f"{name} takes no {surplus[0][:40]!r}")
    missing = [key for key in wanted if key not in given]
    if missing:
        raise ReplyUnusable(f"{name} lacks {missing[0]!r}")
    fields: Fields = {"name": name}
    for key, value in given.items():
        fields[key] = value if key in _TEXTS or key == "clear" else whole(value, f"{name}, {key}")
    return fields


def _object(name: str, arguments: Any) -> Mapping[str, Any]:
    """Arguments of a call; null means none."""
    if arguments is not None and not isinstance(arguments, Mapping):
        raise ReplyUnusable(f"{name[:40]}: the arguments are no object")
    return arguments or {}


def _shortcut(name: str, arguments: Any) -> Fields:
    if _SHORTCUT.fullmatch(name) is None:
        raise ReplyUnusable(f"{name[:40]!r} is no action")
    listed = []
    for key, value in _object(name, arguments).items():
        written = value if isinstance(value, str) else str(whole(value, f"{name}, {key[:40]}"))
        listed.append({"name": key, "value": written})
    return {"name": "Shortcut", "shortcut": name, "arguments": listed}


# ---------------------------------------------------------------------------- mobile_use
def mobile_use(given: Mapping[str, Any]) -> Fields:
    """The arguments of Qwen's phone tool; also what Mobile-Agent-v3's executor writes. Raises ReplyUnusable."""
    surplus = [key for key in given if key not in _ARGUMENTS]
    if surplus:
        raise ReplyUnusable(f"mobile_use takes no {surplus[0][:40]!r}")
    action = given.get("action")
    if not isinstance(action, str):
        raise ReplyUnusable("mobile_use: no action is given")
    places = {"click": 1, "long_press": 1, "swipe": 2}.get(action, 0)
    if any(given.get(key) is not None for key in _PLACES[places:]):
        raise ReplyUnusable(f"{action[:40]!r} takes no {_PLACES[places]!r}")
    match action:
        case "click" | "long_press":
            x, y = _point(given, "coordinate")
            return {"name": "Tap" if action == "click" else "Long_Press", "x": x, "y": y}
        case "swipe":
            x1, y1 = _point(given, "coordinate")
            x2, y2 = _point(given, "coordinate2")
            return {"name": "Swipe", "x1": x1, "y1": y1, "x2": x2, "y2": y2}
        case "type":
            return {"name": "Type", "text": _text(given, "text")}
        case "answer":
            return {"name": "Answer", "text": _text(given, "text")}
        case "open":
            return {"name": "Open_App", "app": _text(given, "text")}
        case "wait":
            return {"name": "Wait"}
        case "system_button":
            return _button(_text(given, "button"))
        case "terminate":
            return _terminate(_text(given, "status"))
    raise ReplyUnusable(f"mobile_use has no action {action[:40]!r} that can be carried out here")


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


def _point(given: Mapping[str, Any], key: str) -> tuple[int, int]:
    value = given.get(key)
    if not isinstance(value, list) or len(value) != 2:
        raise ReplyUnusable(f"{given.get('action')} needs {key!r}, a list of two numbers")
    return whole(value[0], key), whole(value[1], key)


def whole(value: Any, where: str) -> int:
    """A whole number, also written as 5.0. A text, a truth value or a fraction is none. Raises ReplyUnusable."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ReplyUnusable(f"{where}: {str(value)[:40]!r} is not a whole number")
    return value


# ---------------------------------------------------------------------------- dictionaries
TOOL = "mobile_use"
_RUN_SHORTCUT = "run_shortcut"


def dictionary(value: Mapping[str, Any]) -> Fields | None:
    """An action written as an object: a call by name, a shortcut's too, or the arguments of mobile_use alone.

    None where it has the shape of neither. Raises ReplyUnusable.
    """
    name, action = value.get("name"), value.get("action")
    if isinstance(name, str) and value.keys() == {"name", "arguments"}:
        tool = name in (TOOL, _RUN_SHORTCUT) or known_name(name) is not None
        return called(name, value["arguments"]) if tool else _shortcut(name, value["arguments"])
    if isinstance(action, str) and "name" not in value:
        return mobile_use(value)
    return None


def called(name: str, arguments: Any) -> Fields:
    """A call of a tool, or of an action by its name. Raises ReplyUnusable."""
    given = _object(name, arguments)
    if name == TOOL:
        return mobile_use(given)
    if name == _RUN_SHORTCUT:
        if given.keys() != {"shortcut", "arguments"} or not isinstance(given["shortcut"], str):
            raise ReplyUnusable("run_shortcut needs 'shortcut', a name, and 'arguments'")
        return _shortcut(given["shortcut"], given["arguments"])
    return named(name, given)
