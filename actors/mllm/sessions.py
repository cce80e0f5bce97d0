"""Give each episode a session at a trainer's gateway: rLLM's, AReaL's or Agent Lightning's.

The gateway records the session's model calls with their tokens, and the trainer reads them there. The paths and bodies
were read in rllm-model-gateway 0.1.0, areal 1.0.4 and agentlightning 1.0.2; only rLLM's was tried.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Literal
from urllib.parse import quote

from pydantic import SecretStr

from manyhands.actors.interfaces import ModelSessions
from manyhands.actors.mllm.client.errors import ErrorStatus, RequestFailed, read_json
from manyhands.actors.mllm.client.transport import Transport, read_key
from manyhands.actors.mllm.load.pool import bounded_wait_s
from manyhands.actors.mllm.settings import ModelSettings
from manyhands.protocol.base import Input
from manyhands.protocol.errors import BadInput, ModelError, ModelRefused, ModelUnreachable
from manyhands.protocol.messages import ModelSession, SessionFacts
from manyhands.protocol.utilities.backoff import Backoff
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

SessionKind = Literal["rllm", "areal", "agent-lightning"]
_PAUSES = Backoff(first_s=0.5, longest_s=15.0, jitter=0.2)
_TIMEOUT_S = 15.0
_CHECK_S = 10.0
_CONFLICT, _NOT_FOUND = 409, 404
_GONE = frozenset({401, 410})
"""What AReaL answers for a session that has ended and was exported, or that nobody used for too long."""
logger = logging.getLogger(__name__)


class SessionSettings(Input):
    kind: SessionKind
    url: str
    """The gateway's address, without ``/v1``."""
    api_key_env: str | None = None
    """The name of the environment variable with the gateway's key."""


class _Gateway:
    def __init__(self, settings: SessionSettings) -> None:
        self._settings = ModelSettings(urls=(settings.url,), api_key_env=settings.api_key_env)
        (self._url,) = self._settings.urls

    @property
    def _key(self) -> SecretStr | None:
        key = read_key(self._settings.api_key_env)
        return None if key is None else SecretStr(key)

    async def _ask(
        self,
        method: str,
        path: str,
        body: Any,
        deadline: float,
        accepted: Collection[int] = (),
        key: SecretStr | None = None,
        secret: SecretStr | None = None,
        is_done: Callable[[], Awaitable[bool]] | None = None,
    ) -> Any:
        """Return the JSON of an answer; None for an ``accepted`` status. Ask again until ``deadline``.

        ``key``: what is sent in place of the gateway's key. ``secret``: what ``body`` holds and no error may repeat.
        ``is_done``: says before each further request whether an earlier one was carried out; the result is then None.
        Raises ModelUnreachable and ModelRefused.
        """
        transport, pauses = Transport(self._settings), _PAUSES.pauses()
        transport.open()
        try:
            while True:
                limit_s = min(_TIMEOUT_S, max(0.1, deadline - HOST_CLOCK.now()))
                try:
                    text = await transport.ask(self._url, method, path, body, limit_s, _text(key), _text(secret))
                    return read_json(text) if text else None
                except RequestFailed as error:
                    status, asked_s = (error.status, error.retry_after_s) if isinstance(error, ErrorStatus) else (0, 0)
                    if status in accepted:
                        return None
                    if not error.retried:
                        raise ModelRefused(f"the trainer's gateway refuses: {error}") from error
                    pause_s, left_s = next(pauses), deadline - HOST_CLOCK.now()
                    if pause_s >= left_s:
                        raise ModelUnreachable(f"the trainer's gateway does not serve: {error}") from error
                    # A gateway may ask for more time than there is: it is then asked once more before the deadline.
                    pause_s = max(pause_s, min(bounded_wait_s(asked_s), left_s - _TIMEOUT_S))
                    logger.warning("the trainer's gateway is asked again in %.1f s: %s", pause_s, error)
                await asyncio.sleep(pause_s)
                if is_done is not None and await is_done():
                    return None
        except ValueError as error:
            raise ModelRefused(f"{self._url}{path} answers with something other than JSON") from error
        finally:
            await transport.close()

    async def check(self, deadline: float) -> None:
        """Raise ModelUnreachable or ModelRefused if the gateway does not answer."""
        await self._ask("GET", "/health", None, deadline, {_NOT_FOUND})


