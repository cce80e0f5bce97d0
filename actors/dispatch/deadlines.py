"""Calls that a dispatcher makes. Each call ends by a deadline. A cancelled call leaves nothing behind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from manyhands.protocol.errors import ActorLost, DeadlinePassed, ManyhandsError

T = TypeVar("T")

_ENDING_S = 50.0
"""How long to wait for a cancelled call. An episode closes its journal in that time."""
_CHECK_S = 1.0
"""How often a growing limit is checked again."""
_AGAIN_S = 1.0
logger = logging.getLogger(__name__)


async def await_answer(
    work: Coroutine[Any, Any, T],
    limit_s: float,
    what: str,
    *,
    uncounted_s: Callable[[], float] = lambda: 0.0,
    parting_s: float = 0.0,
    too_late: Callable[[T], Awaitable[None]] | None = None,
    given_up: asyncio.Future[str] | None = None,
    abandon: Callable[[asyncio.Task[T]], None] | None = None,
) -> T:
    """Return a call's answer.

    At the deadline, or ``parting_s`` after this function itself is cancelled, the call is cancelled and awaited. If the
    call still answers, ``too_late`` gets the answer. ``uncounted_s`` returns the seconds so far that the limit does not
    count. Once ``given_up`` has a reason, ActorLost is raised, and ``abandon`` gets the running call.

    Raises DeadlinePassed, and ActorLost if the other side cancelled the call.
    """
    call = asyncio.create_task(work)
    time = asyncio.get_running_loop().time
    ends_at = time() + limit_s - uncounted_s()
    either: set[asyncio.Future[Any]] = {call} if given_up is None else {call, given_up}
    try:
        await asyncio.wait(either, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        while not any(one.done() for one in either) and (interrupted := ends_at + uncounted_s() - time()) > 0:
            await asyncio.wait(either, timeout=max(interrupted, _CHECK_S), return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        await finish(_end(call, parting_s, too_late))
        raise
    if not call.done() and given_up is not None and given_up.done() and abandon is not None:
        abandon(call)
        raise ActorLost(f"{what}: {given_up.result()}")
    if not call.done():
        await finish(_end(call, 0.0, too_late))
        raise DeadlinePassed(f"{what}: no answer within {limit_s:g} s")
    if call.cancelled():
        raise ActorLost(f"{what}: the call was ended on the other side")
    return call.result()


async def retry(
    ask: Callable[[], Awaitable[T]],
    limit_s: float,
    what: str,
    errors: tuple[type[ManyhandsError], ...] = (ManyhandsError,),
    final: tuple[type[ManyhandsError], ...] = (),
) -> T:
    """Return an answer. After one of ``errors``, ask again, unless the error is one of ``final``, which no retry mends.

    Raises the last error after ``limit_s``, and any other error at once.
    """
    last_warning = ""
    time = asyncio.get_running_loop().time
    ends_at = time() + limit_s
    while True:
        try:
            return await ask()
        except final:
            raise
        except errors as error:
            if time() >= ends_at:
                raise
            if str(error) != last_warning:
                logger.warning("%s failed, and is tried again: %s", what, error)
            last_warning = str(error)
        await asyncio.sleep(_AGAIN_S)


async def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work``, which ends by itself, to its end.

    If this function is cancelled meanwhile, it raises the cancellation afterwards.
    """
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()


async def _end(call: asyncio.Task[T], parting_s: float, too_late: Callable[[T], Awaitable[None]] | None) -> None:
    """Wait for a call, then cancel it. If the call does not end then, leave it to the called side."""
    await asyncio.wait({call}, timeout=parting_s)
    call.cancel()
    await asyncio.wait({call}, timeout=_ENDING_S)
    if call.done() and not call.cancelled() and call.exception() is None and too_late is not None:
        await too_late(call.result())
