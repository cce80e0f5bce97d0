"""Ask for ``native``: the model in the form of its own family, where the profile ``native`` renders the chat.

Other roles and profiles are asked as with ``tool_call``.
"""

from __future__ import annotations

from manyhands.actors.mllm.formats.tool_call import ToolCall


class Native(ToolCall):
    """Write an action in the form that the model's family was trained on (``actors.mllm.native``)."""

    name = "native"
