"""How an episode ends when a stage fails, in every profile."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.actors.episode.behind import StoreLost
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import (
    CallError,
    LeaseLost,
    ManyhandsError,
    ModelAway,
    ModelError,
    PerceptionError,
    PhoneError,
)

Failures = tuple[tuple[type[ManyhandsError], Ending | None], ...]
"""Errors and how the episode ends by them; None: it goes on without what the stage would have found. The first rule
that fits counts."""
FIRST: Failures = (
    (StoreLost, Ending.HOST_LOST),  # the task is not to blame, and another attempt may do better
    (LeaseLost, Ending.LEASE_LOST),
    (ModelAway, Ending.NO_MODEL),
)
"""Before a stage's own rules."""
LAST: Failures = (
    (ModelError, Ending.MODEL_FAILED),
    (PerceptionError, Ending.PERCEPTION_FAILED),
    (PhoneError, Ending.PHONE_LOST),
    (CallError, Ending.PHONE_LOST),
)


@dataclass(frozen=True, slots=True)
class End:
    """Describe why an episode ends; ``reason`` is one line for people."""

    ending: Ending
    reason: str


def end_of_failure(stage: str, error: ManyhandsError, own: Failures = ()) -> End | None:
    """Return how the episode ends when ``stage`` raised ``error``; None if it goes on. ``own`` are its rules."""
    for kind, ending in (*FIRST, *own, *LAST):
        if isinstance(error, kind):
            return None if ending is None else End(ending, f"{stage}: {error}")
    return End(Ending.INTERNAL_ERROR, f"{stage}: {error.code}: {error}")


def end_of_lost_store(error: ManyhandsError) -> End:
    """Return the end by a journal that cannot be written: its store is gone, or its folder takes nothing."""
    return End(Ending.HOST_LOST if isinstance(error, StoreLost) else Ending.INTERNAL_ERROR, str(error))


def defect(where: str, error: Exception) -> End:
    """Return the end by an error that nobody expected."""
    return End(Ending.INTERNAL_ERROR, f"{where}: {type(error).__name__}: {error}")
