"""Apply records of the journal to the state of an episode, one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from manyhands.actors.episode.state import EpisodeState, StepState
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    ActionJudged,
    ActionReceived,
    ActionSent,
    CheckPrepared,
    EpisodeEnded,
    EpisodeHandedBack,
    EpisodePaused,
    EpisodeStarted,
    EpisodeTakenOver,
    EpisodeUnpaused,
    Learned,
    ModelSessionEnded,
    NotesTaken,
    Perceived,
    PhonePrepared,
    Planned,
    Recalled,
    Record,
    Reflected,
    Restored,
    Resumed,
    RubricsChecked,
    ScreenCaptured,
    StageDropped,
    StageFailed,
    StageRecord,
    StageResult,
    StatementJudged,
    StateRead,
)
from manyhands.protocol.messages import ModelCall

SCREENS_KEPT = 2
"""How many of the latest screens and requests are kept, because they are large. No stage reads older ones."""


def fold(state: EpisodeState, record: Record) -> EpisodeState:
    """Return ``state`` with one more record. Pure.

    Records of stages that overlap in time may arrive in either order.
    """
    if isinstance(record, StageRecord) and record.span.met_outage:
        state = replace(state, server_away=True)
    match record:
        case EpisodeStarted():
            return replace(state, started=record)
        case PhonePrepared():
            return replace(state, prepared=record.receipts, phone=record.phone, crashes=record.crashes)
        case StateRead():
            return replace(state, state_read=record)
        case RubricsChecked():
            return replace(state, rubrics_held=state.rubrics_held | set(record.held))
        case EpisodeEnded():
            return replace(state, ended=record)
        case Resumed():
            state = _without_steps_after(state, record.step)
            steps_kept = {
                number: replace(step, unseen=step.unseen or number in record.unseen)
                for number, step in state.steps.items()
            }
            in_vain = state.in_vain + (not record.run_cut_off)
            return replace(state, steps=steps_kept, in_vain=in_vain, ended=None)
        case EpisodePaused():
            if record.step is None or not record.is_of_action:
                return replace(state, paused=state.paused or record)
            asking = replace(state.step(record.step), question=record, answer=None)
            return replace(state, paused=record, steps={**state.steps, record.step: asking})
        case EpisodeUnpaused():
            nobody_came = state.nobody_came or not record.by
            return replace(_with_answer(state, record), paused=None, nobody_came=nobody_came)
        case EpisodeTakenOver():
            state = _without_steps_after(_with_answer(state, record), record.last_step)
            return replace(state, paused=None, takeover=record, in_vain=0)
        case EpisodeHandedBack():
            state = _without_steps_after(state, record.last_step)
            return replace(state, paused=None, takeover=None, in_vain=0)
        case (
            StageDropped()
            | Recalled()
            | Learned()
            | ModelSessionEnded()
            | CheckPrepared()
            | StatementJudged()
            | ActionJudged()
        ):
            return state
    step = _with_reply(state.step(record.step), record)
    match record:
        case ScreenCaptured():
            step = replace(step, screenshot=record.screenshot)
        case Perceived():
            step = replace(step, screen=record.screen)
        case Planned():
            step = replace(step, plan=record.plan)
        case ActionDecided():
            step = replace(step, decision=record.decision, asked=_effective_call(record.calls))
        case ActionSent():
            since = (*step.sent_since, record) if step.acted is not None else ()
            step = replace(step, sent=(*step.sent, record), sent_since=since)
        case ActionReceived():
            step = replace(step, receipts=(*step.receipts, record.receipt))
        case Acted():
            state, step = replace(state, in_vain=0), replace(step, acted=record)
        case Reflected():
            step = replace(step, reflection=record.reflection)
        case NotesTaken():
            step = replace(step, notes=record.notes.text)
        case Restored():
            step = replace(step, restored=record)
        case StageResult():
            step = replace(step, results={**step.results, record.stage: record.data})
        case StageFailed():
            state = replace(state, last_failure=record.code)
            step = replace(step, failures={**step.failures, record.stage: record.error})
        case _:
            assert_never(record)
    steps = {**state.steps, record.step: step}
    if isinstance(record, Restored):
        after = record.step + 1
        steps[after] = replace(state.step(after), screenshot=record.screenshot, screen=record.screen)
    return replace(state, steps=_without_old_screens(steps) if isinstance(record, ScreenCaptured) else steps)


def _with_answer(state: EpisodeState, record: EpisodeUnpaused | EpisodeTakenOver) -> EpisodeState:
    """Return the state in which ``record`` has ended the agent's question, if it waits for an answer."""
    if state.paused is None or state.paused.step is None or not state.paused.is_of_action:
        return state
    number = state.paused.step
    return replace(state, steps={**state.steps, number: replace(state.step(number), answer=record)})


def _without_steps_after(state: EpisodeState, last: int) -> EpisodeState:
    """Discard the steps after ``last``. The keys of their actions stay spent."""
    steps = {number: step for number, step in state.steps.items() if number <= last}
    void = (step for number, step in state.steps.items() if number > last)
    spent = state.spent | {record.key for step in void for record in step.sent}
    return replace(state, steps=steps, spent=spent)


def _with_reply(step: StepState, record: Record) -> StepState:
    call = _effective_call(record.calls) if isinstance(record, StageRecord) else None
    if call is None or call.reply is None or not isinstance(record, StageRecord):
        return step
    return replace(step, replies={**step.replies, record.stage: call.reply})


def _effective_call(calls: Sequence[ModelCall]) -> ModelCall | None:
    """Return the call whose reply stands: the last one with a reply that is used; the last one of all without such."""
    used = (call for call in reversed(calls) if call.reply is not None and not call.unused)
    return next(used, calls[-1] if calls else None)


def _without_old_screens(steps: Mapping[int, StepState]) -> Mapping[int, StepState]:
    newest = max(number for number, step in steps.items() if step.screenshot is not None)
    return {
        number: replace(step, screen=None, asked=None, touched=step.touched_name)
        if number <= newest - SCREENS_KEPT and (step.screen or step.asked)
        else step
        for number, step in steps.items()
    }
