"""Read the arguments of Qwen's phone tool, ``mobile_use``, which Mobile-Agent-v3's executor writes, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyhands.actors.mllm.parse.names import Fields, Known, argument, empty, plain, says_nothing
from manyhands.actors.mllm.parse.numbers import coordinate
from manyhands.actors.mllm.vocabulary import BUTTONS, PAPER_ARGUMENTS, PLACES, TOOL, tool_arguments
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.marks import Axis, Text


def is_tool_action(written: str, known: Known) -> bool:
    """Return whether a name is that of an action of the tool."""
    return plain(written) in known.tool


def tool_action(given: Mapping[str, Any], known: Known) -> Fields:
    """Return the action that these arguments of the tool ask for. Raises ReplyUnusable."""
    action = given.get("action")
    if not isinstance(action, str):
        raise ReplyUnusable(f"{TOOL}: no action is given")
    rest = {key: value for key, value in given.items() if key != "action" and not says_nothing(key, value)}
    word, ours = known.tool.get(plain(action)), known.name(action)
    if ours == "Stop" and "status" in rest:
        return _terminate(_text(given, "status"))
    if ours is not None and (word is None or not _our_arguments(known).isdisjoint(rest)):
        said = {key: value for key, value in rest.items() if not _says_again(ours, key, value, known)}
        return known.named(action, said)
    if word is None:
        words = ", ".join(known.meant)
        raise ReplyUnusable(f"{TOOL} has no action {action[:40]!r} that can be carried out here; known are {words}")
    name = known.meant[word]
    taken = tool_arguments(name) if name else {}
    surplus = [key for key in rest if key not in known.arguments]
    surplus += [key for key in PLACES if key in rest and key not in taken]
    if surplus:
        raise ReplyUnusable(f"{action[:40]!r} takes no {surplus[0][:40]!r}")
    if name is None:
        return _button(_text(given, "button"), known) if word == "system_button" else _terminate(_text(given, "status"))
    fields: Fields = {"name": name}
    for key, parameters in taken.items():
        first = parameters[0]
        if isinstance(first.mark, Axis):
            fields.update(zip((one.name for one in parameters), _point(given, key), strict=True))
        elif isinstance(first.mark, Text):
            fields[first.name] = _text(given, key)
        elif not empty(given.get(key)):
            fields[first.name] = argument(first, given[key], f"{name}, {key}")
    return fields


def _our_arguments(known: Known) -> set[str]:
    """Return arguments by our names, which the tool has not."""
    named = {one.name for spec in known.specs.values() for one in spec.parameters}
    return (named | set(PAPER_ARGUMENTS.values())) - known.arguments


def _says_again(name: str, key: str, value: Any, known: Known) -> bool:
    """Return whether an argument of the tool repeats the action's own name."""
    return (key == "button" and known.buttons.get(str(value).lower()) == name) or (
        key == "status" and value == "success"
    )


def _button(button: str, known: Known) -> Fields:
    name = known.buttons.get(button.lower())
    if name is None:
        raise ReplyUnusable(f"there is no system button {button[:40]!r}; known are {', '.join(_buttons(known))}")
    return {"name": name}


def _buttons(known: Known) -> list[str]:
    return [button for button, name in BUTTONS.items() if name in known.specs]


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


def _point(given: Mapping[str, Any], key: str) -> tuple[int, int]:
    value = given.get(key)
    if not isinstance(value, list) or len(value) != 2:
        raise ReplyUnusable(f"{str(given['action'])[:40]} needs {key!r}, a list of two numbers")
    return coordinate(value[0], key), coordinate(value[1], key)
