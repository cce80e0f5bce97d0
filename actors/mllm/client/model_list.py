"""Ask a server which models it serves, and wait for a server that may still be loading its model."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Callable
from dataclasses import dataclass

from manyhands.actors.mllm.client.answers import ModelList, read_models
from manyhands.actors.mllm.client.errors import LOADING, ErrorStatus, NoAnswer, RequestFailed
from manyhands.actors.mllm.client.transport import Transport
from manyhands.protocol.errors import ModelUnreachable
from manyhands.protocol.utilities.backoff import Backoff

_TIMEOUT_S = 15.0
_PAUSES = Backoff(first_s=0.25, longest_s=5.0)
_TELL_EVERY_S = 60.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LoadingWait:
    """Say how long to wait for a server that may be loading its model, and whom to tell."""

    limit_s: float = 0.0
    tell: Callable[[str], None] | None = None
    """Called with a line when the wait for a server begins, every minute, and when it ends."""


NO_WAIT = LoadingWait()


@dataclass(frozen=True, slots=True)
class _Failure:
    """Hold why a server listed nothing, in one line."""

    line: str
    may_load: bool = False
    """Whether a server that is loading would fail in this way."""
    is_refused: bool = False
    """Whether the connection was refused, because nothing listens at the address."""


async def list_models(transport: Transport, url: str, wait: LoadingWait) -> ModelList:
    """Return what a server lists. Raises ModelUnreachable if it lists nothing, or not in time."""
    loop = asyncio.get_running_loop()
    until, pauses = loop.time() + wait.limit_s, _PAUSES.waits()
    is_waiting, told_at = False, loop.time()
    while True:
        listed = await _ask(transport, url)
        if isinstance(listed, ModelList):
            if is_waiting:
                _tell(wait, f"{url} has loaded its model")
            return listed
        is_first_wait = listed.may_load and wait.limit_s > 0 and not is_waiting
        if is_first_wait:
            is_waiting = True
            ends = "Ctrl-C ends it, --model-wait 0 does not wait"
            silent = ": nothing listens there" if listed.is_refused else ""
            _tell(wait, f"{listed.line}{silent}. Waiting up to {wait.limit_s:g} s, as a model may be loading; {ends}")
        remaining = until - loop.time()
        if not listed.may_load or remaining <= 0:
            line = listed.line if url.endswith("/v1") else f"{listed.line}; such URLs mostly end in /v1"
            waited = f"; a run waits {wait.limit_s:g} s for a server that is loading (model_wait_s)"
            raise ModelUnreachable(line + waited * is_waiting)
        if not is_first_wait and loop.time() - told_at >= _TELL_EVERY_S:
            told_at += _TELL_EVERY_S
            _tell(wait, f"Still waiting, for up to {remaining:.0f} s: {listed.line}")
        await asyncio.sleep(min(next(pauses), remaining))


def _tell(wait: LoadingWait, line: str) -> None:
    _log.info("%s", line)
    if wait.tell is not None:
        wait.tell(line)


async def _ask(transport: Transport, url: str) -> ModelList | _Failure:
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            return read_models(await transport.get(url, "/models", _TIMEOUT_S))
    except RequestFailed as error:
        # Before its model is loaded, vLLM refuses connections; other servers and proxies answer 502, 503 or 504. What
        # answers in another protocol is InvalidAnswer, and will never list a model.
        loads = isinstance(error, NoAnswer) or (isinstance(error, ErrorStatus) and error.status in LOADING)
        code = getattr(getattr(error.__cause__, "os_error", None), "errno", None)
        return _Failure(str(error), may_load=loads, is_refused=code == errno.ECONNREFUSED)
    except TimeoutError:
        return _Failure(f"{url} did not answer in {_TIMEOUT_S:g} s", may_load=True)
    except ValueError:
        return _Failure(f"{url} lists no model; is it an OpenAI-compatible server?")
