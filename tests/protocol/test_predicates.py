"""Predicates over a phone's state: what each form means, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from manyhands.protocol.tasks.predicates import (
    AllOf,
    AnyOf,
    Evidence,
    Not,
    Predicate,
    evaluate,
    find,
    holds,
)
from manyhands.protocol.tasks.unmet_tests import LONGEST_TEXT, unmet_tests
from tests.protocol.model_strategies import json_values, predicates

READ: TypeAdapter[Predicate] = TypeAdapter(Predicate)
STATE: dict[str, Any] = {
    "settings": {"dark_mode": True, "speed": 3, "name": "Größe L"},
    "threads": [
        {"to": "Ann", "messages": [{"text": "Hello there", "unread": True}]},
        {"to": "Bob", "messages": [{"text": "Milk 3.20", "unread": False}, {"text": "42", "unread": False}]},
    ],
    "empty": [],
    "today": ["March 5", "5 March"],
    "diary": ["On 15 March", "rain on march 5.", 5],
    "calendar": ["March 50"],
}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"path": "settings.dark_mode", "equals": True}, True),
        ({"path": "settings.dark_mode", "equals": False}, False),
        ({"path": "settings.dark_mode", "equals": 1}, False),  # a number is not a truth value
        ({"path": "settings.speed", "equals": 3}, True),
        ({"path": "settings.speed", "equals": "3"}, False),
        ({"path": "settings.speed", "at_least": 3}, True),
        ({"path": "settings.speed", "at_least": 3.5}, False),
        ({"path": "settings.speed", "at_most": 3}, True),
        ({"path": "settings.dark_mode", "at_least": 0}, False),
        ({"path": "settings.name", "contains": "GRÖSSE"}, True),
        ({"path": "settings.name", "equals": "größe l"}, False),
        ({"path": "threads.1.messages.*.text", "matches": r"milk \d"}, True),
        ({"path": "threads.*.to", "equals": "Bob"}, True),
        ({"path": "threads.7.to", "exists": True}, False),
        ({"path": "threads.7.to", "exists": False}, True),
        ({"path": "nowhere.at.all", "equals": 1}, False),
        ({"path": "threads", "count_at_least": 2}, True),
        ({"path": "threads.*.messages", "count_at_least": 3}, False),
        ({"path": "empty", "count_at_least": 1}, False),
        ({"path": "diary.0", "contains_at": "today.*"}, False),  # the 15th is another day
        ({"path": "diary.1", "contains_at": "today.*"}, True),
        ({"path": "diary.1", "contains_at": "today.1"}, False),
        ({"path": "diary.*", "contains_at": "today.*"}, True),
        ({"path": "calendar.*", "contains_at": "today.*"}, False),
        ({"path": "diary.*", "contains_at": "nowhere.*"}, False),
        ({"path": "diary.*", "contains_at": "settings.speed"}, False),  # no text
        ({"some": "threads", "holds": {"path": "to", "equals": "Ann"}}, True),
        (
            {  # of one thread, not of any two
                "some": "threads",
                "holds": {"all": [{"path": "to", "equals": "Ann"}, {"path": "messages.*.text", "contains": "milk"}]},
            },
            False,
        ),
        ({"some": "threads.*.messages", "holds": {"path": "unread", "equals": True}}, True),
        ({"all": [{"path": "settings", "exists": True}, {"path": "x", "exists": True}]}, False),
        ({"any": [{"path": "settings", "exists": True}, {"path": "x", "exists": True}]}, True),
        ({"not": {"path": "x", "exists": True}}, True),
    ],
)
def test_what_a_predicate_means(written: dict[str, Any], expected: bool) -> None:
    assert holds(READ.validate_python(written), STATE) is expected


@given(predicates, predicates, json_values)
def test_the_laws_of_logic_hold_on_any_state(first: Predicate, second: Predicate, state: Any) -> None:
    """Of Kleene's logic: what nobody could answer is neither true nor false."""
    evidence = Evidence(state)
    one, two = evaluate(first, evidence), evaluate(second, evidence)
    assert evaluate(Not(not_=first), evidence) is (None if one is None else not one)
    both, either = AllOf(all=(first, second)), AnyOf(any=(first, second))
    assert evaluate(both, evidence) is (False if False in (one, two) else None if None in (one, two) else True)
    assert evaluate(either, evidence) is (True if True in (one, two) else None if None in (one, two) else False)
    assert holds(first, state) is (one is True)
    assert bool(unmet_tests(first, evidence)) is (one is not True)


