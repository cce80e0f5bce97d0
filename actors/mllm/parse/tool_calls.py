"""Read Qwen's tool calls, in JSON (``<tool_call>{...}</tool_call>``) and in the XML of Qwen3.5 (``<function=...>``).

Some models write rubbish in the place of the closing tag, or continue with the next turn and the same call. If the
first call is incomplete, the answer is refused, whatever follows.
"""

from __future__ import annotations

import re
from typing import Any

from manyhands.actors.mllm.parse.actions import PARAMETER_END, ActionCall, Fields, OfferedActions
from manyhands.actors.mllm.parse.phone_tool import read_call, read_named_object, read_tool_action
from manyhands.actors.mllm.parse.surrounding_text import blank
from manyhands.actors.mllm.parse.values import NotAValue, Reader, TextSpan, read_literal, read_object
from manyhands.actors.mllm.vocabulary import PLACES
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.replies import TapElementReply
from manyhands.protocol.screens.actions import WRITTEN
from manyhands.protocol.screens.argument_types import parameters

_MOST_CALLS = 20
_MARK = re.compile(r"<tool_call>|(?=<function=)")
_LEAD = re.compile(r"\s*(?:```(?:json)?\s*)?")
_EMPTY = re.compile(r"<tool_call>(?:```json|[^\w<{｛])*+(?:</tool_call>|(?=<tool_call>)|\Z)")
_FUNCTION = re.compile(r"<function=([A-Za-z_][A-Za-z0-9_]{0,63})>")
_PARAMETER = re.compile(r"\s*<parameter=([A-Za-z_][A-Za-z0-9_]{0,63})>")
_END = rf"</{PARAMETER_END}(?:>|(?=\s*+(?:<|\Z)))"
"""The end of a parameter. Models also write ``</param>``, or leave its last bracket out before another tag."""
_VALUE_END = re.compile(rf"{_END}|</(function|tool_call)>")
_PARAMETER_MARK = re.compile(rf"<parameter=|{_END}")
_STRAY = re.compile(rf"(?:\s*{_END})*+\s*")
_LITERALS = (
    {"arguments", *PLACES}
    | {one.name for kind in WRITTEN.values() for one in parameters(kind) if one.mark.literal}
    | {one.name for one in parameters(TapElementReply)}
)
"""Parameters whose text is a JSON value. The text of all other parameters is kept byte for byte."""
_WORDS = frozenset({"action", "button", "status", "name", "shortcut"})
"""Parameters around whose text blanks do not matter."""


class _Broken(ValueError):
    """Signal an incomplete call, with the reason."""


def has_tags(text: str) -> bool:
    """Return whether ``text`` opens a tool call."""
    return _MARK.search(text) is not None


def remove_empty_calls(text: str) -> str:
    """Return ``text`` with the tags of empty calls replaced by blanks."""
    return _EMPTY.sub(lambda empty: blank(empty[0]), text)


def read_tagged_calls(text: str, offered: OfferedActions) -> list[ActionCall]:
    """Return the calls of a text that opens one, in order. Stop at a later call that is incomplete.

    Raises ReplyUnusable if the first call is incomplete.
    """
    calls: list[ActionCall] = []
    mark = _MARK.search(text)
    while mark and len(calls) < _MOST_CALLS:
        begin = _lead(text, mark.end())
        try:
            fields, end = (
                _xml(text, begin, offered) if text.startswith("<function=", begin) else _json(text, begin, offered)
            )
        except (_Broken, NotAValue) as error:
            if calls:
                break
            raise ReplyUnusable(f"the tool call is not whole: {error}") from None
        calls.append(ActionCall(fields, TextSpan(mark.start(), end)))
        mark = _MARK.search(text, end)
    return calls


def find_final_call(text: str, offered: OfferedActions) -> ActionCall | None:
    """Return the closed call at the end of reasoning that was never closed; None unless there is exactly one call."""
    if not text.rstrip().endswith("</tool_call>") or not has_tags(text):
        return None
    calls = read_tagged_calls(text, offered)
    return calls[0] if len(calls) == 1 else None


def _lead(text: str, position: int) -> int:
    lead = _LEAD.match(text, position)
    return lead.end() if lead else position


def _json(text: str, begin: int, offered: OfferedActions) -> tuple[Fields, int]:
    if Reader(text, begin).next() != "{":
        raise _Broken("it holds no object")
    item = read_object(text, begin)
    arguments = item.value.get("arguments")
    if isinstance(item.value.get("name"), str) and "arguments" in item.value:
        values = read_literal(arguments) if isinstance(arguments, str) else arguments
        return read_named_object({**item.value, "arguments": values}, offered), item.end
    if "action" in item.value:
        return read_tool_action(item.value, offered), item.end
    raise ReplyUnusable("the tool call has no name with arguments, and no action")


# ---------------------------------------------------------------------------- XML
def _xml(text: str, begin: int, offered: OfferedActions) -> tuple[Fields, int]:
    head = _FUNCTION.match(text, begin)
    if head is None:
        raise _Broken("the function has no name")
    values: dict[str, Any] = {}
    position = head.end()
    while parameter := _PARAMETER.match(text, position):
        end = _VALUE_END.search(text, parameter.end())
        if end is None:
            raise _Broken(f"the parameter {parameter[1]!r} does not end")
        body = text[parameter.end() : end.start()]
        if "<parameter=" in body:
            raise _Broken(f"the parameter {parameter[1]!r} does not end before the next")
        if parameter[1] in values:
            raise _Broken(f"the parameter {parameter[1]!r} stands twice")
        values[parameter[1]] = _parameter(parameter[1], _unframed(body))
        position = end.end()
        if end[1]:
            _check_ended(text, position)
            return read_call(head[1], values, offered), position
    stray = _STRAY.match(text, position)
    close = _VALUE_END.match(text, stray.end() if stray else position)
    if close is None:
        raise _Broken("the function does not end")
    _check_ended(text, close.end())
    return read_call(head[1], values, offered), close.end()


def _check_ended(text: str, position: int) -> None:
    """Raise _Broken if a parameter continues or ends after the function's end: the apparent end of the
    function was part of a text.
    """
    mark = _PARAMETER_MARK.search(text, position)
    if mark is not None and (mark[0] != "<parameter=" or _MARK.search(text, position, mark.start()) is None):
        raise _Broken("a parameter ends after the function has ended")


def _unframed(text: str) -> str:
    """Return a text without the line breaks after the opening tag and before the closing tag.

    These line breaks are markup.
    """
    return text.removeprefix("\r").removeprefix("\n").removesuffix("\n").removesuffix("\r")


def _parameter(name: str, text: str) -> Any:
    if name in _LITERALS:
        return read_literal(text)
    return text.strip() if name in _WORDS else text
