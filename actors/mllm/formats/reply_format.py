"""Declare what a reply format must have: the instruction to the model, whether servers get a schema, and the parser."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from manyhands.actors.mllm.parse.decisions import ReplyFields
from manyhands.actors.mllm.parse.separated_answer import SeparatedAnswer
from manyhands.protocol.base import Reply
from manyhands.protocol.roles.field_description import ReplyField, describe_fields
from manyhands.protocol.roles.replies import ActingReply, ActionSet
from manyhands.protocol.screens.geometry import Size


class ReplyFormat(ABC):
    """Declare a format in which models are asked for their replies.

    ``actors.mllm.formats.FORMATS`` lists the formats. The parser reads an answer in any of these formats, because
    models do not always use the format that they were asked for (docs/parsing.md).
    """

    name: ClassVar[str]
    """The value of the setting ``output``."""
    shortcut_example: ClassVar[Mapping[str, Any]]
    """A call of a shortcut, for the list of example actions."""

    # ------------------------------------------------------------------ asking
    def has_schema(self, reply: type[Reply]) -> bool:
        """Return whether servers get the JSON schema of this reply and constrain the model to it."""
        return False

    def ask(self, reply: type[Reply], extent: Size) -> str:
        """Return the instruction for writing a reply. ``extent``: the largest x and y that the model may write."""
        body = self.ask_fields(describe_fields(reply))
        if not issubclass(reply, ActingReply):
            return body
        return f"{body}\nACTION is one of:\n{self._listed(reply.actions)}"

    def ask_added(self, reply: type[Reply]) -> str:
        """Return the instruction for adding the one field by which ``reply`` extends its base type."""
        base = next(kind for kind in reply.__mro__[1:] if issubclass(kind, Reply))
        (added,) = [field for field in describe_fields(reply) if field.name not in base.model_fields]
        return self.ask_added_field(added)

    @abstractmethod
    def ask_fields(self, fields: Sequence[ReplyField]) -> str:
        """Return the instruction for writing the fields of a reply of any role."""

    @abstractmethod
    def ask_added_field(self, field: ReplyField) -> str:
        """Return the instruction for writing one more field."""

    @abstractmethod
    def example(self, action: str, arguments: Mapping[str, Any] | None) -> Mapping[str, Any]:
        """Return an example of an action for the list. ``arguments`` is None for an action without arguments."""

    def _listed(self, actions: ActionSet) -> str:
        """Return an example of each action: first actions that need arguments, last actions without arguments."""
        examples = {name: {one.name: one.example for one in spec.parameters} for name, spec in actions.specs.items()}
        needing = [name for name, spec in actions.specs.items() if spec.required]
        taking = [name for name, spec in actions.specs.items() if spec.parameters and not spec.required]
        without = [name for name, spec in actions.specs.items() if not spec.parameters]
        lines = [
            *(self.example(name, examples[name]) for name in needing),
            *([self.shortcut_example] if actions.shortcuts else []),
            *(self.example(name, examples[name]) for name in taking),
            *(self.example(name, None) for name in without[:1]),
        ]
        likewise = f" and likewise {', '.join(map(json.dumps, without[1:]))}" if len(without) > 1 else ""
        return "\n".join(map(json.dumps, lines)) + likewise

    # ------------------------------------------------------------------ reading
    def recognizes(self, text: str, reply: type[Reply]) -> bool:
        """Return whether an answer is written in this format. If so, only ``read`` of this format reads the answer.

        Raises ReplyUnusable.
        """
        return False

    def read(self, answer: SeparatedAnswer, reply: type[Reply]) -> ReplyFields | None:
        """Return the fields of a reply in this format; None if the answer holds no such reply. Raises ReplyUnusable."""
        return None

    def remove_empty(self, text: str) -> str:
        """Return ``text`` with the format's empty tags replaced by blanks."""
        return text


def action_lines(actions: ActionSet) -> str:
    """Return descriptions of the actions, one on each line, in our own words."""
    lines = (
        f"{name}({', '.join(one.name for one in spec.parameters)}): {spec.description}"
        for name, spec in actions.specs.items()
    )
    return "\n".join(lines)
