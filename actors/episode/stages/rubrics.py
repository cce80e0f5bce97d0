"""rubrics(t): which of the task's rubrics hold after a(t), asked of the phone's state (section 4.2)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from manyhands.actors.episode.context import EpisodeContext
from manyhands.actors.episode.profile import ACT, CAPTURE, Stage
from manyhands.actors.episode.schedule import Need
from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.errors import CallError, StateUnavailable
from manyhands.protocol.predicates import Predicate, holds
from manyhands.protocol.records import Record, RubricsChecked
from manyhands.protocol.tasks import TaskSpec

logger = logging.getLogger(__name__)


async def phone_state(episode: EpisodeContext, step: int) -> Mapping[str, Any]:
    """Return the state that the task's check names. Raises StateUnavailable, PhoneLost, LeaseLost, CallError."""
    source = episode.check_source
    assert source is not None
    gateway = episode.collaborators.gateway
    timed = await StageContext(episode, CAPTURE, step).call(lambda call: gateway.state(episode.lease, source, call))
    return timed.value


def rubrics_asked(task: TaskSpec) -> dict[str, Predicate]:
    """Return what holds for each rubric that the phone can tell of, by its name."""
    return {rubric.name: rubric.holds for rubric in task.rubrics if rubric.holds is not None}


def rubrics_held(episode: EpisodeContext, state: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name, condition in rubrics_asked(episode.task).items() if holds(condition, state))


async def rubrics(context: StageContext) -> tuple[Record, ...]:
    """Return which rubrics hold now. A state that cannot be read is no reason to stop: the next step asks again.

    Raises PhoneLost, LeaseLost.
    """
    episode, step = context.episode, context.step
    try:
        state = await phone_state(episode, step)
    except (StateUnavailable, CallError) as error:
        logger.warning("%s: rubrics after step %d are unknown: %s", episode.order.episode, step, error)
        return ()
    return (RubricsChecked(at=episode.clock.now(), step=step, held=rubrics_held(episode, state)),)


RUBRICS = Stage("rubrics", (Need(ACT), Need(CAPTURE, 1)), run=rubrics)
"""Not a part of any paper's loop: the runner adds it for tasks that have rubrics."""
