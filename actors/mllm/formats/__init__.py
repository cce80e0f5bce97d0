"""The forms in which models are asked for replies: a class each, and this table.

To add one, write a module with a ``ReplyFormat`` and its line in ``FORMATS``. Its name stands in the docstring of
``output`` in ``deploy/settings/models.py`` (then ``make settings``); what the parser makes of it, in docs/parsing.md.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticKnownError

from manyhands.actors.mllm.formats.headers import Headers
from manyhands.actors.mllm.formats.our_json import OurJson
from manyhands.actors.mllm.formats.reply_format import ReplyFormat, action_lines
from manyhands.actors.mllm.formats.tool_call import ToolCall
from manyhands.protocol.base import Reply
from manyhands.protocol.geometry import Size

__all__ = ["FORMATS", "OutputFormat", "ReplyFormat", "action_lines", "added_format", "format_body"]

FORMATS: dict[str, ReplyFormat] = {
    form.name: form
    for form in (
        OurJson(),
        ToolCall(),
        Headers(),
    )
}
"""By the value of the setting ``output``, in the order in which an answer is read in them."""


def _known(name: str) -> str:
    if name not in FORMATS:
        *others, last = (f"'{one}'" for one in FORMATS)
        raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})
    return name


OutputFormat = Annotated[str, AfterValidator(_known)]
"""The name of a form."""


def format_body(reply: type[Reply], output: OutputFormat, extent: Size) -> str:
    """Return how a reply is to be written; ``extent``: the largest x and y that the model may write."""
    return FORMATS[output].ask(reply, extent)


def added_format(reply: type[Reply], output: OutputFormat) -> str:
    """Return how a model adds the one field that ``reply`` has more than the reply on which it is based."""
    return FORMATS[output].ask_added(reply)
