"""A flow is carried out without a model, taps nothing that it cannot tell, and asks the agent or stops elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.actors.profiles.flow import PROFILE
from manyhands.actors.profiles.flow.targets import find_dismissal, match_target
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import ActionReceived, ActionSent, Reflected, StageResult
from manyhands.protocol.profiles.flow import FlowMove
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Action, Stop, Type
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Control, Element, Screen
from manyhands.protocol.tasks.flow import Target, drag
from tests.actors.episode.interruption import FATES, Fate, cut_after
from tests.actors.episode.world import SIZE, order
from tests.actors.profiles.flow.world import FlowWorld, Page, flow_order, play
from tests.virtual_clock import run_virtual

PAGES = {
    "s0": Page(["Home"], {"Notes": "list"}),
    "list": Page(["Notes", "Shopping", "New note"], {"New note": "form"}),
    "form": Page(["New note form", "Title", "Send"], {"Title": "typing"}),
    "typing": Page(["New note form", "Title", "Send"], typed_to="filled", keyboard=True),
    "filled": Page(["New note form", "Milk", "Send"], {"Send": "sent"}, keyboard=True),
    "sent": Page(["Notes", "Sent"]),
}
FLOW: dict[str, Any] = {
    "steps": [
        {"action": {"name": "Open_App", "app": "Notes"}},
        {"before": {"shows": ["Notes", "Shopping"]}, "action": {"name": "Tap", "target": {"text": "New note"}}},
        {"before": {"shows": ["New note form"]}, "action": {"name": "Tap", "target": {"text": "Title"}}},
        {"before": {"keyboard": True}, "action": {"name": "Type", "text": "Milk"}},
        {
            "before": {"shows": ["New note form"], "keyboard": True},
            "action": {"name": "Tap", "target": {"text": "Send"}},
            "effects": ["send"],
        },
    ],
    "end": {"shows": ["Sent"]},
}
ALL = ["open Notes", "New note", "Title", "type Milk", "Send"]


def moves_of(world: FlowWorld) -> list[FlowMove]:
    (episode,) = world.on_disk
    results = (one.read(FlowMove) for one in world.written(episode) if isinstance(one, StageResult))
    return [move for move in results if move is not None]


def verdicts_of(world: FlowWorld) -> set[str]:
    (episode,) = world.on_disk
    return {one.reflection.outcome.value for one in world.written(episode) if isinstance(one, Reflected)}


def agent_calls(world: FlowWorld) -> int:
    return len(world.asked_to_act)


@pytest.mark.parametrize("schedule", ["serial", "overlap"])
def test_a_flow_needs_no_model(schedule: str) -> None:
    world = FlowWorld(pages=PAGES)
    result = play(world, FLOW, schedule=schedule)
    assert (result.ending, world.tapped, agent_calls(world)) == (Ending.FINISHED, ALL, 0)
    assert verdicts_of(world) == {"A"}


def changed(**pages: Page) -> dict[str, Page]:
    return {**PAGES, **pages}


def test_a_target_that_is_there_twice_is_never_tapped() -> None:
    world = FlowWorld(pages=changed(list=Page(["Notes", "Shopping", "New note", "New note"], {"New note": "form"})))
    result = play(world, FLOW, without=["agent"])
    assert (result.ending, world.tapped) == (Ending.DIVERGED, ["open Notes"])
    assert 'step 2 of 5: "New note" is on the screen 2 times' in result.reason


def test_the_neighbour_tells_equal_targets_apart() -> None:
    two = Page(["Notes", "Shopping", "New note", "Other", "New note"], {"New note": "form"})
    world, near = FlowWorld(pages=changed(list=two)), {"text": "New note", "near": "Other"}
    steps = [*FLOW["steps"]]
    steps[1] = {**steps[1], "action": {"name": "Tap", "target": near}}
    assert play(world, {**FLOW, "steps": steps}).ending is Ending.FINISHED
    assert agent_calls(world) == 0


def test_the_agent_does_what_the_flow_cannot_and_hands_back() -> None:
    world = FlowWorld(
        pages=changed(list=Page(["Notes", "Shopping", "Write one"], {"Write one": "form"})), taps={"list": "Write one"}
    )
    result = play(world, FLOW)
    assert (result.ending, world.tapped) == (Ending.FINISHED, ["open Notes", "Write one", *ALL[2:]])
    assert agent_calls(world) == 1
    (request,) = world.asked_to_act
    told = request.steps[-1].told
    assert 'The script cannot go on here, so you do: "New note" is not on the screen.' in told
    assert "A script did the action before this screen. Never do it again." in [step.told for step in request.steps]
    assert not request.steps[-1].asks_verdict
    assert verdicts_of(world) == {"A"}


def agent_of(world: FlowWorld, **actions: Action) -> None:
    """Let the agent do these actions on the pages of these names, and tap elsewhere."""
    tap = world.acts
    world.acts = lambda name: actions[name] if name in actions else tap(name)


def test_a_form_is_not_sent_before_it_has_what_the_flow_types() -> None:
    """The button of a later step is there all the time that the agent fills the form in."""
    pages = changed(
        list=Page(["Notes", "Shopping", "Write one"], {"Write one": "form"}),
        form=Page(["New note form", "Subject", "Send"], {"Subject": "typing"}),
        typing=Page(["New note form", "Subject", "Send"], typed_to="filled", keyboard=True),
    )
    world = FlowWorld(pages=pages, taps={"list": "Write one", "form": "Subject"})
    agent_of(world, typing=Type(text="Milk"))
    assert play(world, FLOW).ending is Ending.FINISHED
    assert world.tapped == ["open Notes", "Write one", "Subject", "type Milk", "Send"]
    assert agent_calls(world) == 3


def test_the_page_where_the_agent_began_proves_no_progress() -> None:
    """Else the flow would leave out the step that the agent has not finished yet."""
    pages = {
        "s0": Page(["Notes", "Milk", "Add"], scrolls_to="s1"),
        "s1": Page(["Notes", "Other draft", "Add"], {"Other draft": "s2"}),
        "s2": Page(["Delete it?", "Delete"], {"Delete": "s3"}),
        "s3": Page(["Notes", "Add"], {"Add": "s4"}),
        "s4": Page(["New note"]),
    }
    steps = [
        {"before": {"shows": [page]}, "action": {"name": "Tap", "target": {"text": text}}}
        for page, text in (("Notes", "Old draft"), ("Delete it?", "Delete"), ("Notes", "Add"))
    ]
    world = FlowWorld(pages=pages, taps={"s1": "Other draft", "s3": "Add"})
    agent_of(world, s0=drag("up", SIZE), s4=Stop())
    assert play(world, {"steps": steps, "end": {"shows": ["New note"]}}).ending is Ending.FINISHED
    assert world.tapped == ["swipe", "Other draft", "Delete", "Add"]


@pytest.mark.parametrize("told", ["at 10:15", "at 11:30"])
def test_what_was_read_on_another_screen_is_typed_only_where_it_is_shown(told: str) -> None:
    steps = [dict(step) for step in FLOW["steps"]]
    steps[3]["reads"] = ["at 10:15"]
    pages = changed(list=Page(["Notes", "Shopping", told, "New note"], {"New note": "form"}))
    world = FlowWorld(pages=pages, taps={"filled": "Send"})
    agent_of(world, typing=Type(text="Bread"), sent=Stop())
    result = play(world, {**FLOW, "steps": steps})
    is_shown = told == "at 10:15"
    assert (result.ending, agent_calls(world)) == (Ending.FINISHED, 0 if is_shown else 3)
    assert world.tapped[3:] == ["type Milk" if is_shown else "type Bread", "Send"]


def test_without_an_agent_it_stops_and_says_why() -> None:
    world = FlowWorld(pages=changed(list=Page(["Notes", "Shopping", "Write one"], {"Write one": "form"})))
    result = play(world, FLOW, without=["agent"])
    assert (result.ending, world.tapped, agent_calls(world)) == (Ending.DIVERGED, ["open Notes"], 0)
    assert '"New note" is not on the screen' in result.reason


def test_a_screen_that_loads_is_waited_for() -> None:
    world = FlowWorld(pages=changed(list=Page(["Loading"], waits_to="ready"), ready=PAGES["list"]))
    assert play(world, FLOW, without=["agent"]).ending is Ending.FINISHED
    assert [move.kind for move in moves_of(world)].count("wait") == 1
    assert world.tapped == ALL


@pytest.mark.parametrize("word", ["Not now", "Don't allow", "稍后"])
def test_a_known_request_is_closed(word: str) -> None:
    popup = Page(["Rate this app?", "Rate", word], {word: "list"})
    world = FlowWorld(pages=changed(s0=Page(["Home"], {"Notes": "popup"}), popup=popup))
    assert play(world, FLOW, without=["agent"]).ending is Ending.FINISHED
    assert world.tapped == [ALL[0], word, *ALL[1:]]


@pytest.mark.parametrize(("kind", "is_found"), [("Button", True), ("LinearLayout", False)])
def test_a_row_of_a_list_with_the_words_of_a_button_is_none(kind: str, is_found: bool) -> None:
    box = Box(x1=5, y1=5, x2=60, y2=15)
    later = Element(kind="text", box=box, content="Later", confidence=1, control=Control(kind=kind, box=box))
    screen = Screen(content_id="0" * 32, size=SIZE, elements=(later,), keyboard="hidden")
    assert find_dismissal(screen) == (later if is_found else None)


def test_a_page_of_its_own_is_no_request() -> None:
    page = Page(["Notes", "Shopping", "Later"], {"Later": "s0"})
    world = FlowWorld(pages=changed(list=page))
    assert play(world, FLOW, without=["agent"]).ending is Ending.DIVERGED
    assert world.tapped == ["open Notes"]


def test_a_keyboard_in_the_way_is_closed() -> None:
    covered = Page(["Notes", "Shopping"], {"back": "list"}, keyboard=True)
    world = FlowWorld(pages=changed(s0=Page(["Home"], {"Notes": "covered"}), covered=covered))
    assert play(world, FLOW, without=["agent"]).ending is Ending.FINISHED
    assert world.tapped == [ALL[0], "back", *ALL[1:]]


def test_another_page_with_the_same_button_is_not_touched() -> None:
    other = Page(["Calendar", "New note"], {"New note": "form"})
    world = FlowWorld(pages=changed(list=other))
    result = play(world, FLOW, without=["agent"])
    assert (result.ending, world.tapped) == (Ending.DIVERGED, ["open Notes"])


@pytest.mark.parametrize("is_on", [False, True])
def test_a_switch_that_is_on_already_is_not_switched_off(is_on: bool) -> None:
    pages = {
        "s0": Page(["Display", "Dark mode"], {"Dark mode": "s1"}, switches={"Dark mode": is_on}),
        "s1": Page(["Display", "Dark mode"], switches={"Dark mode": True}),
    }
    target = {"text": "Dark mode", "checked": False}
    flow = {"steps": [{"before": {"shows": ["Display"]}, "action": {"name": "Tap", "target": target}}]}
    world = FlowWorld(pages=pages)
    result = play(world, flow, without=["agent"])
    assert world.tapped == ([] if is_on else ["Dark mode"])
    assert result.ending is (Ending.DIVERGED if is_on else Ending.FINISHED)


def test_a_target_further_down_is_looked_for() -> None:
    pages = {
        "s0": Page(["Contacts", "Anna"], scrolls_to="s1"),
        "s1": Page(["Contacts", "Max"], scrolls_to="s2"),
        "s2": Page(["Contacts", "Zoe"], {"Zoe": "s3"}),
        "s3": Page(["Zoe", "Call"]),
    }
    step = {
        "before": {"shows": ["Contacts"]},
        "action": {"name": "Tap", "target": {"text": "Zoe"}},
        "search": "up",
    }
    world = FlowWorld(pages=pages)
    assert play(world, {"steps": [step], "end": {"shows": ["Call"]}}, without=["agent"]).ending is Ending.FINISHED
    assert world.tapped == ["swipe", "swipe", "Zoe"]


def test_the_end_of_a_list_ends_the_search() -> None:
    step = {"action": {"name": "Tap", "target": {"text": "Zoe"}}, "search": "up"}
    world = FlowWorld(pages={"s0": Page(["Contacts", "Anna"])})
    assert play(world, {"steps": [step]}, without=["agent"]).ending is Ending.DIVERGED
    assert world.tapped == ["swipe"]


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("last", range(len(ALL)))
@pytest.mark.parametrize("kind", [ActionSent, ActionReceived])
def test_an_interrupted_flow_does_no_step_twice(kind: type[Any], last: int, fate: Fate) -> None:
    """Whatever became of the action: only one that certainly never began is sent once more."""
    world, given = FlowWorld(pages=PAGES), flow_order(FLOW)
    run_virtual(world.host().run_episode(given))
    count = iter(range(100))
    resumed = cut_after(world, given, lambda record: isinstance(record, kind) and next(count) == last, fate)
    done = last + 1 if kind is ActionReceived or fate in ("done", "perhaps") else last
    world.screen = ["s0", "list", "form", "typing", "filled", "sent"][done]
    world.tapped = ALL[:done]
    run_virtual(world.host().run_episode(resumed))
    assert world.tapped.count("Send") <= 1
    assert all(world.tapped.count(text) <= 1 for text in ALL)


def test_a_task_without_a_flow_is_the_agents() -> None:
    pages = {"s0": Page(["Start"], {"Start": "s1"}), "s1": Page(["End"])}
    world = FlowWorld(pages=pages, taps={"s0": "Start"})
    tap = world.acts
    world.acts = lambda name: tap(name) if name == "s0" else Stop()
    result = run_virtual(world.host().run_episode(order(profile="flow", elements="vision")))
    assert (result.ending, world.tapped, agent_calls(world)) == (Ending.FINISHED, ["Start"], 2)


@pytest.mark.parametrize(("version", "said"), [("11", 1), ("10", 0), (None, 0)])
def test_an_app_of_another_version_is_told_once(
    version: str | None, said: int, caplog: pytest.LogCaptureFixture
) -> None:
    world = FlowWorld(pages=PAGES, app="org.example", app_version=version)
    assert play(world, {**FLOW, "versions": {"org.example": "10"}}).ending is Ending.FINISHED
    told = [move.other_version for move in moves_of(world) if move.other_version]
    assert told == ["org.example has version 11, and the flow was made for version 10"] * said
    assert caplog.messages == [f"run-task-1: {text}" for text in told]


def test_a_run_without_an_agent_asks_no_model_and_does_no_task_without_a_flow() -> None:
    settings = EpisodeSettings(profile="flow", without=("agent",))
    assert not PROFILE.agents(settings)
    world = FlowWorld(pages=PAGES)
    given = order(profile="flow", elements="accessibility", without=["agent"])
    result = run_virtual(world.host().run_episode(given))
    assert (result.ending, world.tapped, agent_calls(world)) == (Ending.DIVERGED, [], 0)
    assert "the task has no flow" in result.reason


def test_the_place_where_a_flow_stops_is_in_the_journal() -> None:
    world = FlowWorld(pages={**PAGES, "list": Page(["Notes", "Shopping"])})
    assert play(world, FLOW, without=["agent"]).ending is Ending.DIVERGED
    last = moves_of(world)[-1]
    assert (last.kind, last.step, last.reason) == ("agent", 1, '"New note" is not on the screen')


def test_a_target_of_the_other_kind_is_named() -> None:
    icon = Element(kind="icon", content="Add", confidence=1.0, box=Box(x1=10, y1=10, x2=60, y2=60))
    screen = Screen(content_id="0" * 32, size=SIZE, elements=(icon,), keyboard="hidden")
    assert match_target(Target(text="Add"), screen).problem.endswith("as text; there is one of 'kind: icon'")
    assert match_target(Target(text="Add", kind="icon"), screen).point is not None


def test_an_element_is_not_covered_by_its_own_control() -> None:
    control = Control(kind="Button", box=Box(x1=10, y1=10, x2=60, y2=60))
    box = Box(x1=10, y1=10, x2=60, y2=61)
    label = Element(kind="text", content="Save", confidence=1.0, box=box, control=control)
    screen = Screen(content_id="0" * 32, size=SIZE, elements=(label,), keyboard="hidden")
    assert match_target(Target(text="Save"), screen).point is not None
