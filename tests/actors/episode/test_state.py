"""Working memory as of any step, whatever was written since."""

from __future__ import annotations

import pytest

from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.base import Outcome
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    NotesTaken,
    Perceived,
    Planned,
    Record,
    Reflected,
    RubricsChecked,
    ScreenCaptured,
    Span,
    StageFailed,
)
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.phones import Receipt
from manyhands.protocol.roles.requests import Decision, Notes, Plan, Reflection, Subgoal
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Answer, Back, Tap
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screen, Screenshot

SIZE = Size(width=9, height=9)
SPAN = Span(start=1.0, end=2.0)
TAP = Tap(x=1, y=2)


def planned(step: int, subgoal: str) -> Planned:
    plan = Plan(thought="", text="p", subgoal=Subgoal(id=step + 1, text=subgoal), change="next", status="continue")
    return Planned(step=step, span=SPAN, plan=plan)


def decided(step: int, action: Tap | Back | Answer | None) -> ActionDecided:
    problem = None if action else "no action"
    return ActionDecided(
        step=step, span=SPAN, decision=Decision(thought="", action=action, expectation="e", problem=problem)
    )


def reflected(step: int, outcome: Outcome, progress: str = "", error: str = "") -> Reflected:
    verdict = Reflection(outcome=outcome, error=error, progress=progress, made_by="model")
    return Reflected(step=step, span=SPAN, reflection=verdict)


def noted(step: int, text: str) -> NotesTaken:
    return NotesTaken(step=step, span=SPAN, notes=Notes(text=text))


def folded(*records: Record) -> EpisodeState:
    state = EpisodeState()
    for record in records:
        state = fold(state, record)
    return state


def test_plan_progress_and_notes_are_those_of_the_step_that_asks() -> None:
    failed = StageFailed(step=1, span=SPAN, stage="plan", code="reply_unusable", error="?")
    state = folded(
        planned(0, "first"),
        reflected(0, Outcome.A, "one"),
        noted(0, "n0"),
        failed,
        reflected(1, Outcome.B, "worse", "wrong page"),
        planned(2, "third"),
        reflected(2, Outcome.A, "two"),
        noted(2, "n2"),
    )
    plans = [state.plan(step) for step in range(-1, 4)]
    assert [plan.subgoal.text if plan else None for plan in plans] == [None, "first", "first", "third", "third"]
    assert [state.progress(step) for step in range(-1, 4)] == ["", "one", "one", "two", "two"]
    assert [state.notes(step) for step in range(-1, 4)] == ["", "n0", "n0", "n2", "n2"]
    assert state.step(1).failures == {"plan": "?"}


def test_history_failures_and_escalation() -> None:
    records: list[Record] = []
    for step, outcome in enumerate("ABCABB"):
        records += [
            decided(step, TAP if step else None),
            reflected(step, Outcome(outcome), error="" if outcome == "A" else outcome),
        ]
    state = folded(*records, decided(6, TAP))
    assert [past.step for past in state.history(7, 5)] == [1, 2, 3, 4, 5]
    assert state.history(7, 0) == ()
    unjudged = state.history(7, 2, judged=False)
    assert [(past.step, past.outcome) for past in unjudged] == [(5, Outcome.B), (6, None)]
    assert [past.step for past in state.history(2, 5)] == [0, 1]
    assert state.history(1, 5)[0].action is None
    assert [state.failures_in_a_row(step) for step in range(6)] == [0, 1, 2, 0, 1, 2]
    escalated = [[past.step for past in state.escalated(step, 2)] for step in range(7)]
    assert escalated == [[], [], [], [1, 2], [], [], [4, 5]]


def test_equal_actions_in_a_row() -> None:
    actions = [TAP, TAP, Back(), Back(), TAP, TAP, TAP, None, TAP]
    state = folded(*(decided(step, action) for step, action in enumerate(actions)))
    assert [len(state.equal_actions(step)) for step in range(9)] == [1, 2, 0, 0, 1, 2, 3, 3, 4]
    assert state.equal_actions(6) == (state.step(6), state.step(5), state.step(4))


def test_screens_older_than_the_last_two_are_forgotten() -> None:
    records: list[Record] = []
    for step in range(4):
        shot = Screenshot(content_id=f"{step:032x}", size=SIZE, serial="s", taken_at=1.0, capture_ms=1.0)
        screen = Screen(content_id=shot.content_id, size=SIZE, elements=(), keyboard="hidden")
        records += [
            ScreenCaptured(step=step, span=SPAN, screenshot=shot),
            Perceived(step=step, span=SPAN, screen=screen),
        ]
    state = folded(*records)
    assert [state.step(step).screen is not None for step in range(4)] == [False, False, True, True]
    assert all(state.step(step).screenshot is not None for step in range(4))


@pytest.mark.parametrize(
    ("statuses", "untouched"),
    [([], True), (["refused"], True), (["done", "refused"], False), (["unknown"], False), ([None], False)],
)
def test_a_step_is_untouched_where_every_atom_was_certainly_not_sent(
    statuses: list[str | None], untouched: bool
) -> None:
    records: list[Record] = []
    for number, status in enumerate(statuses):
        records.append(ActionSent(at=1.0, step=0, key=f"k{number}", action=TAP))
        if status is not None:
            told = {"key": f"k{number}", "status": status, "sent_at": 1.0, "ms": 1.0}
            records.append(ActionReceived(step=0, receipt=Receipt.model_validate(told)))
    assert folded(*records, Acted(step=0, span=SPAN, problem="failed")).step(0).untouched is untouched
    assert not folded(*records, Acted(step=0, span=SPAN)).step(0).untouched


def test_the_last_answer_rubrics_steps_and_the_end() -> None:
    ended = EpisodeEnded(at=9.0, ending="finished", reason="", steps=2, verified=None, rubrics={}, answer="later")
    state = folded(
        decided(0, Answer(text="early")),
        Acted(step=0, span=SPAN),
        RubricsChecked(at=1.0, step=0, held=("a",)),
        decided(1, Answer(text="later")),
        Acted(step=1, span=SPAN),
        RubricsChecked(at=2.0, step=1, held=("b",)),
        decided(2, Answer(text="never said")),
        Acted(step=2, span=SPAN, problem="refused"),
    )
    assert (state.answer, state.steps_taken, state.rubrics_held) == ("later", 3, frozenset("ab"))
    assert state.step(2).untouched
    assert state.ended is None
    assert fold(state, ended).ended is ended


def test_requests_of_a_profile_that_does_not_perceive_are_forgotten_too() -> None:
    records: list[Record] = []
    for step in range(4):
        shot = Screenshot(content_id=f"{step:032x}", size=SIZE, serial="s", taken_at=1.0, capture_ms=1.0)
        call = ModelCall(role=Role.DECIDE, server="s", request={}, reply="r", started_at=1.0, latency_ms=1.0)
        asked = decided(step, TAP).model_copy(update={"calls": (call,)})
        records += [ScreenCaptured(step=step, span=SPAN, screenshot=shot), asked]
    state = folded(*records)
    assert [state.step(step).asked is not None for step in range(4)] == [False, False, True, True]
