"""Typed errors. Each names what was wrong, where, and what to do; each has a stable code.

They cross process borders (Ray pickles them), so every error is made from one message and plain
attributes, and can be rebuilt from them.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

from manyhands.protocol.validation_words import describe_error, suggest

if TYPE_CHECKING:
    from manyhands.protocol.messages import ModelCall


class ManyhandsError(Exception):
    """Signal what we raise on purpose: the base of every error."""

    code = "error"


class BadInput(ManyhandsError):
    """Signal that the user gave something that cannot be used. Commands exit with 2."""

    code = "bad_input"


class BadUsage(BadInput):
    """Signal that a command line has a command, an option or a value that is none."""

    code = "usage"


class BadFile(BadInput):
    """Signal that a file that somebody wrote holds mistakes: one line for each, with its place."""

    def __init__(self, where: str, mistakes: tuple[str, ...]) -> None:
        """Name all mistakes in the one line of the error."""
        count = "" if len(mistakes) == 1 else f"{len(mistakes)} mistakes: "
        super().__init__(f"{where}: {count}{'; '.join(mistakes)}")
        self.where = where
        self.mistakes = mistakes

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.where, self.mistakes))


# ---------------------------------------------------------------------------- wire and journal
class WireError(ManyhandsError):
    """Signal bytes that are not one of our messages."""

    code = "wire"


class UnknownVersion(WireError):
    code = "unknown_version"


class UnknownKind(WireError):
    code = "unknown_kind"


class JournalDamaged(WireError):
    """Signal that a journal's bytes are not a record at some offset."""

    code = "journal_damaged"


# ---------------------------------------------------------------------------- calls between actors
class ErrorWithCalls(ManyhandsError):
    """Carry the model calls that were begun, for the journal; mostly there are none."""

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
    """Signal that the Ray of a run has died, and that no other could take its place."""

    code = "ray_lost"


class Superseded(CallError):
    """Signal that a site has received a newer request under the same lease, and does not execute this older one."""

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
    """Signal that no server of the model answers, ``since`` that time (Unix seconds); another try may help later."""

    code = "model_away"

    def __init__(self, message: str, calls: tuple[ModelCall, ...] = (), since: float = 0.0) -> None:
        super().__init__(message, calls)
        self.since = since

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.calls, self.since))


class ModelRefused(ModelError):
    """Signal a server's error that another try does not mend (400, a context too long)."""

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
    """Signal that another holder has the phone's lease, or that another run has its next turn."""

    code = "phone_busy"


class RunCopied(PhoneBusy):
    """Signal that the same episode has the phone's lease, of another folder of its run: one is a copy of the other."""

    code = "run_copied"


class PhoneUnfit(PhoneError):
    """Signal that the phone answers and is in no state to be given a task: locked, nearly empty, hot, full."""

    code = "phone_unfit"


class LeaseLost(PhoneError):
    """Signal that the lease ran out or a newer one exists."""

    code = "lease_lost"


class CaptureFailed(PhoneError):
    """Signal that the phone gave no picture, or a damaged one."""

    code = "capture_failed"


class StateUnavailable(PhoneError):
    """Signal that what a check names did not answer, or that its phone or transport has no such state."""

    code = "state_unavailable"


# ---------------------------------------------------------------------------- perception, runs
class PerceptionError(ManyhandsError):
    code = "perception"


class StoreError(ManyhandsError):
    """Signal that the run folder cannot be written or read."""

    code = "store"


class StaleEpoch(StoreError):
    """Signal that an episode goes on elsewhere, under a newer lease: nothing more is written for the older one."""

    code = "stale_epoch"


class StoreFull(StoreError):
    """Signal that the disk under the run folder takes no more now."""

    code = "store_full"


class InvalidRecord(StoreError):
    """Signal a record, or an id of an episode or a screen, that no run folder can hold: another try does not help."""

    code = "invalid_record"


class StoreLost(StoreError):
    """Signal that the run folder could not be written or read for too long. The task is not to blame."""

    code = "store_lost"


class HostStateAway(StoreError):
    """Signal that this host's database of leases and action keys cannot be used now: its disk is full, say."""

    code = "host_state_away"


def store_error(error: OSError, what: str) -> StoreError:
    """Return what an OSError means to whoever wrote: a full disk may have space again. ``what`` begins its line."""
    kind = StoreFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else StoreError
    return kind(f"{what}: {error.strerror or error}")


def _with_kinds(error: type[ManyhandsError]) -> Iterator[type[ManyhandsError]]:
    yield error
    for kind in error.__subclasses__():
        yield from _with_kinds(kind)


_CROSSING: dict[str, type[ManyhandsError]] = {
    kind.code: kind for family in (CallError, PhoneError, StoreError) for kind in _with_kinds(family)
}
"""What a gateway raises, by its code."""


def error_of(code: str, text: str) -> ManyhandsError:
    """Return the error that a gateway elsewhere raised; a CallError with its code for one that it alone knows."""
    kind = _CROSSING.get(code)
    return kind(text) if kind is not None else CallError(f"{text} ({code})")


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Return one line for the first thing that is wrong, with what is known in place of an unknown key or name."""
    errors = error.errors()
    # A misspelt key is often also a missing one: the misspelling explains more.
    first = next((item for item in errors if item["type"] == "extra_forbidden"), errors[0])
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        return f"unknown key {where!r}" + suggest(key, _known_keys(model, first["loc"]) - {key})
    return (f"{where}: " if where else "") + describe_error(first)


def _known_keys(model: type[BaseModel], loc: tuple[int | str, ...]) -> set[str]:
    """Return the keys of the models that ``loc`` may lead to: list indices and tags of unions name no field."""
    models = {model}
    for part in loc[:-1]:
        inner = {
            found
            for outer in models
            if isinstance(part, str) and part in outer.model_fields
            for found in _models_in(outer.model_fields[part].annotation)
        }
        models = inner or models
    return {field.alias or name for found in models for name, field in found.model_fields.items()}


def _models_in(annotation: Any) -> set[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {annotation}
    return {found for argument in get_args(annotation) for found in _models_in(argument)}


@contextmanager
def first_error() -> Iterator[None]:
    """Raise the first error of a task group by itself, so that commands can print it on a line."""
    try:
        yield
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors.exceptions[0].__cause__
