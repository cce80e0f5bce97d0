"""Find what a task changed on its phone beyond what it may change.

A task names what must stay as it is (``unchanged``) and the changes in it that are allowed (``changes``). The state is
read after the reset and when the episode has ended, and the two states are compared.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pydantic import Field, model_validator

from manyhands.protocol.base import Message
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.tasks.value_tests import Json, TextTest, cut

PARTS = ("settings", "apps", "sms", "contacts", "calls", "calendar", "notifications")
"""The parts of any phone's state that ``unchanged`` may name."""
TABLES = ("system", "secure", "global")
"""The parts of ``settings``."""
ADDRESS = r"[a-z][a-z0-9+.-]*://[A-Za-z0-9._-]+/[A-Za-z0-9._/-]+"
"""The form of the address of a provider."""
_PART = rf"settings(\.(system|secure|global)(\.[^.\s]+)*)?|{'|'.join(part for part in PARTS if part != 'settings')}"
LONGEST_STATE = 1 << 20
"""The most characters of JSON that all states of a task may have together. Further states are not compared."""
MOST_CHANGES = 50
"""The most changes that are kept."""
_LONGEST_SHOWN = 200
NOTHING = object()
"""Stands for a missing value or item."""
_PATH = r"^[^.\s]+(\.[^.\s]+)*$"
_VOLATILE = {"apps": ("front", "running")}
"""Fields of a part's items that also change without a task, by the part. These fields are not compared."""


def check_watched(watched: str) -> str:
    """Return an entry of ``unchanged`` that names a part of any phone's state or an address. Raises ValueError."""
    if re.fullmatch(_PART, watched) or re.fullmatch(ADDRESS, watched):
        return watched
    near = difflib.get_close_matches(watched, [*PARTS, *(f"settings.{table}" for table in TABLES)], n=1)
    guess = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(
        f"{watched!r} is no part of a phone's state: {', '.join(PARTS)}, settings.secure and the like, or the address "
        f"of a provider{guess}"
    )


class AllowedChange(PublicInput):
    """Allow a change at a path, such as ``settings.global.airplane_mode_on`` or ``notes``.

    ``changed`` allows every change at the path or below it. ``added`` and ``removed`` allow that the list at the path
    gains or loses items.
    """

    changed: str | None = Field(default=None, pattern=_PATH)
    """The path at or below which every change is allowed."""
    added: str | None = Field(default=None, pattern=_PATH)
    """The path of a list that may gain items."""
    removed: str | None = Field(default=None, pattern=_PATH)
    """The path of a list that may lose items."""
    item: Mapping[str, TextTest] = Field(default_factory=dict)
    """Tests on the fields of an item that is added or removed."""
    most: int = Field(default=1, ge=1)
    """How many items may be added or removed."""

    @model_validator(mode="after")
    def _one_path(self) -> AllowedChange:
        if sum(path is not None for path in (self.changed, self.added, self.removed)) != 1:
            raise ValueError("give exactly one of changed, added, removed")
        if self.changed is not None and self.item:
            raise ValueError("'item' belongs to 'added' or 'removed'")
        return self

    def allows(self, path: tuple[str, ...], before: Json, after: Json) -> bool:
        """Return whether this allows a difference at ``path``. A missing ``before`` or ``after`` is ``NOTHING``."""
        if self.changed is not None:
            changed = tuple(self.changed.split("."))
            return path[: len(changed)] == changed
        listed, there, absent = (self.added, after, before) if self.added is not None else (self.removed, before, after)
        if ".".join(path) != listed or absent is not NOTHING:
            return False
        return all(isinstance(there, dict) and test.accepts(there.get(name)) for name, test in self.item.items())


class StateChange(Message):
    """Describe a change of a phone's state. ``before`` is None if a value was added, ``after`` if one was removed."""

    path: str
    """Where in the phone's state the value is."""
    before: str | None = None
    """The value before the task; None if it was added."""
    after: str | None = None
    """The value after the task; None if it was removed."""

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.path}: added {self.after}"
        if self.after is None:
            return f"{self.path}: removed {self.before}"
        return f"{self.path}: {self.before} became {self.after}"


def source_of(watched: str) -> str:
    """Return the address of the state that an entry of ``unchanged`` names."""
    return watched if "://" in watched else f"phone://state/{watched.partition('.')[0]}"


def part_of(watched: str, state: Json) -> Json:
    """Return the part of a state that an entry of ``unchanged`` names, under the same keys as in the whole state.

    ``state``: the answer of the entry's address.
    """
    if "://" in watched:
        return state
    part, path = state, watched.split(".")
    for key in path:
        part = part.get(key) if isinstance(part, dict) else None
    for key in reversed(path):
        part = {key: part}
    return part


def unexpected_changes(before: Json, after: Json, allowed: Sequence[AllowedChange]) -> tuple[StateChange, ...]:
    """Return the differences between two states that are not allowed, at most ``MOST_CHANGES``."""
    remaining = [change.most for change in allowed]
    unexpected = []
    for path, old, new in _differences(before, after, ()):
        index = next((n for n, one in enumerate(allowed) if remaining[n] and one.allows(path, old, new)), None)
        if index is None:
            unexpected.append(StateChange(path=".".join(path), before=_excerpt(old), after=_excerpt(new)))
        elif allowed[index].changed is None:
            remaining[index] -= 1
    return tuple(unexpected[:MOST_CHANGES])


def _excerpt(value: Json) -> str | None:
    return None if value is NOTHING else cut(json.dumps(value, ensure_ascii=False), _LONGEST_SHOWN)


def _differences(before: Json, after: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json, Json]]:
    """Yield path, old and new value of each difference.

    Lists are compared without their order. A changed item counts as one that is removed and one that is added.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _differences(before.get(key, NOTHING), after.get(key, NOTHING), (*path, str(key)))
    elif isinstance(before, list) and isinstance(after, list):
        old, new = _counted(before, path), _counted(after, path)
        for text in (old - new).elements():
            yield path, json.loads(text), NOTHING
        for text in (new - old).elements():
            yield path, NOTHING, json.loads(text)
    elif before is NOTHING or after is NOTHING or type(before) is not type(after) or before != after:
        yield path, before, after


def _counted(items: list[Json], path: tuple[str, ...]) -> Counter[str]:
    """Count equal items of a list, by their JSON without the fields in ``_VOLATILE``."""
    volatile = _VOLATILE.get(path[-1] if path else "", ())
    elements = (
        {key: value for key, value in item.items() if key not in volatile} if isinstance(item, dict) else item
        for item in items
    )
    return Counter(json.dumps(item, sort_keys=True, ensure_ascii=False) for item in elements)
