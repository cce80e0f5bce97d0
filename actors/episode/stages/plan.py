"""plan(t): W_P(t) and W_S(t) (Mobile-Agent-E, equations 1 and 2)."""

from __future__ import annotations

from actors.episode.scene import Scene
from protocol.messages import PlanRequest
from protocol.records import Planned, Record


async def plan(scene: Scene, step: int) -> tuple[Record, ...]:
    """The plan before action a(step). Raises ModelError, CallError."""
    state = scene.state
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
    image = scene.picture(step).image
    timed = await scene.call("plan", step, lambda context: scene.collaborators.planner.plan(request, image, context))
    answered = timed.value
    return (Planned(step=step, span=timed.span(answered.queue_ms), plan=answered.value, calls=answered.calls),)
