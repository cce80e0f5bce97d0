"""Requirements of a batch besides its tasks: while one is missing, no task is assigned.

The requirements are hosts (``hosts``), leave to run (``run_control``), and model servers (this module).
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.interfaces import Counted
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError
from manyhands.protocol.messages import ModelCounts
from manyhands.protocol.roles.role import Role

CHECK_S, CHECK_AGAIN_S = 5.0, 1.0
"""How often roles are asked while each has a server, and while one has none."""
HEARD_S = 15.0
"""If a client with a server had an answer this recently, no outage is assumed: only the network of other clients may be
down."""
_ANSWER_S = 10.0
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MissingRequirement:
    """A requirement that is missing now. Tasks wait for it and are given up after ``patience_s``."""

    what: str
    """A few words: ``a phone``, ``the model``."""
    since: float
    """Unix seconds."""
    reason: str
    patience_s: float
    ending: Ending
    """The ending of tasks that are given up because of it."""

    @property
    def ends_at(self) -> float:
        return self.since + self.patience_s


class ReaderRequirement:
    """A reader who keeps up with the results of a batch: while too many wait to be read, no task starts."""

    def __init__(self, most: int | None, unread: Callable[[], int], clock: Clock) -> None:
        """``most``: how many episodes may run or wait to be read; None without a reader. ``unread`` counts them."""
        self._most = most
        self._unread = unread
        self._clock = clock
        self._since: float | None = None
        self._paused_s = 0.0

    def missing(self) -> MissingRequirement | None:
        """Return what is missing while there are too many. The reader may take any time."""
        now = self._clock.now()
        if self._most is None or self._unread() < self._most:
            self._paused_s = self.paused_s()
            self._since = None
            return None
        self._since = now if self._since is None else self._since
        reason = f"{self._most} episodes run, or wait to be read"
        return MissingRequirement("the reader of trajectories", self._since, reason, math.inf, Ending.CANCELLED)

    def paused_s(self) -> float:
        """Return for how many seconds in total no task could start."""
        return self._paused_s + (0.0 if self._since is None else self._clock.now() - self._since)

    async def watch(self, changed: Callable[[], None]) -> None:
        """Do nothing: whoever counts the episodes tells of changes."""


class Requirement(Protocol):
    """Something without which no task can start: hosts, a model, leave to run."""

    def missing(self) -> MissingRequirement | None:
        """Return what is missing now; None if nothing is missing."""

    def paused_s(self) -> float:
        """Return for how many seconds in total this requirement has paused running episodes.

        Their limits exclude that time.
        """

    async def watch(self, changed: Callable[[], None]) -> None:
        """Keep ``missing`` up to date while a batch runs, and call ``changed`` when it may have changed.

        The batch runs this method in a task, and cancels the task at the end of the batch. The method may return early,
        but must not raise.
        """


class ChangeSignal:
    """Wakes everyone who waits for a change of any kind. Belongs to one event loop."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def notify(self) -> None:
        self._event.set()
        self._event = asyncio.Event()

    async def next(self) -> None:
        """Return at the next change.

        A caller that checks a condition first must not await anything between the check and this call.
        """
        await self._event.wait()


# ---------------------------------------------------------------------------- model servers
@dataclass(frozen=True, slots=True)
class _Outage:
    """When a role's servers became unreachable, and why."""

    since: float
    why: str


class ModelRequirement:
    """Implements Requirement: a server of each role's model.

    Running episodes do not use this class; they wait in ``StageContext.ask``.
    """

    def __init__(self, roles: Mapping[Role, Counted], patience_s: float, clock: Clock | None = None) -> None:
        """``patience_s``: how long a role may be without a server before the waiting tasks are given up."""
        self._roles = dict(roles)
        self._patience_s = patience_s
        self._clock = clock or RealClock()
        self._away: dict[Role, _Outage] = {}
        self._since = 0.0
        """The time at which the first role lost its servers; 0 while every role has one."""
        self._past_s = 0.0

    def missing(self) -> MissingRequirement | None:
        if not self._away:
            return None
        by_reason: dict[str, list[str]] = {}
        for role, away in sorted(self._away.items()):
            by_reason.setdefault(away.why, []).append(role.value)
        reason = "; ".join(f"{why} ({', '.join(roles)})" for why, roles in by_reason.items())
        return MissingRequirement("the model", self._since, reason, self._patience_s, Ending.NO_MODEL)

    def paused_s(self) -> float:
        return self._past_s + (self._clock.now() - self._since if self._away else 0.0)

    async def watch(self, changed: Callable[[], None]) -> None:
        while True:
            counted = await asyncio.gather(*(self._ask(role) for role in self._roles))
            self._update({role: counts for role, counts in zip(self._roles, counted, strict=True) if counts})
            changed()
            await self._clock.sleep(CHECK_AGAIN_S if self._away else CHECK_S)

    async def _ask(self, role: Role) -> Sequence[ModelCounts]:
        """Return the counts of a role's clients; an empty result if no client answers now."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                return await self._roles[role].counts()
        except (CallError, TimeoutError):
            return ()
        except Exception:  # a defect of one role's figures must not end the batch
            logger.exception("asking the clients of %s failed by a defect", role)
            return ()

    def _update(self, answers: Mapping[Role, Sequence[ModelCounts]]) -> None:
        """Update which roles have no server. A role that did not answer keeps its state."""
        now, before = self._clock.now(), bool(self._away)
        for role, counts in answers.items():
            away = _away(counts, now)
            if away is None:
                self._away.pop(role, None)
            else:
                self._away[role] = away
        if before and not self._away:
            self._past_s += now - self._since
        elif self._away and not before:
            self._since = min(away.since for away in self._away.values())


def _away(clients: Sequence[ModelCounts], now: float) -> _Outage | None:
    """Return the outage of a role, from its clients' counts; None if it has a server."""
    without = [(client.away_since, client.away_why) for client in clients if client.away_since is not None]
    last_heard_at = max((client.heard_at for client in clients if client.away_since is None), default=0.0)
    if not without or last_heard_at >= now - HEARD_S:
        return None
    return _Outage(*max(without))
