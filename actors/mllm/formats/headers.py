"""Ask for ``headers``: the papers' sections, such as ``### Thought ###``, each with the text of a field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from manyhands.actors.mllm.formats.reply_format import ReplyFormat
from manyhands.actors.mllm.parse.decisions import ReplyFields, read_action_sections
from manyhands.actors.mllm.parse.sections import label_of, read_reply, read_sections, remove_empty_sections
from manyhands.actors.mllm.parse.separated_answer import SeparatedAnswer
from manyhands.actors.mllm.vocabulary import PAPER_ARGUMENTS
from manyhands.protocol.base import Reply
from manyhands.protocol.roles.field_description import ReplyField
from manyhands.protocol.roles.replies import ActingReply

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
        given = None if arguments is None else {PAPER_ARGUMENTS.get(key, key): one for key, one in arguments.items()}
        return {"name": action, "arguments": given}

    def recognizes(self, text: str, reply: type[Reply]) -> bool:
        return bool(read_sections(text, label_of(reply)))

    def read(self, answer: SeparatedAnswer, reply: type[Reply]) -> ReplyFields | None:
        found = read_sections(answer.text, label_of(reply))
        fields = read_action_sections(found, reply) if issubclass(reply, ActingReply) else read_reply(reply, found)
        return None if fields is None else ReplyFields(fields)

    def remove_empty(self, text: str) -> str:
        return remove_empty_sections(text)


def _section(field: ReplyField) -> str:
    """Return a field as a section: its heading, then its choices or what to write in it."""
    *words, last = (_WORDS.get(one, one) for one in field.choices) if field.choices else ("",)
    choices = f"{', '.join(words)} or {last}" if words else ""
    return f"### {field.heading} ### {': '.join(filter(None, (choices, field.text)))}"
