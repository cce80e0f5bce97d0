"""note(t): W_N(t), after an action with outcome A (Mobile-Agent-E, equation 7)."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.base import Outcome
from manyhands.protocol.records import Noted, Record
from manyhands.protocol.roles import NoteRequest


async def note(context: StageContext) -> tuple[Record, ...]:
    """Return the notes with what s(t+1) adds; nothing after outcome B or C. Raises ModelError, CallError."""
    episode, state, step = context.episode, context.state, context.step
    reflection, plan, after = state.step(step).reflection, state.plan(step), state.step(step + 1)
    if reflection is None or reflection.outcome is not Outcome.A:
        return ()
    assert plan is not None
    assert after.screenshot is not None
    assert after.screen is not None
    request = NoteRequest(
        brief=episode.brief,
        plan=plan.text,
        subgoal=plan.subgoal.text,
        progress=state.progress(step),
        notes=state.notes(step - 1),
        screenshot=after.screenshot,
        screen=after.screen,
    )
    timed = await context.ask(request, episode.picture(step + 1).image)
    answered = timed.value
    return (Noted(step=step, span=timed.span(answered.queue_ms), notes=answered.value, calls=answered.calls),)
