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
from manyhands.actors.episode.endings import end_of_failure
from manyhands.actors.episode.stages.act import ensure_fit
from manyhands.actors.phones import PhoneGateway
from manyhands.actors.phones.adb import AdbSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CaptureFailed, PhoneLost, PhoneUnfit
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import action_key
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.utilities.backoff import Backoff
from manyhands.simulator.fleet import VirtualFleet
from tests.actors.dispatch.dispatch_parts import ListStore, result_of, tasks
from tests.actors.phones.world import adb_gateway
from tests.permitted import permitted
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


class LookingHost:
    """Each episode looks at its phone; the first one on phone 0 finds it blind from then on."""

    def __init__(self, fleet: VirtualFleet, gateway: PhoneGateway) -> None:
        self.began: list[str] = []
        self._fleet = fleet
        self._gateway = gateway

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        if order.resume is None:
            self.began.append(order.lease.serial)
        if order.lease.serial == self._fleet.serials[0]:
            await self._fleet.set_condition(0, "screenshots", 1)
        context = CallContext(episode=order.episode, step=0, deadline=time.time() + 20)
        try:
            await self._gateway.capture(order.lease, None, context)
        except CaptureFailed as error:
            return result_of(order, Ending.PHONE_LOST).model_copy(update={"reason": f"capture: {error}"})
        await asyncio.sleep(0.5)
        return result_of(order, Ending.FINISHED)

    async def progress(self) -> Sequence[EpisodeProgress]:
        return ()

    async def replace(self) -> None:
        raise AssertionError("it answers")


class TappingHost:
    """Each episode taps once. If its phone can carry out no action, it ends as an episode of ours does then."""

    def __init__(self, gateway: PhoneGateway) -> None:
        self.began: list[str] = []
        self._gateway = gateway

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        self.began.append(order.lease.serial)
        context = CallContext(episode=order.episode, step=0, deadline=time.time() + 100)
        tap = permitted(key=action_key(order.episode, 0, 1, 0), action=Tap(x=1, y=2))
        receipt = await self._gateway.perform(order.lease, tap, context)
        await asyncio.sleep(0.5)
        try:
            ensure_fit(order.lease.serial, receipt)
        except PhoneUnfit as error:
            end = end_of_failure("act", error)
            assert end is not None
            return result_of(order, end.ending).model_copy(update={"reason": end.reason, "afresh": end.afresh})
        return result_of(order, Ending.FINISHED)

    async def progress(self) -> Sequence[EpisodeProgress]:
        return ()

    async def replace(self) -> None:
        raise AssertionError("it answers")


async def test_six_tasks_beside_a_phone_that_permits_no_input_all_end_on_the_other(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    host, port = adb_server
    gateway = adb_gateway(AdbSettings(host=host, port=port, state_dir=tmp_path))
    await gateway.start()
    async with asyncio.timeout(120), VirtualFleet(2, PlainDevice, vendors=["input-refused@0"]) as fleet:
        tapping, refusing = TappingHost(gateway), fleet.serials[0]
        settings = DispatchSettings(run="r", serials=fleet.serials, phone_backoff=Backoff(first_s=0.1, longest_s=0.2))
        dispatcher = Dispatcher(settings, [tapping], gateway, LongTermMemory(), ListStore())
        results = await dispatcher.run("b", tasks(6, attempts=1))
        assert {(result.ending, result.serial, result.attempt) for result in results} == {
            (Ending.FINISHED, fleet.serials[1], 1)
        }
        assert tapping.began.count(refusing) == 1
        (away,) = (await dispatcher.progress()).away
        assert "turn on 'USB debugging (Security settings)'" in away.reason
        await gateway.stop()
        await disconnect(fleet, adbutils.AdbClient(host, port))


async def test_a_phone_that_gives_no_screenshot_is_set_aside_and_its_task_goes_to_another(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    host, port = adb_server
    gateway = adb_gateway(AdbSettings(host=host, port=port, state_dir=tmp_path))
    await gateway.start()
    async with asyncio.timeout(120), VirtualFleet(2, PlainDevice) as fleet:
        looking, blind = LookingHost(fleet, gateway), fleet.serials[0]
        backoff = Backoff(first_s=0.1, longest_s=0.2)
        settings = DispatchSettings(run="r", serials=fleet.serials, phone_backoff=backoff, in_place_s=2.0)
        dispatcher = Dispatcher(settings, [looking], gateway, LongTermMemory(), ListStore())
        results = await dispatcher.run("b", tasks(12, attempts=1))
        assert {(result.ending, result.serial, result.attempt) for result in results} == {
            (Ending.FINISHED, fleet.serials[1], 1)
        }
        assert looking.began.count(blind) == 1
        (away,) = (await dispatcher.progress()).away
        assert away.what == f"phone {blind}"
        assert f"phone {blind}: it gives no screenshot: screencap gave no" in away.reason
        await gateway.stop()
        await disconnect(fleet, adbutils.AdbClient(host, port))


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
