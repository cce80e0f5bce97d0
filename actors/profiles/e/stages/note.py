"""note(t): W_N(t), after an action with outcome A (Mobile-Agent-E, equation 7)."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.profiles.e.inputs import brief, listed, progress_at
from manyhands.protocol.records import Noted, Record
from manyhands.protocol.roles import NoteRequest, Role


async def note(context: StageContext) -> tuple[Record, ...]:
    """Return the notes with what s(t+1) adds. Raises ModelError, CallError.

    After outcome B or C nobody is asked; with ``paper_exact`` in each step ("after each step", section 3.1).
    """
    episode, state, step = context.episode, context.state, context.step
    plan, after = state.plan(step), state.step(step + 1)
    if state.step(step).failed and not episode.settings.paper_exact:
        return ()
    assert after.screenshot is not None
    request = NoteRequest(
        brief=brief(context, Role.NOTE),
        plan=None if plan is None else plan.text,
        subgoal=None if plan is None else plan.subgoal.text,
        progress=progress_at(context, step),
        notes=state.notes(step - 1),
        screenshot=after.screenshot,
        screen=listed(context, after.screen),
    )
    timed = await context.ask(request, episode.picture(step + 1).image)
    answered = timed.value
    return (Noted(step=step, span=timed.span(answered.queue_ms), notes=answered.value, calls=answered.calls),)
