"""Read the arguments of Qwen's phone tool, ``mobile_use``. Mobile-Agent-v3's executor writes them, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manyhands.actors.mllm.parse.action_names import Fields, OfferedActions, is_irrelevant, normalize_name
from manyhands.actors.mllm.parse.argument_values import is_empty, read_argument, read_box, read_coordinate, read_text
from manyhands.actors.mllm.parse.own_tools import read_own_action
from manyhands.actors.mllm.vocabulary import BUTTONS, MAI_UI, PAPER_ARGUMENTS, PLACES, TOOL, tool_arguments
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.screens.argument_types import AxisArgument, TextArgument


def is_tool_action(written: str, offered: OfferedActions) -> bool:
    """Return whether a name is that of an action of the tool."""
    return normalize_name(written) in offered.tool


def read_tool_action(given: Mapping[str, Any], offered: OfferedActions) -> Fields:
    """Return the action that these arguments of the tool describe. Raises ReplyUnusable."""
    action = given.get("action")
    if not isinstance(action, str):
        raise ReplyUnusable(f"{TOOL}: no action is given")
    own = read_own_action(given, offered)
    if own is not None:
        return own
    rest = {key: value for key, value in given.items() if key != "action" and not is_irrelevant(key, value)}
    word, ours = offered.tool.get(normalize_name(action)), offered.name(action)
    if ours == "Stop" and "status" in rest:
        _refuse_surplus(action, [key for key in rest if key not in offered.arguments or key in PLACES])
        return _terminate(_text(given, "status"))
    if ours is not None and (word is None or not _our_arguments(offered).isdisjoint(rest)):
        said = {key: value for key, value in rest.items() if not _says_again(ours, key, value, offered)}
        return offered.named(action, said)
    if word is None:
        words = ", ".join(offered.meant)
        raise ReplyUnusable(f"{TOOL} has no action {action[:40]!r} that can be carried out here; known are {words}")
    name = offered.meant[word]
    taken = tool_arguments(name) if name else {}
    surplus = [key for key in rest if key not in offered.arguments]
    surplus += [key for key in PLACES if key in rest and key not in taken]
    _refuse_surplus(action, surplus)
    if name is None:
        return (
            _button(_text(given, "button"), offered) if word == "system_button" else _terminate(_text(given, "status"))
        )
    fields: Fields = {"name": name}
    for key, parameters in taken.items():
        first = parameters[0]
        if isinstance(first.mark, AxisArgument):
            point = _point(given, key, boxes=offered.form == MAI_UI)
            fields.update(zip((one.name for one in parameters), point, strict=True))
        elif isinstance(first.mark, TextArgument):
            fields[first.name] = read_text(_text(given, key), f"{name}, {key}")
        elif not is_empty(given.get(key)):
            fields[first.name] = read_argument(first, given[key], f"{name}, {key}")
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


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str):
        raise ReplyUnusable(f"{str(given['action'])[:40]} needs {key!r}, a text")
    return value


def _point(given: Mapping[str, Any], key: str, boxes: bool) -> tuple[int, int]:
    value = given.get(key)
    if boxes and isinstance(value, list) and len(value) == 4:
        return read_box(value, key)
    if not isinstance(value, list) or len(value) != 2:
        raise ReplyUnusable(f"{str(given['action'])[:40]} needs {key!r}, a list of two numbers")
    return read_coordinate(value[0], key), read_coordinate(value[1], key)
