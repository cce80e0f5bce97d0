"""v1's prompts: one chat that is only added to, its pictures made again from content ids, its replies in each form."""

from __future__ import annotations

import json
from typing import Any

import cv2
import numpy as np
import pytest

from manyhands.actors.frames import ModelImage, content_id, encode_jpeg, make_jpeg
from manyhands.actors.mllm import ModelSettings, Prompt, dialect_named, parse
from manyhands.actors.mllm.formats import FORMATS, OutputFormat
from manyhands.actors.mllm.request.actions import read_action
from manyhands.actors.mllm.request.bodies import messages_of, recorded_body, wire_body
from manyhands.actors.profiles.v1.agent import ChatAgent
from manyhands.actors.profiles.v1.requests import (
    ChatStep,
    ChoiceRequest,
    CompletionAnswer,
    CompletionRequest,
    OperateRequest,
)
from manyhands.actors.prompts import Prompts
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.profiles.v1 import ChooseReply, CompleteReply, OperateReply
from manyhands.protocol.roles.requests import Brief, ReplyContext
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, split_sections
from manyhands.protocol.screens.actions import Action, Back, ClickIcon, ClickText, Exit, OpenApp, PageDown, Type
from manyhands.protocol.screens.crops import parse_content_id
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Screenshot

DIALECT = dialect_named("qwen3-vl")
PACKAGE = "manyhands.actors.profiles.v1"
SIZE = Size(width=120, height=260)
BRIEF = Brief(goal="Save the note", hints="The button is below.")


def prompts(output: OutputFormat = "json") -> Prompts:
    return Prompts(DIALECT, output, PACKAGE, (OperateReply,))


def picture(number: int) -> ModelImage:
    rgb = np.random.default_rng(number).integers(0, 255, (SIZE.height, SIZE.width, 3), dtype=np.uint8)
    return ModelImage(content_id(rgb), encode_jpeg(rgb))


def shot(number: int) -> Screenshot:
    return Screenshot(content_id=picture(number).content_id, size=SIZE, serial="p", taken_at=0, capture_ms=0)


def step(number: int, shown: bool = True, answer: str = "", told: str = "", completion: str | None = None) -> ChatStep:
    return ChatStep(screenshot=shot(number), shown=shown, answer=answer, told=told, completion=completion)


def made(request: Any) -> list[ModelImage]:
    sources = {picture(number).content_id: picture(number) for number in range(10)}
    return [ModelImage(one.content_id, make_jpeg(sources[one.source].jpeg, one)) for one in request.pictures]


def prompt_of(request: Any, output: OutputFormat = "json") -> Prompt:
    return ChatAgent.prompt(prompts(output), request, made(request))


def operate(*chat: ChatStep) -> OperateRequest:
    return OperateRequest(brief=BRIEF, chat=chat)


def text_of(prompt: Prompt) -> str:
    return json.dumps(messages_of(prompt), ensure_ascii=False)


# ---------------------------------------------------------------------------- the chat
def test_the_system_text_has_the_goal_and_the_eight_operations() -> None:
    found = split_sections(prompt_of(operate(step(0))).system)
    assert (found[Section.GOAL], found[Section.HINTS]) == ("Save the note", "The button is below.")
    offered = [line.split("(")[0] for line in found[Section.ACTIONS].splitlines()]
    wanted = ["Open_App", "Click_Text", "Click_Icon", "Type", "Page_Up", "Page_Down", "Back", "Exit", "Stop"]
    assert offered == wanted
    assert "Click_Icon(description, position)" in found[Section.ACTIONS]
    assert "observation" in found[Section.FORMAT]
    assert "clear" not in found[Section.FORMAT]
    assert "Tap" not in found[Section.FORMAT]


def test_a_chat_is_only_added_to_while_no_picture_leaves() -> None:
    first = messages_of(prompt_of(operate(step(0))))
    second = messages_of(prompt_of(operate(step(0, answer="one"), step(1))))
    asked = CompletionRequest(brief=BRIEF, chat=(step(0, answer="one"), step(1, answer="stop")))
    third = messages_of(prompt_of(asked))
    whole = operate(step(0, answer="one"), step(1, answer="stop", completion="no"), step(2, told="Go on."))
    fourth = messages_of(prompt_of(whole))
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert fourth[: len(third)] == third
    assert [message["role"] for message in fourth] == ["system", "user"] + ["assistant", "user"] * 3
    assert [message["content"] for message in fourth if message["role"] == "assistant"] == ["one", "stop", "no"]
    assert "Go on." in json.dumps(fourth[-1])
    contents = [message["content"] for message in fourth if isinstance(message["content"], list)]
    shown = [part["uuid"] for content in contents for part in content if "uuid" in part]
    assert shown == [f"{picture(number).content_id}-half" for number in range(3)]


def test_a_picture_that_has_left_is_said_to_be_missing_and_all_before_it_stays() -> None:
    chat = [step(0, shown=False, answer="one"), step(1, shown=False, answer="two"), step(2, answer="three"), step(3)]
    made_of = prompt_of(operate(*chat))
    assert len(made_of.images) == 2
    assert str(made_of.content).count("left out") == 1
    assert "left out" in str(made_of.turns[0].content)
    assert "left out" not in str(made_of.turns[1].content)


