"""Uses of shortcuts that a journal tells of, and the memory does not."""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.protocol.lessons import Reported, ShortcutUse
from manyhands.protocol.records import Record, StageResult
from manyhands.protocol.standing import standing

WATCH = "watch"
"""The stage that reports uses (``actors.episode.stages.watch``)."""


def not_taken_in(records: Iterable[Record]) -> tuple[ShortcutUse, ...]:
    """Return the uses that nobody took in while their episode ran; reported again, each counts once."""
    found = [one for one in standing(records) if isinstance(one, StageResult) and one.stage == WATCH]
    reported = (Reported.model_validate(one.data) for one in found)
    return tuple(one.use for one in reported if not one.taken_in)
