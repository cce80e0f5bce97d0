"""Describe Qwen's phone tool to a model that writes tool calls, and two tools of ours for what it lacks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from manyhands.actors.mllm.vocabulary import BUTTONS, RUN_SHORTCUT, TOOL, TOOL_ACTIONS, tool_arguments
from manyhands.protocol.actions import ATOMS, Seconds, Text
from manyhands.protocol.geometry import Size

_WORDS = {name: word for word, name in TOOL_ACTIONS.items() if name}
"""What the tool calls our actions, in the tool's order."""
_ARGUMENTS = {name: tool_arguments(name) for name in _WORDS}


def phone_tool(extent: Size) -> str:
    """Return how an action is written as a call; ``extent``: the largest x and y that the model may write."""
    tools = "\n".join(json.dumps({"type": "function", "function": tool}) for tool in _tools(extent))
    renamed = [name for name in ATOMS if name in _WORDS and _WORDS[name] != name.lower()]
    same = [name for name in ATOMS if name in _WORDS and name not in renamed]
    buttons = [name for button, name in BUTTONS.items() if button == name]
    others = [f"{name} is system_button with {button}" for button, name in BUTTONS.items() if button != name]
    return f"""\
You may call these functions:
<tools>
{tools}
</tools>
Write, in this order: a line "Thought: " with your reasoning, brief; a line "Action: " with what the screen should
show then; and one call, with nothing behind it:
<tool_call>
{{"name": "{TOOL}", "arguments": {{"action": "click", "coordinate": [0, 0]}}}}
</tool_call>
The actions are called so: {", ".join(f"{name} is {_WORDS[name]}" for name in renamed)}, {_and(same)} bear their own
names in small letters, {_and(buttons)} are system_button, {", ".join(others)}, Stop is
terminate with success, Tap_Element is tap_element, a shortcut is {RUN_SHORTCUT}."""


def _tools(extent: Size) -> list[dict[str, Any]]:
    """Return the phone's tool with its arguments as Qwen-VL knows them, and two functions for what it lacks."""
    dragging = _taking("coordinate2")
    pointing = [word for word in _taking("coordinate") if word not in dragging]
    naming = [_WORDS[name] for name, given in _ARGUMENTS.items() if "text" in given and _is_label(name)]
    typing = [word for word in _taking("text") if word not in naming]
    times = [f"{word} (at most {most})" for word, most in _times()]
    point = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    mobile_use = _function(
        TOOL,
        f"Operates the phone's touchscreen. The screen's resolution is {extent.width}x{extent.height}.",
        {
            "action": {"type": "string", "enum": list(TOOL_ACTIONS)},
            "coordinate": {
                **point,
                "description": f"[x, y] for {_and(pointing)}, and where a {_and(dragging, 'or')} begins.",
            },
            "coordinate2": {**point, "description": f"[x, y] where a {_and(dragging, 'or')} ends."},
            "text": {"type": "string", "description": f"For {_and(typing)}; the app's name for {_and(naming)}."},
            "time": {"type": "number", "description": f"Seconds, for {_and(times)}."},
            "button": {"type": "string", "enum": list(BUTTONS), "description": "For system_button."},
            "status": {"type": "string", "enum": ["success", "failure"], "description": "For terminate."},
        },
        ["action"],
    )
    number = {"type": "integer", "description": "Its number in the list of elements."}
    tap_element = _function("tap_element", "Taps the centre of a listed element.", {"number": number}, ["number"])
    shortcut = {
        "shortcut": {"type": "string", "description": "Its name."},
        "arguments": {"type": "object", "description": "Every argument of the shortcut by its name."},
    }
    return [mobile_use, tap_element, _function(RUN_SHORTCUT, "Runs a shortcut.", shortcut, list(shortcut))]


def _taking(argument: str) -> list[str]:
    """Return the tool's actions that have this argument."""
    return [_WORDS[name] for name, given in _ARGUMENTS.items() if argument in given]


def _is_label(name: str) -> bool:
    return _ARGUMENTS[name]["text"][0].mark == Text(label=True)


def _times() -> Iterable[tuple[str, int]]:
    for name, given in _ARGUMENTS.items():
        for one in given.get("time", ()):
            if isinstance(one.mark, Seconds):
                yield _WORDS[name], one.mark.most


def _and(words: list[str], last: str = "and") -> str:
    """Return words as a sentence lists them."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _function(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": description, "parameters": parameters}
