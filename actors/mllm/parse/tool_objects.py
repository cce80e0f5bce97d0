"""Read the object that Holo writes: a note, a thought, and the call of one tool with its arguments beside its name.

The makers' tools for phones are not known. ``click``, ``write``, ``scroll``, ``wait`` and ``answer`` are theirs for
other screens, the others are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from manyhands.actors.mllm.parse.actions import ActionCall, Fields, OfferedActions, read_coordinate
from manyhands.actors.mllm.parse.phone_tool import scroll
from manyhands.actors.mllm.parse.values import find_objects, has_broken_object
from manyhands.protocol.errors import ReplyUnusable

_KEYS = frozenset({"note", "thought", "tool_call"})
_NAMES: Mapping[str, str] = {
    "click": "Tap",
    "long_press": "Long_Press",
    "swipe": "Swipe",
    "open_app": "Open_App",
    "wait": "Wait",
}
"""Tools whose arguments have our names, but for the time of ``wait``; each with our action."""
BUTTONS: Mapping[str, str] = {"back": "Back", "home": "Home", "enter": "Enter", "recents": "Switch_App"}
_TOOLS = (*_NAMES, "write", "scroll", "press", "answer")


class ToolObject(NamedTuple):
    """Hold an object that was read: its action and place, its prose, and the words with which it ends the task."""

    action: ActionCall
    thought: str
    note: str
    words: str


def read_tool_objects(text: str, offered: OfferedActions) -> list[ToolObject]:
    """Return the objects of ``text`` that call a tool, in order. Raises ReplyUnusable for a broken or unknown one."""
    objects = find_objects(text)
    calls = [one for one in objects if "tool_call" in one.value]
    if calls and has_broken_object(text, objects, calls[-1].start):
        raise ReplyUnusable("a broken object stands before the call")
    read = []
    for one in calls:
        surplus = one.value.keys() - _KEYS
        thought, note = (one.value.get(key) or "" for key in ("thought", "note"))
        if surplus or not isinstance(thought, str) or not isinstance(note, str):
            raise ReplyUnusable('the object takes "note", "thought" and "tool_call" only, the first two as texts')
        fields, words = _read_call(one.value["tool_call"], offered)
        read.append(ToolObject(ActionCall(fields, one.span), thought, note, words))
    return read


def _read_call(call: Any, offered: OfferedActions) -> tuple[Fields, str]:
    """Return the action of a call, and the words with which it ends the task. Raises ReplyUnusable."""
    tool = call.get("tool_name") if isinstance(call, Mapping) else None
    if not isinstance(tool, str) or tool not in _TOOLS:
        raise ReplyUnusable(f"{str(tool)[:40]!r} is none of the tools {', '.join(_TOOLS)}")
    arguments = {key: value for key, value in call.items() if key != "tool_name"}
    if tool == "answer":
        words = _take(arguments, "content", str, "")
        return offered.named("Stop", arguments), words
    if tool == "press":
        button = _take(arguments, "button", str, "")
        if button not in BUTTONS:
            raise ReplyUnusable(f"press has no button {button[:40]!r}; known are {', '.join(BUTTONS)}")
        return offered.named(BUTTONS[button], arguments), ""
    if tool == "scroll":
        direction, place = arguments.get("direction"), [arguments.get(key) for key in ("x", "y")]
        if not {"direction", "x", "y", "element"} >= arguments.keys() or None in place:
            raise ReplyUnusable("scroll takes element, x, y and direction")
        x, y = (read_coordinate(value, "scroll") for value in place)
        return scroll(tool, direction, (x, y), of_content=True), ""
    if tool == "write":
        text, clear = _take(arguments, "content", str, ""), _take(arguments, "overwrite", bool, False)
        end = "\n" if _take(arguments, "press_enter", bool, False) else ""
        return offered.named("Type", {**arguments, "text": text + end, "clear": clear}), ""
    if tool == "click" and arguments.get("button") == "left":  # as on a desktop
        del arguments["button"]
    if tool == "wait" and "duration" in arguments:
        arguments["seconds"] = arguments.pop("duration")
    return offered.named(_NAMES[tool], arguments), ""


def _take(arguments: dict[str, Any], key: str, kind: type[Any], otherwise: Any) -> Any:
    """Take an argument of this type; ``otherwise`` if it is not given. Raises ReplyUnusable for another type."""
    value = arguments.pop(key, otherwise)
    if not isinstance(value, kind):
        raise ReplyUnusable(f"{key!r} has a value of another type")
    return value
