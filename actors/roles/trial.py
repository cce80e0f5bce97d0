"""One question as a role asks it, put to every server of its model before any task begins.

A server that refuses what every task will ask (it sees no pictures, it takes fewer than we show, it knows no JSON
schemas, its context is too short) is found out here, by its own words.
"""

from __future__ import annotations

import asyncio

import numpy as np

from manyhands.actors.frames import ModelImage, content_id, encode_jpeg
from manyhands.actors.mllm import Prompt, dialect_named, try_question
from manyhands.actors.profiles.e.prompts import Prompts
from manyhands.actors.roles.base import RoleSettings
from manyhands.protocol.actions import Home
from manyhands.protocol.base import Reply
from manyhands.protocol.geometry import Size
from manyhands.protocol.roles import (
    Brief,
    CaptionReply,
    DecideReply,
    DecideRequest,
    NoteReply,
    NoteRequest,
    Plan,
    PlanReply,
    PlanRequest,
    ReflectReply,
    ReflectRequest,
    Role,
    Subgoal,
)
from manyhands.protocol.screens import Screen, Screenshot

DEMANDING: tuple[Role, ...] = (Role.REFLECT, Role.DECIDE, Role.PLAN, Role.NOTE, Role.CAPTION)
"""Who asks most of a model first: the reflector shows it two pictures."""
_SIZE = Size(width=1080, height=2400)
_BRIEF = Brief(goal="Nothing is to be done: this asks whether the model can be asked.")
_PLAN = Plan(thought="", text="", subgoal=Subgoal(id=1, text="Look."), change="next", status="continue")


async def try_role(settings: RoleSettings, role: Role) -> None:
    """Ask every server of a model whose name is known. Raises BadInput with the words of one that refuses."""
    images = [await asyncio.to_thread(_picture, grey) for grey in (128, 160)]
    prompt, reply = _question(settings, role, *images)
    await try_question(settings.model, role, prompt, reply)


def _picture(grey: int) -> ModelImage:
    pixels = np.full((_SIZE.height, _SIZE.width, 3), grey, np.uint8)
    return ModelImage(content_id=content_id(pixels), jpeg=encode_jpeg(pixels))


def _question(settings: RoleSettings, role: Role, image: ModelImage, other: ModelImage) -> tuple[Prompt, type[Reply]]:
    model = settings.model
    prompts = Prompts(dialect_named(model.dialect, model.max_pixels), model.output)
    screenshot, screen = _seen(image)
    match role:
        case Role.PLAN:
            plan = PlanRequest(brief=_BRIEF, previous=None, progress="", notes="", failures=(), screenshot=screenshot)
            return prompts.plan(plan, image), PlanReply
        case Role.DECIDE:
            decide = DecideRequest(
                brief=_BRIEF, plan=_PLAN, progress="", notes="", screenshot=screenshot, screen=screen, history=()
            )
            return prompts.decide(decide, image), DecideReply
        case Role.REFLECT:
            reflect = ReflectRequest(
                brief=_BRIEF,
                subgoal="Look.",
                progress="",
                action=Home(),
                expectation="",
                before=screenshot,
                after=_seen(other)[0],
                screen_before=screen,
                screen_after=None,
            )
            return prompts.reflect(reflect, image, other), ReflectReply
        case Role.NOTE:
            note = NoteRequest(
                brief=_BRIEF, plan="", subgoal="Look.", progress="", notes="", screenshot=screenshot, screen=screen
            )
            return prompts.note(note, image), NoteReply
        case Role.CAPTION:
            return prompts.caption(image, 1), CaptionReply


def _seen(image: ModelImage) -> tuple[Screenshot, Screen]:
    screenshot = Screenshot(content_id=image.content_id, size=_SIZE, serial="trial", taken_at=0.0, capture_ms=0.0)
    return screenshot, Screen(content_id=image.content_id, size=_SIZE, elements=(), keyboard="hidden")
