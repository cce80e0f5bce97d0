"""The bare model: one question a step, by goal, screenshot and its own history."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import dialect_named, parse
from manyhands.actors.mllm.formats import OutputFormat
from manyhands.actors.mllm.request.actions import read_action
from manyhands.actors.profiles.bare import BareOperator, BareRequest, OwnAction
from manyhands.actors.prompts import Prompts
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.profiles.bare import BareReply
from manyhands.protocol.roles.requests import Brief, Decision
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, split_sections
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import ATOMS, Action, Back, Stop, Tap, Type
from manyhands.protocol.screens.geometry import Size
from tests.actors.episode.world import CALL, SIZE, World, decided, order, tap
from tests.actors.roles import examples
from tests.virtual_clock import run_virtual


@dataclass
class Model:
    chosen: list[Action | str]
    asked: list[BareRequest] = field(default_factory=list)

    async def answer(self, request: BareRequest, context: CallContext, *images: ModelImage) -> Answered[Decision]:
        (image,) = images
        assert image.content_id == request.screenshot.content_id
        self.asked.append(request)
        action = self.chosen[len(self.asked) - 1]
        return Answered[Decision](value=decided(action, "so", expectation="on"), calls=(CALL,))


def play(model: Model, world: World, **chosen: Any) -> EpisodeResult:
    collaborators = replace(world.collaborators(), agents={Role.DECIDE: model})
    host = EpisodeHost(HostSettings(), collaborators, world.clock)
    return run_virtual(host.run_episode(order(profile="bare", **chosen)))


def test_it_acts_until_it_stops_and_is_told_what_it_did_alone() -> None:
    world, model = World(), Model([tap(0), "not a valid action: nothing", tap(1), Stop()])
    result = play(model, world)
    assert (result.ending, result.steps, world.screen) == (Ending.FINISHED, 4, "s2")
    assert world.count["perceive"] == 0
    assert model.asked[3].history == (
        OwnAction(step=0, action=tap(0), expectation="on"),
        OwnAction(step=1, action=None, expectation="on", problem="not a valid action: nothing"),
        OwnAction(step=2, action=tap(1), expectation="on"),
    )


def test_on_a_real_phone_the_policy_reads_the_screens_that_the_model_does_not() -> None:
    label = {"s1": "Pay now"}
    world, model = World(product="shiba", label=lambda at: label.get(at, "")), Model([tap(0), tap(1), Stop()])
    result = play(model, world)
    assert (result.ending, world.screen) == (Ending.FINISHED, "s1")
    assert world.count["perceive"] == 2


def test_limits_end_it() -> None:
    assert play(Model([Back()] * 9), World(moves=lambda at, _: at)).ending is Ending.FAILURE_LIMIT
    assert play(Model(["no"] * 9), World(), paper_exact=True).ending is Ending.UNUSABLE_REPLY
    off = Model([Tap(x=SIZE.width, y=5)] * 9)
    assert "lies outside the screen" in play(off, World()).reason


def test_its_prompt_has_the_goal_the_picture_and_its_history() -> None:
    history = (
        OwnAction(step=0, action=Tap(x=540, y=1200), expectation="open | it"),
        OwnAction(step=1, action=None, expectation=""),
    )
    request = BareRequest(brief=Brief(goal="Save"), screenshot=examples.decide_request().screenshot, history=history)
    prompt = BareOperator.prompt(prompts(), request, [examples.BEFORE])
    assert prompt.images == (examples.BEFORE,)
    found = split_sections(f"{prompt.system}\n{examples.text_of(prompt)}")
    wanted = [
        Section.ACTIONS,
        Section.FORMAT,
        Section.GOAL,
        Section.HINTS,
        Section.SCREEN,
        Section.HISTORY,
        Section.TASK,
    ]
    assert list(found) == wanted
    first, second = found[Section.HISTORY].splitlines()
    assert first.endswith("| expected: open / it")
    assert second == "Step 1 | null | expected: none"
    assert "Tap_Element" not in prompt.system
    assert "Shortcut" not in prompt.system


def prompts(output: OutputFormat = "json") -> Prompts:
    return Prompts(dialect_named("qwen3-vl"), output, "manyhands.actors.profiles.bare", (BareReply,))


def test_with_tool_calls_it_is_qwens_phone_tool() -> None:
    system = prompts("tool_call").system(Size(width=1080, height=2400))
    (tool,) = [json.loads(line)["function"] for line in system.splitlines() if line.startswith('{"type"')]
    assert tool["name"] == "mobile_use"
    words = ["click", "long_press", "swipe", "type", "system_button", "open", "wait", "answer", "terminate"]
    enum = tool["parameters"]["properties"]["action"]["enum"]
    assert enum[: len(words)] == words
    assert {*enum[len(words) :]} <= {name.lower() for name in ATOMS}, "what Qwen has no word for"
    assert tool["parameters"]["properties"]["button"]["enum"] == ["Back", "Home", "Menu", "Enter"]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('{"thought": "t", "action": {"name": "Tap", "x": 500, "y": 500}, "expectation": "e"}', Tap(x=540, y=1200)),
        ('### Thought ###\nt\n### Action ###\nType("hi")\n### Description ###\ne', Type(text="hi")),
        (
            'Thought: t\nAction: "e"\n<tool_call>\n'
            '{"name": "mobile_use", "arguments": {"action": "terminate", "status": "success"}}\n</tool_call>',
            Stop(),
        ),
    ],
)
def test_replies_are_read_in_each_form(text: str, action: Action) -> None:
    reply = parse(BareReply, text)
    assert (reply.thought, reply.expectation) == ("t", "e")
    size = Size(width=1080, height=2400)
    assert read_action(reply.action, dialect_named("qwen3-vl"), size, ()) == action


def test_elements_and_shortcuts_are_none_of_its_actions() -> None:
    for action in ({"name": "Tap_Element", "number": 1}, {"name": "Shortcut", "shortcut": "S", "arguments": []}):
        with pytest.raises(ReplyUnusable):
            parse(BareReply, json.dumps({"thought": "", "action": action, "expectation": ""}))
