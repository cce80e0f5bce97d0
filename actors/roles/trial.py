"""Send one request of a role to every server of its model before any task begins.

This finds a server that would refuse the requests of every task. Such a server accepts no pictures, or too few, or no
JSON schemas, or its context is too short.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from manyhands.actors.frames import ModelImage, content_id, encode_jpeg
from manyhands.actors.mllm import Prompt, try_question
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles.base import RoleSettings
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.geometry import Size

USUAL = Size(width=1080, height=2400)
"""The usual size of a screenshot."""


async def try_role(settings: RoleSettings, role: Role, sizes: Sequence[Size] | None = None) -> None:
    """Ask every server of a model. The settings must name the model.

    Raises BadInput with the message of a server that refuses.

    ``sizes``: the sizes of the pictures of the role's largest request. The default is as many pictures of the usual
    size as the role declares.
    """
    model = settings.model
    prompt = await asyncio.to_thread(trial_prompt, settings.prompts(), role, sizes)
    writer_of = registered_profiles().writer_of
    reply = next((one for one in settings.offered_replies if writer_of(one) is role), role.spec.replies[0])
    await try_question(model, role, prompt, reply)


def trial_prompt(prompts: Prompts, role: Role, shown_sizes: Sequence[Size] | None = None) -> Prompt:
    """Return a prompt of this role's usual size: its pictures, and the system text if steps ask the role."""
    sizes = (USUAL,) * role.spec.pictures if shown_sizes is None else shown_sizes
    pictures = [_picture(grey, size) for grey, size in enumerate(sizes, start=128)]
    return Prompt(prompts.system(USUAL) if role.spec.in_steps else "", (*pictures, "Nothing is to be done."))


def _picture(grey: int, size: Size) -> ModelImage:
    pixels = np.full((size.height, size.width, 3), grey, np.uint8)
    return ModelImage(content_id=content_id(pixels), jpeg=encode_jpeg(pixels))
