"""Read an action by its name and its arguments by theirs, as our JSON and Mobile-Agent-E have them.

The result are the fields of an action of ``protocol.replies``, coordinates in the model's space, which that type then
judges. Case, blanks and underscores in a name mean nothing. An action that is not known, an argument that is missing,
doubtful or of another type, is refused: never guessed, never a finish.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, assert_never

from manyhands.actors.mllm.parse.numbers import coordinate, seconds, whole
from manyhands.actors.mllm.parse.values import Span
from manyhands.actors.mllm.vocabulary import PAPER_ARGUMENTS, TOOL_ACTIONS
from manyhands.protocol.actions import Axis, Flag, Number, Parameter, Seconds, Text
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.replies import ACTION_SPECS

Fields = dict[str, Any]


class Call(NamedTuple):
    """Hold an action that stands in a text, and where."""

    fields: Fields
    span: Span


def the_same(calls: Sequence[Call]) -> Fields:
    """Return the action of all ``calls``. Raises ReplyUnusable where they differ."""
    first = calls[0].fields
    if any(call.fields != first for call in calls):
        raise ReplyUnusable("the answer holds different actions")
    return first


_ALIASES = {**{theirs: ours for ours, theirs in PAPER_ARGUMENTS.items()}, "time": "seconds", "duration": "seconds"}
DESCRIPTIONS = frozenset({"element", "description", "target", "label", "thought", "reason", "explanation", "comment"})
"""Further arguments that describe in words what is done, and change nothing of it."""


def plain(written: str) -> str:
    """Return a name in small letters, its words apart by underscores (``Open App``, ``open-app``)."""
    return "_".join(re.split(r"[\s_-]+", written.strip())).lower()


def variants(names: Mapping[str, str]) -> dict[str, str]:
    """Return ``names`` with those of several words also in one (``OpenApp``)."""
    return {written: name for word, name in names.items() for written in (plain(word), plain(word).replace("_", ""))}


_KNOWN = variants(
    {**{name: name for name in ACTION_SPECS}, **{word: name for word, name in TOOL_ACTIONS.items() if name}}
)


def known_name(written: str) -> str | None:
    """Return our name of an action, whatever its capitals, blanks and underscores (``Open app``, ``click``)."""
    return _KNOWN.get(plain(written))


def unknown_action(written: str) -> ReplyUnusable:
    """Return the error about a name that is no action."""
    return ReplyUnusable(f"{written[:40]!r} is no action; known are {', '.join(ACTION_SPECS)}")


def alone(written: str) -> Fields | None:
    """Return the action that a name is by itself, for it needs no arguments; None for any other text."""
    name = known_name(written)
    return {"name": name} if name is not None and not ACTION_SPECS[name].required else None


def named(written: str, arguments: Any) -> Fields:
    """Return an action by its name, its arguments by theirs. Raises ReplyUnusable."""
    name = known_name(written)
    if name is None:
        raise unknown_action(written)
    known = {one.name: one for one in ACTION_SPECS[name].parameters}
    given: dict[str, Any] = {}
    for key, value in mapping(name, arguments).items():
        ours = _ALIASES.get(key, key)
        if given.setdefault(ours, value) != value:
            raise ReplyUnusable(f"{name} is given {ours!r} twice")
    labels = [key for key, one in known.items() if one.mark == Text(label=True)]
    if labels and labels[0] not in given and "text" in given:
        given[labels[0]] = given.pop("text")
    given = {key: value for key, value in given.items() if key in known or not says_nothing(key, value)}
    surplus = [key for key in given if key not in known]
    if surplus:
        raise ReplyUnusable(f"{name} takes no {surplus[0][:40]!r}")
    missing = [key for key in ACTION_SPECS[name].required if key not in given]
    if missing:
        raise ReplyUnusable(f"{name} lacks {missing[0]!r}")
    fields: Fields = {"name": name}
    for key, value in given.items():
        if known[key].required or not empty(value):
            fields[key] = argument(known[key], value, f"{name}, {key}")
    return fields


def argument(parameter: Parameter, value: Any, where: str) -> Any:
    """Return an argument as a reply has it. Raises ReplyUnusable for a number that is none."""
    match parameter.mark:
        case Axis():
            return coordinate(value, where)
        case Number():
            return whole(value, where)
        case Seconds(least=least, most=most):
            return seconds(value, where, least, most)
        case Text() | Flag():
            return value
        case _:
            assert_never(parameter.mark)


def empty(value: Any) -> bool:
    """Return whether nothing is given by an argument that may be left out."""
    return value is None or value in ("", [], {})


def says_nothing(key: str, value: Any) -> bool:
    """Return whether a further argument changes nothing: it is empty, or describes in words what is done."""
    return empty(value) or (key in DESCRIPTIONS and isinstance(value, str))


def mapping(name: str, arguments: Any) -> Mapping[str, Any]:
    """Return the arguments of a call; null means none. Raises ReplyUnusable."""
    if arguments is not None and not isinstance(arguments, Mapping):
        raise ReplyUnusable(f"{name[:40]}: the arguments are no object")
    return arguments or {}
