"""Agreement of replies: identities that hold for all pairs, and examples worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.replay_report import (
    Matrix,
    compare_decisions,
    compare_notes,
    compare_plans,
    compare_reflections,
    element_at,
)
from manyhands.protocol.base import Outcome
from manyhands.protocol.roles.requests import Decision, Notes, Plan, Reflection, ReplyContext, Subgoal
from manyhands.protocol.screens.actions import Action, Back, Home, LongPress, OpenApp, Swipe, Tap, Type
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element

SIZE = Size(width=300, height=400)
"""Its diagonal is 500."""
KNOWN = ReplyContext(size=SIZE)

xs, ys = st.integers(0, 299), st.integers(0, 399)
actions = st.one_of(
    st.builds(Tap, x=xs, y=ys),
    st.builds(LongPress, x=xs, y=ys),
    st.builds(Swipe, x1=xs, y1=ys, x2=xs, y2=ys),
    st.builds(Type, text=st.text(min_size=1, max_size=5)),
    st.builds(OpenApp, app=st.sampled_from(["Notes", "Shop"])),
    st.just(Back()),
)
outcomes = st.sampled_from(Outcome)
changes = st.sampled_from(["keep", "next", "replan"])
statuses = st.sampled_from(["continue", "finished", "impossible"])


@st.composite
def boxes(draw: st.DrawFn) -> Element:
    left, right = sorted(draw(st.tuples(xs, xs)))
    top, bottom = sorted(draw(st.tuples(ys, ys)))
    return element(left, top, right + 1, bottom + 1)


def element(x1: int, y1: int, x2: int, y2: int) -> Element:
    return Element(kind="icon", box=Box(x1=x1, y1=y1, x2=x2, y2=y2), content="", confidence=1)


def decision(action: Action | None) -> Decision:
    return Decision(thought="", action=action, expectation="", problem=None if action else "no action")


def pair(before: Action | None, now: Action | None, *elements: Element) -> tuple[Decision, Decision, ReplyContext]:
    return decision(before), decision(now), ReplyContext(size=SIZE, elements=elements)


def plan(change: str, status: str, text: str = "") -> Plan:
    fields = {"thought": "", "text": text, "subgoal": Subgoal(id=1, text=text), "change": change, "status": status}
    return Plan.model_validate(fields)


def reflection(outcome: Outcome) -> Reflection:
    return Reflection(outcome=outcome, error="", progress="", made_by="model")


def count(matrix: Matrix) -> int:
    return sum(sum(row.values()) for row in matrix.values())


# ---------------------------------------------------------------------------- decisions
@given(st.lists(st.tuples(actions, st.lists(boxes(), max_size=3)), max_size=6))
def test_a_reply_agrees_with_itself(decided: list[tuple[Action, list[Element]]]) -> None:
    found = compare_decisions([pair(action, action, *elements) for action, elements in decided])
    assert found.compared == found.same_kind == found.same_action == len(decided)
    assert found.same_element == found.on_element
    assert found.distance_px is None or found.distance_px.p95 == 0


@given(st.lists(st.tuples(st.none() | actions, st.none() | actions), max_size=8))
def test_counts_are_within_each_other(decided: list[tuple[Action | None, Action | None]]) -> None:
    found = compare_decisions([pair(before, now) for before, now in decided])
    assert found.same_action <= found.same_kind <= found.compared <= len(decided)
    assert found.points <= found.same_kind
    assert count(found.kinds) == found.compared
    if found.distance_share is not None:
        assert 0 <= found.distance_share.p50 <= found.distance_share.p95 <= 1


@given(actions, actions)
def test_distance_does_not_ask_which_was_first(before: Action, now: Action) -> None:
    assert compare_decisions([pair(before, now)]).distance_px == compare_decisions([pair(now, before)]).distance_px


def test_points_apart() -> None:
    found = compare_decisions([pair(Tap(x=10, y=10), Tap(x=40, y=50)), pair(Tap(x=0, y=0), Home())])
    assert (found.compared, found.same_kind, found.same_action, found.points) == (2, 1, 0, 1)
    assert found.distance_px is not None
    assert found.distance_px.p50 == 50
    assert found.distance_share is not None
    assert found.distance_share.p50 == pytest.approx(0.1)
    assert found.kinds == {"Tap": {"Home": 1, "Tap": 1}}


def test_a_swipe_is_as_far_as_its_farther_end() -> None:
    found = compare_decisions([pair(Swipe(x1=0, y1=0, x2=10, y2=0), Swipe(x1=0, y1=1, x2=10, y2=7))])
    assert found.distance_px is not None
    assert math.isclose(found.distance_px.p50, 7)
    assert found.on_element == 0


def test_the_smallest_element_around_the_recorded_point_counts() -> None:
    card, button = element(0, 0, 100, 100), element(10, 10, 20, 20)
    assert element_at([card, button], 15, 15) is button
    assert element_at([card, button], 100, 100) is None
    apart = pair(Tap(x=15, y=15), Tap(x=50, y=50), card, button)
    together = pair(Tap(x=50, y=50), Tap(x=15, y=15), card, button)
    nowhere = pair(Tap(x=200, y=200), Tap(x=200, y=200), card, button)
    found = compare_decisions([apart, together, nowhere])
    assert (found.on_element, found.same_element) == (2, 1)


# ---------------------------------------------------------------------------- the others
@given(st.lists(st.tuples(outcomes, outcomes), max_size=8))
def test_outcomes(verdicts: list[tuple[Outcome, Outcome]]) -> None:
    found = compare_reflections([(reflection(before), reflection(now), KNOWN) for before, now in verdicts])
    assert found.compared == count(found.outcomes) == len(verdicts)
    assert found.same_outcome == sum(found.outcomes.get(letter, {}).get(letter, 0) for letter in "ABC")


@given(st.lists(st.tuples(changes, changes, statuses, statuses), max_size=8))
def test_plans_are_compared_by_what_they_decide(rows: list[tuple[str, str, str, str]]) -> None:
    found = compare_plans([(plan(c1, s1, "one"), plan(c2, s2, "another"), KNOWN) for c1, c2, s1, s2 in rows])
    assert found.same_change == sum(c1 == c2 for c1, c2, _, _ in rows)
    assert found.same_status == sum(s1 == s2 for _, _, s1, s2 in rows)
    assert count(found.changes) == count(found.statuses) == len(rows)


@given(st.text(max_size=40), st.text(max_size=40))
def test_shared_words_are_a_share(before: str, now: str) -> None:
    found = compare_notes([(Notes(text=before), Notes(text=now), KNOWN)])
    assert found.shared_words is not None
    assert 0 <= found.shared_words.p50 <= 1
    assert (found.shared_words.p50 == 1) == (found.same_words == 1)


def test_notes_by_words() -> None:
    found = compare_notes([(Notes(text="Price: 12 EUR."), Notes(text="price 12, in EUR"), KNOWN)])
    assert found.same_words == 0
    assert found.shared_words is not None
    assert found.shared_words.p50 == 0.75
