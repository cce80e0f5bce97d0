"""Replace ``${name}`` in the texts of tasks by values, within a bound: texts that are put together grow fast."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Loc = tuple[str | int, ...]
PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
"""Matches ``${name}``, which stands for the value of a variable in the texts of a task."""
MOST_CHARACTERS, MOST_VALUES = 16 * 1024 * 1024, 1_000_000
"""The most characters and values of all tasks of a file together, with what they take from ``defaults``."""


class ExpansionTooLarge(ValueError):
    """Signal that the tasks of a file become too large. The text says so."""


class VariableExpansion:
    """Fill in the variables of the tasks of one file, and count what comes of it."""

    def __init__(self) -> None:
        """Begin a file."""
        self._characters = self._values = 0

    def fill(self, value: Any, variables: Mapping[str, Any], blame: Callable[[Loc, str], None], at: Loc = ()) -> Any:
        """Return ``value`` with the variables in its texts replaced. Raises ExpansionTooLarge.

        ``blame``: called with the place of each variable that has no value.
        """
        self._count(1, 0)
        if isinstance(value, dict):
            return {key: self.fill(item, variables, blame, (*at, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self.fill(item, variables, blame, (*at, index)) for index, item in enumerate(value)]
        if not isinstance(value, str):
            return value
        self._count(0, len(value))
        missing: set[str] = set()

        def replace(match: re.Match[str]) -> str:
            if match[1] not in variables:
                missing.add(match[1])
                return match[0]
            text = str(variables[match[1]])
            self._count(0, len(text))
            return text

        filled = PLACEHOLDER.sub(replace, value)
        for name in sorted(missing):
            blame(at, f"${{{name}}} has no value under 'variables'")
        return filled

    def _count(self, values: int, characters: int) -> None:
        self._values += values
        self._characters += characters
        if self._characters > MOST_CHARACTERS or self._values > MOST_VALUES:
            raise ExpansionTooLarge(
                f"with its variables and defaults filled in, the file has more than {MOST_CHARACTERS:,} characters or "
                f"{MOST_VALUES:,} values from here on; spread it over several files"
            )
