"""Check servers before use: whether they serve the model, and whether our settings suit their engine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from manyhands.actors.mllm.client.errors import RequestFailed, read_json
from manyhands.actors.mllm.client.model_list import NO_WAIT, LoadingWait, list_models
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.settings import ModelSettings
from manyhands.protocol.errors import BadInput, first_error

_TIMEOUT_S = 15.0
_MOST_NAMES = 5
_LONGEST_NAME = 100
"""The longest name of a model in a line for people, in characters."""


class _Version(BaseModel):
    version: str = Field(max_length=200)


@dataclass(frozen=True, slots=True)
class ServedModel:
    """Hold what servers say of the model that they serve."""

    name: str
    """The name by which requests ask for it."""
    weights: str
    """What the first server has loaded: a hub name or a folder; the name itself if the server does not say."""


async def served_name(settings: ModelSettings) -> str:
    """Return the model's name as ``served_model`` does, and raise what it raises."""
    return (await served_model(settings)).name


async def served_model(settings: ModelSettings, wait: LoadingWait = NO_WAIT) -> ServedModel:
    """Return the model once every server has listed it. Use this where all servers must answer.

    Raises BadInput if a server does not serve the model, ModelUnreachable if a server lists no models in time.
    """
    transport = Transport(settings)
    transport.open()
    try:
        with first_error():
            async with asyncio.TaskGroup() as group:
                tasks = {url: group.create_task(list_models(transport, url, wait)) for url in settings.urls}
    finally:
        await transport.close()
    model, weights = settings.model, None
    for url, task in tasks.items():
        listed = task.result()
        names = listed.model_names
        model = model or names[0]
        if model not in names:
            raise BadInput(f"{url} serves {_listed(names)}, not {model}; name the model to use")
        weights = weights or listed.weights_of(model)
    assert model is not None  # settings name at least one server
    return ServedModel(model, weights or model)


def _listed(names: Sequence[str]) -> str:
    """Return the first names in one line of bounded length."""
    few = ", ".join(name[:_LONGEST_NAME] for name in names[:_MOST_NAMES])
    return few if len(names) <= _MOST_NAMES else f"{few} and {len(names) - _MOST_NAMES} more"


async def check_sampling(transport: Transport, settings: ModelSettings) -> None:
    """Refuse sampling that kills a server: vLLM's CPU engine dies of a seed with a temperature above 0.

    A server that does not answer now, or tells no version, is accepted. Raises BadInput.
    """
    if settings.temperature == 0:
        return
    async with asyncio.TaskGroup() as group:
        tasks = {url: group.create_task(_version(transport, url)) for url in settings.urls}
    for url, task in tasks.items():
        if task.result().endswith("+cpu"):
            raise BadInput(
                f"{url} is vLLM {task.result()} on a CPU, whose engine dies of a seed with a temperature above 0; "
                f"set temperature to 0 (it is {settings.temperature:g})"
            )


async def _version(transport: Transport, url: str) -> str:
    """Return vLLM's version. Return an empty text if the server tells none."""
    try:
        page = await transport.get_beside(url, "/version", _TIMEOUT_S)
        return _Version.model_validate(read_json(page)).version
    except (RequestFailed, ValueError):
        return ""
