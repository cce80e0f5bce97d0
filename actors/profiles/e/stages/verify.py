"""verify(t): the verdict on a(t): W_A[t], W_E[t] and W_G(t) (Mobile-Agent-E, equation 6)."""

from __future__ import annotations

from manyhands.actors.episode.context import EpisodeContext
from manyhands.actors.profiles.e import verdicts
from manyhands.actors.profiles.e.graph import sees_elements_after
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.records import Record, Reflected, StageFailed
from manyhands.protocol.roles import ReflectRequest


async def verify(scene: EpisodeContext, step: int) -> tuple[Record, ...]:
    """The verdict, by a rule where one knows it, otherwise by the reflector.

    A reply that is no verdict makes the step failed, which the operator is told. Raises ModelUnreachable,
    ModelRefused, CallError; with ``paper_exact`` ReplyUnusable.
    """
    state, settings = scene.state, scene.settings
    before, after = state.step(step), state.step(step + 1)
    progress = state.progress(step - 1)
    reflection = verdicts.without_model(before, after, progress, settings.cheap)
    if reflection is not None:
        return (Reflected(step=step, span=scene.now(), reflection=reflection),)
    request = _request(scene, step, progress)
    images = scene.picture(step).image, scene.picture(step + 1).image
    start = scene.clock.now()
    try:
        timed = await scene.ask("verify", step, request, *images)
    except ReplyUnusable as error:
        if settings.paper_exact:
            raise
        span = scene.now(start, node=("verify", step))
        unjudged = f"Nobody judged this action, for the reflector's reply was unusable: {error}. Look before going on."
        return (
            StageFailed(step=step, span=span, stage="verify", code=error.code, error=str(error), calls=error.calls),
            Reflected(step=step, span=span, reflection=verdicts.failed(unjudged, before, after, progress)),
        )
    answered = timed.value
    return (Reflected(step=step, span=timed.span(answered.queue_ms), reflection=answered.value, calls=answered.calls),)


def _request(scene: EpisodeContext, step: int, progress: str) -> ReflectRequest:
    before, after, plan = scene.state.step(step), scene.state.step(step + 1), scene.state.plan(step)
    assert before.decision is not None
    assert before.decision.action is not None
    assert before.screenshot is not None
    assert before.screen is not None
    assert after.screenshot is not None
    assert plan is not None
    return ReflectRequest(
        brief=scene.brief,
        subgoal=plan.subgoal.text,
        progress=progress,
        action=before.decision.action,
        expectation=before.decision.expectation,
        before=before.screenshot,
        after=after.screenshot,
        screen_before=before.screen,
        screen_after=after.screen if sees_elements_after(scene.settings) else None,
        asks_subgoal=scene.settings.skip_planner,
    )
