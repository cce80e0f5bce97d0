"""Run the stages of Mobile-Agent-v2's step except restore(t): each reads the state and returns a record."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import act as carry_out
from manyhands.actors.episode.stages.act import decided_atoms
from manyhands.actors.episode.stages.atomic_actions import with_enter
from manyhands.actors.episode.stages.verdicts import give_verdict
from manyhands.actors.profiles.v2 import inputs
from manyhands.actors.profiles.v2.requests import (
    FocusRequest,
    Operation,
    OperationRequest,
    ProgressRequest,
    VerdictRequest,
)
from manyhands.protocol.journals.records import ActionDecided, NotesTaken, Record
from manyhands.protocol.roles.requests import Notes
from manyhands.protocol.screens.actions import AtomicAction, Stop, Type


async def plan(context: StageContext) -> tuple[Record, ...]:
    """Return the progress including O(t-1); nothing if O(t-1) was not correct. Raises ModelError, CallError."""
    state, step, settings = context.state, context.step, context.runtime.settings
    operations = inputs.operations(state, step, settings)
    if not operations or operations[-1].step != step - 1:
        return ()
    screenshot = state.step(step).screenshot
    assert screenshot is not None
    request = ProgressRequest(
        brief=inputs.brief(context),
        now=screenshot,
        operations=operations if settings.paper_exact else _untold(context, operations),
        previous=inputs.progress(state, step - 1),
        in_english=settings.paper_exact,
        focus=state.notes(step - 1) if settings.has("memory") else None,
    )
    timed = await context.ask(request)
    answered = timed.value
    return (context.result(answered.value, timed.span(answered.queue_ms), answered.calls),)


def _untold(context: StageContext, operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """Return the operations since the last progress text. After an invalid reply of the planner there are several."""
    state = context.state
    last = next((step for step in range(context.step - 1, -1, -1) if inputs.PLAN in state.step(step).results), 0)
    return tuple(one for one in operations if one.step >= last)


async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return what to do on S(t). Raises ModelUnreachable, ModelRefused, CallError."""
    state, step, settings = context.state, context.step, context.runtime.settings
    now, restored = state.step(step), state.step(step - 1).restored
    assert now.screenshot is not None
    assert now.screen is not None
    request = OperationRequest(
        brief=inputs.brief(context),
        circling=context.circling,
        screenshot=now.screenshot,
        screen=now.screen,
        progress=inputs.progress(state, step) if settings.has("planner") else None,
        focus=state.notes(step - 1) if settings.has("memory") else None,
        operations=inputs.operations(state, step, settings),
        tried=inputs.tried(state, step, settings),
        restored=None if restored is None else restored.restored,
    )
    timed = await context.ask(request, context.runtime.picture(step).image)
    answered = timed.value
    return (
        ActionDecided(step=step, span=timed.span(answered.queue_ms), decision=answered.value, calls=answered.calls),
    )


async def memory(context: StageContext) -> tuple[Record, ...]:
    """Return the focus content with what S(t) adds. Raises ModelError, CallError.

    Return nothing after a decision that ends the conversation: one without an action, or Stop.
    """
    state, step = context.state, context.step
    at = state.step(step)
    assert at.decision is not None
    assert at.screenshot is not None
    if at.asked is None or at.asked.reply is None or at.decision.action is None or isinstance(at.decision.action, Stop):
        return ()
    focus = state.notes(step - 1)
    request = FocusRequest(
        brief=inputs.brief(context),
        screenshot=at.screenshot,
        conversation=tuple(at.asked.request["messages"]),
        decided=at.asked.reply,
    )
    timed = await context.ask(request, context.runtime.picture(step).image)
    answered = timed.value
    notes = Notes(text=inputs.with_new(focus, answered.value.text))
    return (NotesTaken(step=step, span=timed.span(answered.queue_ms), notes=notes, calls=answered.calls),)


async def act(context: StageContext) -> Sequence[Record]:
    """Carry out the operation.

    A line break at the end of a typed text means Enter: the paper has no action for Enter.
    """
    return await carry_out(context, _operation_atoms)


def _operation_atoms(context: StageContext) -> tuple[AtomicAction, ...]:
    *before, last = decided_atoms(context)
    return (*before, *(with_enter(last) if isinstance(last, Type) else (last,)))


async def reflect(context: StageContext) -> tuple[Record, ...]:
    """Return the verdict, without progress. Raises the errors of ``give_verdict``."""
    return await give_verdict(context, lambda: _verdict_request(context), None)


def _verdict_request(context: StageContext) -> VerdictRequest:
    state, step, settings = context.state, context.step, context.runtime.settings
    before, after, operation = state.step(step), state.step(step + 1), inputs.operation(state, step)
    assert operation is not None
    assert before.screenshot is not None
    assert before.screen is not None
    assert after.screenshot is not None
    assert after.screen is not None
    return VerdictRequest(
        brief=inputs.brief(context),
        operation=operation,
        focus=state.notes(step - inputs.focus_lag(settings)) if settings.has("memory") else None,
        before=before.screenshot,
        after=after.screenshot,
        screen_before=before.screen,
        screen_after=after.screen,
    )
