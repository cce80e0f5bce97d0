"""An episode's working memory: a pure fold of its journal (Mobile-Agent-E, table 1).

Nothing else is remembered, so an episode can be rebuilt from what was written. Every fact is kept under its
step: stages that overlap may write in either order and the memory is the same, and a stage that asks "as of
step t" gets the same answer whatever came since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile

from pydantic import JsonValue

from manyhands.protocol.actions import Answer
from manyhands.protocol.base import Outcome
from manyhands.protocol.phones import Receipt
from manyhands.protocol.records import (
    Acted,
    ActionReceived,
    ActionSent,
    Captured,
    Decided,
    Dropped,
    EpisodeEnded,
    EpisodeStarted,
    Noted,
    Perceived,
    PhonePrepared,
    Planned,
    Record,
    Reflected,
    RubricsChecked,
    StageFailed,
    StageResult,
)
from manyhands.protocol.roles import Decision, PastAction, Plan, Reflection
from manyhands.protocol.screens import Screen, Screenshot

HISTORY = 5
"""Past actions that the operator is shown (section 3.1: m = 5)."""
ESCALATED = 2
"""Failures in a row after which the planner is asked to help (section 3.1: k = 2)."""
SCREENS_KEPT = 2
"""Screens are large; no stage reads one that is older than the last two screenshots."""


@dataclass(frozen=True, slots=True)
class StepState:
    """Hold what is known of one step; None where that stage has not run."""

    screenshot: Screenshot | None = None
    screen: Screen | None = None
    plan: Plan | None = None
    decision: Decision | None = None
    sent: tuple[ActionSent, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    acted: Acted | None = None
    reflection: Reflection | None = None
    notes: str | None = None
    results: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    """What stages found for which no other record is made, by stage."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Why a stage of this step gave no result, by stage."""

    @property
    def failed(self) -> bool:
        """Return whether the verdict is B or C."""
        return self.reflection is not None and self.reflection.outcome is not Outcome.A

    @property
    def untouched(self) -> bool:
        """Return whether the step's action came to nothing, and it is certain that the phone got no part of it."""
        refused = {receipt.key for receipt in self.receipts if receipt.status == "refused"}
        failed = self.acted is not None and self.acted.problem is not None
        return failed and all(sent.key in refused for sent in self.sent)


