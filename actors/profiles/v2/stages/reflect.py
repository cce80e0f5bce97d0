"""reflect(t): R(t), the verdict on O(t) (Mobile-Agent-v2, equation 5)."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.verdict import give_verdict
from manyhands.actors.profiles.v2 import inputs
from manyhands.actors.profiles.v2.requests import VerdictRequest
from manyhands.protocol.records import Record


async def reflect(context: StageContext) -> tuple[Record, ...]:
    """Return the verdict, which tells no progress. Raises what ``give_verdict`` does."""
    return await give_verdict(context, lambda: _request(context), None)


def _request(context: StageContext) -> VerdictRequest:
    state, step, settings = context.state, context.step, context.episode.settings
    before, after, done = state.step(step), state.step(step + 1), inputs.operation(state, step)
    assert done is not None
    assert before.screenshot is not None
    assert before.screen is not None
    assert after.screenshot is not None
    assert after.screen is not None
    return VerdictRequest(
        brief=inputs.brief(context),
        operation=done,
        focus=state.notes(step - inputs.focus_lag(settings)) if settings.has("memory") else None,
        before=before.screenshot,
        after=after.screenshot,
        screen_before=before.screen,
        screen_after=after.screen,
    )
