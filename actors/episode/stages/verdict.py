"""The verdict on an action: by a rule where one knows it, otherwise by a role that is asked."""

from __future__ import annotations

from collections.abc import Callable

from manyhands.actors.episode import verdicts
from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.records import Record, Reflected, StageFailed
from manyhands.protocol.roles import Reflection, Request

NOBODY_SAW = "Nobody saw the screen before this action, for its picture was lost. Look before going on."


async def give_verdict(
    context: StageContext, request: Callable[[], Request[Reflection]], progress: str | None
) -> tuple[Record, ...]:
    """Return the verdict on a(t): by a rule where one knows it, otherwise, and always with ``paper_exact``, as asked.

    ``request`` asks about s(t), which an interruption may have lost, and s(t+1); ``progress`` is what was achieved
    so far, None where verdicts tell none. An invalid reply makes the step failed, which whoever acts is
    shown. Raises ModelUnreachable, ModelRefused, CallError; with ``paper_exact`` ReplyUnusable.
    """
    episode, state, step = context.episode, context.state, context.step
    before, after, so_far = state.step(step), state.step(step + 1), progress or ""
    exact = episode.settings.paper_exact
    by_rule = None if exact else verdicts.without_model(before, after, so_far, episode.settings.cheap_verdicts)
    if by_rule is not None:
        told = by_rule if progress is not None else by_rule.model_copy(update={"progress": ""})
        return (Reflected(step=step, span=context.span(), reflection=told),)
    if before.unseen:
        unseen = verdicts.failed(NOBODY_SAW, before, after, so_far)
        return (Reflected(step=step, span=context.span(), reflection=unseen),)
    start = episode.clock.now()
    try:
        timed = await context.ask(request(), episode.picture(step).image, episode.picture(step + 1).image)
    except ReplyUnusable as error:
        if exact:
            raise
        span = context.span(start)
        unjudged = f"Nobody judged this action, for the reflector's reply was unusable: {error}. Look before going on."
        failure = StageFailed(
            step=step, span=span, stage=context.stage, code=error.code, error=str(error), calls=error.calls
        )
        return failure, Reflected(step=step, span=span, reflection=verdicts.failed(unjudged, before, after, so_far))
    answered = timed.value
    return (Reflected(step=step, span=timed.span(answered.queue_ms), reflection=answered.value, calls=answered.calls),)
