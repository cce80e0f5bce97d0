"""rubrics(t): which of the task's rubrics hold after a(t), asked of the phone's state (section 4.2)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from manyhands.actors.episode.context import EpisodeContext
from manyhands.protocol.errors import CallError, StateUnavailable
from manyhands.protocol.predicates import holds
from manyhands.protocol.records import Record, RubricsChecked

logger = logging.getLogger(__name__)


async def phone_state(scene: EpisodeContext, step: int) -> Mapping[str, Any]:
    """The state that the task's check names. Raises StateUnavailable, PhoneLost, LeaseLost, CallError."""
    source = scene.check_source
    assert source is not None
    timed = await scene.call(
        "capture", step, lambda context: scene.collaborators.gateway.state(scene.lease, source, context)
    )
    return timed.value


def rubrics_held(scene: EpisodeContext, state: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(rubric.name for rubric in scene.task.rubrics if holds(rubric.holds, state))


async def rubrics(scene: EpisodeContext, step: int) -> tuple[Record, ...]:
    """Which rubrics hold now. A state that cannot be read is no reason to stop: the next step asks again.

    Raises PhoneLost, LeaseLost.
    """
    try:
        state = await phone_state(scene, step)
    except (StateUnavailable, CallError) as error:
        logger.warning("%s: rubrics after step %d are unknown: %s", scene.order.episode, step, error)
        return ()
    return (RubricsChecked(at=scene.clock.now(), step=step, held=rubrics_held(scene, state)),)
