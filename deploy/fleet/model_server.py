"""Checks of model servers before anything else is started."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from manyhands.actors.mllm import ModelClient, ModelSettings, served_name
from manyhands.protocol.errors import BadInput, ModelUnreachable

TrialQuestion = Callable[[ModelSettings], Awaitable[None]]
"""Asks every server of a model whose name is known one question. Raises BadInput."""


async def check_servers(settings: ModelSettings, where: str = "--mllm-url", asks: TrialQuestion | None = None) -> str:
    """Return the model's name, after every server has listed it and a client has checked its settings against them.

    ``where`` names the setting that gave the servers, for the error. With ``asks``, each server is asked a question.
    Raises BadInput that names the setting and the server.
    """
    try:
        name = await served_name(settings)
        named = settings.model_copy(update={"model": name})
        client = ModelClient(named)
        await client.start()
        await client.stop()
        if asks is not None:
            await asks(named)
    except (BadInput, ModelUnreachable) as error:
        raise BadInput(f"{where}: {error}") from error
    return name


def server_address(url: str) -> str:
    """Return an http(s) address, which holds no password, because reports show it. Raises BadInput."""
    if not url.startswith(("http://", "https://")):
        raise BadInput(f"--mllm-url {url}: write a URL such as http://127.0.0.1:8000/v1")
    if "@" in urlsplit(url).netloc:
        raise BadInput("--mllm-url: must not hold a password; name the variable that holds the key: --api-key-env")
    return url
