"""Run the stages of Mobile-Agent-E's step that ask a role: each reads the state and returns a record.

The settings choose the inputs of the roles: the paper's equations, and parts that are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.shortcuts import used_shortcut
from manyhands.actors.episode.stages.verdicts import give_verdict
from manyhands.actors.episode.state import EpisodeState, StepState
from manyhands.actors.touch_target import name_touched
from manyhands.protocol.base import Outcome
from manyhands.protocol.journals.records import ActionDecided, NotesTaken, Planned, Record
from manyhands.protocol.profiles.declaration import AS_PAPERS_CAPTION
from manyhands.protocol.roles.requests import (
    ALL_TOLD,
    Brief,
    DecideRequest,
    Decision,
    NoteRequest,
    PastAction,
    Plan,
    PlanRequest,
    ReflectRequest,
    Told,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import AtomicAction
from manyhands.protocol.screens.screen import Screen

PARTS: Mapping[str, str] = {
    "planner": "no plan and no subgoals; the operator's Stop ends an episode",
    "reflector": "actions are not judged, and there is no progress",
    "notetaker": "nothing is noted",
    "escalation": "the planner is not shown failures in a row",
    "tips": "no role is told tips",
    "shortcuts": "no role is told shortcuts, and none can be called",
    "elements": "what perception found is not listed, and cannot be tapped by number",
    "captions": "icons are not captioned",
    "history": "the operator is not shown past actions",
}
"""The parts that the setting ``without`` may leave out."""

_EXACTLY: Mapping[Role, tuple[Told, ...]] = {
    Role.PLAN: ("shortcuts",),
    Role.DECIDE: ("tips", "shortcuts"),
    Role.REFLECT: (),
    Role.NOTE: (),
}
"""The parts of long-term memory that the equations (1, 2, 4, 6, 7) give each role. The paper gives no role
any hints."""


def fixes(settings: EpisodeSettings) -> Mapping[str, Any]:
    """Return settings that follow from other settings. The paper captions every icon before a role sees it."""
    if not settings.has("captions"):
        return {"captions": False}
    return AS_PAPERS_CAPTION if settings.paper_exact else {}


def not_offered(settings: EpisodeSettings) -> frozenset[str]:
    """Return the actions that the operator may not choose."""
    names = set()
    if not settings.has("shortcuts"):
        names.add("Shortcut")
    if not settings.has("elements"):
        names.add("Tap_Element")
    if settings.paper_exact and settings.has("planner"):
        names.add("Stop")
    return frozenset(names)


def brief(context: StageContext, role: Role) -> Brief:
    """Return what a role is told of its task and of earlier tasks."""
    settings, whole = context.runtime.settings, context.brief
    lists = _exactly(role, settings) if settings.paper_exact else ALL_TOLD
    return whole.model_copy(
        update={
            "told": tuple(name for name in lists if settings.has(name)),
            "shortcuts": whole.shortcuts if settings.has("shortcuts") else (),
        }
    )


def _exactly(role: Role, settings: EpisodeSettings) -> tuple[Told, ...]:
    """Return what the paper tells a role. For the planner, the paper's text and its equation differ."""
    if role is Role.PLAN and settings.planner_tips:
        return _EXACTLY[Role.DECIDE]
    return _EXACTLY.get(role, ())


def listed(context: StageContext, screen: Screen | None) -> Screen | None:
    """Return the screen whose elements a role is shown. Return None if elements are left out."""
    return screen if context.runtime.settings.has("elements") else None


def sees_elements_after(settings: EpisodeSettings) -> bool:
    """Return whether the reflector is shown P(t+1), as in the paper (equation 6)."""
    return settings.has("elements") and (settings.paper_exact or settings.reflector_sees_elements == "after")


def notes_lag(settings: EpisodeSettings) -> int:
    """Return by how many steps the notes are older that plan(t) and decide(t) read: 2, or 1 as in the paper.

    This lag is the same in every schedule. note(t-1) is made from s(t), which plan(t) and decide(t) see themselves.
    """
    return 1 if settings.paper_exact else 2


def _notes_for(context: StageContext) -> str | None:
    """Return the notes that plan(t) and decide(t) read. Return None if there is no notetaker."""
    settings = context.runtime.settings
    return context.state.notes(context.step - notes_lag(settings)) if settings.has("notetaker") else None


def _progress_at(context: StageContext, step: int) -> str | None:
    """Return the progress after ``step``. Return None if there is no reflector, which would report it."""
    return context.state.progress(step) if context.runtime.settings.has("reflector") else None


