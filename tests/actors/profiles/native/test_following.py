"""Several actions of one reply: each is sent by itself, and the first doubt drops the rest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.memory import ShortcutUnusable
from manyhands.actors.mllm import ModelSettings
from manyhands.actors.mllm.formats import format_body
from manyhands.actors.mllm.parse.replies import parse
from manyhands.actors.mllm.request.actions import NotAnAction
from manyhands.actors.mllm.request.dialects import DIALECTS
from manyhands.actors.profiles.native import PROFILE
from manyhands.actors.profiles.native.agent import NativeAgent
from manyhands.evaluation.episode_view import StepView
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.journals.records import Acted, ActionReceived, ActionSent, Record, Reflected
from manyhands.protocol.profiles.native import NativeFirstReply
from manyhands.protocol.roles.replies import with_following
from manyhands.protocol.roles.requests import Decision, ReplyContext
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Action, Back, ClickText, Enter, OpenApp, Stop, Tap, Type, Wait
from manyhands.protocol.screens.geometry import Box, Size
from tests.actors.episode.test_shortcuts import FindingWorld
from tests.actors.episode.world import SEARCH, SIZE, order
from tests.actors.profiles.native.world import NativeWorld
from tests.virtual_clock import run_virtual

FIELD, ON_TEXT = Tap(x=50, y=100), Tap(x=10, y=25)
TEXT_BOX = Box(x1=0, y1=20, x2=40, y2=30)
"""Where perception reads a text on each screen."""
WRITE = (Type(text="tea", clear=True), Enter())


@dataclass
class FormWorld(NativeWorld, FindingWorld):
    """Screens f0, f1, f2, ...: each action leads to the next one, and a text is read at one place."""


def move(screen: str, action: Action) -> str:
    return f"f{int(screen[1:]) + 1}"


def form(*following: Any, first: Action = FIELD, **more: Any) -> FormWorld:
    """A world in which the agent answers on f0 with several actions, and stops on the next screen that it is shown."""
    told: dict[str, Any] = {"keyboard": lambda name: "shown", "moves": move, "place": TEXT_BOX, **more}
    return FormWorld(
        screen="f0",
        acts=lambda name: first if name == "f0" else Stop(),
        follows=lambda name: following if name == "f0" else (),
        **told,
    )


def play(world: NativeWorld, **settings: Any) -> tuple[EpisodeResult, list[Record]]:
    asked = order(profile="native", **{"without": ("planner",), **settings})
    return run_virtual(world.host().run_episode(asked)), list(world.written(asked.episode))


def sent(journal: list[Record]) -> list[str]:
    return [one.action.name for one in journal if isinstance(one, ActionSent) and one.step == 0]


def acted(journal: list[Record]) -> Acted:
    return next(one for one in journal if isinstance(one, Acted) and one.step == 0)


def test_a_reply_taps_types_and_presses_enter() -> None:
    world = form(*WRITE)
    result, journal = play(world)
    assert (result.ending, result.steps, sent(journal)) == (Ending.FINISHED, 2, ["Tap", "Type", "Enter"])
    assert (acted(journal).problem, acted(journal).dropped, world.screen) == (None, "", "f3")
    keys = [one.key for one in journal if isinstance(one, ActionSent)]
    assert len(set(keys)) == 3
    assert [one.receipt.key for one in journal if isinstance(one, ActionReceived)] == keys
    assert world.unwritten == []
    assert world.asked_to_act[-1].steps[-1].asks_verdict


DOUBTS: dict[str, tuple[FormWorld, list[str], str]] = {
    "nothing changed": (
        form(ClickText(text="Wi-Fi"), moves=lambda screen, action: screen),
        ["Tap"],
        "Nothing on the screen changed",
    ),
    "no keyboard": (form(*WRITE, keyboard=lambda name: "hidden"), ["Tap"], "the keyboard is not shown"),
    "the keyboard leaves": (
        form(*WRITE, keyboard=lambda name: "shown" if name == "f1" else "hidden"),
        ["Tap", "Type"],
        "the keyboard is not shown",
    ),
    "the phone does not tell": (form(*WRITE, keyboard=lambda name: "unknown"), ["Tap"], "the keyboard is not shown"),
    "the words are gone": (form(ClickText(text="Wi-Fi"), finds=lambda screen, query: 0), ["Tap"], "is not on the"),
    "the words stand twice": (form(ClickText(text="Wi-Fi"), finds=lambda screen, query: 2), ["Tap"], "2 times"),
    "the target is gone": (form(ON_TEXT, finds=lambda screen, query: 0), ["Tap"], "is not where it was"),
    "the target stands twice": (form(ON_TEXT, finds=lambda screen, query: 2), ["Tap"], "is not where it was"),
    "the target has moved": (form(ON_TEXT, place=Box(x1=0, y1=60, x2=40, y2=70)), ["Tap"], "is not where it was"),
    "nothing names the target": (form(Tap(x=90, y=190)), ["Tap"], "no text that has been read"),
    "an app is opened first": (form(*WRITE, first=OpenApp(app="Notes")), ["Open_App"], "the screen after Open_App"),
    "a page is left in between": (form(Back(), Enter()), ["Tap"], "between Tap and Back"),
    "the end of the task follows": (form(Stop()), ["Tap"], "between Tap and Stop"),
    "a pause follows": (form(Wait(seconds=1)), ["Tap"], "between Tap and Wait"),
}


@pytest.mark.parametrize("case", DOUBTS)
def test_the_first_doubt_drops_the_rest_and_asks_again(case: str) -> None:
    world, atoms, why = DOUBTS[case]
    _, journal = play(world)
    assert sent(journal) == atoms
    assert why in acted(journal).dropped
    assert acted(journal).problem is None
    told = world.asked_to_act[1].steps[1].told
    following = world.follows("f0")
    assert f"Of your last {1 + len(following)} actions the first {len(atoms)} were done" in told


def test_pages_tell_what_was_to_follow_and_why_it_was_not_sent() -> None:
    whole = StepView(0, decision=Decision(thought="", action=FIELD, then=WRITE, expectation=""))
    assert whole.action == "Tap (50, 100), then Type “tea”, then Enter"
    whole.dropped = "the keyboard is not shown."
    assert whole.action.endswith("Enter; not all was sent: the keyboard is not shown.")


def test_another_app_in_front_drops_the_rest() -> None:
    world = form(*WRITE)

    def leave(screen: str, action: Action) -> str:
        world.app = "org.other"
        return move(screen, action)

    world.moves = leave
    _, journal = play(world)
    assert sent(journal) == ["Tap"]
    assert "another app is in front now: org.other" in acted(journal).dropped


def test_a_tap_that_changes_nothing_leads_no_text_into_another_field() -> None:
    world = form(Type(text="tea", clear=True), moves=lambda screen, action: screen)
    _, journal = play(world, without=("planner",), task={"limits": {"max_steps": 1}})
    assert sent(journal) == ["Tap"]
    assert "nothing shows that the tap has moved to another field" in acted(journal).dropped


def test_a_dialog_over_the_page_drops_the_next_tap() -> None:
    world = form(ON_TEXT, covered=lambda name: name == "f1")
    _, journal = play(world)
    assert sent(journal) == ["Tap"]
    assert "a dialog lies over the page" in acted(journal).dropped


def test_a_refused_follower_leaves_what_was_done_as_it_is() -> None:
    world = form(*WRITE, refuses={"Type": "the field takes no text"})
    _, journal = play(world)
    assert (acted(journal).problem, sent(journal)) == (None, ["Tap", "Type"])
    assert "the field takes no text" in acted(journal).dropped
    assert "the first 1 were done" in world.asked_to_act[1].steps[1].told


def test_equal_taps_with_other_texts_are_no_repetition() -> None:
    texts = iter("abcdefgh")
    world = form(moves=lambda screen, action: "f0" if screen != "f0" else "f1", says=lambda name: Outcome.B)
    world.acts = lambda name: FIELD
    world.follows = lambda name: (Type(text=next(texts)), Enter())
    result, _ = play(world, task={"limits": {"max_steps": 5, "max_failures": 9, "max_repeats": 3}})
    assert result.ending is Ending.STEP_LIMIT


def test_a_target_that_is_still_at_its_place_is_tapped() -> None:
    world = form(ON_TEXT, ClickText(text="Bluetooth"))
    _, journal = play(world)
    assert sent(journal) == ["Tap", "Tap", "Tap"]
    assert world.looked == [("f1", "f0"), ("f2", "Bluetooth")]


def test_the_model_judges_all_of_them_together() -> None:
    world = form(*WRITE, says=lambda name: Outcome.B)
    _, journal = play(world)
    (verdict,) = [one.reflection for one in journal if isinstance(one, Reflected) and one.step == 0]
    assert (verdict.outcome, verdict.made_by) == (Outcome.B, "model")


def test_a_place_outside_the_screen_sends_nothing() -> None:
    world = form(Tap(x=SIZE.width, y=1))
    _, journal = play(world)
    assert sent(journal) == []
    assert "lies outside the screen" in (acted(journal).problem or "")


# ---------------------------------------------------------------------------- the reply
ONE = {"notes": "", "thought": "t", "action": {"name": "Tap", "x": 1, "y": 2}, "expectation": "e"}
SEVERAL = with_following(NativeFirstReply, 3)


@pytest.mark.parametrize(
    ("output", "most", "asks"), [("json", 3, True), ("json", 1, False), ("tool_call", 3, False), ("native", 3, False)]
)
def test_only_our_json_asks_for_several(output: str, most: int, asks: bool) -> None:
    episodes = order(profile="native", actions_per_call=most).settings
    roles = PROFILE.role_settings(episodes, ModelSettings(urls=("http://model/v1",), output=output))
    (reply, *_) = roles.offered_replies
    assert ('"then": [ACTION, ...]' in format_body(reply, "json", Size(width=9, height=9))) is asks
    assert ("then" in reply.model_json_schema()["properties"]) is asks


@pytest.mark.parametrize("then", [None, [], ["Enter"], [{"name": "Type", "text": "tea"}, {"name": "Enter"}]])
def test_further_actions_are_read_with_the_first(then: Any) -> None:
    reply = parse(SEVERAL, json.dumps({**ONE, "then": then}))
    assert [one.name for one in reply.following] == [one if isinstance(one, str) else one["name"] for one in then or ()]


@pytest.mark.parametrize("then", ["Enter", 3, {"name": "Enter"}, [7], ["Enter"] * 3, [{"name": "Nothing"}]])
def test_what_is_no_list_of_a_few_actions_is_refused(then: Any) -> None:
    with pytest.raises(ReplyUnusable):
        parse(SEVERAL, json.dumps({**ONE, "then": then}))


@given(st.text(max_size=40), st.integers(0, 400))
def test_a_damaged_reply_holds_few_and_known_actions_or_none(noise: str, at: int) -> None:
    whole = json.dumps({**ONE, "then": [{"name": "Type", "text": "tea"}, {"name": "Enter"}]})
    damaged = whole[:at] + noise + whole[at + len(noise) :]
    try:
        reply = parse(SEVERAL, damaged)
    except ReplyUnusable:
        return
    assert len(reply.following) <= 2
    assert all(one.name in SEVERAL.actions.specs for one in (reply.action, *reply.following) if one.name != "Shortcut")


@pytest.mark.parametrize(
    "call", [{"name": "Shortcut", "shortcut": "Search", "arguments": []}, {"name": "Ask_Person", "text": "Sign in."}]
)
def test_a_question_or_a_shortcut_follows_nothing(call: dict[str, Any]) -> None:
    reply = SEVERAL.model_validate({**ONE, "then": [call]})
    context = ReplyContext(size=SIZE, shortcuts=(SEARCH.model_copy(update={"arguments": ()}),))
    with pytest.raises((NotAnAction, ShortcutUnusable)):
        NativeAgent.read(reply, context, DIALECTS["qwen3-vl"])
