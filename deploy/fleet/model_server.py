"""Checks of model servers before anything else is started."""

from __future__ import annotations

from urllib.parse import urlsplit

from manyhands.actors.mllm import ModelClient, ModelSettings, served_name
from manyhands.actors.roles import RoleSettings
from manyhands.actors.roles.trial import try_role
from manyhands.protocol.errors import BadInput, ModelUnreachable
from manyhands.protocol.roles import Role


async def check_servers(settings: ModelSettings, where: str = "--mllm-url", asks: Role | None = None) -> str:
    """Return the model's name, after every server has listed it and a client has checked its settings against them.

    ``where`` names the setting that gave the servers, for the error. With a role in ``asks``, each server is asked one
    question of that role. Raises BadInput that names the setting and the server.
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


def server_address(url: str) -> str:
    """Return an http(s) address, which holds no password, because reports show it. Raises BadInput."""
    if not url.startswith(("http://", "https://")):
        raise BadInput(f"--mllm-url {url}: write a URL such as http://127.0.0.1:8000/v1")
    if "@" in urlsplit(url).netloc:
        raise BadInput("--mllm-url: must not hold a password; name the variable that holds the key: --api-key-env")
    return url
