"""What a reply to a recorded request means: the roles' own reading of it, without a role, a phone or a client."""

from __future__ import annotations

from typing import get_args

from manyhands.actors.memory import ShortcutUnusable
from manyhands.actors.mllm import Dialect, parse
from manyhands.actors.mllm.request.actions import NotAnAction, read_action
from manyhands.actors.mllm.request.dialects import OutsideScreen
from manyhands.actors.mllm.request.formats import OutputFormat, subgoal_format
from manyhands.actors.roles.base import meant
from manyhands.actors.roles.planner import read_plan
from manyhands.actors.roles.reflector import read_reflection
from manyhands.evaluation.recorded_calls import RecordedCall
from manyhands.evaluation.replay_report import Reading
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles import (
    DecideReply,
    Decision,
    NoteReply,
    Notes,
    Plan,
    PlanReply,
    Reflection,
    ReflectReply,
    ReflectSubgoalReply,
    Role,
)

UNREADABLE = (ReplyUnusable, NotAnAction, OutsideScreen, ShortcutUnusable)
"""Why a text is no reply of its role. Each has a code of its own."""


def read_reply(recorded: RecordedCall, text: str, dialect: Dialect) -> Reading:
    """The plan, action, verdict or notes that ``text`` means as an answer to ``recorded``. Raises UNREADABLE."""
    match recorded.role:
        case Role.PLAN:
            return _plan(recorded, text)
        case Role.DECIDE:
            return _decision(recorded, text, dialect)
        case Role.REFLECT:
            return _reflection(recorded, text)
        case Role.NOTE:
            return Notes(text=meant(parse(NoteReply, text).notes))
        case Role.CAPTION:
            raise ReplyUnusable("captions are in no journal")


def _plan(recorded: RecordedCall, text: str) -> Plan:
    return read_plan(parse(PlanReply, text), recorded.previous)


def _decision(recorded: RecordedCall, text: str, dialect: Dialect) -> Decision:
    reply = parse(DecideReply, text)
    action = read_action(reply.action, dialect, recorded.size, recorded.shortcuts, recorded.elements)
    return Decision(thought=reply.thought, action=action, expectation=reply.expectation)


def _reflection(recorded: RecordedCall, text: str) -> Reflection:
    asked = ReflectSubgoalReply if _asks_subgoal(recorded) else ReflectReply
    # The progress so far stands in the prompt only; without it, outcomes B and C keep an empty one.
    return read_reflection(parse(asked, text), progress="")


def _asks_subgoal(recorded: RecordedCall) -> bool:
    """Whether the reflector was asked about the subgoal, too: by the role's own part, which stands last."""
    (*_, own) = recorded.call.request["messages"][1]["content"]
    return any(subgoal_format(output) in own.get("text", "") for output in get_args(OutputFormat))
