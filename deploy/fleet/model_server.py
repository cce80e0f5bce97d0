"""Asking model servers, before anything else is started, whether they are there and fit."""

from __future__ import annotations

from manyhands.actors.mllm import ModelClient, ModelSettings, served_name
from manyhands.actors.roles import ModelRole, RoleSettings
from manyhands.actors.roles.trial import try_role
from manyhands.protocol.errors import BadInput, ModelUnreachable


async def check_servers(settings: ModelSettings, where: str = "--mllm-url", asks: type[ModelRole] | None = None) -> str:
    """The model's name, after every server has listed it and a client has found its settings to fit them.

    ``where``: how the servers were given. ``asks``: a role, of which each server is asked one question. Raises BadInput
    that names the flag and the server.
    """
    try:
        name = await served_name(settings)
        named = settings.model_copy(update={"model": name})
        client = ModelClient(named)
        await client.start()
        await client.stop()
        if asks is not None:
            await try_role(RoleSettings(model=named), asks)
    except (BadInput, ModelUnreachable) as error:
        raise BadInput(f"{where}: {error}") from error
    return name
