"""What becomes of instructions on virtual phones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from manyhands.evaluation.suites.instructions import AppKind, Instruction


def kind_name(kind: AppKind) -> str:
    """Return a kind of app in words."""
    return kind.value.replace("_", " ")


def fate(one: Instruction) -> str:
    """Return what becomes of an instruction on virtual phones."""
    if one.task is not None:
        return f"is played by {one.task}"
    return f"waits for {' and '.join(map(kind_name, one.waits_for))}" if one.waits_for else "has no task"


def counts(instructions: Iterable[Instruction]) -> Counter[str]:
    """Count what becomes of instructions on virtual phones.

    ``as_it_stands`` and ``content`` can be played, once their task is there: ``played`` has one. ``waits`` cannot.
    """
    found = Counter({"as_it_stands": 0, "content": 0, "waits": 0, "played": 0})
    for one in instructions:
        found["waits" if one.waits_for else "content" if one.content else "as_it_stands"] += 1
        found["played"] += one.task is not None
    return found
