"""A web phone behind a real adb server, driven by the lines that other projects' controllers send."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import psutil
import pytest
from PIL import Image

from manyhands.simulator.fleet import VirtualFleet
from tests.simulator.adb_client import Adb, Ran
from tests.simulator.web.conftest import PAGES

if TYPE_CHECKING:
    from manyhands.simulator.web.browser import WebBrowser

INDEX, SECOND = ((PAGES / name).as_uri() for name in ("index.html", "second.html"))
STATE = "content query --uri content://manyhands.simulator/state"
HOME = "com.android.launcher/.Launcher"
CHROME = "com.android.chrome/com.google.android.apps.chrome.Main"


class Phone:
    """A web phone by its serial."""

    def __init__(self, adb: Adb, serial: str) -> None:
        self.adb, self.serial = adb, serial

    async def shell(self, line: str) -> Ran:
        return await self.adb.run(self.serial, "shell", line)

    async def state(self) -> dict[str, Any]:
        row = (await self.shell(STATE)).out.decode().partition("json=")[2]
        return json.loads(base64.b64decode(row))

    async def dump(self) -> ElementTree.Element:
        """As AppAgent does: into a file, which is read back."""
        assert (await self.shell("uiautomator dump /sdcard/step.xml")).status == 0
        return ElementTree.fromstring((await self.adb.run(self.serial, "exec-out", "cat", "/sdcard/step.xml")).out)

    async def view(self, name: str) -> ElementTree.Element:
        (found,) = [
            node
            for node in (await self.dump()).iter("node")
            if name in (node.get("text"), node.get("content-desc")) and node.get("clickable") == "true"
        ]
        return found

    async def tap(self, name: str) -> None:
        left, top, right, bottom = map(
            int, (await self.view(name)).attrib["bounds"].replace("][", ",").strip("[]").split(",")
        )
        assert (await self.shell(f"input tap {(left + right) // 2} {(top + bottom) // 2}")).status == 0

    async def shows(self, address: str) -> None:
        async with asyncio.timeout(20):
            while (await self.state())["web"]["address"] != address:
                await asyncio.sleep(0.05)


@pytest.fixture
async def fleet(browser: WebBrowser) -> AsyncIterator[VirtualFleet]:
    from manyhands.simulator.web.fleet import web_phones

    async with VirtualFleet(1, web_phones(browser, INDEX, 720, 1600)) as fleet:
        yield fleet


@pytest.fixture
async def phone(fleet: VirtualFleet, adb: Adb) -> AsyncIterator[Phone]:
    (serial,) = fleet.serials
    await adb.connect(serial)
    yield Phone(adb, serial)
    await asyncio.to_thread(adb.client.disconnect, serial)


async def test_screenshots_as_controllers_take_them(phone: Phone, tmp_path: Path) -> None:
    """Open-AutoGLM and Mobile-Agent-v3: to a file that is pulled. android_env: exec-out. adbutils: raw pixels."""
    assert (await phone.shell("screencap -p /sdcard/tmp.png")).status == 0
    assert (await phone.adb.run(phone.serial, "pull", "/sdcard/tmp.png", str(tmp_path / "tmp.png"))).status == 0
    pulled = Image.open(tmp_path / "tmp.png")
    direct = Image.open(io.BytesIO((await phone.adb.run(phone.serial, "exec-out", "screencap", "-p")).out))
    assert pulled.size == direct.size == (720, 1600)
    assert pulled.tobytes() == direct.tobytes()
    raw = (await phone.adb.run(phone.serial, "exec-out", "screencap")).out
    assert struct.unpack_from("<3I", raw) == (720, 1600, 1)
    assert Image.frombytes("RGBA", (720, 1600), raw[16:]).convert("RGB").tobytes() == direct.tobytes()


async def test_taps_texts_in_two_scripts_and_the_keyboard(phone: Phone) -> None:
    """ADBKeyboard's two broadcasts, as AppAgent, Open-AutoGLM and Mobile-Agent send them, and ``input text``."""
    assert b"mInputShown=false" in (await phone.shell("dumpsys input_method")).out
    await phone.tap("Name")
    assert b"mInputShown=true" in (await phone.shell("dumpsys input_method")).out
    await phone.shell("input text it\\'s%s5")
    text = base64.b64encode("你好, 世界".encode()).decode()
    await phone.shell(f"am broadcast -a ADB_INPUT_B64 --es msg {text}")
    await phone.shell("am broadcast -a ADB_INPUT_TEXT --es msg '!'")
    field = await phone.view("Name")
    assert (field.get("text"), field.get("focused"), field.get("class")) == (
        "it's 5你好, 世界!",
        "true",
        "android.widget.EditText",
    )
    await phone.shell("am broadcast -a ADB_CLEAR_TEXT")
    assert (await phone.state())["page"]["name"] == ""
    await phone.shell("input keyevent KEYCODE_BACK")
    assert b"mInputShown=false" in (await phone.shell("dumpsys input_method")).out
    assert (await phone.state())["web"]["address"] == INDEX


