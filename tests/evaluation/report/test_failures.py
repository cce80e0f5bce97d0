"""Where to begin looking for why an episode failed, and which tasks failed for the same cause."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.episode_view import EpisodePage, view_episode
from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.report.failures import (
    TaskFailure,
    explain_failure,
    failure_step,
    group_failures,
    last_good_step,
    normal_form,
)
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.records import Record, StageFailed
from manyhands.protocol.screens.actions import AtomicAction, Back, Home, OpenApp, Swipe, Tap, Type
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from tests.evaluation.run_records import acted, captured, decided, ended, reflected, sent, span, started

TASK = TaskSpec.model_validate({"id": "a", "goal": "g", "check": {"holds": {"judge": "It is done."}}})
A, B, C = Outcome.A, Outcome.B, Outcome.C
Done = tuple[AtomicAction, Outcome | None]
APP, NEXT = OpenApp(app="Notes"), Tap(x=1, y=2)
MISTAKE = Tap(x=5, y=5)


def view_of(*steps: Done, failure: int | None = None, **end: Any) -> EpisodePage:
    records: list[Record] = [started("e", TASK)]
    for number, (action, outcome) in enumerate(steps):
        when = span(number, number + 1)
        records += [captured(number, when), decided(number, when, action=action), sent(number, "k", action=action)]
        records += [acted(number, when), *([] if outcome is None else [reflected(number, when, outcome)])]
    if failure is not None:
        records.append(StageFailed(step=failure, span=span(90, 91), stage="decide", code="model_refused", error="no"))
    if len(steps) < 100:
        records.append(captured(len(steps), span(98, 99)))
    records.append(ended(100, **{"ending": Ending.STEP_LIMIT, "verified": False, "steps": len(steps), **end}))
    found = episode_of(records)
    assert found is not None
    return view_episode(found)


@pytest.mark.parametrize(
    ("steps", "first", "good"),
    [
        ([(APP, A), (NEXT, A), (MISTAKE, B), (Swipe(x1=1, y1=1, x2=1, y2=9), C)], 2, 1),
        ([(APP, A), (MISTAKE, B), (Back(), A), (MISTAKE, B), (Back(), A)], 1, 0),
        ([(APP, A), (NEXT, A), (MISTAKE, C), (Home(), A), (APP, A), (MISTAKE, C)], 2, 1),
        ([(APP, A), (MISTAKE, B), (Back(), A), (NEXT, A), (Type(text="x"), C)], 4, 3),
        ([(MISTAKE, B), (MISTAKE, B)], 0, None),
    ],
    ids=["after the last good one", "the same mistake again", "begun again", "a recovery that held", "never good"],
)
def test_it_is_the_first_wrong_step_after_the_last_progress(steps: list[Done], first: int, good: int | None) -> None:
    view = view_of(*steps)
    assert (failure_step(view), last_good_step(view, failure_step(view))) == (first, good)


def test_a_model_that_refuses_is_the_failure() -> None:
    view = view_of((APP, A), (NEXT, A), failure=2, ending=Ending.MODEL_FAILED, verified=None)
    assert failure_step(view) == 2


def test_a_text_that_the_check_misses_leads_to_the_step_that_typed_it() -> None:
    unmet = (UnmetTest(expected='a note whose body contains "milk and bread"', found="no note"),)
    steps: list[Done] = [(APP, A), (Type(text="milk and bread"), A), (NEXT, A)]
    assert failure_step(view_of(*steps, ending=Ending.FINISHED, unmet=unmet)) == 1
    held = (UnmetTest(expected='"milk and bread"', found="milk and bread, eggs"),)
    assert failure_step(view_of(*steps, ending=Ending.FINISHED, unmet=held)) == 3


def test_an_episode_that_did_not_fail_has_no_such_step() -> None:
    assert failure_step(view_of((APP, A), (MISTAKE, B), ending=Ending.FINISHED, verified=True)) is None
    assert failure_step(view_of((APP, A), (MISTAKE, B), ending=Ending.CANCELLED, verified=None)) is None


def test_tasks_that_failed_for_the_same_cause_are_grouped() -> None:
    limit = Ending.FAILURE_LIMIT
    failures = [
        TaskFailure(
            "t1", limit, "notes", 'tapping "Save" at (10, 20) on 127.0.0.1:5555 did nothing', ("127.0.0.1:5555",)
        ),
        TaskFailure("t2", limit, "shop", "another"),
        TaskFailure("t3", limit, "notes", 'tapping "Go" at (7, 9) on phone-b did nothing', ("phone-b",)),
        TaskFailure("t4", Ending.STEP_LIMIT, "shop", "another"),
    ]
    causes = group_failures(failures)
    assert [(cause.id, cause.tasks) for cause in causes] == [
        ("cause-1", ("t1", "t3")),
        ("cause-2", ("t2",)),
        ("cause-3", ("t4",)),
    ]
    assert causes[0].reason == failures[0].reason


@given(st.text(max_size=80), st.integers(), st.uuids(), st.text("abcdef ", max_size=9))
def test_names_and_numbers_make_no_other_cause(reason: str, number: int, id: object, quoted: str) -> None:
    clean = reason.replace('"', "")
    assert normal_form(f'{clean} / {abs(number)} {id} "{quoted}"') == normal_form(f'{clean} / 7 a1b2 "x"')


def test_what_failed_first_is_said_with_its_step_and_action() -> None:
    assert explain_failure(view_of((APP, A), failure=1)) == "step 1, no action: decide: no"
    assert explain_failure(view_of((APP, A))) == ""
