"""Read an action that is written as an object: a named call of an action or shortcut, or arguments of Qwen's tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from manyhands.actors.mllm.parse.action_names import (
    DESCRIPTIONS,
    Fields,
    OfferedActions,
    normalize_name,
    require_mapping,
)
from manyhands.actors.mllm.parse.argument_values import is_empty, read_coordinate
from manyhands.actors.mllm.parse.phone_tool import is_tool_action, read_tool_action
from manyhands.actors.mllm.vocabulary import PLACES, RUN_SHORTCUT, TOOL
from manyhands.protocol.errors import ReplyUnusable

_SHORTCUT = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_WORDS_BESIDE = frozenset({"thought", "expectation", *DESCRIPTIONS})
"""Keys that hold prose beside an action."""
_OF_CALL = frozenset({"name", "arguments"})


def read_dictionary(value: Mapping[str, Any], offered: OfferedActions) -> Fields | None:
    """Return an action written as an object with ``name`` and ``arguments``, or as the arguments of mobile_use alone.

    Return None if the object has neither shape. Raises ReplyUnusable.
    """
    name, action = value.get("name"), value.get("action")
    keys = {key for key in value if not (key in _WORDS_BESIDE and isinstance(value[key], str | None))}
    if isinstance(name, str) and keys == _OF_CALL:
        return read_named_object(value, offered)
    if isinstance(action, str) and "name" not in value:
        return read_tool_action({key: value[key] for key in value if key in keys}, offered)
    return None


def read_named_object(written: Mapping[str, Any], offered: OfferedActions) -> Fields:
    """Return the action of an object with ``name`` and ``arguments``.

    Raises ReplyUnusable, also if what stands beside its arguments differs from them.
    """
    name, given = written["name"], require_mapping(written["name"], written["arguments"])
    for key, value in written.items():
        if key in offered.arguments - _OF_CALL and not is_empty(value) and given.get(key) != value:
            raise ReplyUnusable(f"{name[:40]}: {key!r} beside the arguments is not what they say")
    return read_call(name, given, offered)


def read_call(name: str, arguments: Any, offered: OfferedActions) -> Fields:
    """Return the action of a call, named by Qwen's tool, by an action or by a shortcut. Raises ReplyUnusable."""
    given = require_mapping(name, arguments)
    if normalize_name(name) == normalize_name(TOOL):
        return read_tool_action(given, offered)
    if normalize_name(name) == RUN_SHORTCUT:
        if given.keys() != {"shortcut", "arguments"} or not isinstance(given["shortcut"], str):
            raise ReplyUnusable(f"{RUN_SHORTCUT} needs 'shortcut', a name, and 'arguments'")
        return _shortcut(given["shortcut"], given["arguments"], offered)
    if is_tool_action(name, offered) and (offered.name(name) is None or not given.keys().isdisjoint(PLACES)):
        if not _is_same_action(given.get("action", name), name, offered):
            raise ReplyUnusable(f"{name[:40]!r} is called, and its 'action' is another one")
        return read_tool_action({"action": name, **given}, offered)
    return _shortcut(name, given, offered) if offered.name(name) is None else offered.named(name, given)


def _is_same_action(written: Any, name: str, offered: OfferedActions) -> bool:
    if not isinstance(written, str):
        return False
    ours = offered.name(written)
    return normalize_name(written) == normalize_name(name) or (ours is not None and ours == offered.name(name))


def read_flat_action(written: Mapping[str, Any], offered: OfferedActions) -> Fields:
    """Return an action whose arguments are beside its name, as in our JSON.

    Leave a wrong one for the reply's type to refuse.
    """
    name = written["name"]
    if name == "Shortcut":
        arguments = written.get("arguments")
        if not isinstance(arguments, Mapping) or not isinstance(written.get("shortcut"), str):
            return dict(written)
        return _shortcut(written["shortcut"], arguments, offered)
    ours = offered.name(name)
    if ours is None:
        return dict(written)
    try:
        return read_call(name, {key: one for key, one in written.items() if key != "name"}, offered)
    except ReplyUnusable:
        return {**written, "name": ours}


def _shortcut(name: str, arguments: Any, offered: OfferedActions) -> Fields:
    if _SHORTCUT.fullmatch(name) is None:
        raise offered.unknown(name)
    given = require_mapping(name, arguments)
    if isinstance(given.get("action"), str):
        raise ReplyUnusable(f"there is no tool {name[:40]!r}; the phone's tool is {TOOL}")
    listed = []
    for key, value in given.items():
        written = value if isinstance(value, str) else str(read_coordinate(value, f"{name}, {key[:40]}"))
        listed.append({"name": key, "value": written})
    return {"name": "Shortcut", "shortcut": name, "arguments": listed}
