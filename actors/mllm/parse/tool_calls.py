"""Read calls: Qwen's tool calls, and actions that are written as function calls, as in Mobile-Agent-v2.

Tool calls are JSON (``<tool_call>{...}</tool_call>``) or the XML of Qwen3.5 (``<function=...>``). Some models write
rubbish in the place of the closing tag, or continue with the next turn and the same call. If the first call is
incomplete, the answer is refused, whatever follows.

A function call, such as ``Tap(540, 1200)`` or ``Type("...")``, counts only on a line of its own. A call within a
sentence is prose.
"""

from __future__ import annotations

import re
from typing import Any

from manyhands.actors.mllm.parse.actions import PARAMETER_END, ActionCall, Fields, OfferedActions
from manyhands.actors.mllm.parse.phone_tool import read_call, read_named_object, read_tool_action
from manyhands.actors.mllm.parse.surrounding_text import ACTION, blank
from manyhands.actors.mllm.parse.values import NotAValue, Reader, TextSpan, read_literal, read_object
from manyhands.actors.mllm.vocabulary import PLACES
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.replies import TapElementReply
from manyhands.protocol.screens.actions import WRITTEN
from manyhands.protocol.screens.argument_types import AxisArgument, TextArgument, parameters

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

_MOST_LINES = 200
_LINE = re.compile(
    rf"^(?:{ACTION})?[ \t]*[`*]{{0,3}}([A-Za-z][A-Za-z_]*(?:[ -][A-Za-z]+)?)[ \t]*(?=[(（])", re.MULTILINE
)
_AFTER = re.compile(r"[ \t`*#.。;；\"']*(?:\r?\n|$)")
_WORD = re.compile(r"[ \t`*\"']*([A-Za-z]+(?:[_ ][A-Za-z]+)?)(?:[ \t]*[(（][)）])?[ \t`*#.。;；\"']*")
_UNQUOTED = re.compile(r"[(（]([^\r\n]*)[)）][ \t`*#.。]*(?:\r?\n|$)")
_QUOTES = "\"'“”‘’＂`"


def read_bare_calls(text: str, offered: OfferedActions, unquoted: bool = False) -> list[ActionCall]:
    """Return the calls that have a line of their own, in order. Skip unknown names.

    ``unquoted``: a text or an app's name may lack quotation marks (Mobile-Agent-v2). Raises ReplyUnusable for an
    incomplete call of a known action.
    """
    calls: list[ActionCall] = []
    position = 0
    for _ in range(_MOST_LINES):
        line = _LINE.search(text, position)
        if line is None:
            break
        name = offered.name(line[1])
        if name is None:
            position = line.end()
            continue
        fields, position = _call(name, offered, text, line.end(), unquoted)
        calls.append(ActionCall(fields, TextSpan(line.start(), position)))
    return calls


def begins_with_call(text: str, offered: OfferedActions) -> bool:
    """Return whether the first line of ``text`` begins with a call of a known action."""
    line = _LINE.match(text)
    return line is not None and offered.name(line[1]) is not None


def read_bare_word(text: str, offered: OfferedActions) -> Fields | None:
    """Return an action without arguments if its name is all of ``text`` (``Home``); None for any other text."""
    match = _WORD.fullmatch(text.strip())
    return offered.alone(match[1]) if match else None


def _call(name: str, offered: OfferedActions, text: str, position: int, unquoted: bool) -> tuple[Fields, int]:
    reader = Reader(text, position)
    try:
        positional, by_name = read_arguments(reader)
        if _coordinates(name, offered) > 2 and len(positional) == 2 and reader.take(","):
            positional = [positional, read_arguments(reader)[0]]
        end = _AFTER.match(text, reader.position)
        if end is None:
            raise NotAValue("something follows on its line")
        return offered.named(name, {**_by_position(name, offered, positional), **by_name}), end.end()
    except NotAValue as error:
        if unquoted and _text(name, offered) is not None:
            return _without_quotes(name, offered, text, position)
        raise ReplyUnusable(f"{name}(...) cannot be read: {error}") from None


def read_arguments(reader: Reader) -> tuple[list[Any], dict[str, Any]]:
    """Read the arguments of a call in parentheses: those by position, and those by name. Raises NotAValue."""
    if not reader.take("("):
        raise NotAValue("no arguments")
    positional: list[Any] = []
    by_name: dict[str, Any] = {}
    while not reader.take(")"):
        key = _keyword(reader)
        if key is None and by_name:
            raise NotAValue("an argument without its name after one with it")
        if key is not None and key in by_name:
            raise NotAValue(f"the argument {key!r} stands twice")
        if key is None:
            positional.append(reader.value())
        else:
            by_name[key] = reader.value()
        if not reader.take(",") and reader.next() != ")":
            raise NotAValue("no comma after an argument")
    return positional, by_name


_KEYWORD = re.compile(r"([a-z][a-z0-9_]{0,15})[ \t]*=[ \t]*")


def _keyword(reader: Reader) -> str | None:
    reader.next()
    match = _KEYWORD.match(reader.text, reader.position)
    if match is None:
        return None
    reader.position = match.end()
    return match[1]


def _by_position(name: str, offered: OfferedActions, values: list[Any]) -> dict[str, Any]:
    """Return positional arguments by name. Points may be written as pairs. Raises NotAValue."""
    if _coordinates(name, offered):
        pairs = [value for value in values if isinstance(value, list)]
        if any(len(pair) != 2 for pair in pairs):
            raise NotAValue("a point has two numbers")
        if pairs and len(pairs) < len(values):
            raise NotAValue("points and numbers are mixed")
        values = [number for pair in pairs for number in pair] or values
    keys = [one.name for one in offered.specs[name].parameters]
    if len(values) > len(keys):
        raise NotAValue(f"it takes {len(keys)} arguments")
    return dict(zip(keys, values, strict=False))


def _without_quotes(name: str, offered: OfferedActions, text: str, position: int) -> tuple[Fields, int]:
    """Read ``Type (text)`` up to the last parenthesis of the line, which must be the end of this call."""
    match = _UNQUOTED.match(text, position)
    words = match[1] if match else ""
    if match is None or not words.strip() or not _balanced(words):
        raise ReplyUnusable(f"{name} (...) does not end on its line")
    if words.strip()[0] in _QUOTES or words.strip()[-1] in _QUOTES:
        raise ReplyUnusable(f"{name} (...): a quotation mark is missing")
    return offered.named(name, {_text(name, offered): words}), match.end()


def _coordinates(name: str, offered: OfferedActions) -> int:
    return sum(isinstance(one.mark, AxisArgument) for one in offered.specs[name].parameters)


def _text(name: str, offered: OfferedActions) -> str | None:
    """Return the name of the text argument if it is the only required one; None otherwise."""
    needed = [one for one in offered.specs[name].parameters if one.required]
    return needed[0].name if len(needed) == 1 and isinstance(needed[0].mark, TextArgument) else None


def _balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += {"(": 1, "（": 1, ")": -1, "）": -1}.get(char, 0)
        if depth < 0:
            return False
    return depth == 0


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
