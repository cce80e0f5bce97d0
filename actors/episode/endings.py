"""How an episode ends when a stage fails, in every profile."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import (
    CallError,
    HostStateAway,
    LeaseLost,
    ManyhandsError,
    ModelAway,
    ModelError,
    PerceptionError,
    PhoneError,
    StaleEpoch,
    StateUnavailable,
    StoreLost,
)

Failures = tuple[tuple[type[ManyhandsError], Ending | None], ...]
"""Errors and how the episode ends by them; None: it goes on without what the stage would have found. The first rule
that fits counts."""
FIRST: Failures = (
    (StoreLost, Ending.HOST_LOST),  # the task is not to blame, and another attempt may do better
    (StaleEpoch, Ending.LEASE_LOST),
    (LeaseLost, Ending.LEASE_LOST),
    (HostStateAway, Ending.LEASE_LOST),  # nobody can tell whether the lease still runs, and nothing can be begun
    (ModelAway, Ending.NO_MODEL),
)
"""Before a stage's own rules."""
_SILENT_STORE: Failures = ((CallError, Ending.HOST_LOST),)
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
    afresh: bool = False
    """The episode cannot be gone on with in place."""


def end_of_failure(stage: str, error: ManyhandsError, own: Failures = ()) -> End | None:
    """Return how the episode ends when ``stage`` raised ``error``; None if it goes on. ``own`` are its rules."""
    for kind, ending in (*FIRST, *own, *LAST):
        if isinstance(error, kind):
            return None if ending is None else End(ending, f"{stage}: {error}")
    return End(Ending.INTERNAL_ERROR, f"{stage}: {error.code}: {error}")


def end_of_lost_store(error: ManyhandsError) -> End:
    """Return the end by a journal that cannot be written: its store is away, or it goes on elsewhere, or it is ours."""
    known = (ending for kind, ending in (*FIRST, *_SILENT_STORE) if isinstance(error, kind) and ending is not None)
    return End(next(known, Ending.INTERNAL_ERROR), str(error))


def end_of_check(error: Exception) -> Ending | None:
    """Return how an episode ends whose check could not be asked; None where it ends as it would have anyway."""
    if isinstance(error, StateUnavailable):  # the phone is there, and what the check names is not
        return None
    if isinstance(error, LeaseLost | HostStateAway):
        return Ending.LEASE_LOST
    return Ending.PHONE_LOST if isinstance(error, PhoneError | CallError) else None


def defect(where: str, error: Exception) -> End:
    """Return the end by an error that nobody expected."""
    return End(Ending.INTERNAL_ERROR, f"{where}: {type(error).__name__}: {error}")
