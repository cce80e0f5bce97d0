"""Ask for ``native``: the model in the form of its own family, where the profile ``native`` renders the chat.

Other profiles ask for an action as with ``tool_call``. A reply without an action is asked for as with ``json``, under a
schema: no family has a form for it.
"""

from __future__ import annotations

from manyhands.actors.mllm.formats.tool_call import ToolCall
from manyhands.protocol.base import Reply
from manyhands.protocol.roles.replies import ActingReply


class Native(ToolCall):
    """Write an action in the form that the model's family was trained on (``actors.mllm.native``)."""

    name = "native"

    def has_schema(self, reply: type[Reply]) -> bool:
        return not issubclass(reply, ActingReply)