async def plan(context: StageContext) -> tuple[Record, ...]:
    """Return the plan before action a(t).

    With ``skip_planner``, return the previous plan if its subgoal is known to be unfinished. Raises ModelError,
    CallError.
    """
    runtime, state, step = context.runtime, context.state, context.step
    kept_plan = _kept_plan(state, step) if runtime.settings.skip_planner else None
    if kept_plan is not None:
        return (Planned(step=step, span=context.span(), plan=kept_plan),)
    screenshot = state.step(step).screenshot
    assert screenshot is not None
    settings = runtime.settings
    request = PlanRequest(
        brief=brief(context, Role.PLAN),
        circling=context.circling,
        previous=state.plan(step - 1),
        progress=_progress_at(context, step - 1),
        notes=_notes_for(context),
        failures=state.escalated(step, settings.escalate_after) if settings.has("escalation") else (),
        screenshot=screenshot,
    )
    timed = await context.ask(request, runtime.picture(step).image)
    answered = timed.value
    return (Planned(step=step, span=timed.span(answered.queue_ms), plan=answered.value, calls=answered.calls),)


def _kept_plan(state: EpisodeState, step: int) -> Plan | None:
    """Return the previous plan if the last action went as expected and the subgoal is known to be unfinished."""
    verdict, before = state.step(step - 1).reflection, state.plan(step - 1)
    if verdict is None or before is None or verdict.outcome is not Outcome.A or verdict.subgoal_reached is not False:
        return None
    return before.model_copy(update={"thought": "", "change": "keep", "status": "continue"})


async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return what to do on s(t). Raises ModelUnreachable, ModelRefused, CallError.

    Without any plan the operator is not asked. The decision then has no action, and its problem says why there is no
    plan.
    """
    runtime, state, step = context.runtime, context.state, context.step
    plan = state.plan(step)
    if plan is None and runtime.settings.has("planner"):
        reason = state.step(step).failures.get("plan", "the planner gave none")
        decision = Decision(thought="", action=None, expectation="", problem=f"There is no plan yet: {reason}")
        return (ActionDecided(step=step, span=context.span(), decision=decision),)
    timed = await context.ask(_decide_request(context, plan), runtime.picture(step).image)
    answered = timed.value
    return (
        ActionDecided(step=step, span=timed.span(answered.queue_ms), decision=answered.value, calls=answered.calls),
    )


def _history(context: StageContext) -> tuple[PastAction, ...]:
    settings = context.runtime.settings
    return context.state.history(context.step, settings.history, judged=settings.has("reflector"))


def _decide_request(context: StageContext, plan: Plan | None) -> DecideRequest:
    state, step, settings = context.state, context.step, context.runtime.settings
    screenshot, screen = state.step(step).screenshot, listed(context, state.step(step).screen)
    assert screenshot is not None
    assert screen is not None or not settings.has("elements")
    return DecideRequest(
        brief=brief(context, Role.DECIDE),
        circling=context.circling,
        plan=plan,
        progress=_progress_at(context, step - 1),
        notes=_notes_for(context),
        screenshot=screenshot,
        screen=screen,
        history=_history(context) if settings.has("history") else None,
    )


async def verify(context: StageContext) -> tuple[Record, ...]:
    """Return the verdict. Raises the errors of ``give_verdict``."""
    progress = context.state.progress(context.step - 1)
    return await give_verdict(context, lambda: _reflect_request(context, progress), progress)


def _reflect_request(context: StageContext, progress: str) -> ReflectRequest:
    state, step, settings = context.state, context.step, context.runtime.settings
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
        touched=name_touched(before.decision.action, before.screen),
        before=before.screenshot,
        after=after.screenshot,
        screen_before=listed(context, before.screen),
        screen_after=after.screen if sees_elements_after(settings) else None,
        sent=_sent_actions(context, before),
        asks_subgoal=settings.skip_planner,
    )


def _sent_actions(context: StageContext, at: StepState) -> tuple[AtomicAction, ...]:
    """Return the atoms that were sent for a shortcut, if the memory knows the shortcut.

    The papers' reflectors are shown only the shortcut's name.
    """
    lists_actions = used_shortcut(context) is not None and not context.runtime.settings.paper_exact
    refused = {receipt.key for receipt in at.receipts if receipt.status == "refused"}
    return tuple(one.action for one in at.sent if one.key not in refused) if lists_actions else ()


async def note(context: StageContext) -> tuple[Record, ...]:
    """Return the notes, extended by what s(t+1) adds. Raises ModelError, CallError.

    After outcome B or C the notetaker is not asked. With ``paper_exact`` it is asked in each step ("after each step",
    section 3.1).
    """
    runtime, state, step = context.runtime, context.state, context.step
    plan, after = state.plan(step), state.step(step + 1)
    if state.step(step).failed and not runtime.settings.paper_exact:
        return ()
    assert after.screenshot is not None
    request = NoteRequest(
        brief=brief(context, Role.NOTE),
        plan=None if plan is None else plan.text,
        subgoal=None if plan is None else plan.subgoal.text,
        progress=_progress_at(context, step),
        notes=state.notes(step - 1),
        screenshot=after.screenshot,
        screen=listed(context, after.screen),
    )
    timed = await context.ask(request, runtime.picture(step + 1).image)
    answered = timed.value
    return (NotesTaken(step=step, span=timed.span(answered.queue_ms), notes=answered.value, calls=answered.calls),)
