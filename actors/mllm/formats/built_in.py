"""Ask for replies in four formats: our JSON, Qwen's tool call, the model family's own form, and the papers' sections.

``tool_call`` is Qwen's phone tool for roles that choose an action, and our JSON without a schema for others. ``native``
is the form of the model's own family, where the profile ``native`` renders the chat. Other profiles ask for an action
as with ``tool_call`` then, and for a reply without an action as with ``json``: no family has a form for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from manyhands.actors.mllm.formats.reply_format import ReplyFormat
from manyhands.actors.mllm.parse import tool_calls
from manyhands.actors.mllm.parse.decisions import ReplyFields, read_action_sections, read_tool_call
from manyhands.actors.mllm.parse.sections import label_of, read_reply, read_sections, remove_empty_sections
from manyhands.actors.mllm.parse.separated_answer import SeparatedAnswer
from manyhands.actors.mllm.request.phone_tool import phone_tool
from manyhands.actors.mllm.vocabulary import PAPER_ARGUMENTS
from manyhands.protocol.base import Reply
from manyhands.protocol.roles.field_description import ReplyField
from manyhands.protocol.roles.replies import ActingReply
from manyhands.protocol.screens.geometry import Size


class OurJson(ReplyFormat):
    """Write a reply as one object with its fields.

    The parser tries this format first on every answer (``parse.replies``).
    """

    name = "json"
    shortcut_example: ClassVar[Mapping[str, Any]] = {
        "name": "Shortcut",
        "shortcut": "its name",
        "arguments": [{"name": "...", "value": "..."}],
    }

    def has_schema(self, reply: type[Reply]) -> bool:
        return True

    def ask_fields(self, fields: Sequence[ReplyField]) -> str:
        return f"{{{', '.join(map(_member, fields))}}}"

    def ask_added_field(self, field: ReplyField) -> str:
        return f"one more field, {_member(field)}"

    def example(self, action: str, arguments: Mapping[str, Any] | None) -> Mapping[str, Any]:
        return {"name": action, **(arguments or {})}


def _member(field: ReplyField) -> str:
    """Return a field as a member of the JSON object: its choices, or what to write in it."""
    text = field.text
    value = " | ".join(map(json.dumps, field.choices)) or (text if field.kind is not str else json.dumps(text))
    return f"{json.dumps(field.name)}: {value}"


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


class Native(ToolCall):
    """Write an action in the form that the model's family was trained on (``actors.mllm.native``)."""

    name = "native"

    def has_schema(self, reply: type[Reply]) -> bool:
        return not issubclass(reply, ActingReply)


_WORDS = {True: "yes", False: "no", None: "unknown"}


class Headers(ReplyFormat):
    """Write replies in sections, as Mobile-Agent-v2 (section 3) and E (section 3.1) do.

    An action is a dictionary within a section.
    """

    name = "headers"
    shortcut_example: ClassVar[Mapping[str, Any]] = {
        "name": "Name_Of_A_Shortcut",
        "arguments": {"an argument": "...", "another one": 0},
    }

    def ask_fields(self, fields: Sequence[ReplyField]) -> str:
        head = "Sections, each heading" if len(fields) > 1 else "One section, the heading"
        return "\n".join((f"{head} followed by its text:", *map(_section, fields)))

    def ask_added_field(self, field: ReplyField) -> str:
        return f"one more section, {_section(field)}"

    def example(self, action: str, arguments: Mapping[str, Any] | None) -> Mapping[str, Any]:
        paper_arguments = (
            None if arguments is None else {PAPER_ARGUMENTS.get(key, key): one for key, one in arguments.items()}
        )
        return {"name": action, "arguments": paper_arguments}

    def recognizes(self, text: str, reply: type[Reply]) -> bool:
        return bool(read_sections(text, label_of(reply)))

    def read(self, answer: SeparatedAnswer, reply: type[Reply]) -> ReplyFields | None:
        sections = read_sections(answer.text, label_of(reply))
        fields = (
            read_action_sections(sections, reply) if issubclass(reply, ActingReply) else read_reply(reply, sections)
        )
        return None if fields is None else ReplyFields(fields)

    def remove_empty(self, text: str) -> str:
        return remove_empty_sections(text)


def _section(field: ReplyField) -> str:
    """Return a field as a section: its heading, then its choices or what to write in it."""
    *words, last = (_WORDS.get(one, one) for one in field.choices) if field.choices else ("",)
    choices = f"{', '.join(words)} or {last}" if words else ""
    return f"### {field.heading} ### {': '.join(filter(None, (choices, field.text)))}"
