"""Speak the forms of UI-Venus-2 and of plain chats: read a chat as one of our own form, and write a reply in it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from manyhands.protocol.base import Reply
from manyhands.protocol.profiles.native import NativeFirstReply, NativeReply
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.request import ModelRequest, Said

_FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "Tap": ("Click", "point"),
    "Long_Press": ("LongPress", "point"),
    "Swipe": ("Swipe", "start", "end"),
    "Type": ("Type", "content"),
    "Open_App": ("LaunchApp", "app"),
    "Wait": ("Wait",),
    "Back": ("PressBack",),
    "Home": ("PressHome",),
    "Enter": ("PressEnter",),
    "Switch_App": ("PressRecent",),
    "Answer": ("Answer", "content"),
    "Stop": ("Finished",),
}
"""Our actions, each with its function and the arguments of that."""
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "point": ("x", "y"),
    "start": ("x1", "y1"),
    "end": ("x2", "y2"),
    "content": ("text",),
    "app": ("app",),
}
"""The arguments of functions, each with the arguments of ours that it holds."""
_LINES = {"change": "Change", "outcome": "Verdict", "progress": "Progress", "notes": "Notes", "subgoal": "Subgoal"}
_BETWEEN = " ;; "
"""Joins the lines of a text, because a label's text is one line here."""
_REPLY = re.compile(r"<think>(.*)</think>\n<action>(.*)</action>", re.DOTALL)
_LABELLED = re.compile(rf"^({'|'.join(_LINES.values())}): (.*)\n", re.MULTILINE)
_TASK = re.compile(
    r"### User Task\nThe user's task: (.*?)(?:\nHints: (.*?))?(?=\nAbout the phone: |\nTips from |\Z)", re.S
)
_MARK, _SHOWN = "Click(point=", re.compile(r"Current Screenshot:|\(The picture of this step")


VENUS, PLAIN = "ui-venus-2", "plain-chat"
_PLAIN_MARK = "Answer with an action as JSON alone"
_PLAIN_TASK = re.compile(r"\AThe user's task: (.*?)(?:\nHints: (.*?))?\n(?:Step \d|The |Tips from |<data>)", re.S)
_PLAIN_ACTION = re.compile(r"(\w+)\(")


def in_our_form(request: ModelRequest) -> ModelRequest:
    """Return a request in one of these forms as an agent asks it in ours. Other requests are returned unchanged."""
    system = request.parts[0] if request.parts and isinstance(request.parts[0], str) else ""
    if request.role is None and _PLAIN_MARK in system:
        return _plain_in_our_form(request, system)
    task = _TASK.search(system)
    if request.role is not None or task is None or _MARK not in system:
        return request
    shown = [one.text for one in request.conversation if one.by == "user" and _SHOWN.search(one.text)]
    wanted = NativeReply if shown and "Judge your last action" in shown[-1] else NativeFirstReply
    offered = "\n".join(f"{name}()" for name, (function, *_) in _FUNCTIONS.items() if f"- {function}(" in system)
    return replace(
        request,
        role=Role.DECIDE,
        sections={Section.GOAL: task[1], Section.HINTS: task[2] or "", Section.ACTIONS: offered},
        wanted=wanted.__name__,
        conversation=tuple(_in_our_json(one) if one.by == "assistant" else one for one in request.conversation),
        form=VENUS,
    )


def _plain_in_our_form(request: ModelRequest, system: str) -> ModelRequest:
    task = _PLAIN_TASK.search(request.conversation[0].text)
    goal, hints = (task[1], task[2] or "") if task else ("", "")
    offered = "\n".join(f"{name}()" for name in _PLAIN_ACTION.findall(system))
    return replace(
        request,
        role=Role.DECIDE,
        sections={Section.GOAL: goal, Section.HINTS: hints, Section.ACTIONS: offered},
        wanted=NativeFirstReply.__name__,
        form=PLAIN,
    )


def in_family_form(reply: Reply, form: str) -> str:
    """Return a reply of the agent of ``native`` as a model of the family writes it."""
    fields = reply.model_dump(mode="json", exclude_unset=True)
    if form == PLAIN:
        return json.dumps({name: value for name, value in fields.items() if value})
    lines = [f"{label}: {_one_line(fields[name])}\n" for name, label in _LINES.items() if fields.get(name)]
    return f"<think>{''.join(lines)}{_one_line(fields['thought'])}</think>\n<action>{_call(fields['action'])}</action>"


def _call(action: Mapping[str, Any]) -> str:
    function, *arguments = _FUNCTIONS[action["name"]]
    values = {key: [action[name] for name in _ARGUMENTS[key]] for key in arguments}
    return f"{function}({', '.join(f'{key}={_literal(value)}' for key, value in values.items())})"


def _literal(value: list[Any]) -> str:
    """Return a point or a text as a literal of Python. The last unit of a side is 999."""
    if len(value) == 2:
        return repr(tuple(999 if number == 1000 else number for number in value))
    text = value[0].replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{text}'"


def _one_line(text: str) -> str:
    return _BETWEEN.join(text.splitlines())


def _in_our_json(said: Said) -> Said:
    """Return an answer of this model as it writes it in our form. Other answers are returned unchanged."""
    match = _REPLY.fullmatch(said.text.strip())
    if match is None:
        return said
    lines = {label: text.replace(_BETWEEN, "\n") for label, text in _LABELLED.findall(match[1])}
    fields = {name: lines[label] for name, label in _LINES.items() if label in lines}
    thought = _LABELLED.sub("", match[1]).strip()
    return Said(said.by, json.dumps({**fields, "thought": thought, "action": _action(match[2])}))


def _action(call: str) -> dict[str, Any]:
    expression = ast.parse(call, mode="eval").body
    assert isinstance(expression, ast.Call)
    assert isinstance(expression.func, ast.Name)
    action: dict[str, Any] = {"name": next(n for n, (f, *_) in _FUNCTIONS.items() if f == expression.func.id)}
    for keyword in expression.keywords:
        value = ast.literal_eval(keyword.value)
        names = _ARGUMENTS[str(keyword.arg)]
        action |= dict(zip(names, value if len(names) == 2 else [value], strict=True))
    return {**action, "clear": True} if action["name"] == "Type" else action
