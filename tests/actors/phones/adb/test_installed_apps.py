"""The labels of a phone's apps are read once, and again when an app, its version or the language is another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from manyhands.protocol.phones import DESCRIPTION, PhoneDescription, Reset
from manyhands.simulator.phone.device import AppInfo
from tests.actors.phones.world import World, within, world
from tests.simulator.plain_device import PlainDevice


class RelabelledDevice(PlainDevice):
    """A phone whose apps can get other labels, and of which one can be removed."""

    suffix = ""
    removed = ""

    def apps(self) -> Sequence[AppInfo]:
        return [replace(one, label=one.label + self.suffix) for one in super().apps() if one.label != self.removed]


async def described(phone: World) -> tuple[str, ...]:
    return PhoneDescription.model_validate(await phone.gateway.state(phone.lease, DESCRIPTION, within())).apps


async def begin_task(phone: World, key: str) -> tuple[str, ...]:
    """The labels that the next task is told."""
    await phone.gateway.reset(phone.lease, Reset(key=key, seed=1), within())
    return await described(phone)


async def test_labels_are_read_once_for_the_versions_and_the_language(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path, RelabelledDevice) as phone:
        device = phone.device
        assert isinstance(device, RelabelledDevice)
        assert await begin_task(phone, "first") == ("Notes", "Settings", "浏览器")
        device.suffix = "!"
        assert await begin_task(phone, "second") == ("Notes", "Settings", "浏览器"), "nobody reads them again"
        device.put_setting("system", "system_locales", "de-CH")
        assert await begin_task(phone, "third") == ("Notes!", "Settings!", "浏览器!"), "the language is another one"
        device.removed, device.suffix = "Notes", "?"
        assert await begin_task(phone, "fourth") == ("Settings?", "浏览器?"), "an app is gone"
        device.suffix = ""
        assert await described(phone) == ("Settings?", "浏览器?")