class RllmSessions(_Gateway):
    """Implements ModelSessions. The reward is in the session's metadata."""

    async def open(self, facts: SessionFacts, deadline: float) -> ModelSession:
        body = {"session_id": facts.episode, "metadata": facts.model_dump()}
        await self._ask("POST", "/sessions", body, deadline)
        return ModelSession(url=f"{self._url}{_session_path(facts.episode)}/v1", key=self._key)

    async def close(self, episode: str, reward: float, deadline: float) -> None:
        await self._ask("POST", "/admin/flush", {}, deadline)  # the reward comes after the calls
        session = await self._ask("GET", _session_path(episode), None, deadline, {_NOT_FOUND})
        if session is None:  # the trainer has deleted it, and what is posted would be another one without calls
            return
        known = session.get("metadata") if isinstance(session, dict) else None
        metadata = {**(known if isinstance(known, dict) else {}), "reward": reward}
        await self._ask("POST", "/sessions", {"session_id": episode, "metadata": metadata}, deadline)

    async def discard(self, episode: str, deadline: float) -> None:
        await self._ask("DELETE", _session_path(episode), None, deadline, {_NOT_FOUND})


class ArealSessions(_Gateway):
    """Implements ModelSessions. A session has a key instead of an address; a resumed run makes the same key again."""

    def __init__(self, settings: SessionSettings) -> None:
        """Raises BadInput if the settings name no key: the proxy starts sessions for its administrator only."""
        super().__init__(settings)
        if settings.api_key_env is None:
            raise BadInput("areal: name the environment variable with the proxy's admin key: --model-sessions-key-env")

    async def open(self, facts: SessionFacts, deadline: float) -> ModelSession:
        key = self._key_of(facts.episode)
        body = {"task_id": facts.episode, "api_key": key.get_secret_value()}
        await self._ask("POST", "/rl/start_session", body, deadline, {_CONFLICT}, secret=key)
        return ModelSession(url=self._url, key=key)

    async def close(self, episode: str, reward: float, deadline: float) -> None:
        key, without_calls = self._key_of(episode), 400
        await self._ask("POST", "/rl/set_reward", {"reward": reward}, deadline, {without_calls, *_GONE}, key)
        await self._ask("POST", "/rl/end_session", {}, deadline, _GONE, key)

    async def discard(self, episode: str, deadline: float) -> None:
        """Leave the session to the proxy, which drops it when nobody has used it for a while.

        A session that is ended without a reward would count as one with the reward 0.
        """

    def _key_of(self, episode: str) -> SecretStr:
        admin = self._key
        assert admin is not None  # the constructor saw that the settings name one
        return SecretStr(hmac.new(admin.get_secret_value().encode(), episode.encode(), hashlib.sha256).hexdigest())


class AgentLightningSessions(_Gateway):
    """Implements ModelSessions. An episode is a rollout of one attempt, which Agent Lightning calls 0."""

    async def open(self, facts: SessionFacts, deadline: float) -> ModelSession:
        rollout = {"rollout_id": facts.episode, "input": {"data_id": facts.group, **facts.model_dump()}}
        await self._ask("POST", "/api/rollouts", [rollout], deadline)
        await self._set_state(facts.episode, "running", deadline)
        path = f"/proxy/rollout/{quote(facts.episode)}/attempt/0/mode/train/openai/v1"
        return ModelSession(url=f"{self._url}{path}", key=self._key)

    async def close(self, episode: str, reward: float, deadline: float) -> None:
        path = _rollout_path(episode)

        async def is_done() -> bool:
            """Return whether the rollout has a reward, or was deleted."""
            events = await self._ask("GET", f"{path}/events?event_type=reward", None, deadline, {_NOT_FOUND})
            return events is None or bool(events)

        if not await is_done():
            event = {"event_type": "reward", "data": {"value": reward}}
            await self._ask("POST", f"{path}/attempt/0/events", event, deadline, {_NOT_FOUND}, is_done=is_done)
        await self._set_state(episode, "succeeded", deadline, {_NOT_FOUND})

    async def discard(self, episode: str, deadline: float) -> None:
        """Delete the rollout: one that has failed would count with the reward 0."""
        await self._ask("DELETE", _rollout_path(episode), None, deadline, {_NOT_FOUND})

    async def _set_state(self, episode: str, state: str, deadline: float, accepted: Collection[int] = ()) -> None:
        body = {"status": {"state": state}}
        await self._ask("PATCH", _rollout_path(episode), body, deadline, {_CONFLICT, *accepted})


_KINDS: dict[SessionKind, type[RllmSessions | ArealSessions | AgentLightningSessions]] = {
    "rllm": RllmSessions,
    "areal": ArealSessions,
    "agent-lightning": AgentLightningSessions,
}


def sessions_of(settings: SessionSettings) -> ModelSessions:
    """Return the sessions of a gateway. Raises BadInput, and ValueError for an address that cannot be used."""
    return _KINDS[settings.kind](settings)


async def check_gateway(settings: SessionSettings) -> None:
    """Raise BadInput if a gateway does not answer, or its key is not set."""
    try:
        await _Gateway(settings).check(HOST_CLOCK.now() + _CHECK_S)
    except ModelError as error:
        raise BadInput(f"--model-sessions-url: {error}") from error


def _text(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()


def _session_path(episode: str) -> str:
    return f"/sessions/{quote(episode)}"


def _rollout_path(episode: str) -> str:
    return f"/api/rollouts/{quote(episode)}"
