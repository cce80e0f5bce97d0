"""Pool the episode hosts: of the hosts that answer, the least busy runs the next episode.

``HostView`` is a host as the dispatcher sees it; its methods get the time as an argument. Each host is asked what it
runs, to notice that it died, went silent, or is back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import attrgetter

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.deadlines import await_answer, finish
from manyhands.actors.dispatch.missing_requirements import MissingRequirement
from manyhands.actors.interfaces import Host
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, EpisodeNotRunning, ManyhandsError, Overloaded
from manyhands.protocol.runs.interventions import EpisodeControl, Intervention
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.utilities.backoff import Backoff

_ABANDONED_S = 2.0

_PING_S = 5.0
"""How often a host is asked what it runs, even while it is left alone."""
_AGAIN_S = 3.0
"""The limit for a host's second answer. A host is asked twice, because this process may have been frozen the first
time."""
_PROBE_S = 0.5
"""How often a host is asked whether it is back, after its time of being left alone."""
_ANSWER_S = 10.0
_START_S = 30.0
"""How long a replaced host may take to start."""

_WELL_S = 60.0
"""After this long without a failure, the next failure is the first in a row."""


@dataclass(slots=True, eq=False)
class HostView:
    """Hold a host with its load and failures."""

    host: Host
    backoff: Backoff
    running: int = 0
    lives: int = 0
    """How often the host was lost. Each loss begins a new life; failures of several calls in one life count as one."""
    failures: int = 0
    """Failures in a row."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while the host is left alone after a failure."""
    gone_at: float = 0.0
    again_at: float = 0.0
    """The host is left alone until this time."""
    back_at: float = 0.0
    reason: str = ""
    held_s: dict[str, float] = field(default_factory=dict)
    """For how many seconds people have held the host's episodes, by the episodes' ids, as the host last reported."""
    _calls: set[asyncio.Future[str]] = field(default_factory=set)
    """A future for each call that the host must answer. A future's result is the reason to give the call up."""

    @contextmanager
    def call(self) -> Iterator[asyncio.Future[str]]:
        """Count one more running episode while the block runs.

        The yielded future ends with the reason to give the call up.
        """
        given_up: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._calls.add(given_up)
        self.running += 1
        try:
            yield given_up
        finally:
            self.running -= 1
            self._calls.discard(given_up)

    def lost(self, life: int, reason: str, now: float) -> None:
        """Record that the host died or went silent in the life ``life``.

        Several calls that fail in one life count once.
        """
        if life == self.lives:
            self.lives += 1
            self.leave_alone(reason, now)

    def leave_alone(self, reason: str, now: float) -> None:
        """Leave the host alone, for longer after each failure in a row.

        Failures and refusals at the same time count once.
        """
        self.reason = reason
        if self.gone.is_set():
            return
        self.failures = self.failures + 1 if now - self.back_at < _WELL_S else 1
        self.gone_at, self.again_at = now, now + self.backoff.wait_s(self.failures)
        self.gone.set()

    def give_up(self, reason: str, now: float) -> None:
        """Give up all calls that wait for the host."""
        self.lost(self.lives, reason, now)
        for given_up in self._calls:
            if not given_up.done():
                given_up.set_result(reason)

    def is_back(self, now: float) -> None:
        self.back_at = now
        self.gone.clear()


class _HostWatch:
    """Watches one host. A host that leaves questions unanswered is given up, and another is started in its place."""

    def __init__(self, view: HostView, silent_s: float, clock: Clock) -> None:
        """``silent_s``: how long the host may leave a question unanswered."""
        self._view = view
        self._silent_s = silent_s
        self._clock = clock
        self._starts_until = 0.0

    async def run(self, changed: Callable[[], None]) -> None:
        """Watch for ever. Call ``changed`` when the host is left alone and when it is back."""
        while True:
            try:
                async with asyncio.timeout(_PING_S):
                    await self._view.gone.wait()
            except TimeoutError:
                await self._check()
            if self._view.gone.is_set():
                changed()
                await self._until_back()
                changed()

    async def _check(self) -> None:
        """Ask a host that should be running. If it does not answer in time twice, replace it."""
        life = self._view.lives
        for limit_s in (max(self._silent_s - _PING_S, _AGAIN_S), _AGAIN_S):
            error = await self._ask(limit_s)
            if isinstance(error, ActorLost):
                self._view.lost(life, str(error), self._clock.now())
            elif isinstance(error, ManyhandsError):
                logger.info("an episode host that was asked whether it is there said: %s", error)
            if not isinstance(error, TimeoutError) or self._view.lives != life:
                return
        await self._replace()

    async def _until_back(self) -> None:
        """Wait until the host answers after it was left alone for long enough."""
        view, limit_s = self._view, max(min(_ANSWER_S, self._silent_s), _AGAIN_S)
        silent_since: float | None = None
        while True:
            await self._clock.sleep(min(max(view.again_at - self._clock.now(), _PROBE_S), _PING_S))
            asked_at = self._clock.now()
            error = await self._ask(limit_s)
            now = self._clock.now()
            if isinstance(error, TimeoutError):
                view.reason = f"no answer within {limit_s:g} s"
                if silent_since is None:
                    silent_since = asked_at
                elif now - silent_since >= self._silent_s and now >= self._starts_until and await self._replace():
                    silent_since = None
                continue
            silent_since = None
            if error is not None:
                view.reason = str(error) or type(error).__name__
            elif now >= view.again_at:
                view.is_back(now)
                return

    async def _ask(self, limit_s: float) -> Exception | None:
        """Ask the host. Return None if it is well, TimeoutError if it is silent, otherwise its error."""
        try:
            async with asyncio.timeout(limit_s):
                reported = await self._view.host.progress()
            self._view.held_s = {one.episode: one.held_s for one in reported if one.held_s}
        except (ManyhandsError, TimeoutError) as error:
            return error
        except Exception as error:  # a defect of one host must not end the batch
            logger.exception("asking an episode host failed by a defect")
            return error
        return None

    async def _replace(self) -> bool:
        """Give the host up and have another one started in its place. Return whether that succeeded."""
        reason = f"the host has not answered for {self._silent_s:g} s"
        logger.warning("%s; its episodes go on elsewhere, and it is started again", reason)
        self._view.give_up(reason, self._clock.now())
        try:
            async with asyncio.timeout(_ANSWER_S):
                await self._view.host.replace()
        except (ManyhandsError, TimeoutError) as error:
            logger.warning("a silent host cannot be replaced now: %s", error)
            return False
        except Exception:  # a defect of one host must not end the batch
            logger.exception("a silent host cannot be replaced, by a defect")
            return False
        self._starts_until = self._clock.now() + _START_S
        return True


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
                    group.create_task(_HostWatch(view, self._silent_s, self._clock).run(changed))
        finally:
            await finish(self._end_abandoned())


async def progress_of(view: HostView, limit_s: float) -> Sequence[EpisodeProgress]:
    """Return the episodes that a host runs; nothing if it does not answer soon."""
    try:
        async with asyncio.timeout(limit_s):
            return await view.host.progress()
    except (ManyhandsError, TimeoutError):
        return ()
