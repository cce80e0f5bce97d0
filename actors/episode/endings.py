"""How an episode ends in every profile: at a limit, or when a stage fails."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import (
    CallError,
    HostStateAway,
    LeaseLost,
    ManyhandsError,
    ModelAway,
    ModelError,
    NotPermitted,
    PerceptionError,
    PhoneError,
    PhoneUnfit,
    SetupRefused,
    StaleEpoch,
    StateUnavailable,
    StoreError,
    StoreLost,
)
from manyhands.protocol.phones import AppCrash
from manyhands.protocol.runs.limits import Limits

Failures = tuple[tuple[type[ManyhandsError], Ending | None], ...]
"""Errors, each with the ending that it causes. None instead of an ending: the episode continues without the result. The
first entry that matches counts."""
FIRST: Failures = (
    (StoreLost, Ending.HOST_LOST),  # the task is not to blame, and another attempt may do better
    (StaleEpoch, Ending.LEASE_LOST),
    (LeaseLost, Ending.LEASE_LOST),
    (HostStateAway, Ending.LEASE_LOST),  # the lease cannot be checked, and no action can begin
    (ModelAway, Ending.NO_MODEL),
)
"""These apply before a stage's own rules."""
_SILENT_STORE: Failures = ((CallError, Ending.HOST_LOST),)
LAST: Failures = (
    (ModelError, Ending.MODEL_FAILED),
    (NotPermitted, Ending.NEEDS_PERSON),
    (PerceptionError, Ending.PERCEPTION_FAILED),
    (SetupRefused, Ending.SETUP_REFUSED),
    (PhoneError, Ending.PHONE_LOST),
    (CallError, Ending.PHONE_LOST),
)


@dataclass(frozen=True, slots=True)
class End:
    """Describe why an episode ends; ``reason`` is one line for people."""

    ending: Ending
    reason: str
    afresh: bool = False
    """Whether the episode cannot be resumed in place."""
    crash: AppCrash | None = None
    """The crash of the app under test that ends it."""


@dataclass(frozen=True, slots=True)
class HeldForPerson(End):
    """Stop the stages because a person takes the episode over. The episode does not end."""


def limit_reached(
    state: EpisodeState,
    step: int,
    limits: Limits,
    *,
    judged: bool = True,
    paper_exact: bool = False,
    put_off: Collection[Ending] = (),
) -> End | None:
    """Return the first limit that is reached with ``step``; None if the episode may continue.

    ``judged``: verdicts show what failed. In a loop without verdicts, call this once the screen after the step is
    captured. ``put_off``: endings whose limits do not count yet.
    """
    for name, limit in limits.declarations().items():
        if limit.ending in put_off:
            continue
        counter = limit.counter(judged, paper_exact)
        count = None if counter is None else counter(state, step)
        if count is not None and count.number >= getattr(limits, name):
            return End(limit.ending, count.reason)
    return None


def end_of_failure(stage: str, error: ManyhandsError, own: Failures = ()) -> End | None:
    """Return how the episode ends when ``stage`` raised ``error``; None if it continues. ``own``: the stage's rules."""
    for kind, ending in (*FIRST, *own, *LAST):
        if isinstance(error, kind):
            # A phone that can carry out no action cannot go on with the episode either; another phone begins anew.
            return None if ending is None else End(ending, f"{stage}: {error}", afresh=isinstance(error, PhoneUnfit))
    return End(Ending.INTERNAL_ERROR, f"{stage}: {error.code}: {error}")


def end_of_lost_store(error: ManyhandsError) -> End:
    """Return the end of an episode that cannot write its journal: the store is lost, the episode runs
    elsewhere, or our code failed.
    """
    endings = (ending for kind, ending in (*FIRST, *_SILENT_STORE) if isinstance(error, kind) and ending is not None)
    return End(next(endings, Ending.INTERNAL_ERROR), str(error))


def end_outside_stages(error: ManyhandsError) -> End:
    """Return the end after an error that was raised before the first stage of a step."""
    if isinstance(error, StoreError):
        return end_of_lost_store(error)
    return end_of_failure("reset", error) or End(Ending.INTERNAL_ERROR, str(error))


def end_of_check(error: Exception) -> Ending | None:
    """Return how an episode ends if its check could not be asked; None if the episode's end stays as it is."""
    if isinstance(error, StateUnavailable):  # the phone answers, but what the check names does not exist
        return None
    if isinstance(error, LeaseLost | HostStateAway):
        return Ending.LEASE_LOST
    return Ending.PHONE_LOST if isinstance(error, PhoneError | CallError) else None


def defect(where: str, error: Exception) -> End:
    """Return the end after an error that nobody expected."""
    return End(Ending.INTERNAL_ERROR, f"{where}: {type(error).__name__}: {error}")
