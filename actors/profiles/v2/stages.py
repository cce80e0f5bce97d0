"""Run the stages of Mobile-Agent-v2's step: each reads the state and returns a record.

restore(t) returns by Back to the page before an erroneous operation (section 3.5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.actors.episode.profile import CAPTURE
from manyhands.actors.episode.recent_pictures import CapturedScreen
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import ActionProgress, decided_atoms, send
from manyhands.actors.episode.stages.act import act as carry_out
from manyhands.actors.episode.stages.atomic_actions import with_enter
from manyhands.actors.episode.stages.perceive import PERCEIVE_STAGE, capture_now, read_screen, strip_phone_facts
from manyhands.actors.episode.stages.verdicts import give_verdict
from manyhands.actors.episode.state import StepState
from manyhands.actors.profiles.v2 import requests
from manyhands.actors.profiles.v2.requests import (
    FocusRequest,
    Operation,
    OperationRequest,
    ProgressRequest,
    VerdictRequest,
)
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import CallError, PerceptionError
from manyhands.protocol.journals.records import ActionDecided, NotesTaken, Record, Restored
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.requests import Notes
from manyhands.protocol.screens.actions import AtomicAction, Back, Stop, Type
from manyhands.protocol.screens.screen import Screen, Screenshot

MOST_BACKS = 3
PAPER_BACKS = 1
"""The authors' code presses Back once and does not check the result."""
SHARE = 0.9
"""Two pages count as the same if at least this share of their texts is the same."""
STATUS_BAR = 0.045
"""Texts within this share of the height, at the top, do not count: time and signals change by themselves."""


