"""What a role is told about the form of its reply. ``actors.mllm.parse`` reads each of these forms."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, assert_never

from manyhands.actors.mllm.request.phone_tool import phone_tool
from manyhands.actors.mllm.vocabulary import PAPER_ARGUMENTS
from manyhands.protocol.actions import Axis, Flag, Number, Parameter, Seconds, Text
from manyhands.protocol.geometry import Size
from manyhands.protocol.replies import FORMS
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
        return phone_tool(extent)
    return _JSON[role]


# ---------------------------------------------------------------------------- the actions
def action_lines() -> str:
    """Return what the actions do, one a line, in our own words."""
    lines = (
        f"{name}({', '.join(one.name for one in form.parameters)}): {form.description}" for name, form in FORMS.items()
    )
    return "\n".join(lines)


def _listed(written: Callable[[str, dict[str, Any] | None], Mapping[str, Any]], shortcut: Mapping[str, Any]) -> str:
    """Return an example of each action, those first that need arguments, those that take none at the end.

    ``written`` makes an example of a name and its arguments.
    """
    examples = {name: {one.name: _example(one) for one in form.parameters} for name, form in FORMS.items()}
    needing = [name for name, form in FORMS.items() if form.required]
    taking = [name for name, form in FORMS.items() if form.parameters and not form.required]
    first, *others = [name for name, form in FORMS.items() if not form.parameters]
    lines = [
        *(written(name, examples[name]) for name in needing),
        shortcut,
        *(written(name, examples[name]) for name in taking),
        written(first, None),
    ]
    return "\n".join(map(json.dumps, lines)) + f" and likewise {', '.join(map(json.dumps, others))}"


def _example(parameter: Parameter) -> Any:
    match parameter.mark:
        case Axis():
            return 0
        case Number():
            return 1
        case Text():
            return "..."
        case Flag():
            return parameter.default
        case Seconds():
            return parameter.mark.whole(parameter.default)
        case _:
            assert_never(parameter.mark)


# ---------------------------------------------------------------------------- our JSON
_ACTIONS = _listed(
    lambda name, arguments: {"name": name, **(arguments or {})},
    {"name": "Shortcut", "shortcut": "its name", "arguments": [{"name": "...", "value": "..."}]},
)
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
def _call(name: str, arguments: dict[str, Any] | None) -> dict[str, Any]:
    given = None if arguments is None else {PAPER_ARGUMENTS.get(key, key): one for key, one in arguments.items()}
    return {"name": name, "arguments": given}


_CALLS = _listed(_call, {"name": "Name_Of_A_Shortcut", "arguments": {"an argument": "...", "another one": 0}})
_HEADERS = {
    Role.PLAN: """\
Sections, each heading followed by its text:
### Thought ### your reasoning, brief
### Plan ### the whole numbered plan
### Change ### keep, next or replan
### Current Subgoal ### the one thing to do now
### Status ### continue, finished or impossible""",
    Role.DECIDE: f"""\
Sections, each heading followed by its text:
### Thought ### your reasoning, brief
### Action ### ACTION
### Description ### what the screen should show then
ACTION is one of:
{_CALLS}""",
    Role.REFLECT: """\
Sections, each heading followed by its text:
### Outcome ### A, B or C: the letter alone
### Error Description ### empty for A
### Progress Status ### what has been done so far""",
    Role.NOTE: """\
One section, the heading followed by its text:
### Important Notes ### all notes to be kept""",
}
