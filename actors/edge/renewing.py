"""Renew the leases of a site together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from manyhands.actors.edge.site import Call, Site
from manyhands.protocol.edge.messages import Refusal, Renew, Renewed
from manyhands.protocol.errors import CallError
from manyhands.protocol.phones import Lease

MOST_LEASES = 500
"""In one request: some 100 kB."""
RenewAll = Callable[[Sequence[Lease], float], Awaitable[Sequence[Lease | Refusal]]]
"""Renews leases for so many seconds, and answers each, in their order."""


@dataclass(slots=True)
class _Batch:
    leases: list[Lease] = field(default_factory=list)
    asking: asyncio.Task[Sequence[Lease | Refusal]] | None = None
    waiting: int = 0


class Renewals:
    """Collect leases that are to be renewed for a moment, and ask for all of them at once."""

    def __init__(self, renew_all: RenewAll, window_s: float) -> None:
        self._renew_all = renew_all
        self._window_s = window_s
        self._open: dict[float, _Batch] = {}
        """That which takes more leases, by how long they are to run."""

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        """Return the lease, renewed. Raises what it was refused for, and what asking for all of them raised."""
        batch = self._open.get(ttl_s)
        if batch is None or len(batch.leases) == MOST_LEASES:
            batch = self._open[ttl_s] = _Batch()
            batch.asking = asyncio.create_task(self._ask(batch, ttl_s))
        assert batch.asking is not None
        index, asking = len(batch.leases), batch.asking
        batch.leases.append(lease)
        batch.waiting += 1
        try:
            renewed = (await asyncio.shield(asking))[index]
        finally:
            batch.waiting -= 1
            if not batch.waiting:
                self._close(ttl_s, batch)  # at once: who came before the task has ended would be cancelled with it
                asking.cancel()
        if isinstance(renewed, Refusal):
            raise renewed.error()
        return renewed

    async def _ask(self, batch: _Batch, ttl_s: float) -> Sequence[Lease | Refusal]:
        try:
            await asyncio.sleep(self._window_s)
        finally:
            self._close(ttl_s, batch)
        return await self._renew_all(batch.leases, ttl_s)

    def _close(self, ttl_s: float, batch: _Batch) -> None:
        """Have the batch take no more leases."""
        if self._open.get(ttl_s) is batch:
            del self._open[ttl_s]


def renewals_at(site: Site, window_s: float, limit_s: float, now: Callable[[], float]) -> Renewals:
    """Return what renews leases of a site, which has ``limit_s`` for an answer; ``now`` gives Unix seconds."""

    async def renew_all(leases: Sequence[Lease], ttl_s: float) -> Sequence[Lease | Refusal]:
        deadline, what = now() + limit_s, f"renewing {len(leases)} leases"

        def make(call: Call) -> Renew:
            return Renew(leases=tuple(leases), ttl_s=ttl_s, **call)

        renewed = (await site.ask(site.question(make, Renewed, what), deadline)).reply.leases
        if len(renewed) != len(leases):
            raise CallError(f"{what}: site {site.name} answered for {len(renewed)}")
        return renewed

    return Renewals(renew_all, window_s)
