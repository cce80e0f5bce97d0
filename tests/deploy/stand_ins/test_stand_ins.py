"""What stands in for phones is called by its name, and leaves nothing in adb's list."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.deploy.benchmarks.stand_ins import canned_phones
from manyhands.deploy.fleet.adb_server import AdbServer
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.stand_ins.starting import (
    CANNED_PHONES_SOURCE,
    VIRTUAL_SOURCE,
    canned_among,
    describe_phones,
    virtual_among,
)


@pytest.mark.parametrize(
    ("virtual", "canned", "phones", "said"),
    [
        (2, 0, 2, VIRTUAL_SOURCE),
        (2, 2, 2, CANNED_PHONES_SOURCE),
        (1, 0, 3, f"1 of the 3 phones are {VIRTUAL_SOURCE}"),
        (3, 2, 3, f"1 of the 3 phones are {VIRTUAL_SOURCE}; 2 of the 3 phones are {CANNED_PHONES_SOURCE}"),
    ],
)
def test_phones_are_called_what_they_are(virtual: int, canned: int, phones: int, said: str) -> None:
    assert describe_phones(virtual, canned, phones) == said


async def test_canned_phones_say_so_and_are_gone_afterwards(adb_server: tuple[str, int], tmp_path: Path) -> None:
    host, port = adb_server
    settings = load_settings({"adb_host": host, "adb_port": port, "virtual": {"size": "240x480"}})
    adb = AdbServer(host, port)
    async with canned_phones(settings, 2, tmp_path / "log") as serials:
        assert await virtual_among(adb, serials) == tuple(serials)
        assert await canned_among(adb, serials) == tuple(serials)
    assert not {phone.serial for phone in await adb.phones()} & set(serials)
