"""Read the values of an action's arguments as models write them: numbers as text, seconds with a unit, places.

A coordinate is a whole number in the model's space, so a fraction is rounded. A number between 0 and 1 is refused: it
may be a share of the side, which would be another place. Everything that is no number is refused too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from manyhands.protocol.errors import ReplyUnusable
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
    written = _SECONDS.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= 40 else None
    number = _number(written[1] if written else value)
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
    said = ["center" if word in _MIDDLE else word for word in words if word]
    down, across = [word for word in said if word in _DOWN], [word for word in said if word in _ACROSS]
    middle = [word for word in said if word == "center"][:1]
    ordered = (*down, *middle, *across) if across else (*down, *middle)
    return " ".join(ordered) if said and set(said) == set(ordered) and len(ordered) <= len(said) else value


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