def test_a_choice_shows_crops_after_the_agents_own_words() -> None:
    places = tuple(
        Element(kind="text", box=Box(x1=x, y1=100, x2=x + 20, y2=112), content="Save", confidence=1) for x in (5, 90)
    )
    request = ChoiceRequest(brief=BRIEF, screenshot=shot(0), answer="I click it", words="Save ###", places=places)
    prompt = prompt_of(request)
    assert [image.content_id.split("-", 2)[1] for image in prompt.images] == ["crop", "crop"]
    (turn,) = prompt.turns
    assert turn.answer == "I click it"
    assert isinstance(turn.content[0], ModelImage)
    assert "stands on the screen 2 times" in str(turn.content[-1])
    known = request.reply_context
    assert ChatAgent.read(ChooseReply(thought="", choice="2"), known, DIALECT).number == 2
    with pytest.raises(ReplyUnusable, match="there is no place 3; there are 2"):
        ChatAgent.read(ChooseReply(thought="", choice="3"), known, DIALECT)


def test_pictures_are_made_again_byte_for_byte_from_content_ids() -> None:
    request = operate(step(0, shown=False, answer="one"), step(1, answer="two"), step(2))
    prompt = prompt_of(request)
    recorded = recorded_body(ModelSettings(urls=("http://m/v1",), model="m"), Role.DECIDE, OperateReply, prompt)
    sent = wire_body(recorded, {image.content_id: image.jpeg for image in prompt.images})
    sources = {picture(number).content_id: picture(number).jpeg for number in range(3)}
    named = [parse_content_id(image.content_id) for image in prompt.images]
    again = {one.content_id: make_jpeg(sources[one.source], one) for one in named}
    assert wire_body(recorded, again) == sent
    half = cv2.imdecode(np.frombuffer(prompt.images[0].jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert half is not None
    assert half.shape[:2] == (130, 60)


# ---------------------------------------------------------------------------- replies, in each form
def ours(**action: Any) -> str:
    return json.dumps({"observation": "o", "thought": "t", "action": action})


def under_headers(action: str) -> str:
    return f"### Observation ###\no\n### Thought ###\nt\n### Action ###\n{action}"


def called(**arguments: Any) -> str:
    call = json.dumps({"name": "mobile_use", "arguments": arguments})
    return f"Observation: o\nThought: t\n<tool_call>\n{call}\n</tool_call>"


BELL = ClickIcon(icon="a red bell", position="top right")
FORMS: list[tuple[str, Action]] = [
    (ours(name="Click_Icon", description="a red bell", position="top right"), BELL),
    (ours(name="Click_Icon", description="a red bell", position="right, top"), BELL),
    (ours(name="Page_Down"), PageDown()),
    (ours(name="Type", text="milk\n"), Type(text="milk\n")),
    (under_headers('{"name": "Exit", "arguments": null}'), Exit()),
    (under_headers('Click_Text("Save")'), ClickText(text="Save")),
    ('Observation: o\nThought: t\nAction: Open_App("Notes")', OpenApp(app="Notes")),
    (called(action="click_text", text="Save"), ClickText(text="Save")),
    (called(action="click_icon", text="a red bell", position="top right"), BELL),
    (called(action="system_button", button="Back"), Back()),
]


@pytest.mark.parametrize(("text", "action"), FORMS)
def test_operations_are_read_in_each_form(text: str, action: Action) -> None:
    reply = parse(OperateReply, text)
    assert (reply.observation, reply.thought) == ("o", "t")
    assert read_action(reply.action, DIALECT, SIZE, ()) == action


@pytest.mark.parametrize(
    "text",
    [
        ours(name="Tap", x=1, y=2),
        ours(name="Click_Icon", description="x", position="nowhere"),
        ours(name="Click_Icon", description="x"),
        under_headers("Swipe(1, 2, 3, 4)"),
        called(action="click", coordinate=[1, 2]),
    ],
)
def test_what_is_no_operation_is_refused(text: str) -> None:
    with pytest.raises(ReplyUnusable):
        parse(OperateReply, text)


@pytest.mark.parametrize("output", FORMATS)
def test_the_other_two_questions_are_read_in_each_form(output: OutputFormat) -> None:
    asked = CompletionRequest(brief=BRIEF, chat=(step(0, answer="stop"),))
    said = text_of(prompt_of(asked, output))
    if output == "headers":
        assert "### Status ### complete or incomplete" in said
        reply = parse(CompleteReply, "### Thought ###\nt\n### Status ###\nincomplete\n### Description ###\nthe title")
        choice = parse(ChooseReply, "### Thought ###\nt\n### Answer ###\n2")
    else:
        reply = parse(CompleteReply, '{"thought": "t", "status": "incomplete", "missing": "the title"}')
        choice = parse(ChooseReply, '{"thought": "t", "choice": "2"}')
    read = ChatAgent.read(reply, ReplyContext(size=SIZE), DIALECT)
    assert read == CompletionAnswer(thought="t", complete=False, missing="the title")
    assert choice.choice == "2"


def test_the_tool_has_what_the_operations_need_and_no_more() -> None:
    system = prompt_of(operate(step(0)), "tool_call").system
    tool = next(json.loads(line)["function"] for line in system.splitlines() if line.startswith('{"type"'))
    properties = tool["parameters"]["properties"]
    assert list(properties) == ["action", "text", "position", "button", "status"]
    words = ["type", "system_button", "open", "terminate", "click_text", "click_icon", "page_up", "page_down", "exit"]
    assert properties["action"]["enum"] == words
    assert properties["button"]["enum"] == ["Back"]
    assert "coordinate" not in system
    assert "Observation" in system
