"""plan(t): W_P(t) and W_S(t) (Mobile-Agent-E, equations 1 and 2)."""

from __future__ import annotations

from manyhands.actors.episode.context import EpisodeContext
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.base import Outcome
from manyhands.protocol.records import Planned, Record
from manyhands.protocol.roles import Plan, PlanRequest


async def plan(scene: EpisodeContext, step: int) -> tuple[Record, ...]:
    """The plan before action a(step); with ``skip_planner`` the one before, where its subgoal is not reached yet.

    Raises ModelError, CallError.
    """
    state = scene.state
    if scene.settings.skip_planner and _need_not_run(state, step):
        return (Planned(step=step, span=scene.now(), plan=_kept(state, step)),)
    screenshot = state.step(step).screenshot
    assert screenshot is not None
    request = PlanRequest(
        brief=scene.brief,
        previous=state.plan(step - 1),
        progress=state.progress(step - 1),
        notes=scene.notes_for(step),
        failures=state.escalated(step),
        screenshot=screenshot,
    )
    timed = await scene.ask("plan", step, request, scene.picture(step).image)
    answered = timed.value
    return (Planned(step=step, span=timed.span(answered.queue_ms), plan=answered.value, calls=answered.calls),)


def _need_not_run(state: EpisodeState, step: int) -> bool:
    """The last action went as expected, and the subgoal of the plan before is known to be unfinished."""
    verdict = state.step(step - 1).reflection
    if verdict is None or state.plan(step - 1) is None:
        return False
    return verdict.outcome is Outcome.A and verdict.subgoal_reached is False


def _kept(state: EpisodeState, step: int) -> Plan:
    before = state.plan(step - 1)
    assert before is not None
    return before.model_copy(update={"thought": "", "change": "keep", "status": "continue"})
