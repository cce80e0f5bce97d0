"""Canned phones in their process, behind a real adb server and a real gateway."""

from __future__ import annotations

import time
from pathlib import Path

from manyhands.actors.phones.adb import AdbSettings
from manyhands.deploy.child_process import SidecarProcess
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Reset, SettleSpec
from manyhands.protocol.screens.actions import Tap
from tests.actors.phones.world import adb_gateway
from tests.permitted import permitted

DOOR = "content://manyhands.simulator"


async def test_a_gateway_gets_a_new_frame_after_every_action(adb_server: tuple[str, int], tmp_path: Path) -> None:
    host, port = adb_server
    settings = AdbSettings(
        host=host,
        port=port,
        state_dir=tmp_path / "state",
        label_providers=(f"{DOOR}/apps",),
        reset_provider=DOOR,
    )
    context = CallContext(episode="e", step=0, deadline=time.time() + 60)
    phones = SidecarProcess(
        "manyhands.simulator.canned.phones", ["--phones", "2", "--size", "240x480"], tmp_path / "phones.log"
    )
    gateway = adb_gateway(settings)
    async with phones:
        await gateway.start()
        seen = set()
        for serial in phones.ready["serials"]:
            lease = await gateway.attach(serial, "test", 60.0)
            reset = await gateway.reset(lease, Reset(key=f"{serial}:reset", seed=7), context)
            assert (reset.status, reset.detail) == ("done", "")
            for number in range(4):
                receipt = await gateway.perform(
                    lease, permitted(key=f"{serial}:{number}", action=Tap(x=9, y=9)), context
                )
                assert receipt.status == "done"
                screenshot, _, frame = await gateway.capture(lease, SettleSpec(quiet_ms=20, limit_ms=2000), context)
                assert frame.rgb().shape == (480, 240, 3)
                assert screenshot.keyboard == "hidden"
                seen.add(screenshot.content_id)
            assert (await gateway.state(lease, f"{DOOR}/state", context))["inputs"] == 4
            await gateway.detach(lease)
        await gateway.stop()
    assert len(seen) == 2 * 4
