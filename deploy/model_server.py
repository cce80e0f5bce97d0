"""Asking model servers, before anything else is started, whether they are there and fit."""

from __future__ import annotations

from actors.mllm import ModelClient, ModelSettings, served_name
from protocol.errors import BadInput, ModelUnreachable


async def check_servers(settings: ModelSettings, where: str = "--mllm-url") -> str:
    """The model's name, after every server has listed it and a client has found its settings to fit them.

    ``where``: how the servers were given. Raises BadInput that names it and the server.
    """
    try:
        name = await served_name(settings)
        client = ModelClient(settings.model_copy(update={"model": name}))
        await client.start()
        await client.stop()
    except (BadInput, ModelUnreachable) as error:
        raise BadInput(f"{where}: {error}") from error
    return name
