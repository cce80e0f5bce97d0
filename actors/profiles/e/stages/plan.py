"""plan(t): W_P(t) and W_S(t) (Mobile-Agent-E, equations 1 and 2)."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.profiles.e.inputs import brief, notes_for, progress_at
from manyhands.protocol.base import Outcome
from manyhands.protocol.records import Planned, Record
from manyhands.protocol.roles import Plan, PlanRequest, Role


async def plan(context: StageContext) -> tuple[Record, ...]:
    """Return the plan before action a(t); with ``skip_planner`` the one before, where its subgoal is not reached yet.

    Raises ModelError, CallError.
    """
    episode, state, step = context.episode, context.state, context.step
    kept = _kept(state, step) if episode.settings.skip_planner else None
    if kept is not None:
        return (Planned(step=step, span=context.span(), plan=kept),)
    screenshot = state.step(step).screenshot
    assert screenshot is not None
    settings = episode.settings
    request = PlanRequest(
        brief=brief(context, Role.PLAN),
        previous=state.plan(step - 1),
        progress=progress_at(context, step - 1),
        notes=notes_for(context),
        failures=state.escalated(step, settings.escalate_after) if settings.has("escalation") else (),
        screenshot=screenshot,
    )
    timed = await context.ask(request, episode.picture(step).image)
    answered = timed.value
    return (Planned(step=step, span=timed.span(answered.queue_ms), plan=answered.value, calls=answered.calls),)


def _kept(state: EpisodeState, step: int) -> Plan | None:
    """Return the plan before, if the last action went as expected and the subgoal is known to be unfinished."""
    verdict, before = state.step(step - 1).reflection, state.plan(step - 1)
    if verdict is None or before is None or verdict.outcome is not Outcome.A or verdict.subgoal_reached is not False:
        return None
    return before.model_copy(update={"thought": "", "change": "keep", "status": "continue"})
