"""verify(t): the verdict on a(t): W_A[t], W_E[t] and W_G(t) (Mobile-Agent-E, equation 6)."""

from __future__ import annotations

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.permit import used_shortcut
from manyhands.actors.episode.stages.verdict import give_verdict
from manyhands.actors.episode.state import StepState
from manyhands.actors.profiles.e.inputs import brief, listed, sees_elements_after
from manyhands.protocol.actions import Atom
from manyhands.protocol.records import Record
from manyhands.protocol.roles import ReflectRequest, Role


async def verify(context: StageContext) -> tuple[Record, ...]:
    """Return the verdict. Raises what ``give_verdict`` does."""
    progress = context.state.progress(context.step - 1)
    return await give_verdict(context, lambda: _request(context, progress), progress)


def _request(context: StageContext, progress: str) -> ReflectRequest:
    state, step, settings = context.state, context.step, context.episode.settings
    before, after, plan = state.step(step), state.step(step + 1), state.plan(step)
    assert before.decision is not None
    assert before.decision.action is not None
    assert before.screenshot is not None
    assert after.screenshot is not None
    return ReflectRequest(
        brief=brief(context, Role.REFLECT),
        subgoal=None if plan is None else plan.subgoal.text,
        progress=progress,
        action=before.decision.action,
        expectation=before.decision.expectation,
        before=before.screenshot,
        after=after.screenshot,
        screen_before=listed(context, before.screen),
        screen_after=after.screen if sees_elements_after(settings) else None,
        sent=_sent(context, before),
        asks_subgoal=settings.skip_planner,
    )


def _sent(context: StageContext, at: StepState) -> tuple[Atom, ...]:
    """Return what was sent of a shortcut that somebody keeps; the papers' reflectors are told its name alone."""
    kept = used_shortcut(context) is not None and not context.episode.settings.paper_exact
    refused = {receipt.key for receipt in at.receipts if receipt.status == "refused"}
    return tuple(one.action for one in at.sent if one.key not in refused) if kept else ()
