"""Read numbers as models write them: as text, with a fraction, with a unit behind seconds.

A coordinate is a whole number of the model's space, so a fraction is rounded; but one below 1 may be a share of the
side (0 to 1), which is another place, and is refused like everything else that is no number.
"""

from __future__ import annotations

import math
import re
from typing import Any

from manyhands.protocol.errors import ReplyUnusable

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,5})(?:\.[0-9]{1,6})?")
_SECONDS = re.compile(r"(.*?)\s*(?:s|secs?|seconds?|秒)?", re.IGNORECASE)


def coordinate(value: Any, where: str) -> int:
    """Return a coordinate: a number, also as text, rounded to the nearest whole one. Raises ReplyUnusable."""
    number = _number(value)
    if number is None or (0 < abs(number) < 1):
        raise _no_number(value, where)
    return math.floor(number + 0.5)


def whole(value: Any, where: str) -> int:
    """Return a whole number, also as text or written as 5.0. Raises ReplyUnusable."""
    number = _number(value)
    if number is None or not number.is_integer():
        raise _no_number(value, where)
    return int(number)


def seconds(value: Any, where: str, least: int, most: int) -> int:
    """Return a time in whole seconds, brought between ``least`` and ``most``. Raises ReplyUnusable."""
    written = _SECONDS.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= 40 else None
    number = _number(written[1] if written else value)
    if number is None or number < 0:
        raise ReplyUnusable(f"{where}: {str(value)[:40]!r} is no number of seconds")
    return min(max(math.floor(number + 0.5), least), most)


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value.strip()) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) >= 1e6:
        return None
    return float(value) if math.isfinite(value) else None


def _no_number(value: Any, where: str) -> ReplyUnusable:
    return ReplyUnusable(f"{where}: {str(value)[:40]!r} is not a whole number")
