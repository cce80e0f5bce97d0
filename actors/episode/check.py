"""What is asked at the end of an episode: whether the task's check holds, or else whether the lease still runs."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from manyhands.actors.clock import until
from manyhands.actors.episode.context import EpisodeContext
from manyhands.actors.episode.endings import End, end_of_check
from manyhands.actors.episode.stages.rubrics import phone_state, rubrics_asked, rubrics_held
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import (
    CallError,
    HostStateAway,
    LeaseLost,
    ManyhandsError,
    PhoneError,
)
from manyhands.protocol.predicates import holds

CHECK_PAUSE_S = 1.0
"""Before what could not be asked is asked again."""
UNCHECKED = frozenset({Ending.PHONE_LOST, Ending.LEASE_LOST, Ending.CANCELLED, Ending.NO_MODEL})
"""Endings after which the phone is not asked whether the check holds: it is not ours, nobody waits, or the task was
left in its midst through no fault of its own."""
BY_TIME = frozenset({Ending.TIME_LIMIT, Ending.MODEL_FAILED, Ending.PERCEPTION_FAILED})
"""Endings that mere time may bring about. In a host that was frozen it passes, too, and counts for nothing: such an end
decides the task only where the lease still runs, which tells that the host was there."""
T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Checked:
    """Hold what was learnt at the end of an episode."""

    end: End
    """Another one where the phone or the lease was lost before anything could be asked: the episode goes on."""
    verified: bool | None = None
    """Whether the check holds; None if nobody knows."""
    rubrics: dict[str, bool] = field(default_factory=dict)
    """Which rubrics ever held."""


async def check_at_end(context: EpisodeContext, end: End) -> Checked:
    """Ask what is to be asked before an episode ends."""
    task, held, verified = context.task, set(context.journal.state.rubrics_held), None
    try:
        if task.check is None and end.ending in BY_TIME:
            await _asked(context, lambda: _renew(context))
        elif task.check is not None and end.ending not in UNCHECKED and not end.afresh:
            phone = await _asked(context, lambda: phone_state(context, context.journal.state.last_step))
            verified = holds(task.check.holds, phone)
            held.update(rubrics_held(context, phone))
    except Exception as error:
        if not isinstance(error, ManyhandsError):
            logger.exception("%s: the check failed by a defect", context.order.episode)
        what = "the lease could not be renewed" if task.check is None else "the check could not be asked"
        end = End(end_of_check(error) or end.ending, f"{end.reason}; {what}: {error}", end.afresh)
    rubrics = {} if task.check is None else {name: name in held for name in rubrics_asked(task)}
    return Checked(end, verified, rubrics)


async def _renew(context: EpisodeContext) -> None:
    ttl = context.settings.lease_s
    async with until(context.clock, context.clock.now() + ttl, "renewing the lease"):
        context.lease = await context.collaborators.gateway.renew(context.lease, ttl)


async def _asked(context: EpisodeContext, ask: Callable[[], Awaitable[T]]) -> T:
    """Return what is answered. A gateway or phone that is away is asked again for as long as a lease may run.

    Raises LeaseLost; PhoneError, CallError, HostStateAway after that.
    """
    given_up_at = context.clock.now() + context.settings.lease_s
    while True:
        try:
            return await ask()
        except LeaseLost:
            raise
        except (PhoneError, CallError, HostStateAway):
            if context.clock.now() + CHECK_PAUSE_S >= given_up_at:
                raise
        await context.clock.sleep(CHECK_PAUSE_S)
