"""What a role is told about the form of its reply. ``actors.mllm.parse`` reads each of these forms."""

from __future__ import annotations

import json
from typing import Any, Literal

from manyhands.protocol.actions import LONG_PRESS_S, WAIT_S
from manyhands.protocol.geometry import Size
from manyhands.protocol.roles import Role

OutputFormat = Literal["json", "tool_call", "headers"]
"""Our JSON (``protocol.replies``); Qwen's phone tool for the operator, else our JSON; the papers' headers."""


def subgoal_format(output: OutputFormat) -> str:
    """How the reflector adds to its reply whether the subgoal is reached, where it is asked."""
    if output == "headers":
        return "one more section, ### Subgoal Reached ### yes, no or unknown"
    return 'one more field, "subgoal_reached": true | false | null'


def format_body(role: Role, output: OutputFormat, extent: Size) -> str:
    """How ``role`` is to write its reply; ``extent``: the largest x and y that the model may write."""
    if output == "headers":
        return _HEADERS[role]
    if output == "tool_call" and role is Role.DECIDE:
        return _tool_call(extent)
    return _JSON[role]


# ---------------------------------------------------------------------------- our JSON
_ACTIONS = """\
{"name": "Open_App", "app": "..."}
{"name": "Tap", "x": 0, "y": 0}
{"name": "Tap_Element", "number": 1}
{"name": "Long_Press", "x": 0, "y": 0, "seconds": 1}
{"name": "Swipe", "x1": 0, "y1": 0, "x2": 0, "y2": 0}
{"name": "Type", "text": "...", "clear": false}
{"name": "Answer", "text": "..."}
{"name": "Shortcut", "shortcut": "its name", "arguments": [{"name": "...", "value": "..."}]}
{"name": "Wait", "seconds": 3}
{"name": "Enter"} and likewise "Switch_App", "Back", "Home", "Stop\""""
_JSON = {
    Role.PLAN: '{"thought": "your reasoning, brief", "plan": "the whole numbered plan", '
    '"change": "keep" | "next" | "replan", "subgoal": "the one thing to do now", '
    '"status": "continue" | "finished" | "impossible"}',
    Role.DECIDE: '{"thought": "your reasoning, brief", "action": ACTION, '
    f'"expectation": "what the screen should show then"}}\nACTION is one of:\n{_ACTIONS}',
    Role.REFLECT: '{"outcome": "A" | "B" | "C", "error": "empty for A", "progress": "what has been done so far"}',
    Role.NOTE: '{"notes": "all notes to be kept"}',
}

# ---------------------------------------------------------------------------- the papers' headers
_HEADERS = {
    Role.PLAN: """\
Sections, each heading followed by its text:
### Thought ### your reasoning, brief
### Plan ### the whole numbered plan
### Change ### keep, next or replan
### Current Subgoal ### the one thing to do now
### Status ### continue, finished or impossible""",
    Role.DECIDE: """\
Sections, each heading followed by its text:
### Thought ### your reasoning, brief
### Action ### ACTION
### Description ### what the screen should show then
ACTION is one of:
{"name": "Open_App", "arguments": {"app_name": "..."}}
{"name": "Tap", "arguments": {"x": 0, "y": 0}}
{"name": "Tap_Element", "arguments": {"number": 1}}
{"name": "Long_Press", "arguments": {"x": 0, "y": 0, "seconds": 1}}
{"name": "Swipe", "arguments": {"x1": 0, "y1": 0, "x2": 0, "y2": 0}}
{"name": "Type", "arguments": {"text": "...", "clear": false}}
{"name": "Answer", "arguments": {"text": "..."}}
{"name": "Name_Of_A_Shortcut", "arguments": {"an argument": "...", "another one": 0}}
{"name": "Wait", "arguments": {"seconds": 3}}
{"name": "Enter", "arguments": null} and likewise "Switch_App", "Back", "Home", "Stop\"""",
    Role.REFLECT: """\
Sections, each heading followed by its text:
### Outcome ### A, B or C: the letter alone
### Error Description ### empty for A
### Progress Status ### what has been done so far""",
    Role.NOTE: """\
One section, the heading followed by its text:
### Important Notes ### all notes to be kept""",
}


# ---------------------------------------------------------------------------- Qwen's tool call
def _tool_call(extent: Size) -> str:
    tools = "\n".join(json.dumps({"type": "function", "function": tool}) for tool in _tools(extent))
    return f"""\
You may call these functions:
<tools>
{tools}
</tools>
Write, in this order: a line "Thought: " with your reasoning, brief; a line "Action: " with what the screen should
show then; and one call, with nothing behind it:
<tool_call>
{{"name": "mobile_use", "arguments": {{"action": "click", "coordinate": [0, 0]}}}}
</tool_call>
The actions are called so: Open_App is open, Tap is click, Long_Press, Swipe, Type, Wait and Answer bear their own
names in small letters, Back, Home and Enter are system_button, Switch_App is system_button with Menu, Stop is
terminate with success, Tap_Element is tap_element, a shortcut is run_shortcut."""


_TIME = f"Seconds, for long_press (at most {LONG_PRESS_S[1]:g}) and wait (at most {WAIT_S[1]:g})."


def _tools(extent: Size) -> list[dict[str, Any]]:
    """mobile_use with its arguments as Qwen-VL knows them, and two functions for what it lacks."""
    point = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    actions = ["click", "long_press", "swipe", "type", "system_button", "open", "wait", "answer", "terminate"]
    mobile_use = _function(
        "mobile_use",
        f"Operates the phone's touchscreen. The screen's resolution is {extent.width}x{extent.height}.",
        {
            "action": {"type": "string", "enum": actions},
            "coordinate": {**point, "description": "[x, y] for click and long_press, and where a swipe begins."},
            "coordinate2": {**point, "description": "[x, y] where a swipe ends."},
            "text": {"type": "string", "description": "For type and answer; the app's name for open."},
            "time": {"type": "number", "description": _TIME},
            "button": {
                "type": "string",
                "enum": ["Back", "Home", "Menu", "Enter"],
                "description": "For system_button.",
            },
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
    return [mobile_use, tap_element, _function("run_shortcut", "Runs a shortcut.", shortcut, ["shortcut", "arguments"])]


def _function(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": description, "parameters": parameters}
