"""verify(t): the verdict on a(t): W_A[t], W_E[t] and W_G(t) (Mobile-Agent-E, equation 6)."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.profiles.e import verdicts
from manyhands.actors.profiles.e.inputs import sees_elements_after
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.records import Record, Reflected, StageFailed
from manyhands.protocol.roles import ReflectRequest


async def verify(context: StageContext) -> tuple[Record, ...]:
    """Return the verdict: by a rule where one knows it, otherwise by the reflector.

    An invalid reply makes the step failed, which the operator is shown. Raises ModelUnreachable,
    ModelRefused, CallError; with ``paper_exact`` ReplyUnusable.
    """
    episode, state, step = context.episode, context.state, context.step
    before, after = state.step(step), state.step(step + 1)
    progress = state.progress(step - 1)
    reflection = verdicts.without_model(before, after, progress, episode.settings.cheap)
    if reflection is not None:
        return (Reflected(step=step, span=context.span(), reflection=reflection),)
    request = _request(context, progress)
    images = episode.picture(step).image, episode.picture(step + 1).image
    start = episode.clock.now()
    try:
        timed = await context.ask(request, *images)
    except ReplyUnusable as error:
        if episode.settings.paper_exact:
            raise
        span = context.span(start)
        unjudged = f"Nobody judged this action, for the reflector's reply was unusable: {error}. Look before going on."
        return (
            StageFailed(
                step=step, span=span, stage=context.stage, code=error.code, error=str(error), calls=error.calls
            ),
            Reflected(step=step, span=span, reflection=verdicts.failed(unjudged, before, after, progress)),
        )
    answered = timed.value
    return (Reflected(step=step, span=timed.span(answered.queue_ms), reflection=answered.value, calls=answered.calls),)


def _request(context: StageContext, progress: str) -> ReflectRequest:
    state, step, settings = context.state, context.step, context.episode.settings
    before, after, plan = state.step(step), state.step(step + 1), state.plan(step)
    assert before.decision is not None
    assert before.decision.action is not None
    assert before.screenshot is not None
    assert before.screen is not None
    assert after.screenshot is not None
    assert plan is not None
    return ReflectRequest(
        brief=context.episode.brief,
        subgoal=plan.subgoal.text,
        progress=progress,
        action=before.decision.action,
        expectation=before.decision.expectation,
        before=before.screenshot,
        after=after.screenshot,
        screen_before=before.screen,
        screen_after=after.screen if sees_elements_after(settings) else None,
        asks_subgoal=settings.skip_planner,
    )
