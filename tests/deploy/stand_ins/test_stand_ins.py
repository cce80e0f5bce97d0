"""What stands in for phones is called by its name, however it was started, and leaves nothing in adb's list."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import adbutils
import pytest

from manyhands.actors.phones.adb import AdbSettings, AdbTransport
from manyhands.actors.phones.directory import TransportDirectory
from manyhands.benchmarks.testbed import canned_phones
from manyhands.deploy.fleet.phones.virtual import (
    CANNED_PHONES_SOURCE,
    VIRTUAL_SOURCE,
    WEB_PHONES_SOURCE,
    VirtualPhones,
    describe_phones,
    is_virtual,
)
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.stand_ins import virtual_phones as start_virtual_phones
from manyhands.protocol.errors import BadInput
from manyhands.protocol.phones import PhoneInfo
from manyhands.simulator.fleet import VirtualFleet, virtual_phones
from tests.actors.phones.adb.scripted_adb import block, scripted_adb
from tests.simulator.connecting import connect, disconnect
from tests.simulator.plain_device import PlainDevice

VIRTUAL = PhoneInfo(serial="v", state="device", product="manyhands_virtual_phone")
CANNED = PhoneInfo(serial="c", state="device", product="manyhands_canned_phone")
WEB = PhoneInfo(serial="w", state="device", product="manyhands_web_phone")


@pytest.fixture
async def transport(adb_server: tuple[str, int], tmp_path: Path) -> AsyncIterator[AdbTransport]:
    host, port = adb_server
    transport = AdbTransport(AdbSettings(host=host, port=port, state_dir=tmp_path / "state"))
    await transport.start()
    yield transport
    await transport.stop()


@pytest.mark.parametrize(
    ("virtual", "phones", "said"),
    [
        ([], 2, ""),
        ([VIRTUAL] * 2, 2, VIRTUAL_SOURCE),
        ([CANNED] * 2, 2, CANNED_PHONES_SOURCE),
        ([WEB], 1, WEB_PHONES_SOURCE),
        ([VIRTUAL], 3, f"1 of the 3 phones are {VIRTUAL_SOURCE}"),
        (
            [VIRTUAL, CANNED, CANNED],
            3,
            f"1 of the 3 phones are {VIRTUAL_SOURCE}; 2 of the 3 phones are {CANNED_PHONES_SOURCE}",
        ),
    ],
)
def test_phones_are_called_what_they_are(virtual: list[PhoneInfo], phones: int, said: str) -> None:
    assert describe_phones(virtual, phones) == said


@pytest.mark.parametrize("given", [{"phones": ("web:1",)}, {"phones": ("virtual:1",), "virtual": {"web": "page.html"}}])
async def test_web_phones_need_their_page_and_a_page_needs_web_phones(given: dict[str, Any], tmp_path: Path) -> None:
    settings = load_settings(given)
    assert settings.virtual_phones == 1
    with pytest.raises(BadInput, match="web phones need both"):
        async with start_virtual_phones(settings, tmp_path):
            pytest.fail("phones were started")


async def test_virtual_phones_are_known_by_their_listing_and_leave_a_ledger(
    transport: AdbTransport, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    """Also a phone of another device class, and one that came later; a phone whose listing is another's is real."""
    client = adbutils.AdbClient(*adb_server)
    among = VirtualPhones(TransportDirectory(transport))
    settings = load_settings({})
    async with VirtualFleet(1, virtual_phones(240, 480)) as one, VirtualFleet(1, PlainDevice) as other:
        serials = (*one.serials, *other.serials, "R58M1")
        assert not await among.find(serials)
        assert (among.source(3), among.adapt(settings)) == ("", settings)
        await connect(one, client)
        assert await among.find(serials)
        assert among.source(3) == f"1 of the 3 phones are {VIRTUAL_SOURCE}"
        await connect(other, client)
        assert await among.find(serials)
        assert not await among.find(serials)
        assert among.source(2) == VIRTUAL_SOURCE
        assert among.adapt(settings).reset_provider == "content://manyhands.simulator"
        await among.save_ledgers(tmp_path)
        saved = [json.loads(path.read_text()) for path in (tmp_path / "ledgers").iterdir()]
        assert sorted(each["serial"] for each in saved) == sorted(serials[:2])
        assert all(isinstance(each["rows"], list) for each in saved)
        await disconnect(one, client)
        await disconnect(other, client)


async def test_no_real_phone_is_asked_whether_it_is_virtual() -> None:
    listed = "R58M1      device usb:1-1 product:oriole model:Pixel_6 device:oriole transport_id:1\n"
    async with scripted_adb({"host:": b"OKAY" + block(listed)}) as script:
        transport = AdbTransport(AdbSettings(port=script.port))
        await transport.start()
        among = VirtualPhones(TransportDirectory(transport))
        assert not await among.find(["R58M1"])
        assert among.source(1) == ""
        assert script.requests == ["host:devices-l"]
        await transport.stop()


async def test_canned_phones_say_so_and_are_gone_afterwards(
    transport: AdbTransport, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    host, port = adb_server
    settings = load_settings({"adb_host": host, "adb_port": port, "virtual": {"size": "240x480"}})
    async with canned_phones(settings, 2, tmp_path / "log") as serials:
        listed = [phone for phone in await transport.phones() if phone.serial in serials]
        assert [is_virtual(phone) for phone in listed] == [True, True]
        assert describe_phones(listed, 2) == CANNED_PHONES_SOURCE
    assert not {phone.serial for phone in await transport.phones()} & set(serials)
