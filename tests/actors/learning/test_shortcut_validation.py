"""A learned shortcut is kept only if its own episode carried it out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.learning.shortcut_validation import ExecutedStep, validate_shortcut
from manyhands.actors.memory.shortcuts import ShortcutUnusable, expand_shortcut
from manyhands.protocol.base import Outcome
from manyhands.protocol.roles.memory import Shortcut, ShortcutStep
from manyhands.protocol.screens.actions import Action, Back, Enter, OpenApp, RunShortcut, Swipe, Tap, Type
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Screen

SIZE = Size(width=1000, height=2000)
FIELD, GLASS = Box(x1=100, y1=200, x2=900, y2=300), Box(x1=10, y1=200, x2=90, y2=300)
SCREEN = Screen(
    content_id="c" * 32,
    size=SIZE,
    elements=(
        Element(kind="text", box=FIELD, content="Search", confidence=1.0),
        Element(kind="icon", box=GLASS, content="magnifier", confidence=1.0),
    ),
    keyboard="hidden",
)
GOAL = "Find a laptop in the shop and tell Anna."
SEARCHED: list[Action] = [OpenApp(app="Shop"), Tap(x=500, y=250), Type(text="laptop"), Enter()]


def executed(actions: list[Any], wrong: int | None = None) -> list[ExecutedStep]:
    return [
        ExecutedStep(number, action, Outcome.C if number == wrong else Outcome.A, SCREEN)
        for number, action in enumerate(actions)
    ]


def shortcut(
    *steps: tuple[str, dict[str, Any]], arguments: tuple[str, ...] = ("words",), name: str = "Find"
) -> Shortcut:
    return Shortcut(
        name=name,
        arguments=arguments,
        precondition="The shop's start page is shown.",
        steps=tuple(ShortcutStep(name=step, arguments_map=mapped) for step, mapped in steps),
    )


FIND = shortcut(("Click_Text", {"text": "Search"}), ("Type", {"text": "words"}), ("Enter", {}))


def test_what_was_carried_out_one_after_another_passes_with_the_step_where_it_began() -> None:
    passed = validate_shortcut(FIND, executed([Back(), *SEARCHED, Back()]), SIZE, [GOAL])
    assert (passed.shortcut, passed.step) == (FIND, 2)


def test_coordinates_may_be_arguments_or_the_very_ones_which_become_shares() -> None:
    asked = shortcut(("Tap", {"x": "x", "y": "y"}), ("Type", {"text": "words"}), arguments=("x", "y", "words"))
    assert validate_shortcut(asked, executed(SEARCHED), SIZE, [GOAL]).shortcut == asked
    literal = shortcut(("Tap", {"x": 500, "y": 250}), ("Type", {"text": "words"}))
    passed = validate_shortcut(literal, executed(SEARCHED), SIZE, [GOAL]).shortcut
    assert expand_shortcut(passed, {"words": "mouse"}, SIZE)[0] == Tap(x=500, y=250)
    assert all(isinstance(value, float) for value in passed.steps[0].arguments_map.values())


@pytest.mark.parametrize(
    ("steps", "arguments", "reason"),
    [
        (
            [("Click_Text", {"text": "Deals"}), ("Type", {"text": "words"})],
            ("words",),
            r"step 1 \(Click_Text\).*something else",
        ),
        ([("Type", {"text": "words"}), ("Back", {})], ("words",), r"step 2 \(Back\): step 3 .* something else: Enter"),
        ([("Type", {"text": "words"}), ("Enter", {}), ("Back", {})], ("words",), r"step 3 \(Back\): the episode ended"),
        ([("Tap", {"x": 501, "y": 250})], (), r"step 1 \(Tap\).*something else"),
        ([("Type", {"text": "laptop"})], (), r"step 1 \(Type\).*'laptop'.*make it an argument"),
        ([("Open_App", {"app": "words"}), ("Click_Text", {"text": "words"})], ("words",), r"step 2 \(Click_Text\)"),
        ([("Answer", {"text": "words"})], ("words",), "no such action"),
        ([("Find_Other", {})], (), "no such action"),
    ],
)
def test_what_did_not_happen_so_is_refused_with_the_step(
    steps: list[tuple[str, dict[str, Any]]], arguments: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(ShortcutUnusable, match=reason):
        validate_shortcut(shortcut(*steps, arguments=arguments), executed(SEARCHED), SIZE, [GOAL])


@pytest.mark.parametrize("written", ["true", "True"])
def test_learners_write_a_truth_as_a_text(written: str) -> None:
    typed = shortcut(("Type", {"text": "words", "clear": written}), ("Enter", {}), arguments=("words",))
    passed = validate_shortcut(typed, executed([Type(text="laptop", clear=True), Enter()]), SIZE, [GOAL])
    assert expand_shortcut(passed.shortcut, {"words": "hat"}, SIZE)[0] == Type(text="hat", clear=True)
    with pytest.raises(ShortcutUnusable, match=r"step 1 \(Type\).*something else"):
        validate_shortcut(typed, executed([Type(text="laptop"), Enter()]), SIZE, [GOAL])


def test_an_action_that_was_not_as_expected_supports_nothing() -> None:
    with pytest.raises(ShortcutUnusable, match=r"step 2 \(Type\): step 2 of the episode, Type, was not as expected"):
        validate_shortcut(FIND, executed(SEARCHED, wrong=2), SIZE, [GOAL])


def test_what_lies_around_a_step_that_nobody_judged_is_no_run_of_actions() -> None:
    judged = [one for one in executed([SEARCHED[1], Back(), *SEARCHED[2:]]) if one.step != 1]
    with pytest.raises(ShortcutUnusable, match=r"step 2 \(Type\): step 1 of the episode, before it, was not judged"):
        validate_shortcut(FIND, judged, SIZE, [GOAL])


@pytest.mark.parametrize(("position", "passes"), [("top left", True), ("left", True), ("bottom right", False)])
def test_an_icon_was_tapped_where_the_shortcut_looks_for_it(position: str, passes: bool) -> None:
    clicked = shortcut(("Click_Icon", {"icon": "magnifier", "position": position}), arguments=())
    tapped = executed([Tap(x=50, y=250)])
    if passes:
        assert validate_shortcut(clicked, tapped, SIZE, [GOAL]).shortcut == clicked
    else:
        with pytest.raises(ShortcutUnusable, match=r"step 1 \(Click_Icon\).*something else"):
            validate_shortcut(clicked, tapped, SIZE, [GOAL])


def test_a_shortcut_within_is_none_of_its_actions() -> None:
    used = RunShortcut(shortcut="Other", arguments={})
    with pytest.raises(ShortcutUnusable, match="did a shortcut there"):
        validate_shortcut(FIND, executed([SEARCHED[1], used, Enter()]), SIZE, [GOAL])


@pytest.mark.parametrize("number", ["0170 123456", "555-1234", "4711 0815"])
def test_the_number_of_a_contact_is_no_literal(number: str) -> None:
    typed = shortcut(("Type", {"text": number}), arguments=())
    with pytest.raises(ShortcutUnusable, match="a number of somebody"):
        validate_shortcut(typed, executed([Type(text=number)]), SIZE, [GOAL])


@pytest.mark.parametrize(("clicked", "goal", "passes"), [
    ("Anna Meyer", "Tell anna meyer that it rains.", False),
    ("Anna Meyer", "Tell somebody that it rains.", True),
    ("Delete", "Delete the note.", True),
])  # fmt: skip
def test_whom_the_goal_names_is_no_literal_that_is_clicked(clicked: str, goal: str, passes: bool) -> None:
    row = SCREEN.elements[0].model_copy(update={"content": clicked})
    tapped = [ExecutedStep(0, Tap(x=500, y=250), Outcome.A, SCREEN.model_copy(update={"elements": (row,)}))]
    written = shortcut(("Click_Text", {"text": clicked}), arguments=())
    if passes:
        assert validate_shortcut(written, tapped, SIZE, [goal]).shortcut == written
    else:
        with pytest.raises(ShortcutUnusable, match="which this one task is about: make it an argument"):
            validate_shortcut(written, tapped, SIZE, [goal])


def test_what_the_notes_say_is_no_literal() -> None:
    typed = shortcut(("Type", {"text": "The cheapest one"}), arguments=())
    with pytest.raises(ShortcutUnusable, match="make it an argument"):
        validate_shortcut(
            typed, executed([Type(text="The cheapest one")]), SIZE, [GOAL, "Laptops: the  cheapest ONE costs 300."]
        )


ACTIONS = st.lists(
    st.sampled_from([Back(), Enter(), Type(text="abc"), Tap(x=50, y=250), Swipe(x1=1, y1=2, x2=3, y2=4)]),
    min_size=1,
    max_size=6,
)


@given(ACTIONS, ACTIONS, st.data())
def test_whatever_passes_was_carried_out(before: list[Action], after: list[Action], data: st.DataObject) -> None:
    """A routine that is written off from anywhere in the episode passes, and gives these actions again."""
    actions = [*before, *after]
    first = data.draw(st.integers(0, len(actions) - 1))
    last = data.draw(st.integers(first + 1, len(actions)))
    steps = [(one.name, one.model_dump(exclude={"name"}, exclude_defaults=True)) for one in actions[first:last]]
    written = shortcut(*steps, arguments=())
    passed = validate_shortcut(written, executed(actions), SIZE, [])
    begun = passed.step
    assert list(expand_shortcut(passed.shortcut, {}, SIZE)) == actions[begun : begun + last - first]
