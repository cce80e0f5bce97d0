"""MobileGym on web phones, with a stub server that speaks the part of its page's API that is used."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.predicates import Evidence, evaluate
from manyhands.protocol.tasks.task import parse_tasks
from manyhands.protocol.utilities.yaml_document import YamlDocument
from manyhands.simulator.fleet import VirtualFleet
from manyhands.simulator.phone.device import DeviceLost
from tests.simulator.adb_client import Adb
from tests.simulator.fleet.test_fleet import fleet_process, line_of
from tests.simulator.web.conftest import CHROMIUM, PAGES
from tests.simulator.web.test_web_phone import Phone

pytest.importorskip("playwright", reason="needs Playwright: make test-web-phones")
if not CHROMIUM.exists():
    pytest.skip(f"needs {CHROMIUM}: make test-web-phones", allow_module_level=True)

from manyhands.simulator.mobilegym.phone import MobileGymPhone
from manyhands.simulator.mobilegym.phones import mobilegym_phones

STUB = Path(__file__).with_name("stub.html").read_bytes()
AIRPLANE = {
    "id": "airplane",
    "goal": "Turn airplane mode on.",
    "reset_seed": 0,
    "check": {
        "source": "content://manyhands.simulator/state",
        "holds": {"path": "page.state.os.settings.global.airplaneModeEnabled", "equals": True},
    },
}


class StubServer(ThreadingHTTPServer):
    """Serve the stub of MobileGym's page and its apps' data."""

    has_data = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(SimpleHTTPRequestHandler):
    server: StubServer

    def do_GET(self) -> None:
        bodies = {"/": STUB, **({"/data.json": b"{}"} if self.server.has_data else {})}
        body = bodies.get(self.path)
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
async def phone(server: StubServer, adb: Adb) -> AsyncIterator[Phone]:
    make, browser = mobilegym_phones(server.url, 720, 1600)
    async with browser, VirtualFleet(1, make) as fleet:
        (serial,) = fleet.serials
        await adb.connect(serial)
        yield Phone(adb, serial)
        await asyncio.to_thread(adb.client.disconnect, serial)


async def front(phone: Phone) -> tuple[str, str]:
    """The app in front and its route, once both ways to ask agree on the package."""
    foreground = (await phone.state())["foreground"]
    assert foreground["package"].encode() in (await phone.shell("dumpsys window")).out
    return foreground["app"], foreground["about"]


async def test_a_check_judges_by_the_simulators_state_and_a_reset_undoes(phone: Phone) -> None:
    (task,) = parse_tasks(YamlDocument({"suite": "gym", "tasks": [AIRPLANE]}, "tasks"))
    assert task.check is not None
    assert evaluate(task.check.holds, Evidence(await phone.state())) is False
    for name in ("Settings", "Network", "Airplane false"):
        await phone.tap(name)
    state = await phone.state()
    assert evaluate(task.check.holds, Evidence(state)) is True
    assert (state["page"]["route"], state["page"]["unloaded"]) == ({"app": "settings", "path": "/network"}, None)
    reset = await phone.shell("content call --uri content://manyhands.simulator --method reset --arg 7")
    assert reset.out == b"Result: Bundle[{ok=true}]\n"
    state = await phone.state()
    assert (state["seed"], state["foreground"]["app"]) == (7, "Home")
    assert evaluate(task.check.holds, Evidence(state)) is False


async def test_keys_are_those_of_the_simulator(phone: Phone) -> None:
    await phone.tap("Settings")
    await phone.tap("Network")
    assert await front(phone) == ("Settings", "/network")
    await phone.shell("input keyevent BACK")
    assert await front(phone) == ("Settings", "/")
    await phone.shell("input keyevent APP_SWITCH")
    assert (await phone.state())["page"]["state"]["os"]["isRecentsVisible"] is True
    await phone.shell("input keyevent HOME")
    assert (await front(phone))[0] == "Home"


async def test_apps_are_those_of_the_simulator(phone: Phone) -> None:
    assert (await phone.shell("pm list packages -3")).out == b"package:mobilegym.notes\n"
    await phone.shell("monkey -p mobilegym.notes -c android.intent.category.LAUNCHER 1")
    assert await front(phone) == ("Notes", "/")
    assert (await phone.shell("am start -n mobilegym.settings/.Main")).status == 0
    assert await front(phone) == ("Settings", "/")
    assert (await phone.shell("am start -n mobilegym.shop/.Main")).status != 0
    assert (await phone.shell("pm clear mobilegym.settings")).status != 0
    assert (await phone.shell("am start -a android.intent.action.VIEW -d https://example.org")).status != 0
    await phone.shell("am force-stop mobilegym.settings")
    assert (await front(phone))[0] == "Home"


async def test_typing_shows_the_simulators_own_keyboard(phone: Phone) -> None:
    await phone.tap("Notes")
    await phone.tap("Note")
    assert b"mInputShown=true" in (await phone.shell("dumpsys input_method")).out
    await phone.shell("input text milk")
    assert (await phone.state())["page"]["state"]["apps"]["notes"] == {"text": "milk"}
    await phone.shell("input keyevent BACK")
    assert b"mInputShown=false" in (await phone.shell("dumpsys input_method")).out
    assert await front(phone) == ("Notes", "/")


async def test_data_that_does_not_load_is_told(server: StubServer) -> None:
    server.has_data = False
    make, browser = mobilegym_phones(server.url, 720, 1600)
    async with browser:
        phone = make(1)
        assert isinstance(phone, MobileGymPhone)
        await phone.start()
        assert phone.state()["page"]["unloaded"] == "Error: waitForData failed for: notes"
        await phone.stop()


async def test_a_page_without_the_simulator_is_a_lost_phone(server: StubServer) -> None:
    _, browser = mobilegym_phones(server.url, 720, 1600, allowed=[f"{PAGES}/"])
    async with browser:
        phone = MobileGymPhone(browser, (PAGES / "index.html").as_uri(), 1, 720, 1600, 320)
        phone.ready_s = 0.2
        with pytest.raises(DeviceLost, match="shows no MobileGym"):
            await phone.start()
        await phone.stop()


async def test_the_command_line_names_the_server(server: StubServer, adb: Adb) -> None:
    async with fleet_process("--web", f"mobilegym:{server.url}", "--json", "--until-stdin-closes") as process:
        (serial,) = (await line_of(process))["serials"]
        await adb.connect(serial)
        assert (await Phone(adb, serial).state())["page"]["state"]["os"]["activeAppId"] is None
        await asyncio.to_thread(adb.client.disconnect, serial)
    with pytest.raises(BadInput, match="write the address of your server"):
        mobilegym_phones("pages/index.html", 720, 1600)
