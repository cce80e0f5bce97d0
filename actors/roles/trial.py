"""One question as a role asks it, put to every server of its model before any task begins.

This finds a server that refuses what every task will ask: it accepts no pictures, or fewer than we show, or no JSON
schemas, or its context is too short.
"""

from __future__ import annotations

import asyncio

import numpy as np

from manyhands.actors.frames import ModelImage, content_id, encode_jpeg
from manyhands.actors.mllm import dialect_named, try_question
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles.base import Look, ModelRole, RoleSettings
from manyhands.protocol.geometry import Size
from manyhands.protocol.roles import Brief
from manyhands.protocol.screens import Screen, Screenshot

_SIZE = Size(width=1080, height=2400)
_BRIEF = Brief(goal="Nothing is to be done: this asks whether the model can be asked.")


async def try_role(settings: RoleSettings, kind: type[ModelRole]) -> None:
    """Ask every server of a model whose name is known. Raises BadInput with the words of one that refuses."""
    model = settings.model
    prompts = Prompts(dialect_named(model.dialect, model.max_pixels), model.output, settings.templates, settings.roles)
    looks = [await asyncio.to_thread(_look, grey) for grey in (128, 160)]
    prompt, reply = kind.trial(prompts, _BRIEF, *looks)
    await try_question(model, kind.role, prompt, reply)


def _look(grey: int) -> Look:
    pixels = np.full((_SIZE.height, _SIZE.width, 3), grey, np.uint8)
    image = ModelImage(content_id=content_id(pixels), jpeg=encode_jpeg(pixels))
    return Look(
        Screenshot(content_id=image.content_id, size=_SIZE, serial="trial", taken_at=0.0, capture_ms=0.0),
        Screen(content_id=image.content_id, size=_SIZE, elements=(), keyboard="hidden"),
        image,
    )
