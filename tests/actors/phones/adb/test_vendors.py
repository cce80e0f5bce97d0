"""What the gateway makes of phones that answer as those of some vendors do (``simulator.phone.vendors``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.protocol.actions import Home, OpenApp, Tap
from manyhands.protocol.errors import PhoneUnfit
from tests.actors.phones.world import within, world


async def test_a_phone_that_permits_no_input_refuses_and_gets_no_other_task(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path, vendors=["input-refused"]) as place:
        for receipt in (
            await place.perform("k:1", Tap(x=3, y=4)),
            await place.gateway.reset(place.lease, "k:reset", None, within()),
        ):
            assert receipt.status == "refused"
            assert "INJECT_EVENTS" in receipt.detail
            assert "USB debugging (Security settings)" in receipt.unfit
        await place.gateway.detach(place.lease)
        with pytest.raises(PhoneUnfit, match="Disable permission monitoring"):
            await place.gateway.attach(place.fleet.serials[0], "another task", 60)
        assert place.ledger == ()


async def test_a_phone_is_used_again_once_it_permits_input(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, vendors=["input-refused"]) as place:
        await place.perform("k:1", Home())
        await place.gateway.detach(place.lease)
        place.fleet.endpoints[0].answer_as(())
        lease = await place.gateway.attach(place.fleet.serials[0], "another task", 60)
        place.lease = lease
        assert (await place.perform("k:2", Tap(x=3, y=4))).status == "done"


async def test_an_app_that_may_not_be_started_is_refused_and_the_phone_goes_on(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path, vendors=["start-refused"]) as place:
        receipt = await place.perform("k:1", OpenApp(app="Notes"))
        assert (receipt.status, receipt.unfit) == ("refused", "")
        assert "not exported from uid" in receipt.detail
        assert (await place.perform("k:2", Tap(x=3, y=4))).status == "done"
