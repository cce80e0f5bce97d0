"""Convert the fields of a reply to the form of its type: keep what is clear, fill in missing prose.

A constrained decoder writes our JSON exactly as asked. Other models may write an action in the form that their family
was trained on, leave out prose, write null for an empty text, or write too much. An action or a verdict is still clear
then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotated_types import MaxLen

from manyhands.actors.mllm.parse import headers
from manyhands.actors.mllm.parse.action_names import Fields, OfferedActions, offered_actions
from manyhands.actors.mllm.parse.dictionaries import read_flat_action, read_named_object
from manyhands.actors.mllm.parse.field_lines import unasked_fields
from manyhands.actors.mllm.parse.phone_tool import read_tool_action
from manyhands.protocol.base import Reply
from manyhands.protocol.roles.field_description import describe_fields
from manyhands.protocol.roles.replies import ActingReply, VerdictReply
from manyhands.protocol.roles.role import JudgeReply, PlanReply

_UNASKED = frozenset({"observation", "reasoning", "reason", "explanation", "summary", "confidence", "description"})
"""Further keys of a reply that may be ignored."""
_NO_PLAN = ("finished", "impossible")
_PROSE = ("change", "error", "progress", "thought")
"""The texts of a verdict beside its letter."""


def normalize_fields(reply: type[Reply], value: Mapping[str, Any], whole: bool) -> Fields | None:
    """Return the fields of our JSON as ``reply`` has them; None if the object lacks the essential field.

    Unclear values stay as they are, and the type ``reply`` refuses them. ``whole``: the object has its last brace.
    Without it the object may have been cut off, so a missing text is an error. Raises ReplyUnusable for an invalid
    action in the shape of another format.
    """
    fields = {key: one for key, one in value.items() if key not in _UNASKED or key in reply.model_fields}
    if issubclass(reply, ActingReply):
        fields = {key: one for key, one in fields.items() if key not in {field.name for field in unasked_fields(reply)}}
        action = fields.get("action")
        if not isinstance(action, Mapping) and (not isinstance(action, str) or fields.keys() == {"action"}):
            return None
        fields["action"] = _action(action, offered_actions(reply))
        if "outcome" in reply.model_fields and isinstance(fields.get("outcome"), str):
            fields["outcome"] = headers.read_outcome(fields["outcome"])
        return _with_empty(fields, whole, *(field.name for field in describe_fields(reply) if field.name != "action"))
    if issubclass(reply, VerdictReply):
        if not isinstance(fields.get("outcome"), str):
            return None
        fields["outcome"] = headers.read_outcome(fields["outcome"])
        return _with_empty(fields, whole, *(name for name in reply.model_fields if name in _PROSE))
    if issubclass(reply, JudgeReply):
        verdict = fields.get("verdict")
        return fields if not isinstance(verdict, str) else {**fields, "verdict": verdict.strip(" .").lower()}
    if issubclass(reply, PlanReply):
        for key in ("change", "status"):
            if isinstance(fields.get(key), str):
                fields[key] = fields[key].strip().lower()
        return _with_empty(fields, whole, "thought", *(("plan", "subgoal") if fields.get("status") in _NO_PLAN else ()))
    return fields


def truncate_texts(reply: type[Reply], fields: Mapping[str, Any]) -> tuple[Fields, tuple[str, ...]]:
    """Return ``fields`` with texts cut to the length that ``reply`` allows, and the names of the cut texts.

    Only the reply's own texts are cut, because they are prose. The texts of an action are typed, or name something.
    """
    longest = {
        name: bound.max_length
        for name, field in reply.model_fields.items()
        for bound in field.metadata
        if isinstance(bound, MaxLen)
    }
    long = {
        name: fields[name][:most]
        for name, most in longest.items()
        if isinstance(fields.get(name), str) and len(fields[name]) > most
    }
    return {**fields, **long}, tuple(long)


def _with_empty(fields: Fields, whole: bool, *prose: str) -> Fields:
    return {**fields, **{key: "" for key in prose if fields.get(key) is None and (whole or key in fields)}}


def _action(written: Any, offered: OfferedActions) -> Any:
    """Return an action as our replies have it, from our format or another one. Raises ReplyUnusable."""
    if isinstance(written, str):
        action = offered.alone(written)
        if action is None:
            raise offered.unknown(written)
        return action
    name = written.get("name")
    if isinstance(name, str) and "arguments" in written and name != "Shortcut":
        return read_named_object(written, offered)
    if isinstance(name, str):
        return read_flat_action(written, offered)
    return read_tool_action(written, offered) if "action" in written else written
