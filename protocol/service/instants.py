"""Define the type of all moments in the service's answers. Each also appears as an ISO 8601 text in its JSON."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field, computed_field

Instant = float
"""A moment in Unix seconds. In answers, a field ``NAME`` of this type has a sibling ``NAME_iso`` with its text."""
_TYPE = re.compile(r"\bInstant\b")
_Text = Annotated[str, Field(json_schema_extra={"format": "date-time"})]


def to_iso(moment: Instant) -> str:
    """Return a moment in ISO 8601, in UTC and cut to milliseconds.

    Raises ValueError, OverflowError or OSError if its year is none from 1 to 9999.
    """
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def add_iso_texts(model: type) -> None:
    """Give each field of type ``Instant`` that ``model`` declares its sibling. Call it before pydantic reads the class.

    The siblings are written into JSON, and ignored where JSON is read.
    """
    for name, annotation in list(vars(model).get("__annotations__", {}).items()):
        if _TYPE.search(str(annotation)):
            is_many = str(annotation).startswith("tuple")
            many: Any = tuple[_Text | None, ...]
            text = computed_field(
                return_type=many if is_many else _Text | None,
                repr=False,
                description=f"`{name}` in ISO 8601, in UTC; null if there is none or its year is after 9999.",
            )
            setattr(model, f"{name}_iso", text(property(_many_texts(name) if is_many else _one_text(name))))


def _one_text(name: str) -> Callable[[Any], str | None]:
    return lambda answer: _text(getattr(answer, name))


def _many_texts(name: str) -> Callable[[Any], tuple[str | None, ...]]:
    return lambda answer: tuple(_text(moment) for moment in getattr(answer, name))


def _text(moment: Instant | None) -> str | None:
    """Return the text of a moment; None if there is none or no calendar has it."""
    try:
        return None if moment is None else to_iso(moment)
    except (ValueError, OverflowError, OSError):
        return None
