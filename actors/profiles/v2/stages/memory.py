"""memory(t): FC(t) (Mobile-Agent-v2, equation 4), in the conversation of the decision."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.profiles.v2 import inputs
from manyhands.actors.profiles.v2.requests import FocusRequest
from manyhands.protocol.actions import Stop
from manyhands.protocol.records import Noted, Record
from manyhands.protocol.roles import Notes


async def memory(context: StageContext) -> tuple[Record, ...]:
    """Return the focus content with what S(t) adds. Raises ModelError, CallError.

    Nothing after a decision that cannot be gone on from: one without an action, or Stop.
    """
    state, step = context.state, context.step
    at = state.step(step)
    assert at.decision is not None
    assert at.screenshot is not None
    if at.asked is None or at.asked.reply is None or at.decision.action is None or isinstance(at.decision.action, Stop):
        return ()
    focus = state.notes(step - 1)
    request = FocusRequest(
        brief=inputs.brief(context),
        screenshot=at.screenshot,
        conversation=tuple(at.asked.request["messages"]),
        decided=at.asked.reply,
    )
    timed = await context.ask(request, context.episode.picture(step).image)
    answered = timed.value
    notes = Notes(text=inputs.with_new(focus, answered.value.text))
    return (Noted(step=step, span=timed.span(answered.queue_ms), notes=notes, calls=answered.calls),)
