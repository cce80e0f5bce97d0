"""Serve the phones of this machine to clients behind a broker."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from manyhands.actors.clock import RealClock
from manyhands.actors.edge.link import Link
from manyhands.actors.edge.mqtt_link import MqttLink
from manyhands.actors.edge.settings import BrokerSettings, SiteSettings
from manyhands.actors.edge.site_server import EdgeServer
from manyhands.actors.interfaces import PhoneTransport
from manyhands.actors.phones import GatewaySettings, PhoneGateway
from manyhands.actors.phones.locks import HostLock
from manyhands.protocol.errors import BadInput
from manyhands.protocol.phones import PhoneInfo

ALONE_S = 2.0
"""Seconds to wait for an earlier process of the same site to end."""


@dataclass(frozen=True, slots=True)
class MetricsAddress:
    """Hold the address at which Prometheus finds the figures of a site."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class GatewayReady:
    """Tell what the site serves now."""

    phones: Sequence[PhoneInfo]
    metrics: str | None
    """The URL of the site's metrics; None without metrics."""


async def serve(
    site: SiteSettings,
    broker: BrokerSettings,
    transport: PhoneTransport,
    state_dir: Path,
    metrics: MetricsAddress | None,
    ready: Callable[[GatewayReady], None],
) -> None:
    """Serve a site until cancelled. ``ready`` is called once, when the phones are known.

    The site keeps running if the broker, a client or the adb server is lost. Raises BadInput for what cannot be used at
    the start.
    """
    link = MqttLink(link_name(site.site, broker), broker)
    async with AsyncExitStack() as stack:
        try:
            async with asyncio.timeout(ALONE_S):
                await stack.enter_async_context(_own_lock(site.site, state_dir).held())
        except TimeoutError as error:
            raise BadInput(f"another process on this machine is site {site.site} already") from error
        await transport.ensure_running()
        gateway = PhoneGateway(GatewaySettings(state_dir=state_dir), transport)
        await gateway.start()
        stack.push_async_callback(gateway.stop)
        server = EdgeServer(gateway, link, site, RealClock())
        await server.start()
        stack.push_async_callback(server.stop)
        url = None
        if metrics is not None:
            url = await stack.enter_async_context(_metrics(metrics, site.site, link, server))
        is_reported = False

        async def tell(phones: Sequence[PhoneInfo]) -> None:
            nonlocal is_reported
            await server.publish_phones(phones)
            if not is_reported:
                ready(GatewayReady(phones, url))
            is_reported = True

        await transport.watch(tell)


def _own_lock(site: str, state_dir: Path) -> HostLock:
    """Return the lock that allows one process per site on this machine, for this state folder."""
    return HostLock(state_dir.expanduser() / "locks", f"site {site}")


def link_name(site: str, broker: BrokerSettings) -> str:
    """Return the site's client name at its broker. The name is the same after a restart.

    A broker lets only one client have a name, so the name keeps a site from being served twice. But whoever knows the
    name can disconnect the site. So the name contains a hash that is keyed by the secret, unless the broker asks for no
    secret.
    """
    secret = b""
    if broker.password_env is not None:
        secret = os.environ.get(broker.password_env, "").encode()
    elif broker.key is not None:
        try:
            secret = broker.key.expanduser().read_bytes()
        except OSError as error:
            raise BadInput(f"the key {broker.key} cannot be read: {error.strerror}") from error
    key = hashlib.sha256(secret).digest()
    return f"manyhands-{site}-{hashlib.blake2b(site.encode(), key=key, digest_size=8).hexdigest()}"


@asynccontextmanager
async def _metrics(address: MetricsAddress, site: str, link: Link, server: EdgeServer) -> AsyncIterator[str]:
    # Imported here, because a gateway without metrics needs less memory.
    from prometheus_client.core import Metric

    from manyhands.deploy.telemetry.metrics_exporter import link_families, serving, site_families

    async def families() -> list[Metric]:
        return [*link_families({site: link.counts}), *site_families(site, server.phones, server.active_requests)]

    async with serving(address.host, address.port, families) as url:
        yield url
