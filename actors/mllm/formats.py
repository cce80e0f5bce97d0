"""What a role is told about the form of its reply."""

from __future__ import annotations

from typing import Literal

from protocol.base import Role
from protocol.geometry import Size

OutputFormat = Literal["json", "tool_call", "headers"]

_ACTIONS = """\
{"name": "Open_App", "app": "..."}
{"name": "Tap", "x": 0, "y": 0}
{"name": "Tap_Element", "number": 1}
{"name": "Long_Press", "x": 0, "y": 0}
{"name": "Swipe", "x1": 0, "y1": 0, "x2": 0, "y2": 0}
{"name": "Type", "text": "...", "clear": false}
{"name": "Answer", "text": "..."}
{"name": "Shortcut", "shortcut": "its name", "arguments": [{"name": "...", "value": "..."}]}
{"name": "Enter"} and likewise "Switch_App", "Back", "Home", "Wait", "Stop\""""
_JSON = {
    Role.PLAN: '{"thought": "your reasoning, brief", "plan": "the whole numbered plan", '
    '"change": "keep" | "next" | "replan", "subgoal": "the one thing to do now", '
    '"status": "continue" | "finished" | "impossible"}',
    Role.DECIDE: '{"thought": "your reasoning, brief", "action": ACTION, '
    f'"expectation": "what the screen should show then"}}\nACTION is one of:\n{_ACTIONS}',
    Role.REFLECT: '{"outcome": "A" | "B" | "C", "error": "empty for A", "progress": "what has been done so far"}',
    Role.NOTE: '{"notes": "all notes to be kept"}',
}


def format_body(role: Role, output: OutputFormat, extent: Size) -> str:
    """How ``role`` is to write its reply; ``extent``: the largest x and y that the model may write."""
    return _JSON[role]
