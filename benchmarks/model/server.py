"""Find out what a server serves, before it is measured."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from manyhands.actors.mllm import NO_WAIT, LoadingWait, ModelSettings, ServedModel, served_model
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.transport import LOOPBACK, Transport
from manyhands.benchmarks.model.report import MeasuredServer
from manyhands.benchmarks.model.server_metrics import TIMEOUT_S, read_metrics
from manyhands.deploy.child_process import run_program
from manyhands.deploy.fleet.model_servers.model_dialects import choose_dialect
from manyhands.deploy.fleet.model_servers.resolution import MODEL_SOURCES
from manyhands.protocol.errors import BadInput, ModelUnreachable

_QUERY = ("--query-gpu=name,memory.total,memory.used", "--format=csv,noheader")
_PROGRAM_S = 5.0


class _Version(BaseModel):
    version: str = ""


class _Length(BaseModel):
    id: str
    max_model_len: int | None = None


class _Lengths(BaseModel):
    data: list[_Length]


async def examine_server(
    settings: ModelSettings, given_dialect: str | None, stand_in_dialect: str, wait: LoadingWait = NO_WAIT
) -> MeasuredServer:
    """Return what the servers of the settings serve.

    ``given_dialect``: that of ``--dialect``. ``stand_in_dialect``: the dialect of a stand-in, which has no family.
    ``wait`` says how long a server may be loading. Raises BadInput if a server does not answer, does not serve the
    model, or has a name that tells no family.
    """
    try:
        served = await served_model(settings, wait)
    except ModelUnreachable as error:
        raise BadInput(f"--mllm-url: {error}") from error
    stand_in = MODEL_SOURCES.get(served.name, "")
    dialect = (given_dialect or stand_in_dialect) if stand_in else choose_dialect(served, given_dialect)
    transport = Transport(settings)
    transport.open()
    try:
        page = await read_metrics(transport, settings.urls)
        return MeasuredServer(
            urls=settings.urls,
            model=served.name,
            weights=served.weights,
            stand_in=stand_in,
            version=await _version(transport, settings.urls[0]),
            dialect=dialect,
            max_model_len=await _length(transport, settings.urls[0], served),
            cache_tokens=page.cache_tokens if page is not None else None,
            gpus=await _gpus(settings.urls) if not stand_in else (),
        )
    finally:
        await transport.close()


async def _version(transport: Transport, url: str) -> str:
    try:
        page = await transport.get_beside(url, "/version", TIMEOUT_S)
        return _Version.model_validate_json(page).version[:200]
    except (RequestFailed, ValidationError):
        return ""


async def _length(transport: Transport, url: str, served: ServedModel) -> int | None:
    try:
        models = _Lengths.model_validate_json(await transport.get(url, "/models", TIMEOUT_S)).data
    except (RequestFailed, ValidationError):
        return None
    return next((model.max_model_len for model in models if model.id == served.name), None)


async def _gpus(urls: Sequence[str]) -> tuple[str, ...]:
    """Return a line for each GPU of this machine, if all servers are on this machine."""
    program = shutil.which("nvidia-smi")
    if program is None or any(urlsplit(url).hostname not in LOOPBACK for url in urls):
        return ()
    try:
        listed = await run_program(program, *_QUERY, seconds=_PROGRAM_S)
    except (OSError, TimeoutError):
        return ()
    return tuple(line.strip() for line in listed.output.splitlines() if line.strip())[:16]
