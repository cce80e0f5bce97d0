"""An episode's working memory: a pure fold (``fold``) of its journal (Mobile-Agent-E, table 1).

Nothing else is remembered, so an episode can be rebuilt from its journal. Every fact is kept under its step, so the
memory is the same whichever of two overlapping stages writes first. So a stage that asks for the state as of step t
always gets the same answer, whatever was added later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import TypeVar

from pydantic import JsonValue

from manyhands.actors.episode.cycles import Cycle, Visit, find_cycle
from manyhands.actors.touch_target import name_touched
from manyhands.protocol.base import Message, Outcome
from manyhands.protocol.journals.records import (
    Acted,
    ActionSent,
    EpisodeEnded,
    EpisodePaused,
    EpisodeStarted,
    EpisodeTakenOver,
    EpisodeUnpaused,
    Restored,
    StageName,
    StateRead,
    read_stage_data,
)
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.phones import PhoneDescription, Receipt
from manyhands.protocol.roles.requests import Decision, PastAction, Plan, Reflection
from manyhands.protocol.screens.actions import Answer, Exit, Home
from manyhands.protocol.screens.screen import Screen, Screenshot
from manyhands.protocol.tasks.answers import GivenAnswer

M = TypeVar("M", bound=Message)

HOME_PAGE = "home"
"""The page that Home leads to. The clock and the weather of a home screen change by themselves."""
ANSWER = "answer"
"""The stage that asks for a task's answer at the end of the episode. It belongs to no paper's loop."""
NOTHING_CHANGED = "nothing on the screen has changed"
BY_PERSON = "A person did this on the phone, not you."
"""What a prompt's history says of a person's action."""
PERSON_CAME = "A person has taken the phone over in the place of an answer: look at the screen for what has changed."
PERSON_ACTED = "Since then, a person has used the phone: look at the screen for what has changed."
"""What the progress says after a person has acted."""


@dataclass(frozen=True, slots=True)
class StepState:
    """Hold what is known of one step; None for stages that have not run."""

    screenshot: Screenshot | None = None
    screen: Screen | None = None
    plan: Plan | None = None
    decision: Decision | None = None
    asked: ModelCall | None = None
    """The model call that made the decision, for a role that continues its conversation."""
    sent: tuple[ActionSent, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    acted: Acted | None = None
    reflection: Reflection | None = None
    notes: str | None = None
    restored: Restored | None = None
    sent_since: tuple[ActionSent, ...] = ()
    """The part of ``sent`` that was sent after the action had ended, in order to restore a page."""
    unseen: bool = False
    """Whether an interruption lost the step's screenshot, so that no model can be shown it."""
    touched: str = ""
    """What the action touched, by its name, once ``screen`` is no longer kept."""
    results: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    """Results of stages that have no record type of their own, by stage; ``result`` returns them typed."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Why a stage of this step returned no result, by stage."""
    question: EpisodePaused | None = None
    """The question to a person with which the agent paused the episode in this step."""
    answer: EpisodeUnpaused | EpisodeTakenOver | None = None
    """What ended that pause."""

    replies: Mapping[str, str] = field(default_factory=dict)
    """For each stage, the last text of the model that stands in it, unchanged."""

    def result(self, stage: StageName, kind: type[M]) -> M | None:
        """Return a stage's result as a message of a type that the stage declares; None if it left none of that type."""
        data = self.results.get(stage)
        return None if data is None else read_stage_data(kind, data)

    @property
    def visible_screen(self) -> Screen:
        """Return what was read off the screen.

        If the profile does not perceive, return a screen with its size alone.
        """
        if self.screen is not None or self.screenshot is None:
            assert self.screen is not None, "no stage looks at a screen before it was captured"
            return self.screen
        shot = self.screenshot
        return Screen(content_id=shot.content_id, size=shot.size, elements=(), keyboard=shot.keyboard)

    @property
    def touched_name(self) -> str:
        """Return what the action touched, by its name; empty if that is not known."""
        return self.touched or name_touched(None if self.decision is None else self.decision.action, self.screen)

    @property
    def failed(self) -> bool:
        """Return whether the verdict is B or C."""
        return self.reflection is not None and self.reflection.outcome is not Outcome.A

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Return the keys that were sent without a receipt."""
        answered = {receipt.key for receipt in self.receipts}
        return tuple(record.key for record in self.sent if record.key not in answered)

    @property
    def untouched(self) -> bool:
        """Return whether the step's action had no effect, because the phone certainly received no part of it."""
        return self.acted is not None and self.acted.problem is not None and self.all_refused

    @property
    def person(self) -> str:
        """Return who acted in this step while the episode was taken over; empty for a step of the agent."""
        return self.sent[0].by if self.sent else ""

    @property
    def person_words(self) -> str:
        """Return what a person answered the agent, as a sentence; empty if nobody has answered a question."""
        if isinstance(self.answer, EpisodeTakenOver):
            return PERSON_CAME
        text = None if self.answer is None else self.answer.answer
        return "" if text is None else f'The user answers: "{" ".join(text.split())}"'

    @property
    def is_acting(self) -> bool:
        """Return whether the agent decided for an action, or a person acted."""
        return bool(self.person) or (self.decision is not None and self.decision.action is not None)

    @property
    def never_begun(self) -> bool:
        """Return whether an interrupted action was sent and never begun, although the action itself has no fault."""
        begun_keys = {receipt.key for receipt in self.receipts if not receipt.never_begun}
        return self.acted is None and bool(self.sent) and not self.unanswered and not begun_keys

    @property
    def all_refused(self) -> bool:
        """Return whether the phone refused all that was sent."""
        refused = {receipt.key for receipt in self.receipts if receipt.status == "refused"}
        return all(record.key in refused for record in self.sent)


