"""Write the instructions for the form of each role's reply. ``actors.mllm.parse`` reads each of these forms."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, assert_never

from manyhands.actors.mllm.request.phone_tool import phone_tool
from manyhands.actors.mllm.vocabulary import PAPER_ARGUMENTS
from manyhands.protocol.actions import Axis, Flag, Number, Parameter, Seconds, Text
from manyhands.protocol.base import Reply
from manyhands.protocol.geometry import Size
from manyhands.protocol.replies import ACTION_SPECS
from manyhands.protocol.roles import REPLIES, DecideReply, ReplyField, Role, described

OutputFormat = Literal["json", "tool_call", "headers"]
"""Our JSON (``protocol.replies``); Qwen's phone tool for the operator, else our JSON; the papers' headers."""


def format_body(role: Role, output: OutputFormat, extent: Size) -> str:
    """Return how ``role`` is to write its reply; ``extent``: the largest x and y that the model may write."""
    reply = role.spec.replies[0]
    if output == "tool_call" and reply is DecideReply:
        return phone_tool(extent)
    fields = described(reply)
    if output == "headers":
        head = "Sections, each heading" if len(fields) > 1 else "One section, the heading"
        body = "\n".join((f"{head} followed by its text:", *map(_section, fields)))
    else:
        body = f"{{{', '.join(map(_member, fields))}}}"
    actions = _CALLS if output == "headers" else _ACTIONS
    return f"{body}\nACTION is one of:\n{actions}" if reply is DecideReply else body


def added_format(reply: type[Reply], output: OutputFormat) -> str:
    """Return how a model adds the one field that ``reply`` has more than the reply on which it is based."""
    base = REPLIES[reply.__name__].spec.replies[0]
    (added,) = [field for field in described(reply) if field.name not in base.model_fields]
    return f"one more section, {_section(added)}" if output == "headers" else f"one more field, {_member(added)}"


# ---------------------------------------------------------------------------- the fields of a reply
def _member(field: ReplyField) -> str:
    """Return a field as a member of our JSON: its choices, or what to write in it."""
    text = field.text
    value = " | ".join(map(json.dumps, field.choices)) or (text if field.kind is not str else json.dumps(text))
    return f"{json.dumps(field.name)}: {value}"


def _section(field: ReplyField) -> str:
    """Return a field as a section: its heading, and its choices, or what to write in it."""
    *words, last = (_WORDS.get(one, one) for one in field.choices) if field.choices else ("",)
    choices = f"{', '.join(words)} or {last}" if words else ""
    return f"### {field.heading} ### {': '.join(filter(None, (choices, field.text)))}"


_WORDS = {True: "yes", False: "no", None: "unknown"}


# ---------------------------------------------------------------------------- the actions
def action_lines() -> str:
    """Return what the actions do, one a line, in our own words."""
    lines = (
        f"{name}({', '.join(one.name for one in spec.parameters)}): {spec.description}"
        for name, spec in ACTION_SPECS.items()
    )
    return "\n".join(lines)


def _listed(written: Callable[[str, dict[str, Any] | None], Mapping[str, Any]], shortcut: Mapping[str, Any]) -> str:
    """Return an example of each action, those first that need arguments, those that take none at the end.

    ``written`` makes an example of a name and its arguments.
    """
    examples = {name: {one.name: _example(one) for one in spec.parameters} for name, spec in ACTION_SPECS.items()}
    needing = [name for name, spec in ACTION_SPECS.items() if spec.required]
    taking = [name for name, spec in ACTION_SPECS.items() if spec.parameters and not spec.required]
    first, *others = [name for name, spec in ACTION_SPECS.items() if not spec.parameters]
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


# ---------------------------------------------------------------------------- the papers' headers
def _call(name: str, arguments: dict[str, Any] | None) -> dict[str, Any]:
    given = None if arguments is None else {PAPER_ARGUMENTS.get(key, key): one for key, one in arguments.items()}
    return {"name": name, "arguments": given}


_CALLS = _listed(_call, {"name": "Name_Of_A_Shortcut", "arguments": {"an argument": "...", "another one": 0}})
