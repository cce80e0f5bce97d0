"""Describe Qwen's phone tool to a model that writes tool calls, and describe two tools of our own for
actions that it lacks.
"""

from __future__ import annotations

import json
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from manyhands.actors.mllm.vocabulary import (
    BUTTONS,
    RUN_SHORTCUT,
    TOOL,
    added_arguments,
    tool_arguments,
    tool_words,
)
from manyhands.protocol.roles.field_description import ReplyField, describe_fields
from manyhands.protocol.roles.replies import ActingReply, ActionSet
from manyhands.protocol.screens.actions import WRITTEN
from manyhands.protocol.screens.argument_types import SecondsArgument, TextArgument
from manyhands.protocol.screens.geometry import Size

_LINE = 118
_TEXTS = {"text": "for", "label": "the app's name for"}
"""The meaning of the argument ``text``, by the kind of action."""


def phone_tool(reply: type[ActingReply], extent: Size) -> str:
    """Return the instruction for writing an action as a call. ``extent``: the largest x and y of a coordinate."""
    actions = reply.actions
    words = {name: word for word, name in tool_words(actions.specs).items() if name}
    tools = "\n".join(json.dumps({"type": "function", "function": tool}) for tool in _tools(actions, words, extent))
    before = "; ".join(
        f'a line "{"Action" if field.name == "expectation" else field.heading}: " with {_description(field)}'
        for field in describe_fields(reply)
        if field.name != "action"
    )
    head = textwrap.fill(f"Write, in this order: {before}; and one call, with nothing behind it:", _LINE)
    return f"""\
You may call these functions:
<tools>
{tools}
</tools>
{head}
<tool_call>
{json.dumps({"name": TOOL, "arguments": _example(words)})}
</tool_call>
The actions are called so: {", ".join(_tool_names(actions, words))}."""


def _description(field: ReplyField) -> str:
    """Return what to write as a field: one of its choices, or a text."""
    return ", ".join(filter(None, (_and([str(one) for one in field.choices], "or"), field.text)))


def _tool_names(actions: ActionSet, words: Mapping[str, str]) -> Iterator[str]:
    """Yield the tool's names of those of our actions that it names differently."""
    yield from (f"{name} is {words[name]}" for name in _ours(words) if words[name] != name.lower())
    same = [name for name in _ours(words) if words[name] == name.lower()]
    if same:
        yield f"{_and(same)} bear their own\nnames in small letters"
    buttons = {button: name for button, name in BUTTONS.items() if name in actions.specs}
    called_so = [name for button, name in buttons.items() if button == name]
    if called_so:
        yield f"{_and(called_so)} {'is' if len(called_so) == 1 else 'are'} system_button"
    yield from (f"{name} is system_button with {button}" for button, name in buttons.items() if button != name)
    if "Stop" in actions.specs:
        yield "Stop is\nterminate with success"
    if "Tap_Element" in actions.specs:
        yield "Tap_Element is tap_element"
    if actions.shortcuts:
        yield f"a shortcut is {RUN_SHORTCUT}"


def _ours(words: Mapping[str, str]) -> list[str]:
    """Return the actions that have words, in the order of their declarations."""
    return [name for name in WRITTEN if name in words]


def _example(words: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of an example call of the first action."""
    name, word = next(iter(words.items()))
    (argument, parameters_given) = next(iter(tool_arguments(name).items()))
    return {
        "action": word,
        argument: [one.example for one in parameters_given]
        if len(parameters_given) > 1
        else parameters_given[0].example,
    }


def _tools(actions: ActionSet, words: Mapping[str, str], extent: Size) -> list[dict[str, Any]]:
    """Return the phone's tool with its arguments as Qwen-VL knows them, and functions for what the tool lacks."""
    takers, added = _takers(actions, words), added_arguments(actions.specs)
    properties: dict[str, Any] = {
        "action": {"type": "string", "enum": list(tool_words(actions.specs))},
    }
    point = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    dragging = _and(takers["coordinate2"], "or")
    pointing = _and([word for word in takers["coordinate"] if word not in takers["coordinate2"]])
    begins = f", and where a {dragging} begins" if dragging else ""
    if takers["coordinate"]:
        properties["coordinate"] = {**point, "description": f"[x, y] for {pointing}{begins}."}
    if takers["coordinate2"]:
        properties["coordinate2"] = {**point, "description": f"[x, y] where a {dragging} ends."}
    texts = [f"{what} {_and(takers[key])}" for key, what in _TEXTS.items() if takers[key]]
    if texts:
        description = "; ".join(texts)
        properties["text"] = {"type": "string", "description": f"{description[0].upper()}{description[1:]}."}
    for name, one in added.items():
        lead = f"{one.mark.says}, for" if one.mark.says else "For"
        properties[name] = {**one.mark.schema(one.kind), "description": f"{lead} {_and(takers[name])}."}
    if takers["time"]:
        properties["time"] = {"type": "number", "description": f"Seconds, for {_and(takers['time'])}."}
    buttons = [button for button, name in BUTTONS.items() if name in actions.specs]
    if buttons:
        properties["button"] = {"type": "string", "enum": buttons, "description": "For system_button."}
    if "Stop" in actions.specs:
        ends = {"type": "string", "enum": ["success", "failure"], "description": "For terminate."}
        properties["status"] = ends
    resolution = f" The screen's resolution is {extent.width}x{extent.height}." if takers["coordinate"] else ""
    mobile_use = function_schema(TOOL, f"Operates the phone's touchscreen.{resolution}", properties, ["action"])
    return [mobile_use, *_further_tools(actions)]


def _further_tools(actions: ActionSet) -> Iterator[dict[str, Any]]:
    if "Tap_Element" in actions.specs:
        number = {"type": "integer", "description": "Its number in the list of elements."}
        yield function_schema("tap_element", "Taps the centre of a listed element.", {"number": number}, ["number"])
    if actions.shortcuts:
        yield shortcut_tool()


def shortcut_tool() -> dict[str, Any]:
    """Return the schema of our function that runs a shortcut."""
    shortcut = {
        "shortcut": {"type": "string", "description": "Its name."},
        "arguments": {"type": "object", "description": "Every argument of the shortcut by its name."},
    }
    return function_schema(RUN_SHORTCUT, "Runs a shortcut.", shortcut, list(shortcut))


def _takers(actions: ActionSet, words: Mapping[str, str]) -> Mapping[str, list[str]]:
    """Return which of the tool's actions take each argument. The key of a text that names an app is ``label``."""
    takers: defaultdict[str, list[str]] = defaultdict(list)
    for name, word in words.items():
        for argument, (first, *_) in tool_arguments(name).items():
            if first in actions.specs[name].parameters:
                key = "label" if first.mark == TextArgument(label=True) else argument
                takers[key].append(
                    f"{word} (at most {first.mark.most})" if isinstance(first.mark, SecondsArgument) else word
                )
    return takers


def _and(words: list[str], last: str = "and") -> str:
    """Return words as a list within a sentence: ``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def function_schema(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """Return the schema of a function in the form of OpenAI's tools."""
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": description, "parameters": parameters}
