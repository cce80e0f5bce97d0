"""Run the stages of ``native``: plan(t) where it is due, decide(t), and what the answer of decide(t) also says."""

from __future__ import annotations

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
from manyhands.protocol.journals.records import ActionDecided, NotesTaken, Record, Reflected
from manyhands.protocol.roles.requests import Notes, OwnVerdict, Reflection
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import ClickText

NOT_JUDGED = "not_judged"
"""The check of a verdict A on an action that the model was not asked to judge, because its form has no verdicts."""


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
        first=first_shown(step, settings.chat_pictures),
        unchanged=certainly_unchanged(state, step, settings) if judges else "",
    )
    timed = await context.ask(request, *(runtime.image(number) for number, one in enumerate(steps) if one.shown))
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
    return _own(own, own.outcome, so_far)


def _own(own: OwnVerdict, outcome: Outcome, so_far: str) -> Reflection:
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
