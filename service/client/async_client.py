"""Use a service from a program with asyncio."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from manyhands.service.client.batch_calls import BatchCalls, InterventionCalls
from manyhands.service.client.fleet_calls import FleetCalls, InsightCalls
from manyhands.service.client.http_connection import HttpConnection
from manyhands.service.client.service_address import find_address
from manyhands.service.client.standing_calls import StandingCalls

TIMEOUT_S, PATIENCE_S, RECONNECT_S = 60.0, 10.0, 600.0


class AsyncClient(BatchCalls, FleetCalls, InsightCalls, InterventionCalls, StandingCalls):
    """Use a service (``manyhands serve``) from one event loop, with typed methods over its HTTP interface.

    ::

        async with AsyncClient() as client:
            batch = await client.submit(goal="Turn on dark mode.")
            await client.wait(batch)
            print((await client.results(batch))[0].verdict)

    Methods raise ServiceError: ServiceRefused for a wrong request, ServiceAway if no service answers. Requests that
    only read, and submissions, are tried again for a while before that.
    """

    def __init__(
        self,
        server: str | None = None,
        *,
        token: str | None = None,
        ca: Path | str | None = None,
        timeout_s: float = TIMEOUT_S,
        patience_s: float = PATIENCE_S,
        reconnect_s: float = RECONNECT_S,
    ) -> None:
        """Prepare. Nothing is sent before the first call. Raises BadInput if no service is known.

        ``server`` and ``token`` are taken from MANYHANDS_SERVER and MANYHANDS_TOKEN, or from the file of ``manyhands
        login``, if they are left out. ``ca`` is a file of certificates, for a service whose own nobody knows. The
        client waits ``timeout_s`` seconds for an answer, tries again for ``patience_s`` seconds, and follows events
        again after a service that was away for up to ``reconnect_s`` seconds.
        """
        address = find_address(server, token, None if ca is None else Path(ca))
        self._connection = HttpConnection(address, timeout_s, patience_s)
        self._reconnect_s = reconnect_s

    @property
    def server(self) -> str:
        """Return the URL of the service."""
        return self._connection.address.url

    @property
    def token(self) -> str | None:
        """Return the secret of the token that this client sends; None if it has none."""
        return self._connection.address.token

    async def close(self) -> None:
        """Close the connections to the service."""
        await self._connection.close()

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self.close()