@given(predicates)
def test_a_predicate_survives_being_written(predicate: Predicate) -> None:
    assert READ.validate_python(READ.dump_python(predicate, mode="json", by_alias=True)) == predicate


@given(json_values | st.dictionaries(st.sampled_from(["all", "any", "not", "some", "path", "holds"]), json_values))
def test_any_value_is_a_predicate_or_refused(value: Any) -> None:
    try:
        predicate = READ.validate_python(value)
    except ValidationError:
        return
    assert holds(predicate, STATE) in (True, False)


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ({"path": "a"}, "exactly one of"),
        ({"path": "a", "equals": 1, "exists": True}, "exactly one of"),
        ({"path": "a", "contains": "b", "contains_at": "c"}, "exactly one of"),
        ({"path": "a", "matches": "("}, "not a regular expression"),
        ({"path": "a", "is": 1}, "Extra inputs"),
        ({"all": []}, "at least 1"),
        (5, "one of the keys all, any, not, some, path"),
        ({"not": "x"}, "one of the keys all, any, not, some, path"),
    ],
)
def test_what_is_no_predicate_is_refused_with_a_reason(written: Any, complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        READ.validate_python(written)


@given(json_values)
def test_a_path_of_stars_finds_values_of_any_state(state: Any) -> None:
    found = list(find(state, "*"))
    assert len(found) == (len(state) if isinstance(state, list | dict) else 0)


BYE = 'an item of threads with (messages.*.text is "Bye"); found "Hello there", "Milk 3.20", "42"'
EMPTY = {"some": "empty", "holds": {"path": "x", "exists": True}}
THREADS = {"some": "threads", "holds": {"path": "messages.*.text", "equals": "Bye"}}


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"path": "settings.dark_mode", "equals": False}, ["expected settings.dark_mode is false; found true"]),
        ({"path": "settings.speed", "at_least": 4}, ["expected settings.speed is at least 4; found 3"]),
        ({"path": "settings.name", "contains": "XL"}, ['expected settings.name contains "XL"; found "Größe L"']),
        ({"path": "settings.name", "matches": "^XL"}, ['expected settings.name matches /^XL/; found "Größe L"']),
        ({"path": "nowhere.at.all", "equals": 1}, ["expected nowhere.at.all is 1; found nothing"]),
        ({"path": "threads.7.to", "exists": True}, ["expected threads.7.to exists; found nothing"]),
        ({"path": "threads.0.to", "exists": False}, ['expected threads.0.to does not exist; found "Ann"']),
        ({"path": "threads", "count_at_least": 3}, ["expected threads has at least 3 items; found 2 items"]),
        (
            {"path": "calendar.*", "contains_at": "today.*"},
            ['expected calendar.* contains what today.* has; found "March 50"'],
        ),
        (THREADS, [f"expected {BYE}"]),
        (
            {"some": "threads", "holds": {"all": [{"path": "to", "equals": "Ann"}, THREADS["holds"]]}},
            ['expected an item of threads with (to is "Ann" and messages.*.text is "Bye"); found "Hello there"'],
        ),
        (EMPTY, ["expected an item of empty with (x exists); found no item"]),
        ({"not": {"path": "settings.speed", "equals": 3}}, ["expected not (settings.speed is 3); found 3"]),
        (
            {"any": [{"path": "settings.speed", "equals": 1}, {"path": "settings.speed", "at_most": 2}]},
            ["expected settings.speed is 1 or settings.speed is at most 2; found 3; 3"],
        ),
        (
            {"all": [{"path": "settings.dark_mode", "equals": True}, {"path": "settings.speed", "equals": 1}, THREADS]},
            [
                "expected settings.speed is 1; found 3",
                f"expected {BYE}",
            ],
        ),
    ],
)
def test_what_does_not_hold_says_what_was_expected_and_what_was_found(written: Any, told: list[str]) -> None:
    assert [str(test) for test in unmet_tests(READ.validate_python(written), Evidence(STATE))] == told


@given(predicates, json_values)
def test_a_predicate_says_why_exactly_where_it_does_not_hold(predicate: Predicate, state: Any) -> None:
    found = unmet_tests(predicate, Evidence(state))
    assert (found == ()) is holds(predicate, state)
    assert all(test.expected and len(test.found) <= LONGEST_TEXT for test in found)


def test_what_was_found_can_be_written_into_a_journal() -> None:
    predicate = READ.validate_python({"path": "name", "equals": "x"})
    (test,) = unmet_tests(predicate, Evidence({"name": "half \ud800 a pair"}))
    assert test.found.encode("utf-8") == b'"half \\ud800 a pair"'
