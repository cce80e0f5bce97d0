"""Requests as they are read: who asks, which try it is, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.protocol.roles.role import DecideReply, NoteReply, PlanReply, ReflectReply, Role
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.request import parse_request
from manyhands.simulator.serving.model_server import Refused
from tests.simulator.rehearsal.parts import body, text_image


@pytest.mark.parametrize(
    ("reply", "role"),
    [(PlanReply, Role.PLAN), (DecideReply, Role.DECIDE), (ReflectReply, Role.REFLECT), (NoteReply, Role.NOTE)],
)
def test_the_schema_names_the_role(reply: Any, role: Role) -> None:
    read = parse_request(body(reply, {}), {})
    assert read.role is role
    assert read.constrained


@pytest.mark.parametrize(
    ("task", "role"),
    [
        ("You are the planner. Plan.", Role.PLAN),
        ("You are the operator. Choose.", Role.DECIDE),
        ("You are the reflector. Judge.", Role.REFLECT),
        ("You are the notetaker. Keep.", Role.NOTE),
        ("You are the poet. Write.", None),
    ],
)
def test_without_a_schema_the_task_names_the_role(task: str, role: Role | None) -> None:
    read = parse_request(body(None, {Section.TASK: task}), {})
    assert read.role is role
    assert not read.constrained


def test_images_and_texts_keep_their_order() -> None:
    first, second = text_image("one"), text_image("two")
    read = parse_request(body(ReflectReply, {}, [first, second]), {})
    assert read.images == (first, second)
    assert [type(part) for part in read.parts] == [str, bytes, bytes, str]


@pytest.mark.parametrize(
    ("headers", "step", "attempt"),
    [
        ({}, None, 0),
        ({"x-manyhands-step": "7", "x-manyhands-episode": "dark_mode-1-c67ee5d4546e"}, 7, 0),
        ({"x-manyhands-step": "7", "x-manyhands-episode": "dark_mode-3-c67ee5d4546e"}, 7, 2),
        ({"x-manyhands-step": "seven", "x-manyhands-episode": "mine"}, None, 0),
    ],
)
def test_step_and_attempt_come_from_the_headers(headers: dict[str, str], step: int | None, attempt: int) -> None:
    read = parse_request(body(PlanReply, {}), headers)
    assert (read.step, read.attempt) == (step, attempt)


def test_an_answer_before_makes_another_attempt() -> None:
    asked = body(PlanReply, {})
    asked["messages"] += [{"role": "assistant", "content": "?"}, {"role": "user", "content": "Again, please."}]
    assert parse_request(asked, {}).attempt == 1


@pytest.mark.parametrize("asked", [None, [], {"messages": "hello"}, {"messages": [{"content": "who?"}]}, {"n": 3}])
def test_what_is_no_request_is_refused(asked: Any) -> None:
    with pytest.raises(Refused):
        parse_request(asked, {})
