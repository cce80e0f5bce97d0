"""Read an action by its name and its arguments by their names, as in our JSON and in Mobile-Agent-E.

The result is the fields of an action of ``protocol.roles.replies``, with coordinates in the model's space. Those types
validate the fields afterwards. Case, blanks and underscores in a name do not matter. An unknown action is refused, and
so is an argument that is missing, doubtful or of another type. A coordinate is a whole number in the model's space, so
a fraction is rounded. A number between 0 and 1 is refused: it may be a share of the side, which would be another place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from manyhands.actors.mllm.parse.values import TextSpan
from manyhands.actors.mllm.vocabulary import BUTTONS, PAPER_ARGUMENTS, TOOL_ARGUMENTS, added_arguments, tool_words
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.replies import ActingReply, ActionSet
from manyhands.protocol.screens.argument_types import (
    AxisArgument,
    NumberArgument,
    Parameter,
    PartOfScreen,
    SecondsArgument,
    TextArgument,
)

PARAMETER_END = r"param(?:eter)?s?(?:=[A-Za-z_]\w{0,63})?"
"""The name in a tag that ends a parameter in XML, also as models write it wrongly."""
_LEAKED_TAG = re.compile(rf"</{PARAMETER_END}>?\s*\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,5})(?:\.[0-9]{1,6})?")
_SECONDS = re.compile(r"(.*?)\s*(?:s|secs?|seconds?|秒)?", re.IGNORECASE)


def read_coordinate(value: Any, where: str) -> int:
    """Return a coordinate: a number or its text, rounded to the nearest whole number. Raises ReplyUnusable."""
    number = _number(value)
    if number is None or (0 < abs(number) < 1):
        raise _no_number(value, where)
    return math.floor(number + 0.5)


def read_box(values: Sequence[Any], where: str) -> tuple[int, int]:
    """Return the centre of a box: left, top, right, bottom. Raises ReplyUnusable."""
    left, top, right, bottom = (read_coordinate(value, where) for value in values)
    if left > right or top > bottom:
        raise ReplyUnusable(f"{where}: {str(list(values))[:60]} is neither a point nor a box")
    return (left + right) // 2, (top + bottom) // 2


def read_whole_number(value: Any, where: str) -> int:
    """Return a whole number, also from text or from 5.0. Raises ReplyUnusable."""
    number = _number(value)
    if number is None or not number.is_integer():
        raise _no_number(value, where)
    return int(number)


def read_seconds(value: Any, where: str, least: int, most: int) -> int:
    """Return a time in whole seconds, clamped to ``least`` and ``most``. Raises ReplyUnusable."""
    match = _SECONDS.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= 40 else None
    number = _number(match[1] if match else value)
    if number is None or number < 0:
        raise ReplyUnusable(f"{where}: {str(value)[:40]!r} is no number of seconds")
    return min(max(math.floor(number + 0.5), least), most)


def read_argument(parameter: Parameter, value: Any, where: str) -> Any:
    """Return an argument's value as a reply holds it.

    Leave values of other types as they are, for the reply's type to validate. Raises ReplyUnusable if a number is
    expected and the value is no number, or if a text ends in markup.
    """
    match parameter.mark:
        case AxisArgument():
            return read_coordinate(value, where)
        case NumberArgument():
            return read_whole_number(value, where)
        case SecondsArgument(least=least, most=most):
            return read_seconds(value, where, least, most)
        case PartOfScreen():
            return read_position(value)
        case TextArgument() if isinstance(value, str):
            return read_text(value, where)
        case _:
            return value


def read_text(value: str, where: str) -> str:
    """Return a text as it is. Raises ReplyUnusable if a tag of another form ends it, which was not to be typed."""
    if _LEAKED_TAG.search(value):
        raise ReplyUnusable(f"{where}: the text ends in {value.rstrip()[-20:]!r}, which is markup")
    return value


_ACROSS, _DOWN = ("left", "right"), ("top", "bottom")
_MIDDLE = frozenset({"center", "centre", "middle"})
_JOINED = re.compile(r"[\s,;/_+&-]+|\band\b")


def read_position(value: Any) -> Any:
    """Return a part of the screen in our words, whatever the order of its words. Return any other value unchanged."""
    words = value if isinstance(value, list) else _JOINED.split(value.strip().lower()) if isinstance(value, str) else ()
    if not all(isinstance(word, str) for word in words):
        return value
    positions = ["center" if word in _MIDDLE else word for word in words if word]
    down, across = [word for word in positions if word in _DOWN], [word for word in positions if word in _ACROSS]
    middle = [word for word in positions if word == "center"][:1]
    ordered = (*down, *middle, *across) if across else (*down, *middle)
    return (
        " ".join(ordered) if positions and set(positions) == set(ordered) and len(ordered) <= len(positions) else value
    )


def is_empty(value: Any) -> bool:
    """Return whether an optional argument was given without a value."""
    return value is None or value in ("", [], {})


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value.strip()) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) >= 1e6:
        return None
    return float(value) if math.isfinite(value) else None


def _no_number(value: Any, where: str) -> ReplyUnusable:
    return ReplyUnusable(f"{where}: {str(value)[:40]!r} is not a whole number")


Fields = dict[str, Any]


class ActionCall(NamedTuple):
    """Hold an action that was found in a text, and its place."""

    fields: Fields
    span: TextSpan


def require_same_action(calls: Sequence[ActionCall]) -> Fields:
    """Return the action of all ``calls``. Raises ReplyUnusable if they differ."""
    first = calls[0].fields
    if any(call.fields != first for call in calls):
        raise ReplyUnusable("the answer holds different actions")
    return first


_ALIASES = {**{theirs: ours for ours, theirs in PAPER_ARGUMENTS.items()}, "time": "seconds", "duration": "seconds"}
DESCRIPTIONS = frozenset({"element", "description", "target", "label", "thought", "reason", "explanation", "comment"})
"""Extra arguments that only describe the action in words. They may be ignored."""


def normalize_name(name: str) -> str:
    """Return a name in small letters, with underscores between words (``Open App`` and ``open-app``: ``open_app``)."""
    return "_".join(re.split(r"[\s_-]+", name.strip())).lower()


def variants(names: Mapping[str, str]) -> dict[str, str]:
    """Return ``names`` with each name also written as one word (``OpenApp``)."""
    return {
        spelling: name
        for word, name in names.items()
        for spelling in (normalize_name(word), normalize_name(word).replace("_", ""))
    }


class OfferedActions:
    """Read the names of the actions that a model may choose from, and the words for them in Qwen's tool."""

    def __init__(self, actions: ActionSet, form: str = "") -> None:
        self.specs = actions.specs
        self.form = form
        """The model family in whose own form the actions may be written (``protocol.roles.replies.in_form``)."""
        words = tool_words(actions.specs)
        self.buttons = {button.lower(): name for button, name in BUTTONS.items() if name in actions.specs}
        self.tool = variants({**{word: word for word in words}, **{name: word for word, name in words.items() if name}})
        """The words of Qwen's tool, by the ways to write them."""
        self.meant = words
        """The action that each word means; None if an argument decides it."""
        self.arguments = {"action", "button", "status", *TOOL_ARGUMENTS, *added_arguments(actions.specs)}
        """The arguments of Qwen's tool, and those that our actions add to it (``clear``)."""
        self._names = variants(
            {**{name: name for name in self.specs}, **{word: name for word, name in words.items() if name}}
        )

    def name(self, word: str) -> str | None:
        """Return our name of an action, whatever its case, blanks and underscores (``Open app``, ``click``)."""
        return self._names.get(normalize_name(word))

    def unknown(self, word: str) -> ReplyUnusable:
        """Return the error for a name that is no known action."""
        return ReplyUnusable(f"{word[:40]!r} is no action; known are {', '.join(self.specs)}")

    def alone(self, word: str) -> Fields | None:
        """Return the action of this name if it needs no arguments; None for any other text."""
        name = self.name(word)
        return {"name": name} if name is not None and not self.specs[name].required else None

    def named(self, word: str, arguments: Any) -> Fields:
        """Return an action from its name and its named arguments. Raises ReplyUnusable."""
        name = self.name(word)
        if name is None:
            raise self.unknown(word)
        parameters = {one.name: one for one in self.specs[name].parameters}
        values: dict[str, Any] = {}
        for key, value in require_mapping(name, arguments).items():
            ours = key if key in parameters else _ALIASES.get(key, key)
            if values.setdefault(ours, value) != value:
                raise ReplyUnusable(f"{name} is given {ours!r} twice")
        labels = [key for key, one in parameters.items() if one.mark == TextArgument(label=True)]
        if labels and labels[0] not in values and "text" in values:
            values[labels[0]] = values.pop("text")
        values = {key: value for key, value in values.items() if key in parameters or not is_irrelevant(key, value)}
        surplus = [key for key in values if key not in parameters]
        if surplus:
            raise ReplyUnusable(f"{name} takes no {surplus[0][:40]!r}")
        missing = [key for key in self.specs[name].required if key not in values]
        if missing:
            raise ReplyUnusable(f"{name} lacks {missing[0]!r}")
        fields: Fields = {"name": name}
        for key, value in values.items():
            if parameters[key].required or not is_empty(value):
                fields[key] = read_argument(parameters[key], value, f"{name}, {key}")
        return fields


@cache
def offered_actions(reply: type[ActingReply]) -> OfferedActions:
    """Return the actions that a reply of this type may hold."""
    return OfferedActions(reply.actions, reply.form)


def is_irrelevant(key: str, value: Any) -> bool:
    """Return whether an extra argument may be ignored: it is empty, or only describes the action in words."""
    return is_empty(value) or (key in DESCRIPTIONS and isinstance(value, str))


def require_mapping(name: str, arguments: Any) -> Mapping[str, Any]:
    """Return the arguments of a call; null means none. Raises ReplyUnusable if they are no object."""
    if arguments is not None and not isinstance(arguments, Mapping):
        raise ReplyUnusable(f"{name[:40]}: the arguments are no object")
    return arguments or {}