async def test_links_back_home_and_the_app_in_front(phone: Phone) -> None:
    assert HOME.encode() in (await phone.shell("dumpsys window")).out
    await phone.tap("Second page")
    await phone.shows(SECOND)
    assert CHROME.encode() in (await phone.shell("dumpsys activity activities")).out
    assert (await phone.shell("input keyevent 4")).status == 0
    await phone.shows(INDEX)
    assert (await phone.shell(f"am start -a android.intent.action.VIEW -d '{SECOND}#part'")).status == 0
    await phone.shows(f"{SECOND}#part")
    assert (await phone.shell("input keyevent KEYCODE_HOME")).status == 0
    await phone.shows(INDEX)
    await phone.shell("monkey -p com.android.chrome -c android.intent.category.LAUNCHER 1")
    await phone.shows(f"{SECOND}#part")
    for url in ("http://shop.example/", "file:///etc/hostname", "javascript:alert(1)", "chrome://crash"):
        refused = await phone.shell(f"am start -a android.intent.action.VIEW -d '{url}'")
        assert (refused.status, b"unable to resolve" in refused.err) == (1, True)


async def test_a_reset_forgets_everything_of_the_page(phone: Phone) -> None:
    await phone.tap("Name")
    await phone.shell("input text left")
    await phone.shell(f"am start -a android.intent.action.VIEW -d {SECOND}")
    reset = await phone.shell("content call --uri content://manyhands.simulator --method reset --arg 7")
    assert reset.out == b"Result: Bundle[{ok=true}]\n"
    state = await phone.state()
    assert (state["seed"], state["web"], state["page"]) == (
        7,
        {"address": INDEX, "title": "Shop"},
        {"size": "Small", "name": ""},
    )


async def test_a_vendors_enlarged_picture_shows_the_page(browser: WebBrowser, adb: Adb) -> None:
    from manyhands.simulator.web.fleet import web_phones

    async with VirtualFleet(1, web_phones(browser, INDEX, 720, 1600), vendors=["size-override"]) as fleet:
        await adb.connect(fleet.serials[0])
        picture = Image.open(io.BytesIO((await adb.run(fleet.serials[0], "exec-out", "screencap", "-p")).out))
        assert (picture.size, picture.getpixel((900, 5))) == ((960, 2133), (255, 255, 255))
        await asyncio.to_thread(adb.client.disconnect, fleet.serials[0])


async def test_the_screen_goes_black_while_it_is_off(phone: Phone) -> None:
    await phone.shell("input keyevent SLEEP")
    dark = Image.open(io.BytesIO((await phone.adb.run(phone.serial, "exec-out", "screencap", "-p")).out))
    assert dark.getextrema() == ((0, 0), (0, 0), (0, 0))
    assert b"null root node" in (await phone.shell("uiautomator dump")).err
    await phone.shell("input keyevent WAKEUP")
    lit = Image.open(io.BytesIO((await phone.adb.run(phone.serial, "exec-out", "screencap", "-p")).out))
    assert lit.getextrema() != dark.getextrema()


async def test_a_reset_ends_though_its_client_has_left(browser: WebBrowser) -> None:
    from manyhands.simulator.web.phone import WebPhone

    phone = WebPhone(browser, lambda seed: SECOND if seed == 7 else INDEX, 1, 720, 1600, 280)
    await phone.start()
    phone.reset(7)
    client = asyncio.create_task(phone.refresh())
    await asyncio.sleep(0)  # it has begun
    client.cancel()
    await asyncio.wait([client])
    await phone.refresh()
    assert phone.state()["web"] == {"address": SECOND, "title": "Second"}
    await phone.stop()


def chromium() -> psutil.Process:
    """Chromium's main process."""
    mine = [child for child in psutil.Process().children(recursive=True) if "--headless" in child.cmdline()]
    return next(child for child in mine if not any(word.startswith("--type=") for word in child.cmdline()))


@pytest.mark.slow
async def test_a_phone_of_a_hung_browser_can_be_stopped(browser: WebBrowser) -> None:
    from manyhands.simulator.web.screen import WebScreen

    screen = WebScreen(browser, 720, 1600, 280)
    await screen.start(INDEX)
    hung = chromium()
    hung.suspend()
    try:
        await asyncio.wait_for(screen.stop(), 90)
        await asyncio.wait_for(browser.stop(), 90)
    finally:
        hung.resume()


async def test_a_crashed_browser_is_started_again(phone: Phone, fleet: VirtualFleet, browser: WebBrowser) -> None:
    await phone.shell("echo kept > /sdcard/kept")
    chromium().kill()
    async with asyncio.timeout(60):
        while browser.starts < 2:
            await asyncio.sleep(0.05)
    await phone.adb.until_state(phone.serial, "device")
    assert (await phone.state())["web"]["address"] == INDEX
    assert (await phone.shell("cat /sdcard/kept")).out == b"kept\n"
