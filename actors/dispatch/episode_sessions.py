"""Open each episode's session at a trainer's gateway, and end it once: with the reward, or discarded after a fault.

A session is named by its episode, so an episode that is resumed goes on with its session. The journal says when the
session has ended. If a run dies in between, the run that takes its place tells the gateway again, which changes nothing
there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.deadlines import await_answer, retry
from manyhands.actors.dispatch.missing_requirements import CHECK_S, MissingRequirement
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.episode.paused_time import FINAL
from manyhands.actors.interfaces import ModelSessions, Store
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError, ManyhandsError, StoreError
from manyhands.protocol.journals.records import ModelSessionEnded, Record
from manyhands.protocol.messages import ModelSession, SessionFacts

RewardOf = Callable[[Sequence[Record]], float | None]
"""Returns what an episode earned, from all records of its journal; None if a fault ended it, or if nothing says."""
_PARTING_S = 20.0
"""How long a gateway is told of an end once the run ends, or of a session that was not used."""
logger = logging.getLogger(__name__)


def earns_nothing(_: Sequence[Record]) -> None:
    """Return no reward, for a run without a gateway."""


class EpisodeSessions:
    """Opens and ends the sessions of a run's episodes. Without a gateway, there are none.

    Implements Requirement: while sessions are waited for and none is opened, no other task starts.
    """

    def __init__(
        self,
        sessions: ModelSessions | None,
        reward_of: RewardOf,
        store: Store,
        settings: DispatchSettings,
        clock: Clock,
    ) -> None:
        self._sessions = sessions
        self._reward_of = reward_of
        self._store = store
        self._settings = settings
        self._clock = clock
        self._opening: dict[str, float] = {}
        """Since when sessions are waited for, by episode."""
        self._opened_at = 0.0

    async def open(self, facts: SessionFacts) -> ModelSession | None:
        """Open an episode's session, or take it up again; None without a gateway.

        A gateway that is away or full is waited for as long as a model. Raises ModelError.
        """
        if self._sessions is None:
            return None
        self._opening[facts.episode] = now = self._clock.now()
        try:
            session = await self._sessions.open(facts, now + self._settings.patience_s.session_s)
        finally:
            del self._opening[facts.episode]
        self._opened_at = self._clock.now()
        return session

    def has_opened_since(self, at: float) -> bool:
        """Return whether a session was opened after a time in Unix seconds."""
        return self._opened_at >= at

    # ------------------------------------------------------------------------ as a requirement of the batch
    def missing(self) -> MissingRequirement | None:
        since = min(self._opening.values(), default=None)
        if since is None or self.has_opened_since(since) or self._clock.now() - since < CHECK_S:
            return None
        reason, patience_s = "the trainer's gateway opens no session", self._settings.patience_s.session_s
        return MissingRequirement("a session", since, reason, patience_s, Ending.NO_MODEL)

    def paused_s(self) -> float:
        """Return 0: running episodes have their sessions."""
        return 0.0

    async def watch(self, changed: Callable[[], None]) -> None:
        while self._sessions is not None:
            await self._clock.sleep(CHECK_S)
            changed()

    # ------------------------------------------------------------------------ the end of an episode
    async def end(self, episode: str, epoch: int | None) -> None:
        """End the session of an episode that will not be resumed, also if this is cancelled meanwhile.

        ``epoch``: that of the episode's last lease; None if no host has begun the episode, which has no journal then.
        If that fails, a later run of the folder tries it.
        """
        if self._sessions is None:
            return
        sessions, what = self._sessions, f"ending the session of {episode}"
        limit_s = _PARTING_S if epoch is None else self._settings.session_s
        ending = retry(lambda: self._end(sessions, episode, epoch), limit_s, what, (StoreError, CallError), final=FINAL)
        try:
            await await_answer(ending, limit_s, what, parting_s=_PARTING_S)
        except ManyhandsError as error:
            logger.warning("%s failed: %s", what, error)
        except Exception:  # a defect that one reward meets must not end the batch
            logger.exception("%s failed by a defect", what)

    async def end_all(self, episodes: Sequence[tuple[str, int]]) -> None:
        """End the sessions of episodes, each with its epoch, that an earlier run left open."""
        async with asyncio.TaskGroup() as group:
            for episode, epoch in episodes:
                group.create_task(self.end(episode, epoch))

    async def _end(self, sessions: ModelSessions, episode: str, epoch: int | None) -> None:
        deadline = self._clock.now() + self._settings.session_s
        if epoch is None:
            await sessions.discard(episode, deadline)
            return
        scan = await self._store.read(episode, epoch)
        if any(isinstance(record, ModelSessionEnded) for record in scan.records):
            return
        reward = await asyncio.to_thread(self._reward_of, scan.records)  # it may be a function of a user
        if reward is None:
            await sessions.discard(episode, deadline)
        else:
            await sessions.close(episode, reward, deadline)
        if scan.records:  # else no host has begun the episode
            ended = ModelSessionEnded(at=self._clock.now(), reward=reward)
            await self._store.append(episode, (ended,), scan.next_seq, epoch)
