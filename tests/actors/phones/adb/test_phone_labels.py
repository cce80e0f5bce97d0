"""The labels of a phone are read off it, without a lease, and say what it is."""

from __future__ import annotations

from pathlib import Path

import adbutils
import pytest

from manyhands.actors.phones.adb import AdbTransport
from manyhands.actors.phones.adb.apps import AppCatalogue
from manyhands.actors.phones.adb.device_facts import device_labels
from manyhands.actors.phones.directory import TransportDirectory
from manyhands.protocol.errors import PhoneUnknown
from manyhands.protocol.tasks.selectors import selects
from manyhands.simulator.fleet import VirtualFleet
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.actors.phones.world import adb_settings
from tests.simulator.connecting import disconnect

MAPS = "com.google.android.apps.maps"
PRINTED = f"""\
--- model
Pixel 8
--- maker
Google
--- android
14
--- sdk
34
--- size
Physical size: 1080x2400
Override size: 720x1600
--- versions
  Package [com.android.settings] (5a1c9f):
    versionName=14
  Package [{MAPS}] (b8d2f5a):
    versionName=11.120.3 (arm64)
  Package [com.example.odd] (77):
    versionName=null
  Package [com.android.webview] (78):
    versionName=120.0.1
Hidden system packages:
  Package [{MAPS}] (1):
    versionName=10.1
"""
APPS = AppCatalogue({MAPS: [], "com.android.settings": [], "com.example.odd": [], "com.example.new": []})


def test_what_a_phone_prints_becomes_labels() -> None:
    labels = device_labels(PRINTED, APPS)
    assert labels == {
        "model": "Pixel 8",
        "maker": "Google",
        "android": "14",
        "sdk": "34",
        "size": "720x1600",
        "app:Maps": "11.120.3",
        f"app:{MAPS}": "11.120.3",
        "app:Settings": "14",
        "app:com.android.settings": "14",
        "app:com.example.odd": "",
        "app:com.example.new": "",
    }
    assert selects(f"model=pixel 8, android>=13, app:Maps>=11, app:{MAPS}>=11.120.3, app:com.example.new", labels)
    assert not selects("app:Maps>=11.121", labels)


@pytest.mark.parametrize("printed", ["", "error: closed", "--- model\n\n--- versions\n"])
def test_what_a_phone_does_not_tell_has_no_label(printed: str) -> None:
    assert device_labels(printed, AppCatalogue({}, ())) == {}


async def test_a_phone_tells_its_labels_over_adb_without_a_lease(adb_server: tuple[str, int], tmp_path: Path) -> None:
    transport = AdbTransport(adb_settings(adb_server, tmp_path))
    async with VirtualFleet(1, VirtualPhone) as fleet:
        await transport.start()
        directory = TransportDirectory(transport)
        labels = await directory.labels(fleet.serials[0])
        with pytest.raises(PhoneUnknown):
            await directory.labels("R58M9")
        await transport.stop()
        assert not fleet.endpoints[0].phone.ledger.lines, "nothing was touched"
        phone = fleet.endpoints[0].phone
        assert labels["model"] == phone.device.model
        assert (labels["maker"], labels["android"], labels["sdk"]) == ("Manyhands", "14", "34")
        assert {name for name in labels if name.startswith("app:")} == {
            f"app:{name}" for app in phone.device.apps() if app.activity for name in (app.package, app.label)
        }
        assert selects("android>=13, app:Maps>=1, app:com.manyhands.maps<2, !app:WeChat", labels)
        await disconnect(fleet, adbutils.AdbClient(*adb_server))
