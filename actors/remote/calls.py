"""Call actors: await and cancel a call, enforce its deadline, translate Ray's errors into ours."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import ray
from ray import cloudpickle
from ray.exceptions import ActorUnavailableError, PendingCallsLimitExceeded, RayError, RayTaskError, TaskCancelledError

from manyhands.actors.interfaces import Ref
from manyhands.protocol.errors import ActorLost, CallError, DeadlinePassed, Overloaded
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.learning import LearnOrder, RecallOrder
from manyhands.protocol.utilities.host_clock import HOST_CLOCK, ClockAnchor

T = TypeVar("T")

PLAIN_CALL_S = 60.0
"""The time limit of a call that carries no deadline and should be quick."""
CANCEL_GRACE_S = 10.0
"""How long to wait for a cancelled call. A cancelled call that is still in Ray's own queue ends when it leaves that
queue."""
ACTOR_MARGIN_S = 0.2
CALLER_MARGIN_S = 1.0
"""How long after the deadline the caller raises. The plain class raises first, because its error explains most, and
then its actor."""


Context = CallContext | RecallOrder | LearnOrder
"""The argument that carries a call's deadline, in Unix seconds by the clock of the caller's host."""


class ActorRestarting(ActorLost):
    """Signal that the process behind an actor is gone and Ray is starting it again. The call may have run."""

    code = "actor_restarting"


@dataclass(frozen=True, slots=True)
class Actor:
    """Hold a running actor. Picklable."""

    handle: Any
    label: str


async def call(
    actor: Actor,
    method: str,
    args: tuple[Any, ...],
    *,
    context: Context | None = None,
    returns: int = 1,
    limit_s: float | None = PLAIN_CALL_S,
    grace_s: float = CANCEL_GRACE_S,
) -> Any:
    """Call a method of the plain class. With several returns, all but the first are references.

    ``context``: the one of ``args`` that carries the deadline, which replaces ``limit_s``. ``grace_s``: how long a
    cancelled call may take to end. Raises DeadlinePassed, ActorLost, Overloaded, and what the method raises.
    """
    where = f"{actor.label}.{method}"
    if context is not None:
        limit_s = context.deadline + CALLER_MARGIN_S - HOST_CLOCK.now()
        if context.deadline <= HOST_CLOCK.now():
            raise DeadlinePassed(f"{where}: its deadline had passed before it was sent")
    packed = pack_call(method, args, returns, context)
    answer = await ask(actor, "call", packed, where=where, returns=returns, limit_s=limit_s, grace_s=grace_s)
    if returns == 1:
        return pickle.loads(answer)
    return (pickle.loads(answer[0]), *answer[1:])


@dataclass(frozen=True, slots=True)
class _ReferenceSlot:
    """Mark the place of a reference among the arguments: Ray resolves only direct arguments."""

    index: int


class _ContextSlot:
    """Mark the place of the context among the arguments."""


def pack_call(method: str, args: Sequence[Any], returns: int, context: Context | None = None) -> tuple[Any, ...]:
    """Return a call as bytes, followed by the references among its arguments.

    ``context``: the one of ``args`` that carries the deadline. Ray pickles arguments in Python, object by object, but
    only copies bytes. Measured for a lease and a context: 1.6 instead of 2.5 ms of CPU per call, both sides together
    (docs/ray.md).
    """
    references = [arg for arg in args if isinstance(arg, ray.ObjectRef)]
    numbers = iter(range(len(references)))
    plain = tuple(
        _ReferenceSlot(next(numbers)) if isinstance(arg, ray.ObjectRef) else _ContextSlot() if arg is context else arg
        for arg in args
    )
    return _pickle((method, plain, returns, context, (HOST_CLOCK.anchor, HOST_CLOCK.now()))), *references


def _pickle(value: Any) -> bytes:
    """Return a pickled value. cloudpickle is for what pickle cannot name, such as a class with a type parameter."""
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):
        dumped: bytes = cloudpickle.dumps(value)
        return dumped


class UnpackedCall(NamedTuple):
    """Hold a call in the actor's process. The deadline of its ``context`` is by the clock of this process."""

    method: str
    args: tuple[Any, ...]
    returns: int
    context: Context | None