async def restore(context: StageContext) -> tuple[Record, ...]:
    """Press Back until the page before is shown again, a few times at most.

    Return nothing unless the model's verdict was B. Each Back is an action: it has a key of its own and is journalled
    before it is sent. If no model judged the operation, or if the screen has not changed, no Back is sent. With
    ``paper_exact`` the change of the screen is not checked, as in the authors' code. After an interruption, Backs that
    were sent before the interruption count, and the current screen is checked first.

    Raises PhoneLost, LeaseLost, StoreError, PerceptionError, CallError.
    """
    state, step, runtime = context.state, context.step, context.runtime
    verdict, before, after = state.step(step).reflection, state.step(step), state.step(step + 1)
    if verdict is None or verdict.outcome is not Outcome.B or verdict.made_by != "model":
        return ()
    assert before.screenshot is not None
    assert before.screen is not None
    assert after.screenshot is not None
    assert after.screen is not None
    start, progress = runtime.clock.now(), ActionProgress()
    target, page = _Page(before.screenshot, before.screen), _Page(after.screenshot, after.screen)
    pressed = _pressed(before)
    backs, most = pressed, PAPER_BACKS if runtime.settings.paper_exact else MOST_BACKS
    restored = pressed > 0 and page.shows(target)
    if not pressed and page.screenshot.shows_as(target.screenshot) and not runtime.settings.paper_exact:
        return ()
    while not restored and backs < most and not _perhaps_pressed(before):
        receipt = await send(context, len(before.sent) + backs - pressed, Back(), progress, None)
        backs += 1
        captured = progress.shown or await capture_now(StageContext(runtime, CAPTURE, step))
        was, page = page, await _page(context, captured)
        restored = page.shows(target)
        if restored or page.screenshot.shows_as(was.screenshot) or receipt is None or receipt.status != "done":
            break
    span = context.span(start, progress.queue_ms)
    return (
        Restored(step=step, span=span, backs=backs, restored=restored, screenshot=page.screenshot, screen=page.screen),
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """Hold a screenshot of the phone, and what was read from it."""

    screenshot: Screenshot
    screen: Screen

    def shows(self, other: _Page) -> bool:
        """Return whether this page shows the same as the other one, by its pixels or else by its texts."""
        if self.screenshot.shows_as(other.screenshot):
            return True
        if None not in (self.screenshot.app, other.screenshot.app) and self.screenshot.app != other.screenshot.app:
            return False
        ours, theirs = _texts(self.screen), _texts(other.screen)
        most = max(ours.total(), theirs.total())
        return most > 0 and (ours & theirs).total() >= SHARE * most


def _pressed(at: StepState) -> int:
    """Count the Backs that were sent before an interruption and that the phone did not refuse."""
    refused = {receipt.key for receipt in at.receipts if receipt.status == "refused"}
    return sum(record.key not in refused for record in at.sent_since)


def _perhaps_pressed(at: StepState) -> bool:
    """Return whether it is unknown if the phone got one of these Backs. In that case no other Back may follow."""
    certain = {receipt.key for receipt in at.receipts if receipt.status != "unknown"}
    return any(record.key not in certain for record in at.sent_since)


def _texts(screen: Screen) -> Counter[str]:
    top = screen.size.height * STATUS_BAR
    return Counter(one.content for one in screen.elements if one.content and one.centre[1] > top)


async def _page(context: StageContext, captured: CapturedScreen) -> _Page:
    """Store the current screen as S(t+1), and return it with its elements."""
    runtime, screenshot = context.runtime, strip_phone_facts(context.runtime, captured.screenshot)
    runtime.pictures.keep(context.step + 1, captured.picture)
    await runtime.screens.keep(screenshot.content_id, captured.picture.frame)
    frame = captured.picture.frame

    async def ask(call: CallContext) -> Screen:
        return await read_screen(runtime, screenshot, frame, call)

    try:
        read = await StageContext(runtime, PERCEIVE_STAGE.name, context.step).call(ask)
    except CallError as error:  # the phone itself has not failed
        raise PerceptionError(f"reading the page again: {error}") from error
    return _Page(screenshot, read.value)


async def plan(context: StageContext) -> tuple[Record, ...]:
    """Return the progress including O(t-1); nothing if O(t-1) was not correct. Raises ModelError, CallError."""
    state, step, settings = context.state, context.step, context.runtime.settings
    operations = requests.operations(state, step, settings)
    if not operations or operations[-1].step != step - 1:
        return ()
    screenshot = state.step(step).screenshot
    assert screenshot is not None
    request = ProgressRequest(
        brief=requests.brief(context),
        now=screenshot,
        operations=operations if settings.paper_exact else _untold(context, operations),
        previous=requests.progress(state, step - 1),
        in_english=settings.paper_exact,
        focus=state.notes(step - 1) if settings.has("memory") else None,
    )
    timed = await context.ask(request)
    answered = timed.value
    return (context.result(answered.value, timed.span(answered.queue_ms), answered.calls),)


def _untold(context: StageContext, operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """Return the operations since the last progress text. After an invalid reply of the planner there are several."""
    state = context.state
    last = next((step for step in range(context.step - 1, -1, -1) if requests.PLAN in state.step(step).results), 0)
    return tuple(one for one in operations if one.step >= last)


async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return what to do on S(t). Raises ModelUnreachable, ModelRefused, CallError."""
    state, step, settings = context.state, context.step, context.runtime.settings
    now, restored = state.step(step), state.step(step - 1).restored
    assert now.screenshot is not None
    assert now.screen is not None
    request = OperationRequest(
        brief=requests.brief(context),
        circling=context.circling,
        screenshot=now.screenshot,
        screen=now.screen,
        progress=requests.progress(state, step) if settings.has("planner") else None,
        focus=state.notes(step - 1) if settings.has("memory") else None,
        operations=requests.operations(state, step, settings),
        tried=requests.tried(state, step, settings),
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
        brief=requests.brief(context),
        screenshot=at.screenshot,
        conversation=tuple(at.asked.request["messages"]),
        decided=at.asked.reply,
    )
    timed = await context.ask(request, context.runtime.picture(step).image)
    answered = timed.value
    notes = Notes(text=requests.with_new(focus, answered.value.text))
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
    before, after, operation = state.step(step), state.step(step + 1), requests.operation(state, step)
    assert operation is not None
    assert before.screenshot is not None
    assert before.screen is not None
    assert after.screenshot is not None
    assert after.screen is not None
    return VerdictRequest(
        brief=requests.brief(context),
        operation=operation,
        focus=state.notes(step - requests.focus_lag(settings)) if settings.has("memory") else None,
        before=before.screenshot,
        after=after.screenshot,
        screen_before=before.screen,
        screen_after=after.screen,
    )
