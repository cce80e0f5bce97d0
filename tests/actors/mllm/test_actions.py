"""Between the actions that a model writes and ours."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from manyhands.actors.memory import ShortcutUnusable, initial_memory
from manyhands.actors.mllm.request.actions import NotAnAction, read_action, write_action
from manyhands.actors.mllm.request.dialects import OutsideScreen, dialect_named
from manyhands.protocol.roles.memory import Shortcut, ShortcutStep
from manyhands.protocol.roles.replies import ActionReply
from manyhands.protocol.screens import actions
from manyhands.protocol.screens.actions import Action
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element

SIZE = Size(width=1000, height=2000)
QWEN3 = dialect_named("qwen3-vl")
REPLY = TypeAdapter[ActionReply](ActionReply)
SHORTCUTS = (
    *initial_memory().shortcuts,
    Shortcut(name="Far_Away", steps=(ShortcutStep(name="Tap", arguments_map={"x": 5000, "y": 3}),)),
    Shortcut(name="Muddled", arguments=("a",), steps=(ShortcutStep(name="Tap", arguments_map={"x": "a", "y": "a"}),)),
)


def read(written: dict[str, object]) -> Action:
    return read_action(REPLY.validate_json(json.dumps(written)), QWEN3, SIZE, SHORTCUTS)


def search(**values: str) -> dict[str, object]:
    arguments = [{"name": name, "value": value} for name, value in values.items()]
    return {"name": "Shortcut", "shortcut": "Tap_Type_and_Enter", "arguments": arguments}


@pytest.mark.parametrize(
    ("written", "action"),
    [
        ({"name": "Tap", "x": 500, "y": 500}, actions.Tap(x=500, y=1000)),
        ({"name": "Long_Press", "x": 0, "y": 1000}, actions.LongPress(x=0, y=1999)),
        ({"name": "Long_Press", "x": 0, "y": 0, "seconds": 3}, actions.LongPress(x=0, y=0, ms=3000)),
        ({"name": "Swipe", "x1": 1, "y1": 2, "x2": 3, "y2": 4}, actions.Swipe(x1=1, y1=4, x2=3, y2=8)),
        ({"name": "Open_App", "app": " Notes "}, actions.OpenApp(app="Notes")),
        ({"name": "Type", "text": " a ", "clear": True}, actions.Type(text=" a ", clear=True)),
        ({"name": "Answer", "text": "42"}, actions.Answer(text="42")),
        ({"name": "Enter"}, actions.Enter()),
        ({"name": "Switch_App"}, actions.SwitchApp()),
        ({"name": "Back"}, actions.Back()),
        ({"name": "Home"}, actions.Home()),
        ({"name": "Wait"}, actions.Wait()),
        ({"name": "Wait", "seconds": 10}, actions.Wait(seconds=10)),
        ({"name": "Stop"}, actions.Stop()),
        (
            search(x="100", y=" 250", text="200"),
            actions.RunShortcut(shortcut="Tap_Type_and_Enter", arguments={"x": 100, "y": 500, "text": "200"}),
        ),
    ],
)
def test_what_a_model_writes_becomes_an_action_in_pixels(written: dict[str, object], action: Action) -> None:
    assert read(written) == action


@pytest.mark.parametrize(
    ("written", "error", "reason"),
    [
        ({"name": "Tap", "x": 1001, "y": 5}, OutsideScreen, r"\(1001, 5\) is outside .* 1000 x 1000"),
        ({"name": "Long_Press", "x": 5, "y": 2000}, OutsideScreen, "outside"),
        ({"name": "Swipe", "x1": 1, "y1": 2, "x2": 3, "y2": 4000}, OutsideScreen, "outside"),
        ({"name": "Swipe", "x1": 1, "y1": 2, "x2": 1, "y2": 2}, NotAnAction, "two different points"),
        ({"name": "Open_App", "app": "  "}, NotAnAction, "app's name"),
        ({"name": "Type", "text": ""}, NotAnAction, "not empty"),
        ({"name": "Answer", "text": "\n"}, NotAnAction, "not empty"),
        ({"name": "Shortcut", "shortcut": "Fly", "arguments": []}, NotAnAction, "'Fly'; known: Tap_Type_and_Enter"),
        (search(x="1", y="2"), ShortcutUnusable, "needs the argument 'text'"),
        (search(x="1", y="2", text="a", z="3"), ShortcutUnusable, "no argument 'z'; it takes x, y, text"),
        (search(x="1", y="2", text=""), ShortcutUnusable, r"step 2 \(Type\): .*text"),
        (search(x="left", y="2", text="a"), NotAnAction, "'x': 'left' is not a whole number"),
        (search(x="1.5", y="2", text="a"), NotAnAction, "not a whole number"),
        (search(x="1", y="2000", text="a"), OutsideScreen, "outside"),
        (search(x="-1", y="2", text="a"), OutsideScreen, "outside"),
        ({"name": "Shortcut", "shortcut": "Far_Away", "arguments": []}, OutsideScreen, "Far_Away: Tap"),
        (
            {"name": "Shortcut", "shortcut": "Muddled", "arguments": [{"name": "a", "value": "1"}]},
            ShortcutUnusable,
            "different things",
        ),
        (
            {"name": "Shortcut", "shortcut": "Muddled", "arguments": [{"name": "a", "value": "1"}] * 2},
            NotAnAction,
            "twice",
        ),
    ],
)
def test_what_cannot_be_carried_out_says_why(written: dict[str, object], error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        read(written)


units = st.integers(0, 999)
texts = st.text(min_size=1, max_size=50)
written_actions = st.one_of(
    st.builds(lambda x, y: {"name": "Tap", "x": x, "y": y}, units, units),
    st.builds(lambda x, y: {"name": "Long_Press", "x": x, "y": y}, units, units),
    st.builds(
        lambda x1, y1, y2: {"name": "Swipe", "x1": x1, "y1": y1, "x2": (x1 + 1) % 1000, "y2": y2}, units, units, units
    ),
    st.builds(lambda text, clear: {"name": "Type", "text": text, "clear": clear}, texts, st.booleans()),
    st.builds(lambda x, s: {"name": "Long_Press", "x": x, "y": x, "seconds": s}, units, st.integers(1, 5)),
    st.builds(lambda s: {"name": "Wait", "seconds": s}, st.integers(1, 30).filter(lambda s: s != 3)),
    st.sampled_from(["Enter", "Switch_App", "Back", "Home", "Wait", "Stop"]).map(lambda name: {"name": name}),
    st.builds(lambda x, y, text: search(x=str(x), y=str(y), text=text), units, units, texts),
)


@given(written_actions)
def test_the_history_shows_an_action_as_the_model_wrote_it(written: dict[str, object]) -> None:
    assert write_action(read(written), QWEN3, SIZE, SHORTCUTS) == written


def test_a_shortcut_that_is_known_no_more_is_shown_with_its_values() -> None:
    action = actions.RunShortcut(shortcut="Gone", arguments={"x": 7})
    assert write_action(action, QWEN3, SIZE, ())["arguments"] == [{"name": "x", "value": "7"}]


ELEMENTS = tuple(
    Element(kind="text", box=Box(x1=x, y1=10, x2=x + 20, y2=30), content=str(x), confidence=1.0) for x in (0, 100, 990)
)


def test_an_element_is_tapped_by_its_number() -> None:
    for number, x in ((1, 10), (2, 110), (3, 999)):
        reply = REPLY.validate_json(json.dumps({"name": "Tap_Element", "number": number}))
        assert read_action(reply, QWEN3, SIZE, SHORTCUTS, ELEMENTS) == actions.Tap(x=x, y=20)


@pytest.mark.parametrize(
    ("elements", "reason"), [(ELEMENTS, "no element 4; the list has 1 to 3"), ((), "no elements were listed")]
)
def test_a_number_that_is_not_in_the_list_is_no_action(elements: tuple[Element, ...], reason: str) -> None:
    reply = REPLY.validate_json('{"name": "Tap_Element", "number": 4}')
    with pytest.raises(NotAnAction, match=reason):
        read_action(reply, QWEN3, SIZE, SHORTCUTS, elements)
