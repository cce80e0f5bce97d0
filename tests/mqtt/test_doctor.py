"""The doctor on a real broker: who may not in, what nobody serves, and which phones a site has."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import adbutils
import pytest

from manyhands.deploy.doctor.examination import examine_brokers
from manyhands.deploy.doctor.findings import Finding
from manyhands.deploy.settings.loading import load_settings
from manyhands.simulator.fleet import VirtualFleet
from tests.mqtt.broker import Mosquitto
from tests.mqtt.gateway_process import GatewayProcess
from tests.simulator.connecting import connect, disconnect
from tests.simulator.plain_device import PlainDevice


async def examined(broker: Mosquitto, phones: str, monkeypatch: pytest.MonkeyPatch, **given: str) -> list[Finding]:
    account = broker.account("cluster")
    monkeypatch.setenv("U", account.user)
    monkeypatch.setenv("P", given.pop("password", account.password))
    settings = {"mqtt_ca": str(broker.ca), "mqtt_user_env": "U", "mqtt_password_env": "P", **given}
    return list(await examine_brokers(load_settings({"phones": [broker.url + phones], **settings})))


async def test_a_wrong_password_and_a_certificate_of_others(
    mosquitto_tls: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = await examined(mosquitto_tls, "/A/*", monkeypatch, password="guessed")
    assert (one.status, "guessed" in one.found) == ("failure", False)
    assert "manyhands broker show" in one.mend
    (one,) = await examined(mosquitto_tls, "/A/*", monkeypatch, mqtt_ca="")
    assert one.mend.startswith("--mqtt-ca")
    (one,) = await examined(mosquitto_tls, "/A/*", monkeypatch, mqtt_password_env="NOT_SET")
    assert "NOT_SET" in one.found


async def test_a_site_that_nobody_serves(mosquitto_tls: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    broker, site = await examined(mosquitto_tls, "/A/*", monkeypatch)
    assert (broker.status, broker.found) == ("ok", "lets us in")
    assert (site.status, site.found) == ("failure", "nobody serves it, or it has no phone")
    assert "manyhands gateway --site A --broker mqtts://" in site.mend


@pytest.fixture
async def fleet(adb_server: tuple[str, int]) -> AsyncIterator[VirtualFleet]:
    client = adbutils.AdbClient(*adb_server)
    async with VirtualFleet(1, PlainDevice) as phones:
        await connect(phones, client)
        yield phones
        await disconnect(phones, client)


async def test_the_phones_of_a_site(
    mosquitto_tls: Mosquitto,
    fleet: VirtualFleet,
    adb_server: tuple[str, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served = GatewayProcess(mosquitto_tls, adb_server[1], tmp_path / "state")
    await served.start()
    try:
        _, phone = await examined(mosquitto_tls, "/A/*", monkeypatch)
        assert (phone.name, phone.status) == (f"A/{fleet.serials[0]}", "ok")
        _, absent = await examined(mosquitto_tls, "/A/none", monkeypatch)
        assert absent.found == f"no A/none; there are: A/{fleet.serials[0]}"
    finally:
        await served.kill()
