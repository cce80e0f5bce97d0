"""A phone on the network that goes away and comes back, behind a real adb server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import adbutils
import pytest

from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.phones import PhoneGateway
from manyhands.actors.phones.adb import AdbSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import PhoneLost
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.messages import CallContext
from manyhands.protocol.progress import EpisodeProgress
from manyhands.protocol.runs import EpisodeOrder, EpisodeResult
from manyhands.simulator.fleet import VirtualFleet
from tests.actors.dispatch.dispatch_parts import ListStore, result_of, tasks
from tests.actors.phones.world import adb_gateway
from tests.simulator.connecting import disconnect, unplug
from tests.simulator.plain_device import PlainDevice

AWAY_S = 3.0


class LosingHost:
    """Its first episode loses the phone for a while; the next one looks at the phone."""

    def __init__(self, fleet: VirtualFleet, gateway: PhoneGateway, server: adbutils.AdbClient) -> None:
        self.back_at = 0.0
        self.used_at = 0.0
        self._fleet = fleet
        self._gateway = gateway
        self._server = server
        self._returning: asyncio.Task[None] | None = None

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        context = CallContext(episode=order.episode, step=0, deadline=time.time() + 20)
        if order.resume is None:
            await unplug(self._fleet, 0, self._server)
            with pytest.raises(PhoneLost):  # by which it is disconnected: adb lists it no more
                await self._gateway.capture(order.lease, None, context)
            self._returning = asyncio.create_task(self._return())
            return result_of(order, Ending.PHONE_LOST)
        self.used_at = time.monotonic()
        await self._gateway.capture(order.lease, None, context)
        return result_of(order, Ending.FINISHED)

    async def _return(self) -> None:
        await asyncio.sleep(AWAY_S)
        self.back_at = time.monotonic()
        await self._fleet.come_back(0)

    async def progress(self) -> Sequence[EpisodeProgress]:
        return ()

    async def replace(self) -> None:
        raise AssertionError("it answers")


async def test_a_phone_on_the_network_is_used_again_within_10_s(adb_server: tuple[str, int], tmp_path: Path) -> None:
    host, port = adb_server
    gateway = adb_gateway(AdbSettings(host=host, port=port, state_dir=tmp_path))
    await gateway.start()
    async with asyncio.timeout(60), VirtualFleet(1, PlainDevice) as fleet:
        losing = LosingHost(fleet, gateway, adbutils.AdbClient(host, port))
        settings = DispatchSettings(run="r", serials=fleet.serials)
        dispatcher = Dispatcher(settings, [losing], gateway, LongTermMemory(), ListStore())
        (result,) = await dispatcher.run("b", tasks(1))
        assert (result.ending, result.attempt) == (Ending.FINISHED, 1)
        assert losing.back_at < losing.used_at < losing.back_at + 10
        await gateway.stop()
        await disconnect(fleet, adbutils.AdbClient(host, port))
