"""Check servers before use: whether they serve the model, suit our settings, and accept a trial request.

A server that may still be loading its model is waited for.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from manyhands.actors.mllm.client.answers import (
    ModelList,
    advice,
    check_places,
    read_completion,
    read_models,
    read_tokens,
)
from manyhands.actors.mllm.client.errors import LOADING, ErrorStatus, NoAnswer, RequestFailed, TimedOut, read_json
from manyhands.actors.mllm.client.probe import probe_context
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import Prompt, asks_tokens, recorded_body, wire_body, without_priority
from manyhands.actors.mllm.settings import ModelSettings
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import BadInput, ModelRefused, ModelUnreachable, first_error
from manyhands.protocol.roles.role import Role
from manyhands.protocol.utilities.backoff import Backoff

_TRIAL_S = 30.0
_SOON = ["{", "<", "#", " "]
"""Stop strings that occur early in every reply format, so that the model writes only a few tokens."""

_PAUSES = Backoff(first_s=0.25, longest_s=5.0)
_TELL_EVERY_S = 60.0
_log = logging.getLogger(__name__)
_TIMEOUT_S = 15.0
_MOST_NAMES = 5
_LONGEST_NAME = 100
"""The longest name of a model in a line for people, in characters."""


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
    until, pauses = loop.time() + wait.limit_s, _PAUSES.pauses()
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


async def try_question(settings: ModelSettings, role: Role, prompt: Prompt, reply: type[Reply]) -> None:
    """Ask all servers of a model. The settings must name the model.

    Raises BadInput with the message of a server that refuses, or that lacks the tokens it is to report. A server that
    is too busy or slow is accepted.
    """
    body = {**recorded_body(settings, role, reply, prompt), "stop": _SOON}
    images = {image.content_id: image.jpeg for image in prompt.images}
    transport = Transport(settings)
    transport.open()
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_refusal(transport, url, body, images)) for url in settings.urls]
    finally:
        await transport.close()
    refusals = [refusal for task in tasks if (refusal := task.result()) is not None]
    if refusals:
        raise BadInput(f"the model refuses what every task asks it: {'; '.join(refusals)}")


async def _refusal(transport: Transport, url: str, body: dict[str, Any], images: dict[str, bytes]) -> str | None:
    """Return the server's reason for refusing the request.

    None if the server accepts the request, or cannot tell now.
    """
    context = probe_context(_TRIAL_S)
    try:
        async with asyncio.timeout(_TRIAL_S):
            try:
                answer = await transport.post(url, wire_body(body, images), context)
            except ErrorStatus as error:
                if error.priority_refused and "priority" in body:
                    answer = await transport.post(url, wire_body(without_priority(body), images), context)
                elif error.status == 500:  # some servers answer 500 to a picture that they cannot read
                    answer = await transport.post(url, wire_body(body, images), context)
                else:
                    raise
            completion = read_completion(url, answer)
            if asks_tokens(body):
                check_places(url, read_tokens(url, completion), len(images))
    except (TimeoutError, TimedOut):
        _log.warning("%s has not answered a trial request within %g s", url, _TRIAL_S)
    except ModelRefused as error:
        return str(error)
    except RequestFailed as error:
        if isinstance(error, ErrorStatus) and error.retried and error.status != 500:
            _log.warning("%s did not accept a trial request now: %s", url, error)
            return None
        return f"{error}{advice(str(error))}"
    return None
