"""Judge shortcuts by their uses: which routine a use counts for, how it went, and when to quarantine it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from manyhands.actors.memory.database import as_json
from manyhands.actors.memory.tip_diff import comparison_words
from manyhands.protocol.journals.effective_records import effective_records
from manyhands.protocol.journals.records import Record, StageResult
from manyhands.protocol.roles.lessons import ShortcutUse, ShortcutUseReport, UseOutcome
from manyhands.protocol.roles.memory import Shortcut

WATCH = "watch"
"""The stage that reports uses (``actors.episode.stages.shortcuts``)."""
IN_A_ROW = 2
"""Failed uses in a row after which a shortcut is quarantined."""
_FAILED = {
    "surprised": "was stopped, for the phone did something else than was meant",
    "failed": "did not bring about what was expected",
}


def quarantine_reason(outcomes: Sequence[UseOutcome]) -> str:
    """Return why a routine is to be quarantined. Return an empty text if it is not.

    ``outcomes``: how its uses went, the oldest first. Refused uses do not count: they sent nothing to the phone.
    """
    tried = [outcome for outcome in outcomes if outcome != "refused"]
    if tried and "worked" not in tried:
        return f"its first use {_FAILED[tried[0]]}"
    if len(tried) >= IN_A_ROW and "worked" not in tried[-IN_A_ROW:]:
        return f"its last {IN_A_ROW} uses failed, the last one {_FAILED[tried[-1]]}"
    return ""


def unrecorded_uses(records: Iterable[Record]) -> tuple[ShortcutUse, ...]:
    """Return the uses in a journal that the memory did not record while the episode ran.

    The memory counts each use once, however often it is reported.
    """
    watch_results = [one for one in effective_records(records) if isinstance(one, StageResult) and one.stage == WATCH]
    reported = (one.read(ShortcutUseReport) for one in watch_results)
    return tuple(one.use for one in reported if one is not None and not one.taken_in)


def routine_key(shortcut: Shortcut) -> str:
    """Return a key that is equal for shortcuts that differ only in name or description.

    Such shortcuts are judged together.
    """
    return as_json(shortcut.model_dump(mode="json", include={"arguments", "precondition", "steps"}))


def has_same_actions(one: Shortcut, other: Shortcut) -> bool:
    """Return whether two shortcuts carry out the same actions. The names of both and of their arguments may differ."""
    return _steps(one) == _steps(other)


def is_same_routine(one: Shortcut, other: Shortcut) -> bool:
    """Return whether two shortcuts have the same actions and, but for case and punctuation, the same precondition."""
    return has_same_actions(one, other) and comparison_words(one.precondition) == comparison_words(other.precondition)


def _steps(shortcut: Shortcut) -> list[tuple[str, dict[str, Any]]]:
    """Return the steps of a shortcut. Each argument is replaced by its number, counted in the order of first use."""
    values = (value for step in shortcut.steps for _, value in sorted(step.arguments_map.items()))
    used = list(dict.fromkeys(value for value in values if value in shortcut.arguments))
    return [
        (
            step.name,
            {
                name: (used.index(value),) if value in used else value
                for name, value in sorted(step.arguments_map.items())
            },
        )
        for step in shortcut.steps
    ]