@dataclass(frozen=True, slots=True)
class EpisodeState:
    started: EpisodeStarted | None = None
    prepared: tuple[Receipt, ...] = ()
    phone: PhoneDescription | None = None
    """What the phone told of itself at the beginning."""
    crashes: tuple[str, ...] | None = None
    """The ids of crashes of the app under test from before the episode; None if nobody looks for crashes."""
    steps: Mapping[int, StepState] = field(default_factory=dict)
    state_read: StateRead | None = None
    """The states that must stay unchanged, as read before the first step."""
    rubrics_held: frozenset[str] = frozenset()
    """Rubrics that held after some step."""
    in_vain: int = 0
    """How often the episode was resumed in place since its last finished step. Interruptions of the whole run do not
    count."""
    spent: frozenset[str] = frozenset()
    """Keys of actions that were never begun. Their steps were decided again. No key is ever sent twice."""
    last_failure: str = ""
    """The error code of the stage that failed last."""
    server_away: bool = False
    """Whether a stage waited because no server of its model answered."""
    paused: EpisodePaused | None = None
    """The pause by a person that lasts."""
    takeover: EpisodeTakenOver | None = None
    """The takeover by a person that lasts."""
    nobody_came: bool = False
    """Whether a question has ended without a person."""
    ended: EpisodeEnded | None = None

    def step(self, step: int) -> StepState:
        return self.steps.get(step, StepState())

    def plan(self, step: int) -> Plan | None:
        """Return W_P and W_S as of ``step``. If the planner returned no plan in a step, the earlier plan stays."""
        return next((at.plan for at in self._back_from(step) if at.plan is not None), None)

    def progress(self, step: int) -> str:
        """Return W_G after ``step``: what the last action with outcome A achieved, and that a person acted since."""
        by_person = ""
        for at in self._back_from(step):
            if at.person and not at.all_refused:
                by_person = PERSON_ACTED
            elif at.reflection is not None and not at.failed and at.reflection.progress:
                return f"{at.reflection.progress} {by_person}".rstrip()
        return by_person

    def notes(self, step: int) -> str:
        """Return W_N after ``step``: all notes so far."""
        return next((at.notes for at in self._back_from(step) if at.notes is not None), "")

    def history(self, step: int, count: int, judged: bool = True) -> tuple[PastAction, ...]:
        """Return W_A and W_E before ``step``: the last ``count`` actions, oldest first.

        ``judged``: only actions with a verdict.
        """
        past = [self._past(number, judged) for number in sorted(self.steps) if number < step]
        return tuple(action for action in past if action is not None)[-count:] if count else ()

    def failures_in_a_row(self, step: int) -> int:
        """Count the steps with outcome B or C in a row, up to and with ``step``."""
        return len(self.errors_in_a_row(step))

    def errors_in_a_row(self, step: int) -> tuple[str, ...]:
        """Return the errors of the steps with outcome B or C in a row, latest first from ``step`` on."""
        judged = (at.reflection for at in takewhile(lambda at: at.failed, self._back_from(step)))
        return tuple(reflection.error for reflection in judged if reflection is not None)

    def vain_in_a_row(self, step: int) -> tuple[str, ...]:
        """Return, for the last actions in a row that had no effect, why the phone shows none.

        They are in order from ``step`` backwards. The screen after ``step`` must have been captured.
        """
        reasons = (self._vain(number) for number in range(step, -1, -1))
        return tuple(reason for reason in takewhile(lambda why: why is not None, reasons) if reason is not None)

    def escalated(self, step: int, count: int) -> tuple[PastAction, ...]:
        """Return W_E[-k:], the errors that plan(``step``) is shown.

        It is empty unless the last ``count`` actions failed.
        """
        return self.history(step, count) if self.failures_in_a_row(step - 1) >= count else ()

    def equal_actions(self, step: int) -> tuple[StepState, ...]:
        """Return the latest steps in a row that decided for the same action, latest first from ``step`` on.

        The result is empty if the action may be repeated (Swipe, Back). Steps without an action do not count.
        """
        back = [self.step(number) for number in self._acting_back_from(step)]
        last = back[0].decision if back else None
        if last is None or last.action is None or last.action.repeatable:
            return ()
        same = last.action, last.then

        def is_same(at: StepState) -> bool:
            return at.decision is not None and (at.decision.action, at.decision.then) == same

        return tuple(takewhile(is_same, back))

    def cycle(self, step: int) -> Cycle | None:
        """Return the cycle of actions and screens that the episode is in with ``step``; None if it is in none.

        A step without an action, such as one with an unusable reply, breaks no cycle.
        """
        numbers = self._acting_back_from(step)[::-1]
        return find_cycle([self._visit(number, before) for before, number in pairwise((-1, *numbers))])

    def circling(self, step: int) -> str:
        """Return what the agent is told on s(``step``) if its last round of actions has come again for the first time.

        It is told until it acts: once, unless its reply is unusable.
        """
        cycle = self.cycle(step - 1)
        return "" if cycle is None else cycle.warning

    def unchanged(self, step: int) -> bool:
        """Return whether s(``step``) is the same as the screen before it, except for regions that change by
        themselves.
        """
        before, now = self.step(step - 1).screenshot, self.step(step).screenshot
        if before is None or now is None:
            return False
        return now.shows_as(before) and now.keyboard == before.keyboard

    @property
    def steps_taken(self) -> int:
        """Count the steps whose action has ended, whether it was carried out or failed."""
        return sum(1 for at in self.steps.values() if at.acted is not None)

    @property
    def person_actions(self) -> int:
        """Count the actions of persons that the phone may have received."""
        return sum(1 for at in self.steps.values() if at.person and not at.all_refused)

    @property
    def last_touched(self) -> int:
        """Return the last step whose action was sent in part, asks a person, or has ended; -1 if there is none."""
        touched = (number for number, at in self.steps.items() if at.sent or at.question or at.acted is not None)
        return max(touched, default=-1)

    @property
    def last_step(self) -> int:
        return max(self.steps, default=0)

    @property
    def answer(self) -> str | None:
        """Return the last answer to the user: the operator's words, also those with which it stops, or the model's when
        it was asked for the answer.
        """
        for at in self._back_from(self.last_step):
            reply = at.result(ANSWER, GivenAnswer)
            if reply is not None:
                return reply.text
            if at.decision is None or at.acted is None or at.acted.problem is not None:
                continue
            if isinstance(at.decision.action, Answer):
                return at.decision.action.text
            if at.decision.answer:
                return at.decision.answer
        return None

    def _back_from(self, step: int) -> list[StepState]:
        return [self.steps[number] for number in sorted(self.steps, reverse=True) if number <= step]

    def _acting_back_from(self, step: int) -> list[int]:
        """Return the steps in which the agent decided for an action, or a person acted, latest first from ``step``."""
        numbers = (number for number in sorted(self.steps, reverse=True) if number <= step)
        return [number for number in numbers if self.steps[number].is_acting]

    def _visit(self, step: int, before_step: int) -> Visit | None:
        at, before = self.step(step), self.step(before_step)
        if at.person or at.screenshot is None or at.decision is None or at.decision.action is None:
            return None  # a person's step, or one whose screenshot was lost
        went_home = before.decision is not None and isinstance(before.decision.action, Home | Exit)
        page = HOME_PAGE if went_home and not before.person and not before.untouched else at.screenshot.page
        return Visit(page, at.decision.action, at.screenshot.size)

    def _vain(self, step: int) -> str | None:
        at = self.step(step)
        if at.acted is not None and at.acted.problem is not None:
            return at.acted.problem
        touched = at.decision is not None and at.decision.action is not None and at.decision.action.touches
        return NOTHING_CHANGED if touched and self.unchanged(step + 1) else None

    def _past(self, step: int, judged: bool) -> PastAction | None:
        at = self.steps[step]
        if at.person:
            return None if at.all_refused else _past_of_person(step, at)
        decision, reflection = at.decision, at.reflection
        unjudged = judged and reflection is None and not self.step(step + 1).person
        if decision is None or unjudged:
            return None
        problem = decision.problem or (at.acted.problem if at.acted is not None else None) or at.person_words
        return PastAction(
            step=step,
            action=decision.action,
            expectation=decision.expectation,
            outcome=None if reflection is None else reflection.outcome,
            error=problem if reflection is None else reflection.error or at.person_words,
            touched=name_touched(decision.action, at.screen),
        )


def _past_of_person(step: int, at: StepState) -> PastAction:
    action = at.sent[0].action
    return PastAction(
        step=step,
        action=action,
        expectation="",
        outcome=None,
        error=BY_PERSON,
        by_person=True,
        touched=name_touched(action, at.screen),
    )
