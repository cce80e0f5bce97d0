"""decide(t): O(t), or the reason why there is none (Mobile-Agent-v2, equation 3)."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.profiles.v2 import inputs
from manyhands.actors.profiles.v2.requests import OperationRequest
from manyhands.protocol.records import Decided, Record


async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return what to do on S(t). Raises ModelUnreachable, ModelRefused, CallError."""
    state, step, settings = context.state, context.step, context.episode.settings
    now, restored = state.step(step), state.step(step - 1).restored
    assert now.screenshot is not None
    assert now.screen is not None
    request = OperationRequest(
        brief=inputs.brief(context),
        screenshot=now.screenshot,
        screen=now.screen,
        progress=inputs.progress(state, step) if settings.has("planner") else None,
        focus=state.notes(step - 1) if settings.has("memory") else None,
        operations=inputs.operations(state, step, settings),
        tried=inputs.tried(state, step, settings),
        restored=None if restored is None else restored.restored,
    )
    timed = await context.ask(request, context.episode.picture(step).image)
    answered = timed.value
    return (Decided(step=step, span=timed.span(answered.queue_ms), decision=answered.value, calls=answered.calls),)
