"""Mutated replies: nothing but ReplyUnusable is ever raised, and nothing is read that does not stand in the text."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from manyhands.actors.mllm import parse
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.role import DecideReply, NoteReply, PlanReply, ReflectReply

ACTIONS: list[dict[str, Any]] = [
    {"name": "Tap", "x": 540, "y": 120},
    {"name": "Tap_Element", "number": 12},
    {"name": "Swipe", "x1": 500, "y1": 800, "x2": 501, "y2": 200},
    {"name": "Type", "text": 'Grüße "大" {1, 2}\n</tool_call> it\'s: a // b', "clear": True},
    {"name": "Open_App", "app": "Stop & Tap (1, 2)"},
    {"name": "Shortcut", "shortcut": "Find", "arguments": [{"name": "text", "value": "a b"}]},
    {"name": "Home"},
    {"name": "Stop"},
]
USES: list[dict[str, Any]] = [
    {"action": "click", "coordinate": [540, 120]},
    {"action": "swipe", "coordinate": [500, 800], "coordinate2": [501, 200]},
    {"action": "type", "text": "say {'a': [1, 2]}\nnow"},
    {"action": "system_button", "button": "Menu"},
    {"action": "terminate", "status": "success"},
]
CALLS = [
    "Tap(540, 120)",
    "Swipe (500, 800), (501, 200)",
    'Type("a (b), c")',
    "Open app (Maps)",
    "Tap_Element(12)",
    "Back()",
]


def decisions() -> list[str]:
    own = [json.dumps({"thought": "see", "action": one, "expectation": "ok"}, ensure_ascii=False) for one in ACTIONS]
    tools = [json.dumps({"name": "mobile_use", "arguments": use}, ensure_ascii=False) for use in USES]
    tagged = [f"<think>Hm.</think>\nThought: see\nAction: do\n<tool_call>\n{tool}\n</tool_call>" for tool in tools]
    xml = [
        "<tool_call>\n<function=mobile_use>\n"
        + "".join(
            f"<parameter={key}>\n{value if isinstance(value, str) else json.dumps(value)}\n</parameter>\n"
            for key, value in use.items()
        )
        + "</function>\n</tool_call>"
        for use in USES
    ]
    named = ['{"name": "Tap", "arguments": {"x": 540, "y": 120}}', '{"name": "Home", "arguments": null}', *CALLS]
    under = [f"### Thought ###\nsee\n### Action ###\n{one}\n### Description ###\ndo" for one in named]
    return [*own, *tagged, *xml, *under, *map(repr, USES), *(f"Action: {call}" for call in CALLS)]


SEEDS: dict[type[Reply], list[str]] = {
    DecideReply: decisions(),
    PlanReply: [
        '{"thought": "t", "plan": "1. a", "change": "next", "subgoal": "a", "status": "continue"}',
        "### Thought ###\nt\n### Plan ###\n1. a\n2. b\n### Current Subgoal ###\na",
        "### Plan ###\nFinished",
    ],
    ReflectReply: [
        '{"outcome": "B", "error": "wrong", "progress": "a"}',
        "### Outcome ###\nC: the last Action did nothing\n### Error Description ###\nwhy\n### Progress Status ###\na",
    ],
    NoteReply: ["{'notes': 'a'}", "### Important Notes ###\na: 5"],
}
MARKS = ["###", "<tool_call>", "</tool_call>", "<think>", "</think>", "```"]
PIECES = [*"{}[]()\"'`,:\\<>/ \n#0A｛｝：，（“”＃", *MARKS]
WORDS = {
    "Tap": ("Tap", "click"),
    "Tap_Element": ("Tap_Element",),
    "Long_Press": ("Long_Press", "long_press"),
    "Open_App": ("Open_App", "open", "Open app"),
    "Switch_App": ("Switch_App", "Menu"),
    "Stop": ("Stop", "terminate"),
}


def mutated(rng: random.Random, seeds: list[str]) -> str:
    text = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 2, 3, 5))):
        at, to = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        near = min(to, at + rng.randrange(1, 6))
        match rng.randrange(8):
            case 0:
                text = text[:at] + text[near:]
            case 1:
                text = text[:at] + text[to:]
            case 2:
                text = text[:to] + text[at:to] + text[to:]
            case 3:
                text = text[:at] + text[near:to] + text[at:near] + text[to:]
            case 4:
                text = text[:to]
            case 5:
                other = rng.choice(seeds)
                text = text[:at] + other[rng.randrange(len(other)) :] + text[at:]
            case _:
                text = text[:at] + rng.choice(PIECES) + text[at:]
    return text


def stands(value: Any, text: str) -> bool:
    """Whether a value is written in ``text``: numbers whole, texts in pieces between what may be escaped."""
    if isinstance(value, bool):
        return not value or "true" in text.lower()
    if isinstance(value, int):
        return re.search(rf"(?<![0-9]){value}(?:\.0+)?(?![0-9])", text) is not None
    if isinstance(value, list):
        return all(stands(item, text) for entry in value for item in entry.values())
    return all(piece in text for piece in re.split(r"[\\\s\"'/]", value))


def check(reply: Reply, text: str) -> None:
    if isinstance(reply, DecideReply):
        action = reply.action.model_dump(mode="json")
        name = action.pop("name")
        if name != "Shortcut":
            words = WORDS.get(name, (name,))
            assert any(word.lower() in text.lower() for word in words), (text, reply)
        for value in action.values():
            assert stands(value, text), (text, reply)
    elif isinstance(reply, ReflectReply):
        assert re.search(rf"(?<![A-Za-z]){reply.outcome}(?![A-Za-z])", text), (text, reply)
    elif isinstance(reply, PlanReply):
        assert reply.status != "finished" or "finished" in text.lower(), (text, reply)


@pytest.mark.parametrize("seed", range(10))
def test_a_thousand_mutated_replies(seed: int) -> None:
    rng = random.Random(seed)
    read = 0
    for _ in range(1000):
        kind = rng.choice([DecideReply, DecideReply, DecideReply, PlanReply, ReflectReply, NoteReply])
        text = mutated(rng, SEEDS[kind])
        try:
            reply = parse(kind, text)
        except ReplyUnusable:
            continue
        read += 1
        check(reply, text)
    assert 100 < read < 900


def in_a_sentence(rng: random.Random, written: str) -> str:
    """``written`` with words before it on its line, behind it, or both."""
    marks = rng.choice(["{}", "{}", '"{}"', "`{}`", "'{}'", "“{}”", "({})", "**{}**", "```{}```"])
    before = rng.choice(["Do not use ", "The screen says ", "The screen says: ", "The tool ", "Not ", "1. "])
    behind = rng.choice([" ends the task, so not that.", " is wrong", ", I read.", " or Home", " it says"])
    form = rng.choice([before + marks, marks + behind, before + marks + behind, before + marks + "."])
    line = form.replace("{}", written)
    at = rng.randrange(len(line) + 1)
    line = line[:at] + rng.choice(["", "", " ", ".", "{", "}", '"', "'", ",", "\\", "("]) + line[at:]
    around = rng.choice(["{}", "Thought: hm\n{}", "I see.\n{}\nSo I wait.", "```\n{}\n```", "### Action ###\n{}"])
    return around.replace("{}", line)


@pytest.mark.parametrize("seed", range(4))
def test_an_action_within_a_sentence_never_acts(seed: int) -> None:
    rng = random.Random(seed)
    own = [json.dumps({"thought": "see", "action": one, "expectation": "ok"}) for one in ACTIONS]
    tools = [json.dumps({"name": "mobile_use", "arguments": use}) for use in USES]
    quoted = [*own, *tools, *map(json.dumps, USES), *map(repr, USES), '{"name": "Stop", "arguments": null}', *CALLS]
    for _ in range(500):
        text = in_a_sentence(rng, rng.choice(quoted))
        with pytest.raises(ReplyUnusable):
            raise AssertionError((text, parse(DecideReply, text)))


def test_every_reply_that_is_mutated_reads_as_it_is() -> None:
    for kind, seeds in SEEDS.items():
        for text in seeds:
            if not text.startswith("Action: Open app"):
                check(parse(kind, text), text)
