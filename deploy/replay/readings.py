"""The role's own reading of a reply to a recorded request, without an actor, a phone or a client."""

from __future__ import annotations

from typing import Any, get_args

from manyhands.actors.mllm import Dialect, parse
from manyhands.actors.mllm.request.formats import OutputFormat, added_format
from manyhands.actors.roles import CLASSES, StepRole
from manyhands.evaluation.recorded_calls import RecordedCall
from manyhands.protocol.base import Message, Reply
from manyhands.protocol.errors import ReplyUnusable


def read_reply(recorded: RecordedCall, text: str, dialect: Dialect) -> Message:
    """Return the plan, action, verdict or notes that ``text`` means as an answer to ``recorded``. Raises UNREADABLE.

    The progress so far stands in the prompt only; without it, outcomes B and C keep an empty one.
    """
    kind = CLASSES[recorded.role]
    if not issubclass(kind, StepRole):
        raise ReplyUnusable(f"a journal does not hold what the {recorded.role.spec.agent} was asked about")
    reading: Message = kind.read(parse(_asked(recorded), text), recorded.known, dialect)
    return reading


def _asked(recorded: RecordedCall) -> type[Reply]:
    """Return the type of the reply that was asked for: the role's first, or one whose added fields are described.

    Only the role's own part of the prompt counts, which stands last.
    """
    first, *others = recorded.role.spec.replies
    (*_, own) = recorded.call.request["messages"][1]["content"]
    text: Any = own.get("text", "")
    for other in others:
        if any(added_format(other, output) in text for output in get_args(OutputFormat)):
            return other
    return first
