"""The role's own reading of a reply to a recorded request, without an actor, a phone or a client."""

from __future__ import annotations

from typing import Any, get_args

from manyhands.actors.mllm import Dialect, parse
from manyhands.actors.mllm.request.formats import OutputFormat, added_format
from manyhands.actors.profiles import agent_that_reads
from manyhands.evaluation.recorded_calls import RecordedCall
from manyhands.protocol.base import Message, Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles import REPLY_TYPES, ReflectSubgoalReply


def read_reply(recorded: RecordedCall, text: str, dialect: Dialect) -> Message:
    """Return the plan, action, verdict or notes that ``text`` means as an answer to ``recorded``. Raises UNREADABLE.

    The progress so far stands in the prompt only; without it, outcomes B and C keep an empty one.
    """
    asked = _asked(recorded)
    kind = agent_that_reads(asked)
    if kind is None:
        raise ReplyUnusable(f"a journal does not hold what the {recorded.role.spec.agent} was asked about")
    reading: Message = kind.read(parse(asked, text), recorded.known, dialect)
    return reading


def _asked(recorded: RecordedCall) -> type[Reply]:
    """Return the type of the reply that was asked for.

    Where a journal was written before that was recorded, it is the role's first, or one whose added fields are
    described in the role's own part of the prompt, which stands last.
    """
    if recorded.call.reply_type:
        return REPLY_TYPES[recorded.call.reply_type]
    (*_, own) = recorded.call.request["messages"][1]["content"]
    text: Any = own.get("text", "")
    first = recorded.role.spec.replies[0]
    if ReflectSubgoalReply in recorded.role.spec.replies and any(
        added_format(ReflectSubgoalReply, output) in text for output in get_args(OutputFormat)
    ):
        return ReflectSubgoalReply
    return first
