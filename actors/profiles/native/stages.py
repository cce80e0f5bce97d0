"""Run the stages of ``native``: plan(t) where it is due, decide(t), and what the answer of decide(t) also says.

The stages that plan are outline(0) before the first action, and plan(t) beside act(t).
"""

from __future__ import annotations

import re

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.atomic_actions import atoms_of, in_these_words, tap_at
from manyhands.actors.episode.stages.verdicts import LONGEST_PROGRESS, failed, rule_verdict
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.memory import ShortcutAction
from manyhands.actors.perception.grounding.locate import find_texts
from manyhands.actors.profiles.native.requests import (
    ActRequest,
    brief_of,
    certainly_unchanged,
    first_shown,
    steps_of,
)
from manyhands.actors.roles.reflector import UNEXPLAINED
from manyhands.protocol.base import Outcome
from manyhands.protocol.journals.records import ActionDecided, NotesTaken, Planned, Record, Reflected
from manyhands.protocol.roles.requests import Notes, OwnVerdict, Plan, PlanRequest, Reflection, Subgoal
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import ClickText

NOT_JUDGED = "not_judged"
"""The check of a verdict A on an action that the model was not asked to judge, because its form has no verdicts."""

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
    if current is None or _needs_help(state, step, settings):
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
        screen=None if runtime.settings.shows_pictures else state.step(step).visible_screen,
    )
    timed = await context.ask(request, *(runtime.image(step) for _ in request.screenshots))
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


def _needs_help(state: EpisodeState, step: int, settings: EpisodeSettings) -> bool:
    """Return whether so many actions in a row have failed since the planner was last asked that it is asked to help.

    If it could not be asked about the step before, because that picture was lost, it is asked now.
    """
    count, most = (state.failures_in_a_row(step - 1) if settings.has("escalation") else 0), settings.escalate_after
    before = state.step(step - 1)
    late = before.unseen and PLAN not in before.replies and count > most and (count - 1) % most == 0
    return late or (count > 0 and count % most == 0)


def gets_first_help(state: EpisodeState, step: int, settings: EpisodeSettings) -> bool:
    """Return whether the planner is asked to help at ``step``, and was not asked for the same failures in a row."""
    return _needs_help(state, step, settings) and state.failures_in_a_row(step - 1) < 2 * settings.escalate_after


def _last_asked(state: EpisodeState, step: int) -> int:
    """Return the last step before ``step`` in which the planner itself was asked."""
    steps = (number for number in range(step - 1, 0, -1) if PLAN in state.step(number).replies)
    return next(steps, 0)


# ---------------------------------------------------------------------------- decide(t)
async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return a(t) and the verdict on a(t-1), from the chat up to s(t). Raises ModelError, CallError."""
    runtime, state, step = context.runtime, context.state, context.step
    settings = runtime.settings
    steps = steps_of(state, step, settings)
    judges = steps[-1].asks_verdict
    request = ActRequest(
        brief=brief_of(context),
        steps=steps,
        first=first_shown(step, settings.chat_pictures) if settings.shows_pictures else 0,
        unchanged=certainly_unchanged(state, step, settings) if judges else "",
        pictures=settings.shows_pictures,
    )
    shown = [number for number, one in enumerate(steps) if one.shown] if settings.shows_pictures else []
    timed = await context.ask(request, *map(runtime.image, shown))
    answered = timed.value
    span = timed.span(answered.queue_ms)
    return (ActionDecided(step=step, span=span, decision=answered.value, calls=answered.calls),)


def decided_atoms(context: StageContext) -> tuple[ShortcutAction, ...]:
    """Return the atoms of the decision. Nobody waits for perception.

    A text that is to be tapped is looked for among the elements of s(t), if they are known by now and name one place.
    Otherwise its place is found when its turn comes (``act``), which also says why there is none.
    """
    at = context.state.step(context.step)
    assert at.decision is not None
    assert at.decision.action is not None
    if isinstance(at.decision.action, ClickText):
        matches = [] if at.screen is None else in_these_words(find_texts(at.screen.elements, at.decision.action.text))
        return (tap_at(matches[0].element) if len(matches) == 1 else at.decision.action,)
    return atoms_of(at.decision.action, at.visible_screen, context.memory.shortcuts, paper_exact=False)


# ---------------------------------------------------------------------------- what the answer says
async def verify(context: StageContext) -> tuple[Record, ...]:
    """Return the verdict on a(t): that of a rule if one is certain, or else what decide(t+1) says of it."""
    state, step = context.state, context.step
    reflection = _verdict(state, step, context.runtime.settings)
    return (Reflected(step=step, span=context.span(), reflection=reflection),)


def _verdict(state: EpisodeState, step: int, settings: EpisodeSettings) -> Reflection:
    before, after, so_far = state.step(step), state.step(step + 1), state.progress(step - 1)
    own = after.decision.verdict if after.decision is not None else None
    rule = rule_verdict(state, step + 1, settings)
    if rule is not None:
        progress_said = rule.progress if own is None else own.progress or rule.progress
        progress = added(so_far, progress_said) if rule.outcome is Outcome.A else so_far
        return rule.model_copy(update={"progress": progress})
    if own is None:
        return failed("Nobody judged this action. Look before going on.", before, after, so_far)
    if own.outcome is None:
        return Reflection(outcome=Outcome.A, error="", progress=so_far, made_by="check", check=NOT_JUDGED)
    return _reflection_of_verdict(own, own.outcome, so_far)


def _reflection_of_verdict(own: OwnVerdict, outcome: Outcome, so_far: str) -> Reflection:
    return Reflection(
        outcome=outcome,
        error="" if outcome is Outcome.A else own.reason or UNEXPLAINED[outcome],
        progress=added(so_far, own.progress) if outcome is Outcome.A else so_far,
        made_by="model",
        subgoal_reached=own.subgoal_reached,
    )


async def note(context: StageContext) -> tuple[Record, ...]:
    """Return the notes, extended by what decide(t) keeps of s(t)."""
    decision = context.state.step(context.step).decision
    new_notes = decision.verdict.notes if decision is not None and decision.verdict is not None else ""
    if not new_notes:
        return ()
    notes = Notes(text=added(context.state.notes(context.step - 1), new_notes))
    return (NotesTaken(step=context.step, span=context.span(), notes=notes),)


def added(so_far: str, more: str) -> str:
    """Return a text with a line more. The oldest lines go when it becomes too long."""
    lines = [line for line in (*so_far.splitlines(), *more.strip().splitlines()) if line.strip()]
    while len(lines) > 1 and len("\n".join(lines)) > LONGEST_PROGRESS:
        lines.pop(0)
    return "\n".join(lines)[-LONGEST_PROGRESS:]