@dataclass(frozen=True, slots=True)
class EpisodeState:
    started: EpisodeStarted | None = None
    prepared: tuple[Receipt, ...] = ()
    steps: Mapping[int, StepState] = field(default_factory=dict)
    rubrics_held: frozenset[str] = frozenset()
    """Rubrics that held after some step."""
    ended: EpisodeEnded | None = None

    def step(self, step: int) -> StepState:
        return self.steps.get(step, StepState())

    def plan(self, step: int) -> Plan | None:
        """Return W_P and W_S as of ``step``: the plan before stands where the planner gave none."""
        return next((at.plan for at in self._back_from(step) if at.plan is not None), None)

    def progress(self, step: int) -> str:
        """Return W_G after ``step``: what the last action with outcome A achieved."""
        reflections = (at.reflection for at in self._back_from(step) if at.reflection is not None and not at.failed)
        return next((reflection.progress for reflection in reflections if reflection.progress), "")

    def notes(self, step: int) -> str:
        """Return W_N after ``step``: all notes so far."""
        return next((at.notes for at in self._back_from(step) if at.notes is not None), "")

    def history(self, step: int, count: int = HISTORY) -> tuple[PastAction, ...]:
        """Return W_A and W_E before ``step``: the last ``count`` judged actions, oldest first."""
        past = [self._past(number) for number in sorted(self.steps) if number < step]
        return tuple(action for action in past if action is not None)[-count:]

    def failures_in_a_row(self, step: int) -> int:
        """Count the steps with outcome B or C in a row, up to and with ``step``."""
        return sum(1 for _ in takewhile(lambda at: at.failed, self._back_from(step)))

    def escalated(self, step: int) -> tuple[PastAction, ...]:
        """Return the errors W_E[-k:] that plan(``step``) is shown: empty unless the last k actions failed."""
        return self.history(step, ESCALATED) if self.failures_in_a_row(step - 1) >= ESCALATED else ()

    def equal_actions(self, step: int) -> tuple[StepState, ...]:
        """Return the steps in a row, latest first from ``step`` on, that decided for the same action.

        There are none for an action that may be repeated (Swipe, Back), or where no action was decided.
        """
        back = self._back_from(step)
        last = back[0].decision.action if back and back[0].decision else None
        if last is None or last.repeatable:
            return ()
        return tuple(takewhile(lambda at: at.decision is not None and at.decision.action == last, back))

    @property
    def steps_taken(self) -> int:
        """Count the steps whose action was dealt with."""
        return sum(1 for at in self.steps.values() if at.acted is not None)

    @property
    def last_step(self) -> int:
        return max(self.steps, default=0)

    @property
    def answer(self) -> str | None:
        """Return the operator's last answer to the user."""
        for at in self._back_from(self.last_step):
            given = at.acted is not None and at.acted.problem is None
            if given and at.decision is not None and isinstance(at.decision.action, Answer):
                return at.decision.action.text
        return None

    def _back_from(self, step: int) -> list[StepState]:
        return [self.steps[number] for number in sorted(self.steps, reverse=True) if number <= step]

    def _past(self, step: int) -> PastAction | None:
        decision, reflection = self.steps[step].decision, self.steps[step].reflection
        if decision is None or reflection is None:
            return None
        return PastAction(
            step=step,
            action=decision.action,
            expectation=decision.expectation,
            outcome=reflection.outcome,
            error=reflection.error,
        )


def fold(state: EpisodeState, record: Record) -> EpisodeState:
    """Return ``state`` with one more record. Pure; records that overlap in time may come in either order."""
    match record:
        case EpisodeStarted():
            return replace(state, started=record)
        case PhonePrepared():
            return replace(state, prepared=record.receipts)
        case RubricsChecked():
            return replace(state, rubrics_held=state.rubrics_held | set(record.held))
        case EpisodeEnded():
            return replace(state, ended=record)
        case Dropped():
            return state
        case Captured():
            return _forget(replace(state, steps={**state.steps, record.step: _fold_step(state, record)}))
        case _:
            return replace(state, steps={**state.steps, record.step: _fold_step(state, record)})


StepRecord = (
    Captured
    | Perceived
    | Planned
    | Decided
    | ActionSent
    | ActionReceived
    | Acted
    | Reflected
    | Noted
    | StageResult
    | StageFailed
)


def _fold_step(state: EpisodeState, record: StepRecord) -> StepState:
    step = state.step(record.step)
    match record:
        case Captured():
            return replace(step, screenshot=record.screenshot)
        case Perceived():
            return replace(step, screen=record.screen)
        case Planned():
            return replace(step, plan=record.plan)
        case Decided():
            return replace(step, decision=record.decision)
        case ActionSent():
            return replace(step, sent=(*step.sent, record))
        case ActionReceived():
            return replace(step, receipts=(*step.receipts, record.receipt))
        case Acted():
            return replace(step, acted=record)
        case Reflected():
            return replace(step, reflection=record.reflection)
        case Noted():
            return replace(step, notes=record.notes.text)
        case StageResult():
            return replace(step, results={**step.results, record.stage: record.data})
        case StageFailed():
            return replace(step, failures={**step.failures, record.stage: record.error})


def _forget(state: EpisodeState) -> EpisodeState:
    newest = max(number for number, step in state.steps.items() if step.screenshot is not None)
    steps = {
        number: replace(step, screen=None) if number <= newest - SCREENS_KEPT and step.screen is not None else step
        for number, step in state.steps.items()
    }
    return replace(state, steps=steps)
