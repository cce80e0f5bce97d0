"""List the formats in which models are asked for replies: a class for each, in the table ``FORMATS``.

To add a format, write a module with a ``ReplyFormat`` and add its line to ``FORMATS``. Name the format in the docstring
of ``output`` in ``deploy/settings/models.py`` and run ``make settings``. Describe in docs/parsing.md how the parser
reads the format.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticKnownError

from manyhands.actors.mllm.formats.built_in import Headers, Native, OurJson, ToolCall
from manyhands.actors.mllm.formats.reply_format import ReplyFormat, action_lines
from manyhands.protocol.base import Reply
from manyhands.protocol.screens.geometry import Size

__all__ = ["FORMATS", "OutputFormat", "ReplyFormat", "action_lines", "added_format", "format_body"]

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
