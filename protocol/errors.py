"""Define the errors. Each says what was wrong, where, and what to do; each has a stable code.

Errors cross process borders: Ray pickles them. So every error is made from one message and plain attributes, from which
it can be made again.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

from manyhands.protocol.utilities.validation_words import describe_error, suggest

if TYPE_CHECKING:
    from manyhands.protocol.messages import ModelCall


class ManyhandsError(Exception):
    """Be the base of every error that we raise on purpose."""

    code = "error"


class BadInput(ManyhandsError):
    """Signal that the user gave something that cannot be used. Commands exit with 2."""

    code = "bad_input"


class BadUsage(BadInput):
    """Signal an unknown command or option on the command line, or a value that is not allowed."""

    code = "usage"


class BadFile(BadInput):
    """Signal mistakes in a file that people wrote: one line for each, with its place."""

    def __init__(self, where: str, mistakes: tuple[str, ...]) -> None:
        """Join all mistakes into the one line of the error."""
        count = "" if len(mistakes) == 1 else f"{len(mistakes)} mistakes: "
        super().__init__(f"{where}: {count}{'; '.join(mistakes)}")
        self.where = where
        self.mistakes = mistakes

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.where, self.mistakes))


class BadFields(BadFile, ValueError):
    """Signal mistakes in what a program gave the public API: one for each wrong field, with the nearest known name.

    ``where`` is the class. It is a ValueError too, so that a validator may raise it.
    """


# ---------------------------------------------------------------------------- wire and journal
class WireError(ManyhandsError):
    """Signal bytes that are no valid message."""

    code = "wire"


class UnknownVersion(WireError):
    code = "unknown_version"


class UnknownKind(WireError):
    code = "unknown_kind"


class JournalDamaged(WireError):
    """Signal that a journal holds bytes that are no record."""

    code = "journal_damaged"


# ---------------------------------------------------------------------------- calls between actors
class ErrorWithCalls(ManyhandsError):
    """Carry the model calls that were begun before the error, for the journal. Often there are none."""

    def __init__(self, message: str, calls: tuple[ModelCall, ...] = ()) -> None:
        super().__init__(message)
        self.calls = calls

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.calls))


class CallError(ErrorWithCalls):
    """Signal that a call to another actor gave no result."""

    code = "call"


class DeadlinePassed(CallError):
    """Signal that the deadline of a request has passed."""

    code = "deadline"


class Overloaded(CallError):
    """Signal that an actor's admission limit is reached; try again later or elsewhere."""

    code = "overloaded"


class SpeculationRefused(CallError):
    """Signal that a speculative call was not sent, because the servers have no capacity for it now."""

    code = "speculation_refused"


class ActorLost(CallError):
    """Signal that the process behind an actor is gone."""

    code = "actor_lost"


class RayLost(ManyhandsError):
    """Signal that the Ray cluster of a run has died and could not be replaced."""

    code = "ray_lost"


class Superseded(CallError):
    """Signal that a site does not execute a request, because it has received a newer one under the same lease."""

    code = "overtaken"


class LinkAway(CallError):
    """Signal that there is no connection to the broker, or that it broke before the broker accepted a message."""

    code = "link_away"


class LinkForbidden(LinkAway):
    """Signal that the broker refuses to let us publish or subscribe to a topic."""

    code = "link_forbidden"


# ---------------------------------------------------------------------------- model
class ModelError(ErrorWithCalls):
    """Signal that a model call failed."""

    code = "model"


class ModelUnreachable(ModelError):
    code = "model_unreachable"


class ModelAway(ModelUnreachable):
    """Signal that no server of the model has answered since the time ``since`` (Unix seconds).

    A later try may succeed.
    """

    code = "model_away"

    def __init__(
        self, message: str, calls: tuple[ModelCall, ...] = (), since: float = 0.0, is_busy: bool = False
    ) -> None:
        """``is_busy``: whether servers refused requests meanwhile, as too busy or paused, so that they were there."""
        super().__init__(message, calls)
        self.since = since
        self.is_busy = is_busy

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.calls, self.since, self.is_busy))


class ModelRefused(ModelError):
    """Signal a server's error that would come again on another try (status 400, a context that is too long)."""

    code = "model_refused"


class ReplyUnusable(ModelError):
    """Signal an invalid reply."""

    code = "reply_unusable"


# ---------------------------------------------------------------------------- phones
class PhoneError(ManyhandsError):
    """Signal a failure of one phone."""

    code = "phone"


class PhoneLost(PhoneError):
    """Signal that the phone does not answer: unplugged, offline, its process gone."""

    code = "phone_lost"


class PhoneUnknown(PhoneError):
    """Signal that there is no phone with that serial."""

    code = "phone_unknown"


class PhoneBusy(PhoneError):
    """Signal that another holder has the phone's lease, or that the phone is promised to another run next."""

    code = "phone_busy"


class RunCopied(PhoneBusy):
    """Signal that another folder of the same run holds the phone for the same episode: one folder is a copy."""

    code = "run_copied"


class NotPermitted(ManyhandsError):
    """Signal that an action was not sent: the policy refuses it, or no person has allowed it."""

    code = "not_permitted"


class PhoneUnfit(PhoneError):
    """Signal that a phone answers but cannot take a task now: it is locked, nearly empty, hot or full."""

    code = "phone_unfit"


