"""Hold a client's methods by which a person intervenes in a running episode."""

from __future__ import annotations

import uuid
from urllib.parse import quote

from manyhands.protocol.service.episodes import EpisodeWriting
from manyhands.protocol.service.interventions import (
    ControlStatus,
    PersonActionAnswer,
    PersonActionRequest,
    PersonOperation,
)
from manyhands.service.client.http_connection import HttpConnection


class InterventionCalls:
    """Pause, stop, take over and hand back a running episode, and act on its phone.

    An episode is named by its id, as in ``PhoneStatus.episode``. Methods raise ServiceRefused if the episode's present
    phase does not allow what they ask.
    """

    _connection: HttpConnection

    async def control(self, episode: str) -> ControlStatus:
        """Return who controls an episode: the agent, or a person."""
        return await self._connection.fetch(ControlStatus, "GET", f"{_path(episode)}/control")

    async def writing(self, episode: str) -> EpisodeWriting:
        """Return what models are writing now for an episode. Ask once a second: its calls are streamed meanwhile."""
        return await self._connection.fetch(EpisodeWriting, "GET", f"{_path(episode)}/writing")

    async def pause_episode(self, episode: str, *, reason: str | None = None) -> ControlStatus:
        """Send no further action until the episode is resumed. Its time limit stands still."""
        return await self._ask(episode, "pause", reason)

    async def resume_episode(self, episode: str) -> ControlStatus:
        """Withdraw ``pause_episode``."""
        return await self._ask(episode, "resume")

    async def stop_episode(self, episode: str, *, reason: str | None = None) -> ControlStatus:
        """End an episode at once, and cancel its task. Return when the episode has ended."""
        return await self._ask(episode, "stop", reason)

    async def take_over(self, episode: str) -> ControlStatus:
        """Hold the agent, so that this client may act on the phone. Return when the screen is captured."""
        return await self._ask(episode, "take-over")

    async def hand_back(self, episode: str) -> ControlStatus:
        """Let the agent go on from the present screen. It is told what the person did."""
        return await self._ask(episode, "hand-back")

    async def act(
        self, episode: str, action: PersonOperation, screen: str, *, idempotency_key: str | None = None
    ) -> PersonActionAnswer:
        """Carry out an action on the phone of an episode that this client's owner has taken over.

        ``action``: in pixels of the screenshot with the content id ``screen``, which must be the latest one
        (``ControlStatus.screen``). Two calls with the same ``idempotency_key`` carry it out once; without a key, each
        call gets its own.
        """
        request = PersonActionRequest(screen=screen, action=action)
        key = idempotency_key or uuid.uuid4().hex
        path = f"{_path(episode)}/actions"
        return await self._connection.fetch(PersonActionAnswer, "POST", path, body=request, key=key)

    async def _ask(self, episode: str, what: str, reason: str | None = None) -> ControlStatus:
        query = {} if reason is None else {"reason": reason}
        return await self._connection.fetch(ControlStatus, "POST", f"{_path(episode)}:{what}", query)


def _path(episode: str) -> str:
    return f"/episodes/{quote(episode, safe='')}"
