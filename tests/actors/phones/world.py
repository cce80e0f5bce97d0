"""Virtual phones behind a real adb server, and gateways on them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import adbutils

from manyhands.actors.phones import GatewaySettings, PhoneGateway
from manyhands.actors.phones.adb import AdbSettings, AdbTransport
from manyhands.actors.phones.adb.server import AdbServer, is_network_serial
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Receipt
from manyhands.protocol.screens.actions import PhoneAction
from manyhands.protocol.secrets import Secret
from manyhands.simulator.fleet import VirtualFleet
from manyhands.simulator.phone.device import PhoneDevice
from manyhands.simulator.system.ledger import LedgerLine
from tests.permitted import permitted
from tests.simulator.connecting import disconnect, unplug
from tests.simulator.plain_device import PlainDevice

STATE = "content://manyhands.simulator/state"


def within(seconds: float = 60.0, episode: str = "e") -> CallContext:
    return CallContext(episode=episode, step=0, deadline=time.time() + seconds)


def adb_gateway(adb: AdbSettings, **settings: int) -> PhoneGateway:
    """A gateway to phones behind an adb server; both keep what outlives them in the same folder."""
    return PhoneGateway(GatewaySettings(state_dir=adb.state_dir, **settings), AdbTransport(adb))


@dataclass
class World:
    """A fleet, a gateway, and the lease that ``start`` took on the first phone."""

    fleet: VirtualFleet
    settings: AdbSettings
    gateway: PhoneGateway
    lease: Lease

    @property
    def device(self) -> PhoneDevice:
        return self.fleet.endpoints[0].phone.device

    @property
    def plain(self) -> PlainDevice:
        device = self.device
        assert isinstance(device, PlainDevice)
        return device

    @property
    def ledger(self) -> tuple[LedgerLine, ...]:
        return tuple(self.fleet.endpoints[0].phone.ledger.lines)

    async def perform(self, key: str, action: PhoneAction, seconds: float = 60.0) -> Receipt:
        return await self.gateway.perform(self.lease, permitted(key=key, action=action), within(seconds))

    async def unplug(self, index: int) -> None:
        """Return once the adb server knows that the phone is gone."""
        await unplug(self.fleet, index, adbutils.AdbClient(self.settings.host, self.settings.port))

    async def received(self, key: str) -> None:
        """Returns once the phone has got the line with this key."""
        while not any(line.key == key for line in self.ledger):
            await asyncio.sleep(0.005)


def adb_settings(adb_server: tuple[str, int], folder: Path) -> AdbSettings:
    """Return the settings by which virtual phones are reached; the gateway keeps its files in ``folder``."""
    host, port = adb_server
    return AdbSettings(
        host=host,
        port=port,
        state_dir=folder,
        label_providers=("content://manyhands.simulator/apps",),
        reset_provider="content://manyhands.simulator",
        command_timeout_s=15,
    )


@asynccontextmanager
async def world(
    adb_server: tuple[str, int],
    folder: Path,
    make: Callable[[int], PhoneDevice] = PlainDevice,
    phones: int = 1,
    vendors: Sequence[str] = (),
    secrets: Mapping[str, Secret] | None = None,
) -> AsyncIterator[World]:
    settings = adb_settings(adb_server, folder).model_copy(update={"secrets": secrets or {}})
    async with VirtualFleet(phones, make, vendors=vendors) as fleet:
        gateway = adb_gateway(settings)
        await gateway.start()
        try:
            if not is_network_serial(fleet.serials[0]):  # such a phone is there before anybody asks for it
                server = AdbServer(*adb_server)
                await server.connect_all(fleet.serials)
                server.close()
            lease = await gateway.attach(fleet.serials[0], "tests", 120)
            yield World(fleet, settings, gateway, lease)
        finally:
            await gateway.stop()
            await disconnect(fleet, adbutils.AdbClient(*adb_server))
