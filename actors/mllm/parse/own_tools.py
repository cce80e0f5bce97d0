"""Read the arguments that ``mobile_use`` has in the form of one model family only.

``mobile_use`` is the form of Qwen-VL and GUI-Owl. GUI-Owl-1.5 adds ``key`` and ``interact`` to it. MAI-UI's tool has
the same name, but swipes by a direction, drags between two points, and may write a box in the place of a point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from manyhands.actors.mllm.parse.action_names import Fields, OfferedActions, is_irrelevant, normalize_name
from manyhands.actors.mllm.parse.argument_values import is_empty, read_box, read_coordinate
from manyhands.actors.mllm.vocabulary import MAI_UI, MOBILE_USE
from manyhands.protocol.errors import ReplyUnusable

DIRECTIONS = ("up", "down", "left", "right")
_KEYS = {"enter": "Enter", "back": "Back", "home": "Home", "app_switch": "Switch_App"}
"""Keys of adb that are actions of ours. Others (volume, power, camera) are not carried out."""
_ASKING = frozenset({"interact", "ask_user", "call_user", "calluser"})
_TWICE = frozenset({"double_click", "double_tap"})


def read_own_action(given: Mapping[str, Any], offered: OfferedActions) -> Fields | None:
    """Return the action of arguments that only the tool of ``offered.form`` has; None for all others.

    Raises ReplyUnusable if such an action cannot be carried out.
    """
    word = normalize_name(str(given.get("action")))
    if not offered.form or offered.name(word) in ("Stop", "Answer"):
        return None
    if word in _ASKING:
        raise ReplyUnusable(f"{word}: {NOBODY_ANSWERS}")
    if word in _TWICE:
        raise ReplyUnusable(f"{word}: {NO_DOUBLE_TAP}")
    reading = _READINGS.get((offered.form, word))
    return None if reading is None else reading(word, given, offered)


NOBODY_ANSWERS = "no person answers during a task; choose another action, or end the task as a failure"
NO_DOUBLE_TAP = "a double tap is none of the actions here; choose another one"


def _key(word: str, given: Mapping[str, Any], offered: OfferedActions) -> Fields:
    _only(word, given, "text")
    written = given.get("text")
    if not isinstance(written, str):
        raise ReplyUnusable(f"{word} needs 'text', the name of a key")
    name = _KEYS.get(normalize_name(written).removeprefix("keycode_"))
    if name is None:
        raise ReplyUnusable(f"the key {written[:40]!r} is not pressed here; keys are {', '.join(_KEYS)}")
    return offered.named(name, {})


def _between_points(start: str, end: str) -> Callable[[str, Mapping[str, Any], OfferedActions], Fields | None]:
    """Return the function that reads a swipe between two points with these names."""

    def read(word: str, given: Mapping[str, Any], offered: OfferedActions) -> Fields | None:
        _only(word, given, start, end)
        (x1, y1), (x2, y2) = _place(word, given, start), _place(word, given, end)
        return offered.named("Swipe", {"x1": x1, "y1": y1, "x2": x2, "y2": y2})

    return read


def _by_direction(word: str, given: Mapping[str, Any], offered: OfferedActions) -> Fields | None:
    if is_empty(given.get("direction")):
        return None
    _only(word, given, "direction", "coordinate")
    place = None if is_empty(given.get("coordinate")) else _place(word, given, "coordinate")
    return scroll(word, given["direction"], place)


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


def _place(word: str, given: Mapping[str, Any], key: str) -> tuple[int, int]:
    value = given.get(key)
    if not isinstance(value, list) or len(value) not in (2, 4):
        raise ReplyUnusable(f"{word} needs {key!r}, a list of two numbers")
    return read_box(value, key) if len(value) == 4 else (read_coordinate(value[0], key), read_coordinate(value[1], key))


def _only(word: str, given: Mapping[str, Any], *keys: str) -> None:
    surplus = [key for key, one in given.items() if key not in ("action", *keys) and not is_irrelevant(key, one)]
    if surplus:
        raise ReplyUnusable(f"{word} takes no {surplus[0][:40]!r}")
