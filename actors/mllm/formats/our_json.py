"""Ask for ``json``: the JSON of ``protocol.replies``. Servers constrain the model to its schema."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from manyhands.actors.mllm.formats.reply_format import ReplyFormat
from manyhands.protocol.base import Reply
from manyhands.protocol.roles.field_description import ReplyField


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
