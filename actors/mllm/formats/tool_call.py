"""Ask for ``tool_call``: Qwen's phone tool for roles that choose an action, our JSON without a schema for others."""

from __future__ import annotations

from manyhands.actors.mllm.formats.our_json import OurJson
from manyhands.actors.mllm.parse import tool_calls
from manyhands.actors.mllm.parse.decisions import ReplyFields, read_tool_call
from manyhands.actors.mllm.parse.separated_answer import SeparatedAnswer
from manyhands.actors.mllm.request.phone_tool import phone_tool
from manyhands.protocol.base import Reply
from manyhands.protocol.roles.replies import ActingReply
from manyhands.protocol.screens.geometry import Size


class ToolCall(OurJson):
    """Write an action as a call of the tool ``mobile_use`` between tags, as Qwen-VL and GUI-Owl were trained to do."""

    name = "tool_call"

    def has_schema(self, reply: type[Reply]) -> bool:
        return False

    def ask(self, reply: type[Reply], extent: Size) -> str:
        return phone_tool(reply, extent) if issubclass(reply, ActingReply) else super().ask(reply, extent)

    def recognizes(self, text: str, reply: type[Reply]) -> bool:
        return issubclass(reply, ActingReply) and tool_calls.has_tags(text)

    def read(self, answer: SeparatedAnswer, reply: type[Reply]) -> ReplyFields | None:
        return read_tool_call(answer, reply) if issubclass(reply, ActingReply) else None

    def remove_empty(self, text: str) -> str:
        return tool_calls.remove_empty_calls(text)
