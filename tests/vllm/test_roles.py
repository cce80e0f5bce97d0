"""Every role's real prompt, with real screenshots of 1080x2400, at tiny random models of both families."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import jsonschema
import pytest
from pydantic import Field, create_model

from manyhands.actors.mllm import dialect_named, parse
from manyhands.actors.mllm.request.actions import NotAnAction, read_action
from manyhands.actors.mllm.request.dialects import OutsideScreen
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import Notetaker, Operator, Planner, Reflector
from manyhands.protocol.base import Reply
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.replies import OUR_ACTIONS
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens import actions
from manyhands.protocol.screens.geometry import Size
from tests.vllm.asking import client_of, decide_of, note_of, plan_of, reflect_of, role_settings, started, within
from tests.vllm.screens import Shown
from tests.vllm.server import MAX_PIXELS, VllmServer

Screens = tuple[Shown, ...]
TapReply, LongPressReply, SwipeReply = (OUR_ACTIONS.specs[name].reply for name in ("Tap", "Long_Press", "Swipe"))
POINTED: tuple[type[Reply], ...] = (TapReply, LongPressReply, SwipeReply)

FEWEST_PICTURE_TOKENS = 900
"""Of a 1080x2400 screenshot at the tests' pixel cap, in either family."""


@dataclass(frozen=True)
class Family:
    """A server and the dialect of its model."""

    server: VllmServer
    dialect: str


@pytest.fixture(scope="module", params=["qwen3-vl", "qwen2.5-vl"])
def family(request: pytest.FixtureRequest) -> Iterator[Family]:
    if request.param == "qwen3-vl":
        yield Family(request.getfixturevalue("qwen3"), request.param)
        return
    with request.getfixturevalue("serve")("qwen2_5_vl") as server:
        yield Family(server, request.param)


def held_to_its_schema(call: ModelCall, pictures: int) -> None:
    """The reply is what the schema that was sent asks for, and the pictures were counted as tokens."""
    schema = call.request["response_format"]["json_schema"]["schema"]
    assert call.reply is not None
    jsonschema.validate(json.loads(call.reply), schema)
    assert call.usage.input_tokens > pictures * FEWEST_PICTURE_TOKENS
    assert call.usage.output_tokens > 0


async def test_the_planner(family: Family, shown: Screens) -> None:
    async with started(Planner(role_settings(family.server, dialect=family.dialect))) as planner:
        answered = await planner.answer(plan_of(shown[0]), within(), shown[0].image)
    held_to_its_schema(answered.calls[-1], pictures=1)
    assert answered.value.subgoal.id >= 1


async def test_the_operator(family: Family, shown: Screens) -> None:
    size = shown[0].screenshot.size
    async with started(Operator(role_settings(family.server, dialect=family.dialect))) as operator:
        for now in shown:
            answered = await operator.answer(decide_of(now), within(), now.image)
            held_to_its_schema(answered.calls[-1], pictures=1)
            decision = answered.value
            assert (decision.action is None) == (decision.problem is not None)
            assert decision.action is None or on_screen(decision.action, size)


async def test_the_reflector(family: Family, shown: Screens) -> None:
    before, after = shown[:2]
    async with started(Reflector(role_settings(family.server, dialect=family.dialect))) as reflector:
        answered = await reflector.answer(reflect_of(before, after), within(), before.image, after.image)
    held_to_its_schema(answered.calls[-1], pictures=2)
    assert answered.value.made_by == "model"


async def test_the_notetaker(family: Family, shown: Screens) -> None:
    async with started(Notetaker(role_settings(family.server, dialect=family.dialect))) as notetaker:
        answered = await notetaker.answer(note_of(shown[2]), within(), shown[2].image)
    held_to_its_schema(answered.calls[-1], pictures=1)


async def test_pictures_take_the_tokens_that_the_dialect_says(family: Family, shown: Screens) -> None:
    """The difference between a prompt with a picture and the same without is the picture and its two marks."""
    dialect = dialect_named(family.dialect, MAX_PIXELS)
    prompts = Prompts(dialect)
    prompt = Planner.prompt(prompts, plan_of(shown[0]), [shown[0].image])
    without = type(prompt)(prompt.system, tuple(part for part in prompt.content if isinstance(part, str)))
    async with client_of(family.server, dialect=family.dialect) as client:
        tokens = [
            (await client.complete(Role.PLAN, asked, TapReply, "tiny-1", within())).call.usage.input_tokens
            for asked in (prompt, without)
        ]
    assert tokens[0] - tokens[1] == dialect.image_tokens(shown[0].screenshot.size) + 2


async def test_points_are_on_the_screen_or_typed_errors(family: Family, shown: Screens) -> None:
    """Held to actions that point; a free choice of the model's own seldom falls on them."""
    size = shown[0].screenshot.size
    dialect = dialect_named(family.dialect, MAX_PIXELS)
    prompts = Prompts(dialect)
    extent = dialect.extent(size)
    inside: list[Reply] = []
    beyond: list[Reply] = []
    async with client_of(family.server, dialect=family.dialect) as client:
        for number, kind in enumerate((*POINTED, *within_extent(extent)) * 3):
            now = shown[number % len(shown)]
            prompt = Operator.prompt(prompts, decide_of(now, f"Point at number {number}"), [now.image])
            completion = await client.complete(Role.DECIDE, prompt, kind, "tiny-1", within())
            reply = parse(kind, completion.text)
            try:
                action = read_action(reply, dialect, size, (), now.screen.elements)
            except OutsideScreen:
                beyond.append(reply)
                continue
            except NotAnAction:  # from a point to itself
                assert isinstance(reply, SwipeReply)
                continue
            assert on_screen(action, size)
            inside.append(reply)
    assert len(inside) >= len(within_extent(extent)) * 2
    assert not any(type(reply).__name__.startswith("Within") for reply in beyond)


def within_extent(extent: Size) -> tuple[type[Reply], ...]:
    """The same actions with coordinates that end where the dialect's do."""
    x, y = (Annotated[int, Field(ge=0, le=side)] for side in (extent.width, extent.height))
    tap = create_model("WithinTap", __base__=TapReply, x=(x, ...), y=(y, ...))
    press = create_model("WithinLongPress", __base__=LongPressReply, x=(x, ...), y=(y, ...))
    swipe = create_model("WithinSwipe", __base__=SwipeReply, x1=(x, ...), y1=(y, ...), x2=(x, ...), y2=(y, ...))
    return tap, press, swipe


def on_screen(action: actions.Action, size: Size) -> bool:
    match action:
        case actions.Tap() | actions.LongPress():
            return size.contains(action.x, action.y)
        case actions.Swipe():
            return size.contains(action.x1, action.y1) and size.contains(action.x2, action.y2)
        case _:
            return True
