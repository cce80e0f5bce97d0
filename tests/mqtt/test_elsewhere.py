"""A virtual phone behind a real gateway, a real adb server and a real broker: as if it were beside us."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from manyhands.actors.frames import content_id
from manyhands.protocol.phones import Perform, SettleSpec
from manyhands.protocol.screens.actions import LongPress, Tap
from tests.actors.phones.world import STATE, within
from tests.mqtt.broker import Mosquitto
from tests.mqtt.elsewhere import elsewhere
from tests.permitted import permitted

AT_REST = SettleSpec(quiet_ms=50, limit_ms=1000)


def tap(number: int) -> Perform:
    return permitted(key=f"e:{number}:1:0", action=Tap(x=10 + number, y=20))


async def test_a_phone_elsewhere_is_listed_held_looked_at_and_touched(
    mosquitto_tls: Mosquitto, monkeypatch: pytest.MonkeyPatch, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with elsewhere(mosquitto_tls, monkeypatch, adb_server, tmp_path) as site:
        (info,) = await site.client.phones()
        assert (info.serial, info.state) == (site.phone, "device")
        lease = await site.client.attach(site.phone, "tests", 60)
        screenshot, image, frame = await site.client.capture(lease, AT_REST, within())
        assert screenshot.serial == site.phone
        assert screenshot.content_id == image.content_id == content_id(frame.rgb())
        assert (frame.form, frame.data) == ("jpeg", image.jpeg)
        assert frame.rgb().shape == (screenshot.size.height, screenshot.size.width, 3)
        assert screenshot.size == await site.client.size(site.phone)
        performed, shown, _ = await site.client.perform_and_capture(lease, tap(0), AT_REST, within())
        assert performed.receipt.status == "done"
        assert performed.screenshot is not None
        assert shown is not None
        (recalled,) = await site.client.recall(lease, [tap(0).key], within())
        assert recalled.repeated
        assert await site.client.state(lease, STATE, within()) == await site.client.look(site.phone, STATE)
        assert (await site.client.renew(lease, 120)).expires_at > lease.expires_at
        await site.client.detach(lease)
        assert site.keys.count(tap(0).key) == 1
        took = {one.method: one.ms - one.site_ms for one in await site.client.latencies()}
        assert 0 < took["perform_and_capture"] < 1000
        counts = await site.client.counts()
        assert (counts.malformed, counts.refusals) == (0, 0)


async def test_a_broker_killed_anywhere_repeats_and_loses_no_action(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with elsewhere(mosquitto, monkeypatch, adb_server, tmp_path) as site:
        lease = await site.client.attach(site.phone, "tests", 60)

        async def pressed(number: int) -> None:
            press = permitted(key=f"e:{number}:1:0", action=LongPress(x=10 + number, y=20, ms=2000))
            performed, image, _ = await site.client.perform_and_capture(lease, press, AT_REST, within(30, f"e{number}"))
            assert performed.receipt.status == "done"
            assert image is not None

        mosquitto.kill()
        before = asyncio.create_task(pressed(0))
        async with asyncio.timeout(30):
            while (await site.client.counts()).failures < 3:  # both connections were lost, and one tried in vain
                await asyncio.sleep(0.01)
        mosquitto.start()
        await before
        while_it_goes_on = asyncio.create_task(pressed(1))
        async with asyncio.timeout(30):
            while "e:1:1:0" not in site.keys:
                await asyncio.sleep(0.01)
        mosquitto.kill()
        mosquitto.start()
        await while_it_goes_on
        mosquitto.kill()  # after it, and before the next
        mosquitto.start()
        await pressed(2)
        assert [key for key in site.keys if key.startswith("e:")] == [f"e:{number}:1:0" for number in range(3)]
        assert (await site.client.counts()).connects >= 4
