"""A site with virtual phones behind a real adb server and a real broker, and one who asks it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import adbutils
import pytest

from manyhands.actors.clock import RealClock
from manyhands.actors.edge.mqtt_gateway import MqttGateway
from manyhands.actors.edge.mqtt_link import MqttLink
from manyhands.actors.edge.settings import BrokerSettings, MqttGatewaySettings, SiteSettings
from manyhands.actors.edge.site_server import EdgeServer
from manyhands.simulator.fleet import VirtualFleet
from manyhands.simulator.phone.device import PhoneDevice
from tests.actors.phones.world import adb_gateway, adb_settings
from tests.mqtt.broker import Mosquitto
from tests.simulator.connecting import disconnect
from tests.simulator.plain_device import PlainDevice

SITE = "A"


@dataclass
class Elsewhere:
    """Hold the two ends."""

    fleet: VirtualFleet
    server: EdgeServer
    client: MqttGateway

    @property
    def phone(self) -> str:
        return f"{SITE}/{self.fleet.serials[0]}"

    @property
    def keys(self) -> list[str]:
        """The keys that the phone was sent, in order."""
        return [line.key for line in self.fleet.endpoints[0].phone.ledger.lines if line.key]


def broker_settings(broker: Mosquitto, name: str, environment: pytest.MonkeyPatch) -> BrokerSettings:
    """What a user of the broker needs; the secrets are in the environment."""
    account, user, password = broker.account(name), f"MH_TEST_USER_{name}", f"MH_TEST_PASSWORD_{name}"
    environment.setenv(user, account.user)
    environment.setenv(password, account.password)
    return BrokerSettings(
        host=broker.host, port=broker.port, tls=broker.tls, ca=broker.ca, user_env=user, password_env=password
    )


@asynccontextmanager
async def elsewhere(
    broker: Mosquitto,
    environment: pytest.MonkeyPatch,
    adb_server: tuple[str, int],
    folder: Path,
    make: Callable[[int], PhoneDevice] = PlainDevice,
    phones: int = 1,
) -> AsyncIterator[Elsewhere]:
    """Open a site with some phones, and a gateway of the cluster that reaches them through the broker."""
    async with VirtualFleet(phones, make) as fleet:
        gateway = adb_gateway(adb_settings(adb_server, folder))
        link = MqttLink(f"manyhands-{SITE}", broker_settings(broker, SITE, environment))
        server = EdgeServer(gateway, link, SiteSettings(site=SITE), RealClock())
        settings = MqttGatewaySettings(broker=broker_settings(broker, "cluster", environment), sites=(SITE,))
        client = MqttGateway(settings)
        await gateway.start()
        try:
            await server.start()
            for serial in fleet.serials:
                await gateway.connect(serial)
            await server.publish_phones(await gateway.phones())
            await client.start()
            yield Elsewhere(fleet, server, client)
        finally:
            await client.stop()
            await server.stop()
            await gateway.stop()
            await disconnect(fleet, adbutils.AdbClient(*adb_server))
