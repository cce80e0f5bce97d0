"""Read actions that are written as function calls, as in Mobile-Agent-v2: ``Tap(540, 1200)``, ``Type("...")``.

Only a call on a line of its own counts. A call within a sentence is prose.
"""

from __future__ import annotations

import re
from typing import Any

from manyhands.actors.mllm.parse.actions import ActionCall, Fields, OfferedActions
from manyhands.actors.mllm.parse.surrounding_text import ACTION
from manyhands.actors.mllm.parse.values import NotAValue, Reader, TextSpan
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.screens.argument_types import AxisArgument, TextArgument

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
