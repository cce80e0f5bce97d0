"""Use a service from a program with asyncio."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from manyhands.protocol.service.schedules import ScheduleRequest, ScheduleStatus, ScheduleTimes
from manyhands.protocol.service.webhooks import (
    DeliveryPhase,
    DeliveryStatus,
    ResendAnswer,
    ResendRequest,
    WebhookGrant,
    WebhookRequest,
    WebhookStatus,
)
from manyhands.service.client.batch_calls import BatchCalls, InterventionCalls
from manyhands.service.client.fleet_calls import FleetCalls, InsightCalls
from manyhands.service.client.http_connection import HttpConnection
from manyhands.service.client.service_address import find_address


class StandingCalls:
    """Make schedules and webhooks, look at them, and change them."""

    _connection: HttpConnection

    def schedules(self) -> AsyncGenerator[ScheduleStatus]:
        """Yield the schedules, each with its next times."""
        return self._connection.entries(ScheduleStatus, "/schedules")

    async def schedule(self, schedule: str) -> ScheduleStatus:
        """Return a schedule by its id, such as ``s3``. Raises ServiceRefused if there is none."""
        return await self._connection.fetch(ScheduleStatus, "GET", _path(schedule))

    async def schedule_times(self, when: str, zone: str = "UTC") -> ScheduleTimes:
        """Return when a schedule would submit, or why it would not. Nothing is stored."""
        return await self._connection.fetch(ScheduleTimes, "GET", "/schedules:times", {"when": when, "zone": zone})

    async def add_schedule(self, request: ScheduleRequest) -> ScheduleStatus:
        """Make a schedule. Its first batch is submitted at its first time, not now."""
        return await self._connection.fetch(ScheduleStatus, "POST", "/schedules", body=request)

    async def change_schedule(self, schedule: str, request: ScheduleRequest) -> ScheduleStatus:
        """Replace all that a schedule asks for. Batches that it has submitted stay as they are."""
        return await self._connection.fetch(ScheduleStatus, "PUT", _path(schedule), body=request)

    async def pause_schedule(self, schedule: str) -> ScheduleStatus:
        """Submit no batches for a schedule until it is resumed."""
        return await self._connection.fetch(ScheduleStatus, "POST", f"{_path(schedule)}:pause")

    async def resume_schedule(self, schedule: str) -> ScheduleStatus:
        """Let a paused schedule submit batches again, from its next time on."""
        return await self._connection.fetch(ScheduleStatus, "POST", f"{_path(schedule)}:resume")

    async def remove_schedule(self, schedule: str) -> None:
        """Remove a schedule. Batches that it has submitted go on."""
        await self._connection.send("DELETE", _path(schedule))

    def webhooks(self) -> AsyncGenerator[WebhookStatus]:
        """Yield the webhooks. This needs the role operate, as all methods for webhooks do."""
        return self._connection.entries(WebhookStatus, "/webhooks")

    async def webhook(self, webhook: str) -> WebhookStatus:
        """Return a webhook by its id. Raises ServiceRefused if there is none."""
        return await self._connection.fetch(WebhookStatus, "GET", _webhook_path(webhook))

    async def add_webhook(self, request: WebhookRequest) -> WebhookGrant:
        """Make a webhook. The secret that signs its messages is in this answer alone."""
        return await self._connection.fetch(WebhookGrant, "POST", "/webhooks", body=request)

    async def change_webhook(self, webhook: str, request: WebhookRequest) -> WebhookStatus:
        """Replace all that a webhook asks for. Its secret stays."""
        return await self._connection.fetch(WebhookStatus, "PUT", _webhook_path(webhook), body=request)

    async def pause_webhook(self, webhook: str) -> WebhookStatus:
        """Send nothing to a webhook until it is resumed."""
        return await self._connection.fetch(WebhookStatus, "POST", f"{_webhook_path(webhook)}:pause")

    async def resume_webhook(self, webhook: str) -> WebhookStatus:
        """Send to a paused webhook again."""
        return await self._connection.fetch(WebhookStatus, "POST", f"{_webhook_path(webhook)}:resume")

    async def remove_webhook(self, webhook: str) -> None:
        """Remove a webhook, with its deliveries and dead letters."""
        await self._connection.send("DELETE", _webhook_path(webhook))

    def deliveries(self, webhook: str, *, phase: DeliveryPhase | None = None) -> AsyncGenerator[DeliveryStatus]:
        """Yield the deliveries of a webhook, in the order of their events; with ``phase`` DEAD, its dead letters."""
        return self._connection.entries(DeliveryStatus, f"{_webhook_path(webhook)}/deliveries", {"phase": phase})

    async def resend(self, webhook: str, deliveries: Sequence[str] = ()) -> int:
        """Send dead letters of a webhook again: those with these ids, or all. Return how many there were."""
        path, request = f"{_webhook_path(webhook)}:resend", ResendRequest(deliveries=tuple(deliveries))
        return (await self._connection.fetch(ResendAnswer, "POST", path, body=request)).deliveries


def _path(schedule: str) -> str:
    return f"/schedules/{quote(schedule, safe='')}"


def _webhook_path(webhook: str) -> str:
    return f"/webhooks/{quote(webhook, safe='')}"


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
