"""A phone's screens through the doors of a run: adb, gateway and perception behind Ray, pixels by reference."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import adbutils
import pytest
import ray

from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.phones import GatewaySettings, PhoneGateway
from manyhands.actors.phones.adb import AdbSettings, AdbTransport
from manyhands.actors.remote import Actor, GatewayProxy, PerceptionProxy, spawn, stop
from manyhands.protocol.errors import ActorLost, PerceptionError
from manyhands.protocol.phones import Lease, SettleSpec
from manyhands.protocol.screens.actions import AtomicAction, OpenApp, Tap
from manyhands.protocol.screens.screen import Located, LocateQuery, Screen, Screenshot
from manyhands.simulator.fleet import VirtualFleet
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.actors.perception.pictures import within
from tests.permitted import permitted
from tests.simulator.connecting import disconnect

pytestmark = pytest.mark.ray


@dataclass
class Phone:
    """One virtual phone, as an episode has it."""

    gateway: GatewayProxy
    perception: PerceptionProxy
    reader: Actor
    lease: Lease
    _keys: Any = field(default_factory=itertools.count)

    async def capture(self) -> tuple[Screenshot, ray.ObjectRef]:
        shot, _, frame = await self.gateway.capture(self.lease, SettleSpec(), within(60))
        return shot, frame

    async def look(self) -> Screen:
        return await self.perception.perceive(*await self.capture(), within(60))

    async def locate(self, kind: str, words: str) -> Located:
        query = LocateQuery.model_validate({"kind": kind, "words": words})
        return await self.perception.locate(*await self.capture(), query, within(60))

    async def do(self, action: AtomicAction) -> None:
        perform = permitted(key=f"e:{next(self._keys)}:0:0", action=action)
        assert (await self.gateway.perform(self.lease, perform, within(60))).status == "done"

    async def tap(self, kind: str, words: str) -> None:
        """What is found first is tapped, as Mobile-Agent v1 does."""
        x, y = (await self.locate(kind, words)).matches[0].element.centre
        await self.do(Tap(x=x, y=y))


@pytest.fixture
async def phone(ray_local: str, adb_server: tuple[str, int], tmp_path: Path) -> AsyncIterator[Phone]:
    host, port = adb_server
    adb = AdbSettings(host=host, port=port, state_dir=tmp_path, label_providers=("content://manyhands.simulator/apps",))
    fleet = VirtualFleet(1, lambda seed: VirtualPhone(seed, 720, 1600, 280, wall=lambda: datetime(2026, 3, 5, 14, 7)))
    async with fleet, AsyncExitStack() as ending:
        ending.push_async_callback(disconnect, fleet, adbutils.AdbClient(host, port))
        gateway = await spawn(PhoneGateway, GatewaySettings(state_dir=tmp_path), AdbTransport(adb))
        ending.push_async_callback(stop, gateway)
        reader = await spawn(PerceptionService, PerceptionSettings(workers=1))
        ending.push_async_callback(stop, reader)
        proxy = GatewayProxy(gateway)
        lease = await proxy.attach(fleet.serials[0], "tests", 120)
        yield Phone(proxy, PerceptionProxy(reader), reader, lease)


async def test_things_are_found_by_words_and_the_screen_is_read_once(phone: Phone) -> None:
    found = await phone.locate("text", "settings")
    assert [match.ways for match in found.matches] == [("exact",)]
    orange = await phone.locate("icon", "the orange icon")  # only a colour needs the pixels themselves
    assert "colour" in orange.matches[0].ways
    assert (await phone.locate("icon", "the three fishes")).matches == ()
    (counts,) = await phone.perception.counts()
    assert counts.read == 1
    await phone.tap("text", "settings")
    assert (await phone.locate("text", "Network & internet")).matches[0].ways == ("exact",)


async def test_errors_of_locating_have_their_types(phone: Phone) -> None:
    shot, frame = await phone.capture()
    query = LocateQuery(kind="icon", words="red dot")
    other = shot.model_copy(update={"content_id": "0" * 32, "size": shot.size.model_copy(update={"width": 1})})
    with pytest.raises(PerceptionError, match="its screenshot says 1x1600"):
        await phone.perception.locate(other, frame, query, within(60))
    await stop(phone.reader)
    with pytest.raises(ActorLost):
        await phone.perception.locate(shot, frame, query, within(60))


async def test_a_page_that_forbids_screenshots_is_said_to_be_black_and_not_read_as_empty(phone: Phone) -> None:
    await phone.do(OpenApp(app="Browser"))
    start = await phone.look()
    assert start.black is None
    await phone.tap("text", "Saved passwords")
    secret = await phone.look()
    assert secret.black is not None
    assert secret.black.area > 0.85 * 720 * 1600
    assert not any(element.content.endswith(".example") for element in secret.elements)
