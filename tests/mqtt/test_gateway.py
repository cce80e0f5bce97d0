"""A virtual phone at a site: a real `manyhands gateway`, a real mosquitto, and whoever asks for the phone."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import adbutils
import pytest

from manyhands.actors.frames import content_id
from manyhands.deploy.mosquitto.access import Authority
from manyhands.protocol.errors import LeaseLost, PhoneUnknown
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import SettleSpec
from manyhands.protocol.screens.actions import LongPress, Tap
from manyhands.simulator.fleet import VirtualFleet
from tests.deploy.telemetry.metrics.scraping import parsed, scraped, value
from tests.mqtt.conftest import StartBroker
from tests.mqtt.gateway_process import GatewayProcess, asking
from tests.permitted import permitted
from tests.simulator.connecting import connect, disconnect
from tests.simulator.plain_device import PlainDevice

STATE = "content://manyhands.simulator/state"


def within(seconds: float = 60.0, step: int = 0) -> CallContext:
    return CallContext(episode="e", step=step, deadline=time.time() + seconds)


@pytest.fixture
async def fleet(adb_server: tuple[str, int]) -> AsyncIterator[VirtualFleet]:
    client = adbutils.AdbClient(*adb_server)
    async with VirtualFleet(1, PlainDevice) as phones:
        await connect(phones, client)
        yield phones
        await disconnect(phones, client)


@pytest.fixture
async def site(
    start_broker: StartBroker, adb_server: tuple[str, int], fleet: VirtualFleet, tmp_path: Path
) -> AsyncIterator[GatewayProcess]:
    """Site A, behind a broker with TLS."""
    metrics = ("--metrics-port", "0")
    process = GatewayProcess(start_broker(tls=True), adb_server[1], tmp_path / "state", options=metrics)
    await process.start()
    yield process
    await process.kill()


def keys(fleet: VirtualFleet) -> list[str | None]:
    """The actions that the phone itself has noted."""
    return [line.key for line in fleet.endpoints[0].phone.ledger.lines]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.01)


async def tried_in_vain(site: GatewayProcess) -> None:
    """Return once the site has lost its two connections, and tried one of them in vain."""
    async with asyncio.timeout(30):
        while value(parsed(await scraped(site.ready["metrics"])), "manyhands_link_failures_total", end="A") < 3:
            await asyncio.sleep(0.01)


async def test_a_phone_is_found_leased_looked_at_and_touched_over_tls(
    site: GatewayProcess, fleet: VirtualFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    serial = f"A/{fleet.serials[0]}"
    assert site.ready["phones"] == list(fleet.serials)
    async with asking(site.broker, monkeypatch) as gateway:
        assert [(phone.serial, phone.state) for phone in await gateway.phones()] == [(serial, "device")]
        size = await gateway.size(serial)
        with pytest.raises(PhoneUnknown):
            await gateway.attach("A/nothing", "tests", 30)
        lease = await gateway.attach(serial, "tests", 30)
        assert lease.expires_at - time.time() > 60  # the site's own, 90 s
        shot, image, frame = await gateway.capture(lease, None, within())
        assert (shot.serial, shot.size, shot.content_id) == (serial, size, image.content_id)
        assert content_id(frame.rgb()) == shot.content_id
        tap = permitted(key="e:1:1:0", action=Tap(x=9, y=9))
        performed, _, _ = await gateway.perform_and_capture(lease, tap, SettleSpec(), within(step=1))
        assert (performed.receipt.status, performed.receipt.repeated) == ("done", False)
        assert performed.screenshot is not None
        assert (await gateway.perform(lease, tap, within(step=1))).repeated
        (receipt,) = await gateway.recall(lease, ["e:1:1:0"], within(step=1))
        assert receipt.status == "done"
        assert await gateway.look(serial, STATE) == await gateway.state(lease, STATE, within())
        await gateway.detach(await gateway.renew(lease, 30))
        with pytest.raises(LeaseLost):
            await gateway.capture(lease, None, within())
    assert keys(fleet) == ["e:1:1:0"]
    assert await site.end() == 130


async def test_nothing_is_done_twice_where_the_broker_and_the_gateway_are_killed(
    site: GatewayProcess, fleet: VirtualFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    press = LongPress(x=9, y=9, ms=2000)
    async with asking(site.broker, monkeypatch) as gateway:
        lease = await gateway.attach(f"A/{fleet.serials[0]}", "tests", 30)
        first = asyncio.create_task(gateway.perform(lease, permitted(key="one", action=press), within()))
        await until(lambda: keys(fleet) == ["one"])
        site.broker.kill()
        await tried_in_vain(site)
        site.broker.start()
        assert (await first).status == "done"

        second = asyncio.create_task(gateway.perform(lease, permitted(key="two", action=press), within()))
        await until(lambda: keys(fleet) == ["one", "two"])
        await site.kill()
        await site.start()
        receipt = await second
        assert (receipt.status, receipt.repeated) == ("unknown", True)  # begun, and nobody wrote what came of it
        again = await gateway.attach(f"A/{fleet.serials[0]}", "tests", 30)
        assert (again.epoch, again.undisturbed) == (lease.epoch + 1, True)
        (recalled,) = await gateway.recall(again, ["three"], within())
        assert recalled.status == "refused"
        assert (await gateway.perform(again, permitted(key="three", action=press), within())).status == "refused"
    assert keys(fleet) == ["one", "two"]


@pytest.mark.parametrize("wrong", ["password", "site", "ca", "name", "port", "variable", "key", "empty"])
async def test_what_is_wrong_at_the_start_is_one_line_and_exit_code_2(
    start_broker: StartBroker, adb_server: tuple[str, int], tmp_path: Path, unused_tcp_port: int, wrong: str
) -> None:
    broker = start_broker(tls=True, hosts=["localhost"] if wrong == "name" else ["127.0.0.1"])
    process = GatewayProcess(broker, adb_server[1], tmp_path / "state")
    others = Authority(tmp_path / "others")
    others.make()
    command = {
        "site": {"site": "B"},
        "ca": {"mqtt-ca": str(others.pair.cert)},
        "port": {"broker": f"mqtts://127.0.0.1:{unused_tcp_port}"},
        "variable": {"mqtt-password-env": "NOT_SET"},
        "key": {"mqtt-cert": str(broker.ca)},
    }.get(wrong, {})
    environment = {"password": {"MQTT_PASSWORD": "guessed"}, "empty": {"MQTT_PASSWORD": ""}}.get(wrong, {})
    done = await asyncio.to_thread(
        subprocess.run,
        process.command(**command),
        env=process.environment(**environment),
        capture_output=True,
        text=True,
        timeout=60,
    )
    said = json.loads(done.stdout)
    assert (done.returncode, said["code"], "\n" in said["error"]) == (2, "bad_input", False), done.stderr
    named = {
        "site": "/B/",
        "variable": "NOT_SET",
        "empty": "MQTT_PASSWORD of the environment is empty",
        "key": "--mqtt-cert and --mqtt-key belong together",
    }
    assert named.get(wrong, "mqtts://127.0.0.1:") in said["error"]
    assert "guessed" not in done.stdout + done.stderr


async def test_two_processes_are_not_the_same_site(site: GatewayProcess, tmp_path: Path) -> None:
    other = GatewayProcess(site.broker, site.adb_port, site.state)
    done = await asyncio.to_thread(
        subprocess.run, other.command(), env=other.environment(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"] == "another process on this machine is site A already"


async def test_phones_says_which_of_the_named_places_has_nothing(site: GatewayProcess, fleet: VirtualFleet) -> None:
    account, url = site.broker.account("cluster"), site.broker.url
    words = ["--phones", f"{url}/A/none,{url}/B/*", "--mqtt-ca", str(site.broker.ca)]
    words += ["--mqtt-user-env", "MQTT_USER", "--mqtt-password-env", "MQTT_PASSWORD"]
    asked = await asyncio.create_subprocess_exec(
        *(*site.program, "phones", *words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=site.environment(MQTT_USER=account.user, MQTT_PASSWORD=account.password),
    )
    said, notes = await asked.communicate()
    assert asked.returncode == 2
    assert f"A/{fleet.serials[0]}" in said.decode()
    assert notes.decode().splitlines() == [
        "A/none: site A has no such phone",
        "B/*: nobody serves site B, or it has no phone; see 'manyhands gateway' there",
    ]