def unpack_call(packed: bytes, references: Sequence[Any]) -> UnpackedCall:
    """Return a packed call; ``references``: the values that Ray has resolved, in the order of ``pack_call``."""
    method, plain, returns, wire_context, sent_at = pickle.loads(packed)
    context = None if wire_context is None else _by_our_clock(wire_context, *sent_at)

    def fill(arg: Any) -> Any:
        if isinstance(arg, _ReferenceSlot):
            return _unpack_value(references[arg.index])
        return context if isinstance(arg, _ContextSlot) else arg

    return UnpackedCall(method, tuple(map(fill, plain)), returns, context)


def _by_our_clock(context: Context, anchor: ClockAnchor, sent_at: float) -> Context:
    if anchor == HOST_CLOCK.anchor:
        return context
    return context.model_copy(update={"deadline": HOST_CLOCK.here(context.deadline, anchor, sent_at)})


def pack_answer(answer: Any, returns: int) -> Any:
    """Return a method's answer for Ray. Of several values the caller gets the first; the others stay in Ray's store."""
    if returns == 1:
        return _pickle(answer)
    return (_pickle(answer[0]), *map(_pack_value, answer[1:]))


def _pack_value(value: Any) -> Any:
    """Return a value for other actors as bytes.

    A value with arrays is returned unchanged, because Ray shares arrays without a copy.
    """
    arrays: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=arrays.append)
    return value if arrays else packed


def _unpack_value(packed: Any) -> Any:
    """Return the value that ``_pack_value`` packed."""
    return pickle.loads(packed) if isinstance(packed, bytes) else packed


async def value_of(ref: Ref[T]) -> T:
    """Return the value of a reference, brought to this process; return anything else unchanged. Raises CallError."""
    if not isinstance(ref, ray.ObjectRef):
        return ref
    try:
        value: T = _unpack_value(await ref)
        return value
    except RayError as error:
        raise _translate_error(error, "a picture") from error


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
    if not ray.is_initialized():  # otherwise this would start another Ray
        raise ActorLost(f"{where}: Ray has ended in this process")
    bound = getattr(actor.handle, member).options(name=where, num_returns=returns, max_task_retries=retries)
    try:
        submitted = bound.remote(*args)
    except RayError as error:
        raise _translate_error(error, where) from error
    refs = submitted if isinstance(submitted, list) else [submitted]
    first: asyncio.Future[Any] = asyncio.wrap_future(refs[0].future())
    try:
        await asyncio.wait({first}, timeout=limit_s)
    except asyncio.CancelledError:
        await _cancel(refs[0], first, grace_s)
        raise
    if not first.done():
        await _cancel(refs[0], first, grace_s)
        raise DeadlinePassed(f"{where}: no answer by its deadline")
    try:
        value = first.result()
    except RayError as error:
        raise _translate_error(error, where) from error
    return (value, *refs[1:]) if len(refs) > 1 else value


async def _cancel(ref: Any, answer: asyncio.Future[Any], grace_s: float) -> None:
    """Cancel a call and wait for its end. Do not cancel recursively: the method itself cancels what it waits for."""
    if ray.is_initialized():  # otherwise this would start Ray
        ray.cancel(ref, recursive=False)
    # The caller gets the cancellation, whatever the result is and whenever it arrives.
    answer.add_done_callback(lambda future: future.cancelled() or future.exception())
    await asyncio.wait({answer}, timeout=grace_s)


def _translate_error(error: RayError, where: str) -> BaseException:
    if isinstance(error, TaskCancelledError):
        return ActorLost(f"{where}: the call was ended on the actor's side")
    if isinstance(error, RayTaskError):
        cause = error.cause
        return CallError(f"{where}: {cause}") if isinstance(cause, RayError) else cause
    reason = str(error).strip().splitlines()[-1]  # Ray names the cause of a death last
    if isinstance(error, PendingCallsLimitExceeded):
        return Overloaded(f"{where}: {reason}")
    if isinstance(error, ActorUnavailableError):
        return ActorRestarting(f"{where}: {reason}")
    return ActorLost(f"{where}: {reason}")
