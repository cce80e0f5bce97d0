"""confirm(t): after Stop, whether all is done (section 2.2, Self-Reflection, its second case)."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.profiles.v1.chat import chat_of
from manyhands.actors.profiles.v1.requests import CompletionRequest
from manyhands.actors.profiles.v1.stages.decide import images_of
from manyhands.protocol.actions import Stop
from manyhands.protocol.records import Record, StageResult


async def confirm(context: StageContext) -> tuple[Record, ...]:
    """Return whether the goal is reached, where the agent has chosen Stop; nothing otherwise.

    Raises ModelError, CallError.
    """
    state, step = context.state, context.step
    decision = state.step(step).decision
    if decision is None or not isinstance(decision.action, Stop):
        return ()
    request = CompletionRequest(brief=context.episode.brief, chat=chat_of(state, step, context.episode.settings))
    timed = await context.ask(request, *images_of(context, request.chat))
    answered = timed.value
    return (
        StageResult(
            step=step,
            span=timed.span(answered.queue_ms),
            stage=context.stage,
            data=answered.value.model_dump(mode="json"),
            calls=answered.calls,
        ),
    )
