"""Settings in the forms that phones of several makers print, by a shell that answers from a table."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from manyhands.actors.phones.adb.setup.device_settings import DeviceSetup
from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.value_store import ValueStore
from manyhands.protocol.errors import SetupRefused
from manyhands.protocol.tasks.build import DeviceSettings

TWO_SIMS = {"wm size": "Physical size: 1080x2400", "wifi_on": "1", "mobile_data": "mobile_data=1\nmobile_data2=1"}


class Shell:
    """A phone that prints what a table has, and changes it as ``svc`` and ``settings put`` do."""

    def __init__(self, prints: dict[str, str]) -> None:
        self.prints = dict(prints)

    async def ask(self, line: str) -> ShellResult:
        if (service := re.fullmatch(r"svc (wifi|data) (enable|disable)", line)) is not None:
            name = {"wifi": "wifi_on", "data": "mobile_data"}[service[1]]
            self.prints[name] = re.sub(
                r"[0-9]$", str(int(service[2] == "enable")), self.prints[name], flags=re.MULTILINE
            )
        elif (put := re.fullmatch(r"settings put system (\w+) (\S+)", line)) is not None:
            self.prints[put[1]] = put[2]
        answer = next((text for key, text in self.prints.items() if key in line and "put" not in line), "")
        return ShellResult(answer.encode(), b"", 0)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[ValueStore]:
    opened = ValueStore(tmp_path)
    yield opened
    opened.close()


async def test_data_of_all_sims_go_off_and_on_again(store: ValueStore) -> None:
    shell = Shell(TWO_SIMS)
    setup = DeviceSetup("SERIAL", shell.ask, store)
    await setup.prepare(DeviceSettings(network="none"), "")
    assert shell.prints == {**TWO_SIMS, "wifi_on": "0", "mobile_data": "mobile_data=0\nmobile_data2=0"}
    await setup.give_back()
    assert shell.prints == TWO_SIMS
    assert not await store.read("SERIAL")


@pytest.mark.parametrize("serial", ["192.168.1.7:5555", "adb-9A1B2C-abcdef._adb-tls-connect._tcp", "127.0.0.1:7000"])
async def test_a_phone_that_may_need_its_wifi_keeps_it(store: ValueStore, serial: str) -> None:
    shell = Shell({**TWO_SIMS, "ro.product.name": "shiba"})
    with pytest.raises(SetupRefused, match="its Wi-Fi stays on"):
        await DeviceSetup(serial, shell.ask, store).prepare(DeviceSettings(network="mobile"), "")
    assert shell.prints["wifi_on"] == "1"


@pytest.mark.parametrize(("size", "rotation"), [("1080x2400", "1"), ("2560x1600", "0")])
async def test_landscape_is_how_a_tablet_stands(store: ValueStore, size: str, rotation: str) -> None:
    prints = {"wm size": f"Physical size: {size}", "accelerometer_rotation": "1", "user_rotation": "7"}
    shell = Shell(prints)
    await DeviceSetup("SERIAL", shell.ask, store).prepare(DeviceSettings(orientation="landscape"), "")
    assert (shell.prints["accelerometer_rotation"], shell.prints["user_rotation"]) == ("0", rotation)
