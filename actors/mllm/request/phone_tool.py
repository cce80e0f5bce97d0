"""Describe Qwen's phone tool to a model that writes tool calls, and two tools of ours for what it lacks."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from manyhands.actors.mllm.vocabulary import BUTTONS, RUN_SHORTCUT, TOOL, TOOL_ACTIONS, tool_arguments
from manyhands.protocol.actions import ATOMS, Seconds, Text
from manyhands.protocol.geometry import Size

_WORDS = {name: word for word, name in TOOL_ACTIONS.items() if name}
"""What the tool calls our actions, in the tool's order."""


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
    takers = _takers()
    dragging = _and(takers["coordinate2"], "or")
    pointing = _and([word for word in takers["coordinate"] if word not in takers["coordinate2"]])
    texts = f"For {_and(takers['text'])}; the app's name for {_and(takers['label'])}."
    point = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    mobile_use = _function(
        TOOL,
        f"Operates the phone's touchscreen. The screen's resolution is {extent.width}x{extent.height}.",
        {
            "action": {"type": "string", "enum": list(TOOL_ACTIONS)},
            "coordinate": {**point, "description": f"[x, y] for {pointing}, and where a {dragging} begins."},
            "coordinate2": {**point, "description": f"[x, y] where a {dragging} ends."},
            "text": {"type": "string", "description": texts},
            "time": {"type": "number", "description": f"Seconds, for {_and(takers['time'])}."},
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


def _takers() -> Mapping[str, list[str]]:
    """Return the tool's actions by the arguments that they take; a text that names something is a ``label``."""
    takers: defaultdict[str, list[str]] = defaultdict(list)
    for name, word in _WORDS.items():
        for argument, (first, *_) in tool_arguments(name).items():
            key = "label" if first.mark == Text(label=True) else argument
            takers[key].append(f"{word} (at most {first.mark.most})" if isinstance(first.mark, Seconds) else word)
    return takers


def _and(words: list[str], last: str = "and") -> str:
    """Return words as a sentence lists them."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _function(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": description, "parameters": parameters}
