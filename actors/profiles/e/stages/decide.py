"""decide(t): the action a(t), or the reason why there is none (Mobile-Agent-E, equation 4)."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.profiles.e.inputs import brief, listed, notes_for, progress_at
from manyhands.protocol.records import Decided, Record
from manyhands.protocol.roles import DecideRequest, Decision, PastAction, Plan, Role


async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return what to do on s(t). Raises ModelUnreachable, ModelRefused, CallError.

    Without any plan nobody is asked: the step fails for the reason why there is no plan.
    """
    episode, state, step = context.episode, context.state, context.step
    plan = state.plan(step)
    if plan is None and episode.settings.has("planner"):
        reason = state.step(step).failures.get("plan", "the planner gave none")
        decision = Decision(thought="", action=None, expectation="", problem=f"There is no plan yet: {reason}")
        return (Decided(step=step, span=context.span(), decision=decision),)
    timed = await context.ask(_request(context, plan), episode.picture(step).image)
    answered = timed.value
    return (Decided(step=step, span=timed.span(answered.queue_ms), decision=answered.value, calls=answered.calls),)


def _history(context: StageContext) -> tuple[PastAction, ...]:
    settings = context.episode.settings
    return context.state.history(context.step, settings.history, judged=settings.has("reflector"))


def _request(context: StageContext, plan: Plan | None) -> DecideRequest:
    state, step, settings = context.state, context.step, context.episode.settings
    screenshot, screen = state.step(step).screenshot, listed(context, state.step(step).screen)
    assert screenshot is not None
    assert screen is not None or not settings.has("elements")
    return DecideRequest(
        brief=brief(context, Role.DECIDE),
        plan=plan,
        progress=progress_at(context, step - 1),
        notes=notes_for(context),
        screenshot=screenshot,
        screen=screen,
        history=_history(context) if settings.has("history") else None,
    )
