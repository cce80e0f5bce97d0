"""From a model's words to a reply, and to nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from manyhands.actors.mllm import parse
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.role import (
    AddedNotesReply,
    DecideReply,
    NoteReply,
    PlanReply,
    ReflectChangeReply,
    ReflectReply,
)

TAP = '{"thought": "there", "action": {"name": "Tap", "x": 5, "y": 6}, "expectation": "it opens"}'
OTHER = TAP.replace('"x": 5', '"x": 7')
KINDS: list[type[Reply]] = [PlanReply, DecideReply, ReflectReply, ReflectChangeReply, NoteReply, AddedNotesReply]


@pytest.mark.parametrize(
    "text",
    [
        TAP,
        f"  {TAP}\n",
        f"```json\n{TAP}\n```",
        f"```\n{TAP}\n```",
        f"{TAP}}}",
        TAP[:-1],
        f"```json\n{TAP[:-1]}\n```",
        f"{TAP}\n</tool_call>",
        f"<think>Perhaps {OTHER}, no.</think>\n{TAP}",
        f"Perhaps {OTHER}, no.</think>{TAP}",
        f"{TAP}\n{TAP}",
        f"Here is my answer: {TAP}",
        f"Here is my answer:\n{TAP}",
        f"Thought: The keys {{are}} these.\n{TAP}",
        f"### Output ### {TAP}\r\n```",
        f"- **Answer:** {TAP} ",
        f"<answer>{TAP}</answer>",
        f"{TAP}<|im_end|>",
        f"{TAP} {TAP}, {TAP}",
        f"[{TAP}]",
    ],
)
def test_one_valid_reply_is_found(text: str) -> None:
    reply = parse(DecideReply, text)
    assert reply.action.model_dump() == {"name": "Tap", "x": 5, "y": 6}
    assert reply.expectation == "it opens"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("I cannot do that.", "no whole JSON object"),
        ("[1, 2]", "no whole JSON object"),
        (f"The keys {{are}} these: {TAP}", "within a sentence"),
        (f"Here is what I do:\n{TAP}", "not marked as a thought"),
        (f"Here is what I do:\n{TAP}\nThat opens it.", "words follow the reply"),
        (f"The keys {{are}} these:\n{TAP}", "not marked as a thought"),
        (f'An example: {{"name": "Tap"}}. Now:\n{TAP}', "not marked as a thought"),
        (f"### Output ### {TAP}\r\nThat opens it.", "words follow the reply"),
        (f"I see it. <tool_call>{TAP}</tool_call> That opens it.", "within a sentence"),
        (f"I write {TAP} now.\n{TAP}", "within a sentence"),
        (f"Do not write {TAP}", "within a sentence"),
        (f"The screen's answer: {TAP}", "within a sentence"),
        (f'"{TAP}"', "within a sentence"),
        (f"{TAP} is wrong.", "within a sentence"),
        (f"{TAP} {TAP} is wrong.", "within a sentence"),
        (f"Never {TAP} {TAP}", "within a sentence"),
        (f"Never {TAP} <b>{TAP}</b>", "within a sentence"),
        (TAP[:-2], "a string does not end"),
        (TAP[: TAP.index(', "expectation')], "expectation: is missing"),
        (TAP[: TAP.index(', "expectation') - 1], "no whole JSON object"),
        (f"{TAP}\nor rather\n{OTHER}", "2 different replies"),
        (f"<think>{TAP}", "no whole JSON object"),
        (TAP.replace('"x": 5', '"x": 5, "x": 7'), "'x' stands twice"),
        (TAP.replace("5", '"5 %"'), "action.Tap.x"),
        (TAP.replace("5", "0.5"), "action.Tap.x"),
        (TAP.replace("5", "true"), "action.Tap.x"),
        (TAP.replace("5", "NaN"), "action.Tap.x"),
        (TAP.replace("5", "-1"), "action.Tap.x"),
        (TAP.replace('"x": 5, ', ""), "action.Tap.x: is missing"),
        (TAP.replace("Tap", "Fly"), "'Fly'"),
        (TAP.replace("Tap", "Press"), "action: 'Press' is none of Open_App, Tap, Tap_Element, "),
        (TAP.replace('"name": "Tap", ', ""), "action: it has no 'name'"),
        (TAP.replace('"y": 6', '"y": 6, "force": 2'), "unknown key 'action.Tap.force'"),
        (TAP.replace("expectation", "expectations"), "expectation"),
        ('{"notes": ' * 2000, "no whole JSON object"),
        ("{" * 40_000, "no whole JSON object"),
        ("x" * 50_001, "50001 characters"),
    ],
)
def test_anything_else_says_why(text: str, reason: str) -> None:
    with pytest.raises(ReplyUnusable) as unusable:
        parse(DecideReply, text)
    said = str(unusable.value)
    assert reason in said
    assert "\n" not in said
    assert len(said) <= 300


@given(st.sampled_from(KINDS), st.text())
@example(PlanReply, "{" * 3000 + "}" * 3000)
@example(NoteReply, '{"notes": ' + "[" * 5000)
@example(NoteReply, '{"notes": ' + "1" * 5000 + "}")
@example(NoteReply, '{"notes": "\\ud800"}')
@example(NoteReply, '{"notes": "\ud800"}')
def test_no_text_gives_another_exception(reply: type[Reply], text: str) -> None:
    try:
        read = parse(reply, text)
    except ReplyUnusable as error:
        reason = str(error)
    else:
        reason = f"read {read}"
    assert reason.strip()


pieces = st.sampled_from(["{", "}", "[", "]", '"', ",", ":", "<think>", "</think>", "```", TAP, OTHER, "x", "5", "\\"])


@given(st.lists(pieces, max_size=12).map("".join))
def test_a_reply_is_only_ever_one_that_stands_in_the_text(text: str) -> None:
    try:
        reply = parse(DecideReply, text)
    except ReplyUnusable:
        return
    assert reply.action.name == "Tap"
    assert (TAP if reply.action.x == 5 else OTHER) in text


@given(st.text(max_size=800), st.text(max_size=800), st.integers(0, 9999), st.integers(0, 9999))
def test_what_a_constrained_model_writes_is_taken_as_it_is(thought: str, hope: str, x: int, y: int) -> None:
    written = {"thought": thought, "action": {"name": "Tap", "x": x, "y": y}, "expectation": hope}
    for text in (json.dumps(written), json.dumps(written, ensure_ascii=False, indent=1)):
        assert parse(DecideReply, text).model_dump(mode="json") == written
