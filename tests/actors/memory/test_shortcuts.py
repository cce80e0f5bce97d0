"""What an episode knows from the start, and shortcuts as atoms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.memory import ShortcutUnusable, expand_shortcut, initial_memory
from manyhands.actors.memory.shortcuts import as_shares, check_shortcut, coordinate_arguments, offered_on
from manyhands.protocol.roles.memory import LongTermMemory, SeenOn, Shortcut, ShortcutStep
from manyhands.protocol.screens import actions
from manyhands.protocol.screens.geometry import Size


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
        (shortcut(("Home", {}), ("Tap", {"x": 1})), {}, r"step 2 \(Tap\): .*y: is missing"),
        (shortcut(("Tap", {"x": "a", "y": 1}), arguments=("a",)), {"a": "left"}, "x: must be a whole number"),
        (shortcut(("Back", {"times": 2})), {}, "takes no 'times'"),
        (shortcut(("Back", {"name": "Home"})), {}, "takes no 'name'"),
        (shortcut(("Type", {"text": ""})), {}, "must not be empty"),
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


# ---------------------------------------------------------------------------- places
@given(st.integers(1, 10_000), st.integers(1, 10_000), st.data())
def test_a_place_learned_in_pixels_is_the_same_pixel_at_that_size(width: int, height: int, data: st.DataObject) -> None:
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    learned = as_shares(shortcut(("Tap", {"x": x, "y": y})), Size(width=width, height=height))
    read = Shortcut.model_validate_json(learned.model_dump_json())
    assert read == learned
    assert expand_shortcut(read, {}, Size(width=width, height=height)) == (actions.Tap(x=x, y=y),)


def test_a_place_is_a_share_of_a_screen_that_somebody_knows() -> None:
    learned = as_shares(
        shortcut(("Tap", {"x": 50, "y": "y"}), ("Wait", {"seconds": 1}), arguments=("y",)), Size(width=100, height=200)
    ).model_copy(update={"precondition": "The field is empty."})
    check_shortcut(learned, shares=True)
    with pytest.raises(ShortcutUnusable, match=r"step 1 \(Tap\): x is 0.505, a place on the screen of one phone"):
        check_shortcut(learned)
    with pytest.raises(ShortcutUnusable, match="x is a share of a screen whose size nobody knows"):
        expand_shortcut(learned, {"y": 7})
    assert expand_shortcut(learned, {"y": 7}, Size(width=1000, height=10))[0] == actions.Tap(x=505, y=7)
    for pixels in (1, 7.5, True):
        with pytest.raises(ShortcutUnusable):
            check_shortcut(
                shortcut(("Tap", {"x": pixels, "y": 0.5})).model_copy(update={"precondition": "It is there."}),
                shares=True,
            )
    with pytest.raises(ShortcutUnusable, match="x is 100, and the screen has 100 pixels"):
        as_shares(shortcut(("Tap", {"x": 100, "y": 0})), Size(width=100, height=200))


def test_what_has_places_is_offered_on_screens_of_its_size_and_all_else_everywhere() -> None:
    size = Size(width=100, height=200)
    placed, free = shortcut(("Tap", {"x": 0.5, "y": 0.5})), shortcut(("Enter", {}))
    memory = LongTermMemory(
        shortcuts=(placed, free, placed),
        shortcut_ids=("S1@1", "S2@1", "S3@2"),
        seen_on=(SeenOn(size=size), SeenOn(), SeenOn(size=Size(width=1, height=1))),
    )
    assert offered_on(memory, size).shortcut_ids == ("S1@1", "S2@1")
    assert offered_on(memory, None).shortcut_ids == ("S2@1",)
    assert offered_on(memory, None).seen_on == (SeenOn(),)
    assert offered_on(memory.model_copy(update={"seen_on": ()}), size).shortcuts == (free,)
