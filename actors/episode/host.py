"""EpisodeHost: runs many episodes as coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cachetools import FIFOCache
from pydantic import Field

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.episode.checks.answer import ANSWERING_S
from manyhands.actors.episode.checks.judge import JUDGE, JUDGING_S
from manyhands.actors.episode.episode import Episode
from manyhands.actors.episode.profile import Profile
from manyhands.actors.episode.runtime import Collaborators, EpisodeRuntime
from manyhands.actors.episode.stages.perceive import PERCEIVE_STAGE
from manyhands.actors.episode.state import ANSWER
from manyhands.actors.profiles import PROFILES, profile_of
from manyhands.protocol.base import Input
from manyhands.protocol.errors import EpisodeNotRunning, Overloaded
from manyhands.protocol.runs.interventions import EpisodeControl, EpisodePhase, Intervention, ShowControl, StopEpisode
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult

__all__ = ["Collaborators", "EpisodeHost", "HostSettings"]
_DEADLINES = {ANSWER: ANSWERING_S, JUDGE: JUDGING_S, PERCEIVE_STAGE.name: PERCEIVE_STAGE.deadline_s}
"""Seconds for calls that no stage of a profile need make. The policy reads screens also where the agent does not."""


class HostSettings(Input):
    max_episodes: int = Field(default=64, ge=1)
    """The most episodes at a time. Further episodes are refused."""
    results_kept: int = Field(default=256, ge=1)
    """How many of the last results are kept. A restarted dispatcher asks for them."""
    records_ahead: int = Field(default=256, ge=1)
    """Records of one episode that may wait to be written."""
    screens_ahead: int = Field(default=2, ge=1)
    """Screens of one episode that may wait to be written."""


@dataclass(frozen=True, slots=True)
class _RunningEpisode:
    """An episode that runs here, and the epoch of its lease."""

    episode: Episode
    epoch: int
    task: asyncio.Task[EpisodeResult]


class EpisodeHost:
    """Implement ``actors.interfaces.Host``. The sender of an order takes the phone's lease and gives it back.

    Each episode runs in a task of the host's own, so it outlives the process that ordered it.
    """

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
        self._running: dict[str, _RunningEpisode] = {}
        self._ended: FIFOCache[str, tuple[int, EpisodeResult]] = FIFOCache(settings.results_kept)
        """The last results, with the epochs of their leases."""

    async def start(self) -> None:
        """Open nothing: an episode opens what it needs."""

    async def stop(self) -> None:
        """Cancel every episode and wait until its journal is closed."""
        tasks = [running.task for running in self._running.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        """Run one episode to its named ending. If the episode already runs here, wait for it.

        If it has ended here, return its result. An order under a newer lease ends the run under the older lease and
        resumes its episode. Cancelling this call ends the episode as ``cancelled``. If the caller's process dies, the
        episode continues. Raises Overloaded.
        """
        epoch = order.lease.epoch
        while (running := self._running.get(order.episode)) is not None and running.epoch < epoch:
            running.task.cancel()  # this order has a newer lease, so the running episode has lost the phone
            await asyncio.wait({running.task})
        if running is None:
            ended_under, result = self._ended.get(order.episode, (-1, None))
            if result is not None and ended_under >= epoch:
                return result
            running = self._begin(order)
        return await _joined(running.task)

    async def replace(self) -> None:
        """Cancel all episodes without waiting, because the caller has given this host up."""
        for running in self._running.values():
            running.task.cancel()

    async def progress(self) -> Sequence[EpisodeProgress]:
        return [running.episode.progress() for running in self._running.values()]

    async def intervene(self, episode: str, intervention: Intervention) -> EpisodeControl:
        """Carry out what a person asks of an episode that runs here. The answer to ``StopEpisode`` comes at its end.

        Raises InterventionRefused, BadInput, and the errors of the phone and of the store.
        """
        running = self._running.get(episode)
        if running is None:
            _, ended = self._ended.get(episode, (-1, None))
            if ended is None:
                raise EpisodeNotRunning(f"{episode} does not run")
            if not isinstance(intervention, StopEpisode | ShowControl):
                raise EpisodeNotRunning(f"{episode} has ended: {ended.reason}")
            return _ended_control(ended)
        control = await running.episode.intervene(intervention)
        if not isinstance(intervention, StopEpisode):
            return control
        await asyncio.wait({running.task})
        if running.task.cancelled():
            return control.model_copy(update={"phase": EpisodePhase.ENDED})
        ended = running.task.result()
        return control.model_copy(update={"phase": EpisodePhase.ENDED, "ending": ended.ending, "reason": ended.reason})

    def _begin(self, order: EpisodeOrder) -> _RunningEpisode:
        if len(self._running) >= self._settings.max_episodes:
            raise Overloaded(f"this host runs {len(self._running)} episodes, as many as it may")
        profile = profile_of(order.settings.profile, self._profiles)
        runtime = EpisodeRuntime(
            order,
            self._collaborators,
            self._clock,
            deadlines={**_DEADLINES, **profile.deadlines(order.settings)},
            images_kept=profile.images_kept(order.settings),
            unread_kept=profile.unread_kept,
            records_ahead=self._settings.records_ahead,
            screens_ahead=self._settings.screens_ahead,
        )
        episode = Episode(runtime, profile)
        task = asyncio.create_task(self._run(order, episode), name=order.episode)
        running = self._running[order.episode] = _RunningEpisode(episode, order.lease.epoch, task)
        task.add_done_callback(lambda _: self._running.pop(order.episode))  # before the waiting caller continues
        return running

    async def _run(self, order: EpisodeOrder, episode: Episode) -> EpisodeResult:
        result = await episode.run()
        self._ended[order.episode] = (order.lease.epoch, result)
        return result


def _ended_control(ended: EpisodeResult) -> EpisodeControl:
    """Return the control of an episode that has ended."""
    return EpisodeControl(
        episode=ended.episode,
        task=ended.task,
        serial=ended.serial,
        phase=EpisodePhase.ENDED,
        ending=ended.ending,
        reason=ended.reason,
    )


async def _joined(task: asyncio.Task[EpisodeResult]) -> EpisodeResult:
    """Wait for an episode. If this wait is cancelled, cancel the episode and wait until it has ended."""
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task})
        raise
    return task.result()
