"""Run the stages of ``native`` that plan: outline(0) before the first action, plan(t) beside act(t) if one is due."""

from __future__ import annotations

import re

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.profiles.native.requests import brief_of
from manyhands.protocol.journals.records import Planned, Record
from manyhands.protocol.roles.requests import Plan, PlanRequest, Subgoal
from manyhands.protocol.runs.episode_settings import EpisodeSettings

OUTLINE, PLAN = "outline", "plan"
PLAN_STANDS = 4
"""For how many steps a plan stands before the agent's word alone asks the planner for another one."""
_LINE = re.compile(r"^\s*\d+[.)]\s*(.+?)[\s.。]*$", re.MULTILINE)


async def outline(context: StageContext) -> tuple[Record, ...]:
    """Return the first plan, from s(0). Return nothing in later steps. Raises ModelError, CallError."""
    return await _ask_plan(context, failed=False) if context.step == 0 else ()


async def plan(context: StageContext) -> tuple[Record, ...]:
    """Return a plan for the steps after ``step``, if one is due, from s(step) and what decide(step) said.

    If the subgoal is reached and the plan has a next line, that line is the next subgoal, and nobody is asked.
    Otherwise the planner is asked once the plan has stood long enough: until then it is remembered that the subgoal is
    reached. Raises ModelError, CallError.
    """
    state, step, settings = context.state, context.step, context.runtime.settings
    if step == 0:
        return ()
    current = state.plan(step - 1)
    if current is None or needs_help(state, step, settings):
        return await _ask_plan(context, failed=current is not None)
    if not _reached(state, step):
        return ()
    following = next_subgoal(current)
    if following is not None:
        subgoal = Subgoal(id=current.subgoal.id + 1, text=following)
        moved = current.model_copy(update={"thought": "", "subgoal": subgoal, "change": "next"})
        return (Planned(step=step, span=context.span(), plan=moved),)
    return await _ask_plan(context, failed=False) if step - _last_asked(state, step) >= PLAN_STANDS else ()


async def _ask_plan(context: StageContext, failed: bool) -> tuple[Record, ...]:
    """Ask the planner. ``failed``: show it the last failures.

    Return nothing if an interruption lost s(step): the planner looks at every screen that it is asked about.
    """
    runtime, state, step = context.runtime, context.state, context.step
    if state.step(step).unseen:
        return ()
    screenshot = state.step(step).screenshot
    assert screenshot is not None
    request = PlanRequest(
        brief=brief_of(context),
        previous=state.plan(step - 1),
        progress=state.progress(step - 1),
        notes=state.notes(step),
        failures=state.history(step, runtime.settings.escalate_after) if failed else (),
        screenshot=screenshot,
    )
    timed = await context.ask(request, runtime.image(step))
    answered = timed.value
    return (Planned(step=step, span=timed.span(answered.queue_ms), plan=answered.value, calls=answered.calls),)


def next_subgoal(current: Plan) -> str | None:
    """Return the line of a plan after the one that is the subgoal. Return None if that is the last, or not one line.

    The subgoal is the line with the same text. Without such a line, it is the one that contains it or that it contains.
    """
    lines, now = _LINE.findall(current.text), _plain(current.subgoal.text)
    same = [number for number, line in enumerate(lines) if _plain(line) == now]
    alike = [number for number, line in enumerate(lines) if _plain(line) in now or (now and now in _plain(line))]
    at = same or alike
    return lines[at[0] + 1] if len(at) == 1 and at[0] + 1 < len(lines) else None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".。")


def _reached(state: EpisodeState, step: int) -> bool:
    """Return whether the agent has said since the last plan, up to decide(``step``), that the subgoal is reached."""
    for number in range(step, 0, -1):
        decision = state.step(number).decision
        if decision is not None and decision.verdict is not None and decision.verdict.subgoal_reached:
            return True
        if state.step(number - 1).plan is not None:
            return False
    return False


def needs_help(state: EpisodeState, step: int, settings: EpisodeSettings) -> bool:
    """Return whether so many actions in a row have failed since the planner was last asked that it is asked to help.

    If it could not be asked about the step before, because that picture was lost, it is asked now.
    """
    count, most = (state.failures_in_a_row(step - 1) if settings.has("escalation") else 0), settings.escalate_after
    before = state.step(step - 1)
    late = before.unseen and PLAN not in before.replies and count > most and (count - 1) % most == 0
    return late or (count > 0 and count % most == 0)


def gets_first_help(state: EpisodeState, step: int, settings: EpisodeSettings) -> bool:
    """Return whether the planner is asked to help at ``step``, and was not asked for the same failures in a row."""
    return needs_help(state, step, settings) and state.failures_in_a_row(step - 1) < 2 * settings.escalate_after


def _last_asked(state: EpisodeState, step: int) -> int:
    """Return the last step before ``step`` in which the planner itself was asked."""
    steps = (number for number in range(step - 1, 0, -1) if PLAN in state.step(number).replies)
    return next(steps, 0)
