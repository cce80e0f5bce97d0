"""The rehearsed model in the form of UI-Venus-2: it reads the agent's chat, and the parser reads its replies."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from manyhands.actors.mllm import parse
from manyhands.actors.mllm.native import NATIVE_FORMS
from manyhands.actors.mllm.request.bodies import ChatTurn, Prompt, add_repair_turn, messages_of
from manyhands.actors.mllm.vocabulary import UI_VENUS
from manyhands.protocol.profiles.native import NativeFirstReply, NativeReply
from manyhands.protocol.roles.replies import in_form
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.family_form import VENUS, in_family_form, in_our_form
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.request import ModelRequest, parse_request
from tests.actors.mllm.native.example_chat import GOAL, chat_at

ACTIONS: list[dict[str, Any]] = [
    {"name": "Tap", "x": 5, "y": 6},
    {"name": "Long_Press", "x": 5, "y": 6},
    {"name": "Swipe", "x1": 1, "y1": 2, "x2": 3, "y2": 4},
    {"name": "Type", "text": 'it\'s "5" \\ (a)\nb', "clear": True},
    {"name": "Open_App", "app": "Settings"},
    {"name": "Answer", "text": "5"},
    *({"name": name} for name in ("Wait", "Back", "Home", "Enter", "Switch_App", "Stop")),
]
PROMPT = NATIVE_FORMS["ui-venus-2"].render(chat_at("ui-venus-2", 0))


def asked(prompt: Prompt) -> ModelRequest:
    """The request that the model reads, without pictures."""
    turns = tuple(replace(turn, content=tuple(map(_told, turn.content))) for turn in prompt.turns)
    told = replace(prompt, content=tuple(map(_told, prompt.content)), turns=turns)
    return in_our_form(parse_request({"model": "m", "messages": messages_of(told)}, {}))


def _told(part: object) -> str:
    return part if isinstance(part, str) else "(a picture)"


def judging(action: dict[str, Any], **fields: str) -> NativeReply:
    usual = {"change": "It opened.", "outcome": "A", "progress": "", "subgoal": "open", "notes": "", "thought": "I go."}
    return NativeReply.model_validate({**usual, "action": action, "expectation": "", **fields})


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: str(action["name"]))
def test_the_parser_and_the_model_itself_read_what_it_writes(action: dict[str, Any]) -> None:
    reply = judging(action, progress="One.\nTwo.", notes="Price: 5", subgoal="reached")
    text = in_family_form(reply, VENUS)
    read = parse(in_form(NativeReply, UI_VENUS), text)
    assert read.action.model_dump(exclude_unset=True) == action
    assert (read.outcome, read.change, read.notes, read.subgoal) == ("A", "It opened.", "Price: 5", "reached")
    again = replace(PROMPT, turns=(ChatTurn(text, ("Judge your last action first.\nCurrent Screenshot:",)),))
    own = json.loads(asked(again).conversation[1].text)
    assert own["action"] == action
    assert (own["progress"], own["notes"], own["thought"]) == ("One.\nTwo.", "Price: 5", "I go.")


def test_it_reads_the_task_the_actions_and_what_it_is_asked() -> None:
    request = asked(PROMPT)
    reading = Reading(request.sections)
    assert (request.role, request.wanted, reading.text(Section.GOAL)) == (Role.DECIDE, "NativeFirstReply", GOAL)
    assert {"Tap", "Open_App", "Stop"} <= reading.actions.keys()
    assert "Shortcut" not in reading.actions
    second = NATIVE_FORMS["ui-venus-2"].render(chat_at("ui-venus-2", 1))
    assert asked(second).wanted == "NativeReply"
    assert asked(add_repair_turn(second, "Hello!", "no action", cut_off=False)).wanted == "NativeReply"


def test_a_step_without_a_verdict_has_no_line_of_one() -> None:
    first = NativeFirstReply.model_validate(
        {"notes": "", "thought": "I look.", "action": {"name": "Tap", "x": 1000, "y": 0}, "expectation": ""}
    )
    assert in_family_form(first, VENUS) == "<think>I look.</think>\n<action>Click(point=(999, 0))</action>"


@pytest.mark.parametrize("dialect", ["ui-tars-1.5", "autoglm-phone"])
def test_other_families_are_not_answered(dialect: str) -> None:
    assert asked(NATIVE_FORMS[dialect].render(chat_at(dialect, 0))).role is None
