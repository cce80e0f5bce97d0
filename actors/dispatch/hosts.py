"""The pool of episode hosts: of the hosts that answer, the least busy runs the next episode."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from operator import attrgetter

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.deadlines import await_answer, finish
from manyhands.actors.dispatch.host_view import HostView
from manyhands.actors.dispatch.host_watch import HostWatch
from manyhands.actors.dispatch.missing_requirements import MissingRequirement
from manyhands.actors.interfaces import Host
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, EpisodeNotRunning, ManyhandsError, Overloaded
from manyhands.protocol.runs.interventions import EpisodeControl, Intervention
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.utilities.backoff import Backoff

_ABANDONED_S = 2.0
logger = logging.getLogger(__name__)


class HostPool:
    """The hosts of a run. Implements Requirement. ``watch`` finds out which hosts died, went silent, or are back."""

    def __init__(
        self, hosts: Sequence[Host], backoff: Backoff, patience_s: float, silent_s: float, clock: Clock
    ) -> None:
        """``patience_s``: how long all hosts may be lost before the waiting tasks are given up.

        ``silent_s``: how long a host may leave a question unanswered before its episodes continue elsewhere.
        """
        if not hosts:
            raise ValueError("a run needs at least one episode host")
        self.views = tuple(HostView(host, backoff) for host in hosts)
        self._patience_s = patience_s
        self._silent_s = silent_s
        self._clock = clock
        self._abandoned: set[asyncio.Task[EpisodeResult]] = set()
        self._views_of: dict[str, HostView] = {}
        """The hosts that run episodes, by the episodes' ids."""

    def least_busy(self) -> HostView | None:
        """Return the host with the fewest episodes, for another episode; None while all hosts are lost."""
        there = (view for view in self.views if not view.gone.is_set())
        return min(there, key=attrgetter("running"), default=None)

    async def run_episode(
        self, view: HostView, order: EpisodeOrder, limit_s: float, uncounted_s: Callable[[], float]
    ) -> EpisodeResult:
        """Run an episode on a host, without waiting for a host that has gone silent.

        After ActorLost or Overloaded the host gets no episode for a while. Raises ActorLost, Overloaded,
        DeadlinePassed, and what the host raises.
        """
        life = view.lives
        self._views_of[order.episode] = view
        with view.call() as given_up:
            try:
                result = await await_answer(
                    view.host.run_episode(order),
                    limit_s,
                    order.episode,
                    uncounted_s=lambda: uncounted_s() + view.held_s.get(order.episode, 0.0),
                    given_up=given_up,
                    abandon=self._abandon,
                )
            except ActorLost as error:
                view.lost(life, str(error), self._clock.now())
                raise
            except Overloaded as error:
                view.leave_alone(str(error), self._clock.now())
                raise
            finally:
                self._views_of.pop(order.episode, None)
                view.held_s.pop(order.episode, None)
        view.failures = 0
        return result

    async def intervene(self, episode: str, intervention: Intervention) -> EpisodeControl:
        """Pass on what a person asks of an episode to the host that runs it. Raises what the host raises.

        Raises EpisodeNotRunning if no host runs the episode now.
        """
        view = self._views_of.get(episode)
        if view is None:
            raise EpisodeNotRunning(f"{episode} does not run on a host now")
        return await view.host.intervene(episode, intervention)

    def paused_s(self) -> float:
        """Return 0: an episode that waits for a host does not run."""
        return 0.0

    def why_none(self) -> str | None:
        """Return the last failure of each host in one line; None if a host has served since."""
        if not all(view.failures for view in self.views):
            return None
        return "; ".join(dict.fromkeys(view.reason for view in self.views))

    # ------------------------------------------------------------------------ calls of hosts that were given up
    def _abandon(self, call: asyncio.Task[EpisodeResult]) -> None:
        """Cancel a call without waiting for its end; ``watch`` waits for it when the batch ends."""
        call.cancel()
        self._abandoned.add(call)
        call.add_done_callback(self._over)

    def _over(self, call: asyncio.Task[EpisodeResult]) -> None:
        self._abandoned.discard(call)
        if not call.cancelled() and (error := call.exception()) is not None:
            logger.info("a call of a host that was given up ended: %s", error)

    async def _end_abandoned(self) -> None:
        for call in self._abandoned:
            call.cancel()
        if self._abandoned:
            await asyncio.wait(self._abandoned, timeout=_ABANDONED_S)

    # ------------------------------------------------------------------------ as a requirement of the batch
    def missing(self) -> MissingRequirement | None:
        """Return what is missing while all hosts are lost. The time counts from the loss of the last host."""
        if not all(view.gone.is_set() for view in self.views):
            return None
        last = max(self.views, key=lambda view: view.gone_at)
        return MissingRequirement(
            what="an episode host",
            since=last.gone_at,
            reason=f"no episode host answers: {last.reason}",
            patience_s=self._patience_s,
            ending=Ending.HOST_LOST,
        )

    async def watch(self, changed: Callable[[], None]) -> None:
        """Check each host repeatedly."""
        try:
            async with asyncio.TaskGroup() as group:
                for view in self.views:
                    group.create_task(HostWatch(view, self._silent_s, self._clock).run(changed))
        finally:
            await finish(self._end_abandoned())


async def progress_of(view: HostView, limit_s: float) -> Sequence[EpisodeProgress]:
    """Return the episodes that a host runs; nothing if it does not answer soon."""
    try:
        async with asyncio.timeout(limit_s):
            return await view.host.progress()
    except (ManyhandsError, TimeoutError):
        return ()
