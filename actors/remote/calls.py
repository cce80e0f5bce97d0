"""One call of an actor: awaited, cancelled, timed, its errors made ours."""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ray
from ray import cloudpickle
from ray.exceptions import ActorUnavailableError, PendingCallsLimitExceeded, RayError, RayTaskError, TaskCancelledError

from manyhands.protocol.errors import ActorLost, CallError, DeadlinePassed, Overloaded
from manyhands.protocol.learning import LearnOrder, RecallOrder
from manyhands.protocol.messages import CallContext

PLAIN_CALL_S = 60.0
"""Limit of a call that carries no deadline and should be quick."""
CANCEL_GRACE_S = 10.0
"""How long a cancelled call is waited for. One that waits in Ray's own queue ends when it leaves that."""
ACTOR_MARGIN_S = 0.2
CALLER_MARGIN_S = 1.0
"""Past the deadline the plain class raises first, for its error explains most; then its actor; then the caller."""


class ActorRestarting(ActorLost):
    """Signal that the process behind an actor is gone and Ray is starting it again. The call may have run."""

    code = "actor_restarting"


@dataclass(frozen=True, slots=True)
class Actor:
    """Hold a running actor. Picklable."""

    handle: Any
    label: str


def deadline_of(args: Sequence[Any]) -> float | None:
    return next((arg.deadline for arg in args if isinstance(arg, CallContext | RecallOrder | LearnOrder)), None)


async def call(
    actor: Actor,
    method: str,
    args: tuple[Any, ...],
    *,
    returns: int = 1,
    limit_s: float | None = PLAIN_CALL_S,
    grace_s: float = CANCEL_GRACE_S,
) -> Any:
    """Call a method of the plain class. With several returns, all but the first are references.

    A deadline among ``args`` takes the place of ``limit_s``. ``grace_s``: how long a cancelled call may take to end.
    """
    where = f"{actor.label}.{method}"
    deadline = deadline_of(args)
    if deadline is not None:
        limit_s = deadline + CALLER_MARGIN_S - time.time()
        if deadline <= time.time():
            raise DeadlinePassed(f"{where}: its deadline had passed before it was sent")
    packed = pack_call(method, args, returns)
    answer = await ask(actor, "call", packed, where=where, returns=returns, limit_s=limit_s, grace_s=grace_s)
    if returns == 1:
        return pickle.loads(answer)
    return (pickle.loads(answer[0]), *answer[1:])


@dataclass(frozen=True, slots=True)
class _Given:
    """Stands where a reference was among the arguments: Ray resolves only those that it is given itself."""

    index: int


def pack_call(method: str, args: Sequence[Any], returns: int) -> tuple[Any, ...]:
    """Return a call as bytes, followed by the references among its arguments.

    Ray pickles what it is given in Python, object by object; bytes it only copies. Measured for a lease and a
    context: 1.6 instead of 2.5 ms of CPU per call, both sides together (docs/overhead.md).
    """
    references = [arg for arg in args if isinstance(arg, ray.ObjectRef)]
    numbers = iter(range(len(references)))
    plain = tuple(_Given(next(numbers)) if isinstance(arg, ray.ObjectRef) else arg for arg in args)
    return _packed((method, plain, returns)), *references


def _packed(value: Any) -> bytes:
    """Pickled; in Ray's slower way only what Python's own cannot name, such as a class with a type parameter."""
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):
        dumped: bytes = cloudpickle.dumps(value)
        return dumped


def unpack_call(packed: bytes, given: Sequence[Any]) -> tuple[str, tuple[Any, ...], int]:
    """Return the method, its arguments and how many values it returns; ``given`` takes the references' places."""
    method, plain, returns = pickle.loads(packed)
    return method, tuple(_opened(given[arg.index]) if isinstance(arg, _Given) else arg for arg in plain), returns


def pack_answer(answer: Any, returns: int) -> Any:
    """Return a method's answer for Ray: of several values the first is for the caller, the others stay in its store."""
    if returns == 1:
        return _packed(answer)
    return (_packed(answer[0]), *map(_kept, answer[1:]))


def _kept(value: Any) -> Any:
    """Return a value for other actors: as bytes, but one with arrays as it is, for Ray shares arrays uncopied."""
    arrays: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=arrays.append)
    return value if arrays else packed


def _opened(kept: Any) -> Any:
    """Return the value that ``_kept`` was given."""
    return pickle.loads(kept) if isinstance(kept, bytes) else kept


async def value_of(handle: Any) -> Any:
    """Return what a reference stands for, brought to this process; anything else as it is."""
    if not isinstance(handle, ray.ObjectRef):
        return handle
    try:
        return _opened(await handle)
    except RayError as error:
        raise _ours(error, "a picture") from error


async def ask(
    actor: Actor,
    member: str,
    args: tuple[Any, ...],
    *,
    where: str = "",
    returns: int = 1,
    retries: int = 0,
    limit_s: float | None = PLAIN_CALL_S,
    grace_s: float = CANCEL_GRACE_S,
) -> Any:
    """Call a member of the shell, with arguments that Ray can carry; ``where`` is its name in errors."""
    where = where or f"{actor.label}.{member}"
    bound = getattr(actor.handle, member).options(name=where, num_returns=returns, max_task_retries=retries)
    try:
        sent = bound.remote(*args)
    except RayError as error:
        raise _ours(error, where) from error
    refs = sent if isinstance(sent, list) else [sent]
    first: asyncio.Future[Any] = asyncio.wrap_future(refs[0].future())
    try:
        await asyncio.wait({first}, timeout=limit_s)
    except asyncio.CancelledError:
        await _end(refs[0], first, grace_s)
        raise
    if not first.done():
        await _end(refs[0], first, grace_s)
        raise DeadlinePassed(f"{where}: no answer by its deadline")
    try:
        value = first.result()
    except RayError as error:
        raise _ours(error, where) from error
    return (value, *refs[1:]) if len(refs) > 1 else value


async def _end(ref: Any, answer: asyncio.Future[Any], grace_s: float) -> None:
    """Cancel a call and wait for its end. Not recursively: the method itself cancels what it waits for."""
    ray.cancel(ref, recursive=False)
    # Whatever it was, and whenever it comes, the caller gets the cancellation.
    answer.add_done_callback(lambda done: done.cancelled() or done.exception())
    await asyncio.wait({answer}, timeout=grace_s)


def _ours(error: RayError, where: str) -> BaseException:
    if isinstance(error, TaskCancelledError):
        return ActorLost(f"{where}: the call was ended on the actor's side")
    if isinstance(error, RayTaskError):
        cause = error.cause
        return CallError(f"{where}: {cause}") if isinstance(cause, RayError) else cause
    reason = str(error).strip().splitlines()[-1]  # Ray gives the cause of a death last
    if isinstance(error, PendingCallsLimitExceeded):
        return Overloaded(f"{where}: {reason}")
    if isinstance(error, ActorUnavailableError):
        return ActorRestarting(f"{where}: {reason}")
    return ActorLost(f"{where}: {reason}")
