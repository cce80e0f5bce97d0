"""Settling on a virtual phone whose pages load late, over a real adb server."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import adbutils
import numpy as np

from manyhands.actors.phones.adb import AdbSettings
from manyhands.actors.phones.adb.frame_source import AdbCaptureLimits
from manyhands.actors.phones.adb.phone import AdbPhone, AdbResources
from manyhands.actors.phones.adb.server import AdbServer
from manyhands.actors.phones.adb.server_start import ServerStarter
from manyhands.actors.phones.adb.value_store import ValueStore
from manyhands.actors.phones.screenshots import CaptureResources
from manyhands.actors.phones.settling.changes import DecodedFrame
from manyhands.actors.phones.settling.model import ActionKind, SettlingModel, Stillness
from manyhands.protocol.phones import SettleSpec
from manyhands.protocol.screens.actions import Home, OpenApp, Tap
from manyhands.simulator.fleet import VirtualFleet, virtual_phones
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.actors.phones.world import STATE, within, world
from tests.permitted import permitted
from tests.simulator.connecting import disconnect

SETTINGS = ActionKind("com.android.settings", "Open_App")
REST = "content://manyhands.simulator/rest"
SEED = 4
"""Of phones that show an empty page for about a second when the settings are opened."""


@asynccontextmanager
async def slow_phone(adb_server: tuple[str, int], folder: Path, book: SettlingModel) -> AsyncIterator[AdbPhone]:
    host, port = adb_server
    client, server = adbutils.AdbClient(host, port), AdbServer(host, port, 8)
    with ThreadPoolExecutor(2) as pixels:
        async with VirtualFleet(1, virtual_phones(360, 800, transitions=("pauses", SEED))) as fleet:
            before = ValueStore(folder)
            limits = AdbCaptureLimits(asyncio.Semaphore(4), threading.Semaphore(2))
            starter = ServerStarter(host, port, folder / "locks")
            resources = AdbResources(server, starter, limits, CaptureResources(pixels, book), before)
            phone = AdbPhone(fleet.serials[0], resources, AdbSettings(state_dir=folder))
            try:
                await phone.prepare(for_task=False)
                yield phone
            finally:
                await phone.close()
                server.close()
                before.close()
                await disconnect(fleet, client)


def coloured() -> list[DecodedFrame]:
    """Pictures that are kept with all their pixels."""
    gc.collect()
    return [kept for kept in gc.get_objects() if isinstance(kept, DecodedFrame) and kept.rgb is not None]


async def resting(phone: AdbPhone) -> None:
    while not (await phone.state(REST))["resting"]:
        await asyncio.sleep(0.02)


async def test_a_page_that_came_too_late_is_waited_for_at_the_next_visit(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    book = SettlingModel()
    async with slow_phone(adb_server, tmp_path, book) as phone:
        await phone.capture(SettleSpec())
        await phone.perform(permitted(key="open", action=OpenApp(app="Settings")))
        _, _, early = await phone.capture(SettleSpec())
        while book.stillness_count == 0:  # a late look sees the page
            await asyncio.sleep(0.02)
        assert not coloured(), "a phone may rest for long"
        await resting(phone)
        _, _, page = await phone.capture(None)
        assert not np.array_equal(early.rgb()[40:], page.rgb()[40:])
        expected = book.expected(SETTINGS, Stillness(0, "most"))
        assert expected is not None
        assert expected.latest > 0

        await phone.perform(permitted(key="home", action=Home()))
        await resting(phone)
        await phone.capture(None)
        await phone.perform(permitted(key="again", action=OpenApp(app="Settings")))
        screenshot, _, waited = await phone.capture(SettleSpec())
        assert np.array_equal(waited.rgb()[40:], page.rgb()[40:])
        assert screenshot.settling is not None
        assert (screenshot.settling.learned, screenshot.settling.pauses) == (True, 1)


async def test_nothing_is_learned_where_another_action_comes_first(adb_server: tuple[str, int], tmp_path: Path) -> None:
    book = SettlingModel()
    async with slow_phone(adb_server, tmp_path, book) as phone:
        await phone.capture(SettleSpec())
        await phone.perform(permitted(key="open", action=OpenApp(app="Settings")))
        await phone.capture(SettleSpec())
        tasks = asyncio.all_tasks()
        await phone.perform(permitted(key="home", action=Home()))
        assert len(asyncio.all_tasks()) == len(tasks) - 1, "the late look has ended"
        assert book.stillness_count == 0


async def test_a_screenshot_says_whether_it_shows_what_the_last_one_showed(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200)) as phone:
        assert isinstance(phone.device, VirtualPhone)
        await phone.perform("open", OpenApp(app="Settings"))
        first, _, _ = await phone.gateway.capture(phone.lease, SettleSpec(), within())
        assert first.alike is None
        again, _, _ = await phone.gateway.capture(phone.lease, SettleSpec(), within())
        assert again.alike == first.content_id
        await phone.perform("tap", Tap(x=270, y=2))
        tapped, _, _ = await phone.gateway.capture(phone.lease, SettleSpec(), within())
        assert tapped.alike == again.content_id, "nothing was hit"
        await phone.perform("home", Home())
        home, _, _ = await phone.gateway.capture(phone.lease, SettleSpec(), within())
        assert home.alike is None
        state = await phone.gateway.state(phone.lease, STATE, within())
        assert state["foreground"]["package"] == home.app
