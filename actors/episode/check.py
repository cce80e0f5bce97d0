"""What is asked about the phone's true state: a task's rubrics after every step (section 4.2), its check at the end."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from manyhands.actors.episode.endings import End, end_of_check
from manyhands.actors.episode.profile import ACT, CAPTURE, Stage
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.schedule import StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import (
    CallError,
    HostStateAway,
    LeaseLost,
    ManyhandsError,
    PhoneError,
    StateUnavailable,
)
from manyhands.protocol.predicates import Predicate, UnmetTest, holds, unmet_tests
from manyhands.protocol.records import Record, RubricsChecked
from manyhands.protocol.tasks import TaskSpec

CHECK_PAUSE_S = 1.0
"""The pause before a failed question is asked again."""
UNCHECKED = frozenset({Ending.PHONE_LOST, Ending.LEASE_LOST, Ending.CANCELLED, Ending.NO_MODEL})
"""Endings after which the phone is not asked whether the check holds: it is no longer ours, nobody waits for the
result, or the task was interrupted through no fault of its own."""
BY_TIME = frozenset({Ending.TIME_LIMIT, Ending.MODEL_FAILED, Ending.PERCEPTION_FAILED})
"""Endings that the passing of time alone may cause. In a frozen host time passes, too, but does not count. So such an
end decides the task only if the lease is still valid, which shows that the host was running."""
T = TypeVar("T")

logger = logging.getLogger(__name__)


async def read_phone_state(runtime: EpisodeRuntime, source: str, step: int) -> Mapping[str, Any]:
    """Return the state that a check names. Raises StateUnavailable, PhoneLost, LeaseLost, CallError."""
    gateway = runtime.collaborators.gateway
    timed = await StageContext(runtime, CAPTURE, step).call(lambda call: gateway.state(runtime.lease, source, call))
    return timed.value


# ---------------------------------------------------------------------------- after every step
def rubrics_asked(task: TaskSpec) -> dict[str, Predicate]:
    """Return the predicate of each rubric that the phone can answer, by the rubric's name."""
    return {rubric.name: rubric.holds for rubric in task.rubrics if rubric.holds is not None}


def rubrics_held(task: TaskSpec, state: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name, condition in rubrics_asked(task).items() if holds(condition, state))


async def rubrics(context: StageContext) -> tuple[Record, ...]:
    """Return which rubrics hold now. If the state cannot be read, the episode continues and the next step asks again.

    Raises PhoneLost, LeaseLost.
    """
    runtime, step = context.runtime, context.step
    assert runtime.task.check is not None
    try:
        state = await read_phone_state(runtime, runtime.task.check.source, step)
    except (StateUnavailable, CallError) as error:
        logger.warning("%s: rubrics after step %d are unknown: %s", runtime.order.episode, step, error)
        return ()
    return (RubricsChecked(at=runtime.clock.now(), step=step, held=rubrics_held(runtime.task, state)),)


RUBRICS = Stage("rubrics", (StageNeed(ACT), StageNeed(CAPTURE, 1)), run=rubrics)
"""Not a part of any paper's loop: the runner adds it for tasks that have rubrics."""


def rubrics_stage(task: TaskSpec) -> Stage | None:
    """Return the stage that a task adds to the loop; None if the phone can answer none of its rubrics."""
    return RUBRICS if rubrics_asked(task) and task.check is not None else None


# ---------------------------------------------------------------------------- at the end
@dataclass(frozen=True, slots=True)
class Checked:
    """Hold what the check at the end of an episode found."""

    end: End
    """Another end if the phone or the lease was lost before anything was asked; the episode then continues."""
    verified: bool | None = None
    """Whether the check holds; None if nobody knows."""
    rubrics: dict[str, bool] = field(default_factory=dict)
    """Which rubrics ever held."""
    unmet: tuple[UnmetTest, ...] = ()
    """The tests of the check that did not hold."""
    rubrics_unmet: dict[str, tuple[UnmetTest, ...]] = field(default_factory=dict)
    """For each rubric that never held, its tests that did not hold."""


async def check_at_end(runtime: EpisodeRuntime, end: End) -> Checked:
    """Ask the phone whether the check holds. Without a check, ask whether an end caused by time alone may stand."""
    task, clock, state, verified = runtime.task, runtime.clock, runtime.journal.state, None
    check, asked, held = task.check, rubrics_asked(task), set(state.rubrics_held)
    unmet: tuple[UnmetTest, ...] = ()
    rubrics_unmet: dict[str, tuple[UnmetTest, ...]] = {}
    try:
        if check is None and end.ending in BY_TIME:
            await _answered(runtime, lambda: runtime.renew_lease(clock.now() + runtime.settings.lease_s))
        elif check is not None and end.ending not in UNCHECKED and not end.afresh:
            source, step = check.source, state.last_step
            phone = await _answered(runtime, lambda: read_phone_state(runtime, source, step))
            unmet = unmet_tests(check.holds, phone)
            verified = not unmet
            held.update(rubrics_held(task, phone))
            rubrics_unmet = {name: unmet_tests(one, phone) for name, one in asked.items() if name not in held}
    except Exception as error:
        if not isinstance(error, ManyhandsError):
            logger.exception("%s: the check failed by a defect", runtime.order.episode)
        what = "the lease could not be renewed" if check is None else "the check could not be asked"
        end = End(end_of_check(error) or end.ending, f"{end.reason}; {what}: {error}", end.afresh)
    rubrics = {} if check is None else {name: name in held for name in asked}
    return Checked(end, verified, rubrics, unmet, rubrics_unmet)


async def _answered(runtime: EpisodeRuntime, ask: Callable[[], Awaitable[T]]) -> T:
    """Return the answer. If a gateway or phone is away, ask it again until a lease would have expired.

    Raises LeaseLost at once; PhoneError, CallError, HostStateAway after that time.
    """
    given_up_at = runtime.clock.now() + runtime.settings.lease_s
    while True:
        try:
            return await ask()
        except LeaseLost:
            raise
        except (PhoneError, CallError, HostStateAway):
            if runtime.clock.now() + CHECK_PAUSE_S >= given_up_at:
                raise
        await runtime.clock.sleep(CHECK_PAUSE_S)
