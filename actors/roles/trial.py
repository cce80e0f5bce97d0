"""Put one request of a role to every server of its model before any task begins.

This finds a server that refuses what every task will ask: it accepts no pictures, or fewer than we show, or no JSON
schemas, or its context is too short.
"""

from __future__ import annotations

import asyncio

import numpy as np

from manyhands.actors.frames import ModelImage, content_id, encode_jpeg
from manyhands.actors.mllm import Prompt, dialect_named, try_question
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles.base import RoleSettings
from manyhands.protocol.geometry import Size
from manyhands.protocol.roles import Role

_SIZE = Size(width=1080, height=2400)


async def try_role(settings: RoleSettings, role: Role) -> None:
    """Ask every server of a model whose name is known. Raises BadInput with the words of one that refuses."""
    model = settings.model
    prompts = Prompts(dialect_named(model.dialect, model.max_pixels), model.output, settings.templates, settings.roles)
    prompt = await asyncio.to_thread(trial_prompt, prompts, role)
    await try_question(model, role, prompt, role.spec.replies[0])


def trial_prompt(prompts: Prompts, role: Role) -> Prompt:
    """Return a prompt of this role's usual size: the system text of a role that steps ask, and its pictures."""
    pictures = [_picture(grey) for grey in range(128, 128 + role.spec.pictures)]
    return Prompt(prompts.system(_SIZE) if role.spec.in_steps else "", (*pictures, "Nothing is to be done."))


def _picture(grey: int) -> ModelImage:
    pixels = np.full((_SIZE.height, _SIZE.width, 3), grey, np.uint8)
    return ModelImage(content_id=content_id(pixels), jpeg=encode_jpeg(pixels))
