"""EpisodeHost: runs many episodes as coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from pydantic import Field

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.episode.context import Collaborators
from manyhands.actors.episode.episode import Episode
from manyhands.actors.episode.profile import Profile
from manyhands.actors.profiles import PROFILES, profile_of
from manyhands.protocol.base import Input
from manyhands.protocol.errors import Overloaded
from manyhands.protocol.runs import EpisodeOrder, EpisodeProgress, EpisodeResult

__all__ = ["Collaborators", "EpisodeHost", "HostSettings"]


class HostSettings(Input):
    max_episodes: int = Field(default=64, ge=1)
    """Episodes at a time; one more is refused."""
    records_ahead: int = Field(default=256, ge=1)
    """Records of one episode that may wait to be written."""
    screens_ahead: int = Field(default=2, ge=1)
    """Screens of one episode that may wait to be written."""


class EpisodeHost:
    """Implement ``actors.seams.Host``. Whoever gives an order holds the phone's lease and gives it back."""

    def __init__(
        self,
        settings: HostSettings,
        collaborators: Collaborators,
        clock: Clock | None = None,
        profiles: Mapping[str, Profile] = PROFILES,
    ) -> None:
        self._settings = settings
        self._collaborators = collaborators
        self._clock: Clock = clock or RealClock()
        self._profiles = profiles
        self._episodes: dict[asyncio.Task[object], Episode] = {}

    async def start(self) -> None:
        """Open nothing: an episode opens what it needs."""

    async def stop(self) -> None:
        """Cancel every episode and wait until its journal is closed."""
        tasks = list(self._episodes)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        """Run one episode to its named ending. Raises Overloaded; cancelled, it ends as ``cancelled`` and re-raises."""
        if len(self._episodes) >= self._settings.max_episodes:
            raise Overloaded(f"this host runs {len(self._episodes)} episodes, as many as it may")
        episode = Episode(
            order,
            profile_of(order.settings.profile, self._profiles),
            self._collaborators,
            self._clock,
            self._settings.records_ahead,
            self._settings.screens_ahead,
        )
        task = asyncio.current_task()
        assert task is not None
        self._episodes[task] = episode
        try:
            return await episode.run()
        finally:
            del self._episodes[task]

    async def progress(self) -> Sequence[EpisodeProgress]:
        return [episode.progress() for episode in self._episodes.values()]
