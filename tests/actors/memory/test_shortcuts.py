"""What an episode knows from the start, and shortcuts as atoms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.memory import ShortcutUnusable, expand_shortcut, initial_memory
from manyhands.actors.memory.shortcuts import coordinate_arguments
from manyhands.protocol import actions
from manyhands.protocol.memory import Shortcut, ShortcutStep


def shortcut(*steps: tuple[str, dict[str, str | int | float | bool]], arguments: tuple[str, ...] = ()) -> Shortcut:
    return Shortcut(
        name="Test",
        arguments=arguments,
        steps=tuple(ShortcutStep(name=name, arguments_map=mapped) for name, mapped in steps),
    )


def test_an_episode_starts_with_four_tips_and_one_shortcut() -> None:
    memory = initial_memory()
    assert len(memory.tips) == 4
    assert [one.name for one in memory.shortcuts] == ["Tap_Type_and_Enter"]
    assert all(word in " ".join(memory.tips).lower() for word in ("payment", "guest", "pop-up", "background", "title"))
    assert "empty" in memory.shortcuts[0].precondition.lower()


@given(st.integers(-10_000, 10_000), st.integers(-10_000, 10_000), st.text(min_size=1, max_size=100))
def test_the_initial_shortcut_taps_types_and_enters(x: int, y: int, text: str) -> None:
    (search,) = initial_memory().shortcuts
    atoms = expand_shortcut(search, {"x": x, "y": y, "text": text})
    assert atoms == (actions.Tap(x=x, y=y), actions.Type(text=text), actions.Enter())


def test_values_that_name_no_argument_are_literals() -> None:
    steps = shortcut(
        ("Open_App", {"app": "Notes"}),
        ("Swipe", {"x1": 1, "y1": "start", "x2": 3, "y2": 4, "ms": 300}),
        ("Type", {"text": 7, "clear": True}),
        ("Wait", {"seconds": 0.5}),
        arguments=("start",),
    )
    assert expand_shortcut(steps, {"start": "20"}) == (
        actions.OpenApp(app="Notes"),
        actions.Swipe(x1=1, y1=20, x2=3, y2=4, ms=300),
        actions.Type(text="7", clear=True),
        actions.Wait(seconds=0.5),
    )


@pytest.mark.parametrize(
    ("broken", "arguments", "reason"),
    [
        (shortcut(("Tap", {"x": "a", "y": 1}), arguments=("a",)), {}, "needs the argument 'a'"),
        (shortcut(("Enter", {})), {"a": 1}, "no argument 'a'; it takes no arguments"),
        (shortcut(("Fly", {})), {}, r"step 1 \(Fly\): no such action; known are Open_App"),
        (shortcut(("Shortcut", {"shortcut": "Test"})), {}, "no such action"),
        (shortcut(("Home", {}), ("Tap", {"x": 1})), {}, r"step 2 \(Tap\): .*y: Field required"),
        (shortcut(("Tap", {"x": "a", "y": 1}), arguments=("a",)), {"a": "left"}, "x: Input should be a valid integer"),
        (shortcut(("Back", {"times": 2})), {}, "takes no 'times'"),
        (shortcut(("Back", {"name": "Home"})), {}, "takes no 'name'"),
        (shortcut(("Type", {"text": ""})), {}, "at least 1 character"),
    ],
)
def test_a_shortcut_that_cannot_become_atoms_says_where(
    broken: Shortcut, arguments: dict[str, str | int], reason: str
) -> None:
    with pytest.raises(ShortcutUnusable, match=reason):
        expand_shortcut(broken, arguments)


def test_coordinates_are_told_from_other_arguments() -> None:
    assert coordinate_arguments(initial_memory().shortcuts[0]) == {"x": "x", "y": "y"}
    drag = shortcut(("Swipe", {"x1": "a", "y1": "b", "x2": "c", "y2": 4}), arguments=("a", "b", "c"))
    assert coordinate_arguments(drag) == {"a": "x", "b": "y", "c": "x"}
    twice = shortcut(("Tap", {"x": "a", "y": 1}), ("Type", {"text": "a"}), arguments=("a",))
    with pytest.raises(ShortcutUnusable, match="different things"):
        coordinate_arguments(twice)
