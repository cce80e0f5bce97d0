"""Write the instructions for the form of a reply. ``actors.mllm.parse`` reads each of these forms."""

from __future__ import annotations

import json
from typing import Any, Literal

from manyhands.actors.mllm.request.phone_tool import phone_tool
from manyhands.actors.mllm.vocabulary import PAPER_ARGUMENTS
from manyhands.protocol.base import Reply
from manyhands.protocol.described import ReplyField, described
from manyhands.protocol.geometry import Size
from manyhands.protocol.replies import ActingReply, ActionSet

OutputFormat = Literal["json", "tool_call", "headers"]
"""Our JSON (``protocol.replies``); Qwen's phone tool for the operator, else our JSON; the papers' headers."""


def format_body(reply: type[Reply], output: OutputFormat, extent: Size) -> str:
    """Return how a reply is to be written; ``extent``: the largest x and y that the model may write."""
    fields = described(reply)
    acting: type[ActingReply] | None = reply if issubclass(reply, ActingReply) else None
    if output == "tool_call" and acting is not None:
        return phone_tool(acting, extent)
    if output == "headers":
        head = "Sections, each heading" if len(fields) > 1 else "One section, the heading"
        body = "\n".join((f"{head} followed by its text:", *map(_section, fields)))
    else:
        body = f"{{{', '.join(map(_member, fields))}}}"
    return body if acting is None else f"{body}\nACTION is one of:\n{_listed(acting.actions, output)}"


def added_format(reply: type[Reply], output: OutputFormat) -> str:
    """Return how a model adds the one field that ``reply`` has more than the reply on which it is based."""
    base = next(kind for kind in reply.__mro__[1:] if issubclass(kind, Reply))
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
def action_lines(actions: ActionSet) -> str:
    """Return what the actions do, one a line, in our own words."""
    lines = (
        f"{name}({', '.join(one.name for one in spec.parameters)}): {spec.description}"
        for name, spec in actions.specs.items()
    )
    return "\n".join(lines)


def _listed(actions: ActionSet, output: OutputFormat) -> str:
    """Return an example of each action, those first that need arguments, those that take none at the end."""
    written, shortcut = (_call, _SHORTCUT_CALL) if output == "headers" else (_ours, _OUR_SHORTCUT)
    examples = {name: {one.name: one.example for one in spec.parameters} for name, spec in actions.specs.items()}
    needing = [name for name, spec in actions.specs.items() if spec.required]
    taking = [name for name, spec in actions.specs.items() if spec.parameters and not spec.required]
    without = [name for name, spec in actions.specs.items() if not spec.parameters]
    lines = [
        *(written(name, examples[name]) for name in needing),
        *([shortcut] if actions.shortcuts else []),
        *(written(name, examples[name]) for name in taking),
        *(written(name, None) for name in without[:1]),
    ]
    likewise = f" and likewise {', '.join(map(json.dumps, without[1:]))}" if len(without) > 1 else ""
    return "\n".join(map(json.dumps, lines)) + likewise


# ---------------------------------------------------------------------------- our JSON
def _ours(name: str, arguments: dict[str, Any] | None) -> dict[str, Any]:
    return {"name": name, **(arguments or {})}


_OUR_SHORTCUT = {"name": "Shortcut", "shortcut": "its name", "arguments": [{"name": "...", "value": "..."}]}


# ---------------------------------------------------------------------------- the papers' headers
def _call(name: str, arguments: dict[str, Any] | None) -> dict[str, Any]:
    given = None if arguments is None else {PAPER_ARGUMENTS.get(key, key): one for key, one in arguments.items()}
    return {"name": name, "arguments": given}


_SHORTCUT_CALL = {"name": "Name_Of_A_Shortcut", "arguments": {"an argument": "...", "another one": 0}}
