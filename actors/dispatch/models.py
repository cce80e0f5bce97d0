"""The batch's need of model servers: whether each role has one that answers, by the counts of the roles' clients."""

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

CHECK_S, CHECK_AGAIN_S = 5.0, 1.0
"""How often roles are asked while all have a server, and while one has none."""
HEARD_S = 15.0
"""While a client had an answer so recently, clients without a server do not count: it may be their network."""
_ANSWER_S = 10.0
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Away:
    """When a role's servers became unreachable, and why."""

    since: float
    why: str


class ModelNeed:
    """Implements Need: a server of each role's model. Running episodes wait by themselves (``StageContext.ask``)."""

    def __init__(self, roles: Mapping[Role, Counted], patience_s: float, clock: Clock | None = None) -> None:
        """``patience_s``: how long a role may be without a server before the tasks that wait are given up."""
        self._roles = dict(roles)
        self._patience_s = patience_s
        self._clock = clock or RealClock()
        self._away: dict[Role, _Away] = {}
        self._since = 0.0
        """When the first role lost its servers, if any has."""
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
            counted = await asyncio.gather(*(self._ask(role) for role in self._roles))
            self._update({role: counts for role, counts in zip(self._roles, counted, strict=True) if counts})
            changed()
            await self._clock.sleep(CHECK_AGAIN_S if self._away else CHECK_S)

    async def _ask(self, role: Role) -> Sequence[ModelCounts]:
        """Return the counts of a role's clients; nothing if none answers now."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                return await self._roles[role].counts()
        except (CallError, TimeoutError):
            return ()
        except Exception:  # a defect of one role's figures must not end the batch
            logger.exception("asking the clients of %s failed by a defect", role)
            return ()

    def _update(self, answers: Mapping[Role, Sequence[ModelCounts]]) -> None:
        """Update which roles are without a server; a role that did not answer stays as it was."""
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


def _away(clients: Sequence[ModelCounts], now: float) -> _Away | None:
    """Return whether a role is without a server, by its clients' counts."""
    without = [(client.away_since, client.away_why) for client in clients if client.away_since is not None]
    heard = max((client.heard_at for client in clients if client.away_since is None), default=0.0)
    if not without or heard >= now - HEARD_S:
        return None
    return _Away(*max(without))
