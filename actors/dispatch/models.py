"""Whether each role has a model server that answers, by what the roles' own clients met."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.dispatch.needs import Lack
from manyhands.actors.seams import Counted
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError
from manyhands.protocol.messages import ModelCounts
from manyhands.protocol.roles import Role

LOOK_S, LOOK_AGAIN_S = 5.0, 1.0
"""How often roles are asked while all have a server, and while one has none."""
HEARD_S = 15.0
"""A client that a server answered so lately speaks against those that find none: it may be their network."""
_ANSWER_S = 10.0
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Away:
    """A role without a server."""

    since: float
    why: str


class ModelNeed:
    """Implements Need: a server of each role's model. Episodes that run wait by themselves (``episode/scene.py``)."""

    def __init__(self, roles: Mapping[Role, Counted], patience_s: float, clock: Clock | None = None) -> None:
        """``patience_s``: how long a role may be without a server before the tasks that wait are given up."""
        self._roles = dict(roles)
        self._patience_s = patience_s
        self._clock = clock or RealClock()
        self._away: dict[Role, _Away] = {}
        self._since = 0.0
        """Since when some role has been without a server, if one is."""
        self._past_s = 0.0

    def lack(self) -> Lack | None:
        if not self._away:
            return None
        by_reason: dict[str, list[str]] = {}
        for role, away in sorted(self._away.items()):
            by_reason.setdefault(away.why, []).append(role.value)
        reason = "; ".join(f"{', '.join(roles)}: {why}" for why, roles in by_reason.items())
        return Lack("the model", self._since, reason, self._patience_s, Ending.NO_MODEL)

    def paused_s(self) -> float:
        return self._past_s + (self._clock.now() - self._since if self._away else 0.0)

    async def watch(self, changed: Callable[[], None]) -> None:
        while True:
            told = await asyncio.gather(*(self._ask(role) for role in self._roles))
            self._learn({role: counts for role, counts in zip(self._roles, told, strict=True) if counts})
            changed()
            await self._clock.sleep(LOOK_AGAIN_S if self._away else LOOK_S)

    async def _ask(self, role: Role) -> Sequence[ModelCounts]:
        """What the clients of a role tell; nothing where none answers now."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                return await self._roles[role].counts()
        except (CallError, TimeoutError):
            return ()
        except Exception:  # a defect of one role's figures must not end the batch
            logger.exception("asking the clients of %s failed by a defect", role)
            return ()

    def _learn(self, told: Mapping[Role, Sequence[ModelCounts]]) -> None:
        """Take in what roles told; of one that told nothing, what was known stands."""
        now, before = self._clock.now(), bool(self._away)
        for role, counts in told.items():
            away = _away(counts, now)
            if away is None:
                self._away.pop(role, None)
            else:
                self._away[role] = away
        if before and not self._away:
            self._past_s += now - self._since
        elif self._away and not before:
            self._since = min(away.since for away in self._away.values())


def _away(clients: Sequence[ModelCounts], now: float) -> _Away | None:
    """Whether a role is without a server, by what its clients tell."""
    without = [(client.away_since, client.away_why) for client in clients if client.away_since is not None]
    heard = max((client.heard_at for client in clients if client.away_since is None), default=0.0)
    if not without or heard >= now - HEARD_S:
        return None
    return _Away(*max(without))
