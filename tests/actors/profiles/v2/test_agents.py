"""The agents of Mobile-Agent-v2: what they are offered, how replies are read in each format, one conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from manyhands.actors.mllm import dialect_named, parse
from manyhands.actors.mllm.request.bodies import messages_of
from manyhands.actors.profiles import v2
from manyhands.actors.profiles.v2.agents import DecisionAgent, DecisionAgentOfE, MemoryUnit, PaperDecisionAgent
from manyhands.actors.profiles.v2.requests import FocusRequest, OperationRequest
from manyhands.actors.prompts import Prompts
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.profiles.v2 import FocusReply, LetterReply, OperationReply, ProgressReply
from manyhands.protocol.roles.sections import Section, split_sections
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.screen import Keyboard
from tests.actors.roles import examples

PROMPTS = Prompts(
    dialect_named("qwen3-vl"), "json", v2.PROFILE.package, v2.PROFILE.replies(EpisodeSettings(profile="v2"))
)
SIX = ["Open_App", "Tap", "Swipe", "Type", "Home", "Stop"]


def request(keyboard: Keyboard = "hidden") -> OperationRequest:
    return OperationRequest(
        brief=examples.brief(),
        screenshot=examples.shot(),
        screen=examples.screen(keyboard=keyboard),
        progress="",
        focus="",
        operations=(),
        tried=(),
        restored=None,
    )


@pytest.mark.parametrize("agent", [DecisionAgent, PaperDecisionAgent])
@pytest.mark.parametrize("keyboard", ["shown", "unknown", "hidden"])
def test_type_is_not_offered_without_a_keyboard(agent: type[DecisionAgent], keyboard: Keyboard) -> None:
    names = [name for name in SIX if keyboard != "hidden" or name != "Type"]
    asked = agent.asked(request(keyboard))
    assert list(asked.actions.specs) == names
    prompt = agent.prompt(PROMPTS, request(keyboard), [examples.BEFORE])
    found = split_sections(examples.text_of(prompt))
    assert [line.split("(")[0] for line in found[Section.ACTIONS].splitlines()] == names
    assert ('"Type"' in found[Section.FORMAT]) == ("Type" in names)
    typed = json.dumps({"thought": "t", "action": {"name": "Type", "text": "x\n"}, "expectation": "e"})
    if keyboard == "hidden":
        with pytest.raises(ReplyUnusable):
            parse(asked, typed)
    else:
        assert parse(asked, typed).action.text == "x\n"  # type: ignore[union-attr]


def test_back_is_offered_only_to_compare_with_e() -> None:
    assert "Back" not in DecisionAgent.asked(request("shown")).actions.specs
    assert {"Back", "Enter", "Type"} <= DecisionAgentOfE.asked(request()).actions.specs.keys()
    with pytest.raises(ReplyUnusable):
        parse(OperationReply, json.dumps({"thought": "t", "action": {"name": "Back"}, "expectation": "e"}))


HOME = {"thought": "t", "action": {"name": "Home"}, "expectation": "e"}


@pytest.mark.parametrize(
    ("reply", "text", "expected"),
    [
        (ProgressReply, "### Completed contents ###\nOpened Notes.", {"progress": "Opened Notes."}),
        (ProgressReply, '{"progress": "Opened Notes."}', {"progress": "Opened Notes."}),
        (FocusReply, "### Important content ###\nNone", {"content": "None"}),
        (FocusReply, '{"content": "Price: 5"}', {"content": "Price: 5"}),
        (
            LetterReply,
            "### Thought ###\nwrong page\n### Answer ###\nB: it is",
            {"thought": "wrong page", "outcome": "B"},
        ),
        (LetterReply, '{"thought": "", "outcome": "C"}', {"thought": "", "outcome": "C"}),
        (OperationReply, json.dumps(HOME), HOME),
        (OperationReply, "### Thought ###\nt\n### Action ###\nHome\n### Operation ###\ne", HOME),
        (
            OperationReply,
            'Thought: t\nAction: "e"\n<tool_call>\n{"name": "mobile_use", "arguments": {"action": "system_button", '
            '"button": "Home"}}\n</tool_call>',
            HOME,
        ),
    ],
)
def test_replies_are_read_in_each_format(reply: type[Reply], text: str, expected: dict[str, Any]) -> None:
    assert parse(reply, text).model_dump(mode="json") == expected


def test_a_letter_is_never_guessed() -> None:
    for text in ("### Answer ###\nA or B", "### Thought ###\nA", "Maybe B"):
        with pytest.raises(ReplyUnusable):
            parse(LetterReply, text)


def test_the_memory_unit_goes_on_with_the_same_bytes() -> None:
    decided = messages_of(DecisionAgent.prompt(PROMPTS, request(), [examples.BEFORE]))
    said = json.dumps(HOME)
    asked = FocusRequest(brief=examples.brief(), screenshot=examples.shot(), conversation=tuple(decided), decided=said)
    gone_on = messages_of(MemoryUnit.prompt(PROMPTS, asked, [examples.BEFORE]))
    assert json.dumps(gone_on[:2]) == json.dumps(decided)
    assert gone_on[2] == {"role": "assistant", "content": said}
    assert [message["role"] for message in gone_on] == ["system", "user", "assistant", "user"]
    shared = len(json.dumps(gone_on[:3])) / len(json.dumps(gone_on))
    assert shared > 0.8
