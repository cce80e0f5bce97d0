from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.phones.adb.commands import PhoneFacts, commands_for, reset_commands
from manyhands.actors.phones.adb.shell import ActionRefused
from manyhands.protocol.screens.actions import (
    Answer,
    AtomicAction,
    Back,
    Enter,
    Home,
    LongPress,
    Stop,
    Swipe,
    SwitchApp,
    Tap,
    Wait,
)
from manyhands.protocol.screens.geometry import Size

FACTS = PhoneFacts(Size(width=1080, height=2400), adb_keyboard=True, apps=None)
ANY = st.integers(-10_000, 10_000)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Tap(x=0, y=2399), "input tap 0 2399"),
        (LongPress(x=5, y=6, ms=900), "input swipe 5 6 5 6 900"),
        (Swipe(x1=1, y1=2, x2=3, y2=4, ms=300), "input swipe 1 2 3 4 300"),
        (Enter(), "input keyevent 66"),
        (Back(), "input keyevent 4"),
        (Home(), "input keyevent 3"),
        (SwitchApp(), "input keyevent 187"),
    ],
)
def test_atoms_as_commands(action: AtomicAction, words: str) -> None:
    assert [" ".join(command) for command in commands_for(action, FACTS)] == [words]


@given(ANY, ANY, ANY, ANY)
def test_points_outside_the_screen_are_refused(x: int, y: int, x2: int, y2: int) -> None:
    inside = FACTS.size.contains(x, y)
    both = inside and FACTS.size.contains(x2, y2)
    for action, allowed in (
        (Tap(x=x, y=y), inside),
        (LongPress(x=x, y=y), inside),
        (Swipe(x1=x, y1=y, x2=x2, y2=y2), both),
    ):
        if allowed:
            assert commands_for(action, FACTS)
        else:
            with pytest.raises(ActionRefused, match="outside the screen of 1080 x 2400"):
                commands_for(action, FACTS)


@pytest.mark.parametrize("action", [Wait(), Answer(text="yes"), Stop()])
def test_what_no_phone_does_is_refused(action: AtomicAction) -> None:
    with pytest.raises(ActionRefused, match=action.name):
        commands_for(action, FACTS)


def test_a_reset_closes_the_app_in_front_and_ends_at_home() -> None:
    words = [" ".join(command) for command in reset_commands("org.example", ("content://door", 7))]
    assert words == [
        "input keyevent 224",
        "input keyevent 82",
        "am force-stop org.example",
        "input keyevent 3",
        "content call --uri content://door --method reset --arg 7",
    ]
