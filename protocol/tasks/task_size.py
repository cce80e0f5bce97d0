"""Bound what one task may hold, so that it fits into every message and record that will carry it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgpack

from manyhands.protocol.tasks.value_tests import MOST_STEPS, BadPattern, pattern_size

Loc = tuple[str | int, ...]
MOST_VALUES, MOST_BYTES = 10_000, 512 * 1024
"""The most values of a task, keys included, and its most bytes as msgpack. A message has at most ten times these values
(``protocol.journals.envelope``), and holds more than the task."""
MOST_STEPS_OF_TASKS = 1_000_000
"""The most steps of the patterns of tasks that are read together. So to compile them takes at most about a second."""
_STEPS_IN_VAIN = 1000
"""What a pattern counts that cannot be used, for the time that it takes to find that out."""
_LEAST, _MOST = -(2**63), 2**64 - 1
"""The integers that msgpack can hold."""


def find_misfit(task: Any) -> tuple[Loc, str] | None:
    """Return what of a task no message can hold: the place, and in one line what is wrong. None if it fits.

    ``task``: a task as JSON, or as somebody wrote it. Whatever is no JSON counts as a text.
    """
    try:
        packed: bytes = msgpack.packb(task, default=_as_text, unicode_errors="surrogatepass")
    except OverflowError:
        loc, number = next((loc, value) for loc, value in _values(task, ()) if not _fits(value))
        return loc, f"{_shorten(number)} needs more than 64 bits; write a number nearer to 0"
    except (ValueError, TypeError) as error:
        return (), f"cannot be stored: {error}"
    if len(packed) > MOST_BYTES:
        return (), f"is {len(packed):,} bytes long; at most {MOST_BYTES:,} are allowed. Shorten its texts and lists"
    if len(packed) > MOST_VALUES:  # each value takes a byte at least
        beyond = next(islice(_values(task, ()), MOST_VALUES, None), None)
        if beyond is not None:
            return beyond[0][:1], f"has more than {MOST_VALUES:,} values, which is the limit"
    steps = 0
    for loc, pattern, ignore_case in _patterns(task):
        steps += _steps(pattern, ignore_case)
        if steps > MOST_STEPS:
            return loc, f"with this pattern, those of the task have more than {MOST_STEPS:,} steps, which is the limit"
    return None


@dataclass(slots=True)
class PatternTotal:
    """Bound the patterns of tasks that are read together. A pattern that several tasks have counts once."""

    steps: int = 0
    _counted: set[tuple[str, bool]] = field(default_factory=set)

    @property
    def is_over(self) -> bool:
        """Return whether the patterns are too many."""
        return self.steps > MOST_STEPS_OF_TASKS

    def find_excess(self, task: Any) -> tuple[Loc, str] | None:
        """Count the patterns of a task. Return the place of the first one that is too many, and what is wrong."""
        for loc, pattern, ignore_case in _patterns(task):
            if not self.is_over and (pattern, ignore_case) not in self._counted:
                self._counted.add((pattern, ignore_case))
                self.steps += _steps(pattern, ignore_case)
            if self.is_over:
                most = f"{MOST_STEPS_OF_TASKS:,} steps"
                return loc, f"with this pattern, those of all tasks have more than {most}; submit fewer tasks at once"
        return None


def _values(value: Any, at: Loc) -> Iterator[tuple[Loc, Any]]:
    """Yield a value and all that is in it, keys included, each with its place."""
    yield at, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield at, key
            yield from _values(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _values(item, (*at, index))


def _patterns(task: Any) -> Iterator[tuple[Loc, str, bool]]:
    """Yield the patterns of a task: the place of each, the pattern, and whether it ignores case."""
    for part, name in (("check", "matches"), ("rubrics", "matches"), ("answer", "pattern")):
        for loc, value in _values(task.get(part), (part,)) if isinstance(task, dict) else ():
            if loc[-1] == name and isinstance(value, str):
                yield loc, value, name == "matches"


def _steps(pattern: str, ignore_case: bool) -> int:
    try:
        return pattern_size(pattern, ignore_case)
    except BadPattern:  # the task's validation says so
        return _STEPS_IN_VAIN


def _as_text(value: Any) -> str:
    if isinstance(value, int):  # msgpack asks for integers that are too large, too
        raise OverflowError
    return str(value)


def _fits(value: Any) -> bool:
    return not isinstance(value, int) or _LEAST <= value <= _MOST


def _shorten(number: int) -> str:
    return "the number" if number.bit_length() > 128 else f"the number {number}"
