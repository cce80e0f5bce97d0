"""plan(t): TP(t) (Mobile-Agent-v2, equation 2)."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.profiles.v2 import inputs
from manyhands.actors.profiles.v2.requests import Operation, ProgressRequest
from manyhands.protocol.records import Record, StageResult


async def plan(context: StageContext) -> tuple[Record, ...]:
    """Return the progress with O(t-1); nothing unless that was correct. Raises ModelError, CallError."""
    state, step, settings = context.state, context.step, context.episode.settings
    done = inputs.operations(state, step, settings)
    if not done or done[-1].step != step - 1:
        return ()
    screenshot = state.step(step).screenshot
    assert screenshot is not None
    request = ProgressRequest(
        brief=inputs.brief(context),
        now=screenshot,
        operations=done if settings.paper_exact else _untold(context, done),
        previous=inputs.progress(state, step - 1),
        focus=state.notes(step - 1) if settings.has("memory") else None,
    )
    timed = await context.ask(request)
    answered = timed.value
    data = {"progress": answered.value.text}
    span = timed.span(answered.queue_ms)
    return (StageResult(step=step, span=span, stage=inputs.PLAN, data=data, calls=answered.calls),)


def _untold(context: StageContext, done: Sequence[Operation]) -> tuple[Operation, ...]:
    """Return the operations that no progress has been written after: more than one, where a reply was none."""
    state = context.state
    last = next((step for step in range(context.step - 1, -1, -1) if inputs.PLAN in state.step(step).results), 0)
    return tuple(one for one in done if one.step >= last)
