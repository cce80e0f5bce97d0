"""Renew the leases of a site in batches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from manyhands.actors.edge.cluster.remote_site import RemoteSite, RequestFields
from manyhands.protocol.edge.messages import ErrorInfo, RenewReply, RenewRequest
from manyhands.protocol.errors import CallError
from manyhands.protocol.phones.messages import Lease

MAX_LEASES = 500
"""The most leases in one request, which then has some 100 kB."""
RenewLeases = Callable[[Sequence[Lease], float], Awaitable[Sequence[Lease | ErrorInfo]]]
"""Renews leases for a number of seconds. Returns a renewed lease or an error for each lease, in order."""


@dataclass(slots=True)
class _Batch:
    leases: list[Lease] = field(default_factory=list)
    request: asyncio.Task[Sequence[Lease | ErrorInfo]] | None = None
    waiting: int = 0


class LeaseRenewer:
    """Collect leases for ``window_s`` seconds, and renew all of them by one request."""

    def __init__(self, renew_all: RenewLeases, window_s: float) -> None:
        self._renew_all = renew_all
        self._window_s = window_s
        self._open: dict[float, _Batch] = {}
        """The batches that accept more leases, by the seconds for which their leases are renewed."""

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        """Return the renewed lease. Raises the error that refused it, or the error of the whole request."""
        batch = self._open.get(ttl_s)
        if batch is None or len(batch.leases) == MAX_LEASES:
            batch = self._open[ttl_s] = _Batch()
            batch.request = asyncio.create_task(self._send(batch, ttl_s))
        assert batch.request is not None
        index, request = len(batch.leases), batch.request
        batch.leases.append(lease)
        batch.waiting += 1
        try:
            renewed = (await asyncio.shield(request))[index]
        finally:
            batch.waiting -= 1
            if not batch.waiting:
                self._close(ttl_s, batch)  # close now: a lease added before the task ends would be cancelled with it
                request.cancel()
        if isinstance(renewed, ErrorInfo):
            raise renewed.error()
        return renewed

    async def _send(self, batch: _Batch, ttl_s: float) -> Sequence[Lease | ErrorInfo]:
        try:
            await asyncio.sleep(self._window_s)
        finally:
            self._close(ttl_s, batch)
        return await self._renew_all(batch.leases, ttl_s)

    def _close(self, ttl_s: float, batch: _Batch) -> None:
        """Close the batch: it accepts no more leases."""
        if self._open.get(ttl_s) is batch:
            del self._open[ttl_s]


def create_lease_renewer(site: RemoteSite, window_s: float, limit_s: float, now: Callable[[], float]) -> LeaseRenewer:
    """Return a renewer for the leases of a site.

    A request must be answered in ``limit_s``; ``now`` returns Unix seconds.
    """

    async def renew_all(leases: Sequence[Lease], ttl_s: float) -> Sequence[Lease | ErrorInfo]:
        deadline, what = now() + limit_s, f"renewing {len(leases)} leases"

        def create(fields: RequestFields) -> RenewRequest:
            return RenewRequest(leases=tuple(leases), ttl_s=ttl_s, **fields)

        renewed = (await site.call(site.specify(create, RenewReply, what), deadline)).reply.leases
        if len(renewed) != len(leases):
            raise CallError(f"{what}: site {site.name} answered for {len(renewed)}")
        return renewed

    return LeaseRenewer(renew_all, window_s)
