"""The phones of one machine under the names that they have in a run of several: all that comes in or out has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.actors.clock import RealClock
from manyhands.actors.phones import GatewaySettings
from manyhands.actors.phones.directory import SiteDirectory
from manyhands.actors.phones.leases import Leases
from manyhands.actors.phones.sites import SiteGateway
from manyhands.protocol.errors import LeaseLost, LogUnavailable, PhoneUnknown
from manyhands.protocol.phones import Reset
from manyhands.protocol.screens.actions import Tap
from tests.actors.episode.world import SIZE, World
from tests.actors.phones.test_transport import SERIAL, Wall
from tests.actors.phones.world import within
from tests.permitted import permitted

NAMED = f"node-3/{SERIAL}"


async def test_a_phone_has_its_sites_name_abroad_and_its_own_on_its_machine(tmp_path: Path) -> None:
    gateway = SiteGateway("node-3", GatewaySettings(state_dir=tmp_path), Wall(World(clock=RealClock())))
    await gateway.start()
    lease = await gateway.attach(NAMED, "one", 60)
    assert (lease.serial, (await gateway.renew(lease, 60)).serial) == (NAMED, NAMED)
    screenshot, _, _ = await gateway.capture(lease, None, within())
    performed, _, _ = await gateway.perform_and_capture(
        lease, permitted(key="k", action=Tap(x=0, y=100)), None, within()
    )
    assert performed.screenshot is not None
    assert (screenshot.serial, performed.screenshot.serial) == (NAMED, NAMED)
    assert (await gateway.perform(lease, permitted(key="k", action=Tap(x=0, y=100)), within())).repeated
    assert (await gateway.reset(lease, Reset(key="r"), within())).status == "done"
    assert "screen" in await gateway.state(lease, "content://wall/state", within())
    assert [receipt.key for receipt in await gateway.recall(lease, ["k", "r"], within())] == ["k", "r"]
    with pytest.raises(LogUnavailable, match="does not give"):
        await gateway.log(lease, within())
    book = Leases(tmp_path)
    assert set(book.holders()) == {SERIAL}
    book.close()
    await gateway.detach(lease)
    with pytest.raises(LeaseLost):
        await gateway.capture(lease, None, within())
    await gateway.stop()


@pytest.mark.parametrize("serial", [SERIAL, f"node-4/{SERIAL}", "node-3/", "node-3"])
async def test_a_phone_of_another_site_is_unknown(serial: str, tmp_path: Path) -> None:
    gateway = SiteGateway("node-3", GatewaySettings(state_dir=tmp_path), Wall(World(clock=RealClock())))
    await gateway.start()
    with pytest.raises(PhoneUnknown, match="is no phone of node-3"):
        await gateway.attach(serial, "one", 60)
    await gateway.stop()


async def test_a_directory_tells_the_same_names() -> None:
    wall = Wall(World(clock=RealClock()))
    directory = SiteDirectory("node-3", wall)
    await directory.start()
    assert wall.runs
    assert [phone.serial for phone in await directory.phones()] == [NAMED]
    await directory.connect(NAMED)
    assert await directory.size(NAMED) == SIZE
    assert await directory.labels(NAMED) == {}
    assert await directory.look(NAMED, "content://wall/state") == {"screen": wall.world.screen}
    with pytest.raises(PhoneUnknown):
        await directory.size(SERIAL)
    await directory.stop()
    assert not wall.runs
