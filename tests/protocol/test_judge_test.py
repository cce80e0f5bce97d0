"""Statements for a judge in a check: what they decide, and what is told of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from manyhands.protocol.tasks.predicates import (
    Evidence,
    JudgedStatement,
    NotNeeded,
    Predicate,
    Unanswered,
    evaluate,
    sources,
    statements,
)
from manyhands.protocol.tasks.task import Rubric, TaskSpec
from manyhands.protocol.tasks.unmet_tests import unmet_tests
from tests.protocol.model_strategies import predicates

READ: TypeAdapter[Predicate] = TypeAdapter(Predicate)
CABLES, POLITE = "The cart shows two cables.", "The message is polite."
YES, NO = JudgedStatement(True, "I see them."), JudgedStatement(False, "I see one.")
AWAY = Unanswered("the judge did not answer: away")
DARK: dict[str, Any] = {"path": "dark", "equals": True}


def evidence(dark: bool = True, **said: JudgedStatement | Unanswered) -> Evidence:
    return Evidence(
        {"dark": dark}, statements={{"cables": CABLES, "polite": POLITE}[name]: one for name, one in said.items()}
    )


@pytest.mark.parametrize(
    ("written", "known", "expected"),
    [
        ({"judge": CABLES}, evidence(cables=YES), True),
        ({"judge": CABLES}, evidence(cables=NO), False),
        ({"judge": CABLES}, evidence(cables=AWAY), None),
        ({"judge": CABLES}, evidence(polite=YES), None),  # another statement
        ({"not": {"judge": CABLES}}, evidence(cables=NO), True),
        ({"all": [DARK, {"judge": CABLES}]}, evidence(cables=YES), True),
        ({"all": [DARK, {"judge": CABLES}]}, evidence(dark=False), False),
        ({"any": [DARK, {"judge": CABLES}]}, evidence(cables=AWAY), True),
        ({"any": [DARK, {"judge": CABLES}]}, evidence(dark=False, cables=AWAY), None),
        ({"all": [{"judge": CABLES}, {"judge": POLITE}]}, evidence(cables=YES, polite=NO), False),
        ({"some": "dark", "holds": {"judge": CABLES}}, evidence(cables=YES), True),
    ],
)
def test_what_a_statement_decides(written: Any, known: Evidence, expected: bool | None) -> None:
    assert evaluate(READ.validate_python(written), known) is expected


def test_a_judge_is_no_address_that_a_phone_is_asked() -> None:
    both = READ.validate_python({"all": [{"judge": CABLES}, {"sms": {"body": "x"}}, {"judge": CABLES}]})
    assert (statements(both), sources(both)) == ((CABLES,), ("phone://state/sms",))


def told(written: Any, known: Evidence) -> list[str]:
    return [str(test) for test in unmet_tests(READ.validate_python(written), known)]


def test_what_a_judge_said_is_told_in_its_words() -> None:
    wanted = f'expected that a judge says yes to "{CABLES}"; found '
    assert told({"judge": CABLES}, evidence(cables=NO)) == [f"{wanted}that the judge says no: I see one."]
    assert told({"judge": CABLES}, evidence(cables=AWAY)) == [
        f"{wanted}nothing, for it could not be asked: the judge did not answer: away"
    ]
    (test,) = told({"not": {"judge": CABLES}}, evidence(cables=YES))
    assert test.endswith("found that the judge says yes: I see them.")


def test_a_statement_that_nobody_had_to_judge_is_not_told() -> None:
    known = evidence(dark=False, cables=NotNeeded("the rest decides"))
    assert told({"all": [DARK, {"judge": CABLES}]}, known) == ["expected dark is true; found false"]


@given(predicates, st.sampled_from([YES, NO, AWAY]))
def test_the_word_of_a_judge_changes_nothing_that_is_decided_without_it(
    predicate: Predicate, word: JudgedStatement | Unanswered
) -> None:
    without = evaluate(predicate, Evidence({}))
    with_it = evaluate(predicate, Evidence({}, statements=dict.fromkeys(statements(predicate), word)))
    assert without is None or with_it is without
    if word is AWAY:
        assert with_it is without


@pytest.mark.parametrize("words", ["", "x" * 1001])
def test_a_statement_without_words_or_with_too_many_is_refused(words: str) -> None:
    with pytest.raises(ValidationError, match="judge"):
        READ.validate_python({"judge": words})


def test_rubrics_ask_no_judge_because_they_are_asked_after_every_step() -> None:
    with pytest.raises(ValidationError, match="a judge is asked only when the episode has ended"):
        Rubric.model_validate({"name": "two cables", "holds": {"any": [DARK, {"judge": CABLES}]}})


def test_a_task_says_whether_it_asks_a_judge() -> None:
    task = {"id": "a", "goal": "b"}
    assert not TaskSpec.model_validate(task).asks_judge
    assert TaskSpec.model_validate({**task, "check": {"holds": {"not": {"judge": CABLES}}}}).asks_judge