class LeaseLost(PhoneError):
    """Signal that the lease ran out or a newer one exists."""

    code = "lease_lost"


class CaptureFailed(PhoneError):
    """Signal that the phone gave no picture, or a damaged one."""

    code = "capture_failed"


class ScreenHidden(PhoneError):
    """Signal that a page forbids pictures, that the phone tells nothing of what is on it, and that nobody helps."""

    code = "screen_hidden"


class StateUnavailable(PhoneError):
    """Signal that the source of a check did not answer, or that the phone or transport has no such state."""

    code = "state_unavailable"


class SetupRefused(PhoneError):
    """Signal that a phone refuses the app under test, or a setting that the task needs."""

    code = "setup_refused"


class LogUnavailable(PhoneError):
    """Signal that the log of a phone cannot be had over the way by which the phone is reached."""

    code = "log_unavailable"


# ---------------------------------------------------------------------------- perception, runs
class PerceptionError(ManyhandsError):
    code = "perception"


class StoreError(ManyhandsError):
    """Signal that the run folder cannot be written or read."""

    code = "store"


class StaleEpoch(StoreError):
    """Signal that an episode continues elsewhere under a newer lease, so the store accepts no record of the old one."""

    code = "stale_epoch"


class StoreFull(StoreError):
    """Signal that the disk of the run folder is full at the moment."""

    code = "store_full"


class InvalidRecord(StoreError):
    """Signal a record, or an id of an episode or a screen, that no run folder can hold. Another try does not help."""

    code = "invalid_record"


class StoreLost(StoreError):
    """Signal that the run folder could not be written or read for too long. It is not the task's fault."""

    code = "store_lost"


class HostStateAway(StoreError):
    """Signal that this host's database of leases and action keys cannot be used now, for example on a full disk."""

    code = "host_state_away"


# ---------------------------------------------------------------------------- service
class UnknownItem(ManyhandsError):
    """Signal that a service has no batch, task, token, schedule, webhook or delivery with that id."""

    code = "unknown_item"


class KeyReused(ManyhandsError):
    """Signal that the owner already submitted another batch with this idempotency key."""

    code = "key_reused"


class PhaseConflict(ManyhandsError):
    """Signal that the present phase of a batch or task does not allow what was asked."""

    code = "phase_conflict"


class InterventionRefused(PhaseConflict):
    """Signal that the present phase of an episode does not allow what a person asked."""

    code = "intervention_refused"


class EpisodeNotRunning(InterventionRefused):
    """Signal that an episode does not run now: it has ended, or waits for its phone or its host."""

    code = "episode_not_running"


class BadCursor(BadInput):
    """Signal a cursor that no list of the service gave out."""

    code = "bad_cursor"


class DatabaseAway(StoreError):
    """Signal that the service's database cannot be used now: it does not answer, or its disk is full."""

    code = "database_away"


class AddressRefused(BadInput):
    """Signal a network address to which the service sends no events."""

    code = "address_refused"


class DatabaseUnusable(BadInput):
    """Signal a database that the service cannot use: a newer or older version's, another program's, or none."""

    code = "database_unusable"


def store_error(error: OSError, what: str) -> StoreError:
    """Return the typed error for an OSError. A full disk has its own type: it may have space again later.

    ``what`` begins the message.
    """
    kind = StoreFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else StoreError
    return kind(f"{what}: {error.strerror or error}")


def _with_kinds(error: type[ManyhandsError]) -> Iterator[type[ManyhandsError]]:
    yield error
    for kind in error.__subclasses__():
        yield from _with_kinds(kind)


_CROSSING: dict[str, type[ManyhandsError]] = {
    kind.code: kind for family in (CallError, PhoneError, StoreError) for kind in _with_kinds(family)
}
"""The errors that a gateway may raise, by code."""


def error_of(code: str, text: str) -> ManyhandsError:
    """Return the error that a gateway elsewhere raised.

    For an unknown ``code``, return a CallError that names the code.
    """
    kind = _CROSSING.get(code)
    return kind(text) if kind is not None else CallError(f"{text} ({code})")


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Return one line about the first thing that is wrong. For an unknown key, suggest known ones."""
    errors = error.errors()
    # A misspelt key often also counts as missing; the misspelling explains more.
    first = next((item for item in errors if item["type"] == "extra_forbidden"), errors[0])
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        return f"unknown key {where!r}" + suggest(key, _known_keys(model, first["loc"]) - {key})
    return (f"{where}: " if where else "") + describe_error(first)


def _known_keys(model: type[BaseModel], loc: tuple[int | str, ...]) -> set[str]:
    """Return the keys of the models that ``loc`` may lead to. List indices and tags of unions name no field."""
    models = {model}
    for part in loc[:-1]:
        inner = {
            model
            for outer in models
            if isinstance(part, str) and part in outer.model_fields
            for model in _models_in(outer.model_fields[part].annotation)
        }
        models = inner or models
    return {field.alias or name for model in models for name, field in model.model_fields.items()}


def _models_in(annotation: Any) -> set[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {annotation}
    return {model for argument in get_args(annotation) for model in _models_in(argument)}


@contextmanager
def first_error() -> Iterator[None]:
    """Raise the first error of a task group alone, so that commands can print it on one line."""
    try:
        yield
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors.exceptions[0].__cause__
