"""List the formats in which models are asked for replies: a class for each, in the table ``FORMATS``.

``json`` is ours and ``headers`` the papers' sections. ``tool_call`` is Qwen's phone tool for roles that choose an
action, and our JSON without a schema for others. ``native`` is the form of the model's own family, where the profile
``native`` renders the chat. Other profiles ask for an action as with ``tool_call`` then, and for a reply without an
action as with ``json``: no family has a form for it.

To add a format, write a ``ReplyFormat`` and add its line to ``FORMATS``. Name the format in the docstring of ``output``
in ``deploy/settings/models.py`` and run ``make settings``. Describe in docs/parsing.md how the parser reads the format.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator
from pydantic_core import PydanticKnownError

from manyhands.actors.mllm.parse import tool_calls
from manyhands.actors.mllm.parse.decisions import ReplyFields, read_action_sections, read_tool_call
from manyhands.actors.mllm.parse.sections import label_of, read_reply, read_sections, remove_empty_sections
from manyhands.actors.mllm.parse.separated_answer import SeparatedAnswer
from manyhands.actors.mllm.request.actions import phone_tool
from manyhands.actors.mllm.vocabulary import PAPER_ARGUMENTS
from manyhands.protocol.base import Reply
from manyhands.protocol.roles.field_description import ReplyField, describe_fields
from manyhands.protocol.roles.replies import FOLLOWING, ActingReply, ActionSet
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
        return f"{body}\nACTION is one of:\n{self._listed(reply.actions)}{self.ask_following(reply)}"

    def ask_following(self, reply: type[ActingReply]) -> str:
        """Return the instruction for adding actions that follow at once; empty in a format without a place for them."""
        return ""

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

    def ask_following(self, reply: type[ActingReply]) -> str:
        if not reply.most_following:
            return ""
        return (
            f'\nOnly where you know the screens in between, add one more field, "{FOLLOWING}": [ACTION, ...], with up '
            f"to {reply.most_following} more actions that follow at once: the text for a field that you tap and Enter "
            "after it, or another field or switch of this page. The first surprise ends them. Judge all of them "
            "together."
        )

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


FORMATS: dict[str, ReplyFormat] = {
    form.name: form
    for form in (
        OurJson(),
        ToolCall(),
        Headers(),
        Native(),
    )
}
"""The formats by the value of the setting ``output``. The parser tries them on an answer in this order."""


def _check_name(name: str) -> str:
    if name not in FORMATS:
        *others, last = (f"'{one}'" for one in FORMATS)
        raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})
    return name


OutputFormat = Annotated[str, AfterValidator(_check_name)]
"""The name of a format."""


def format_body(reply: type[Reply], output: OutputFormat, extent: Size) -> str:
    """Return the instruction for writing a reply. ``extent``: the largest x and y that the model may write."""
    return FORMATS[output].ask(reply, extent)


def added_format(reply: type[Reply], output: OutputFormat) -> str:
    """Return the instruction for adding the one field by which ``reply`` extends its base type."""
    return FORMATS[output].ask_added(reply)
