"""decide(t): the action a(t), or the reason why there is none (Mobile-Agent-E, equation 4)."""

from __future__ import annotations

from manyhands.actors.episode.context import EpisodeContext
from manyhands.protocol.records import Decided, Record
from manyhands.protocol.roles import DecideRequest, Decision, Plan


async def decide(scene: EpisodeContext, step: int) -> tuple[Record, ...]:
    """What to do on s(step). Raises ModelUnreachable, ModelRefused, CallError.

    Without any plan nobody is asked: the step fails for the reason why there is no plan.
    """
    plan = scene.state.plan(step)
    if plan is None:
        reason = scene.state.step(step).failures.get("plan", "the planner gave none")
        decision = Decision(thought="", action=None, expectation="", problem=f"There is no plan yet: {reason}")
        return (Decided(step=step, span=scene.now(), decision=decision),)
    request = _request(scene, step, plan)
    timed = await scene.ask("decide", step, request, scene.picture(step).image)
    answered = timed.value
    return (Decided(step=step, span=timed.span(answered.queue_ms), decision=answered.value, calls=answered.calls),)


def _request(scene: EpisodeContext, step: int, plan: Plan) -> DecideRequest:
    state = scene.state
    screenshot, screen = state.step(step).screenshot, state.step(step).screen
    assert screenshot is not None
    assert screen is not None
    return DecideRequest(
        brief=scene.brief,
        plan=plan,
        progress=state.progress(step - 1),
        notes=scene.notes_for(step),
        screenshot=screenshot,
        screen=screen,
        history=state.history(step),
    )
