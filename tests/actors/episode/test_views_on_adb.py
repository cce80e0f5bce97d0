"""The views of a virtual phone behind a real adb server: used, late, left out, and used again."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path

from manyhands.actors.clock import RealClock
from manyhands.actors.episode.view_reader import FIRST_PAUSE, ViewReader
from manyhands.protocol.messages import CallContext
from manyhands.protocol.screens.actions import OpenApp
from manyhands.simulator.fleet import virtual_phones
from tests.actors.phones.world import within, world

PATIENCE_S = 60.0


def at(step: int) -> CallContext:
    return within().model_copy(update={"step": step})


async def test_a_phone_whose_dump_hangs_is_waited_for_once(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        patient, reader = (ViewReader(place.gateway, RealClock(), seconds) for seconds in (PATIENCE_S, 1.0))
        screenshot, _, _ = await place.gateway.capture(place.lease, None, within())
        told = await patient.read(place.lease, screenshot, at(0))
        assert told.tree is not None
        assert "Notes" in {element.content for element in told.tree.elements}
        await place.fleet.set_condition(0, "dump_s", 3600)
        late = await reader.read(place.lease, screenshot, at(0))
        again = await reader.read(place.lease, screenshot, at(FIRST_PAUSE))
        assert [late.outcome, again.outcome, again.ms] == ["late", "left_out", 0]
        await place.fleet.set_condition(0, "dump_s", 0)
        async with asyncio.timeout(PATIENCE_S):
            for step in count(FIRST_PAUSE + 1):  # a trial runs beside the steps
                if (await reader.read(place.lease, screenshot, at(step))).outcome == "used":
                    break
                await asyncio.sleep(0.05)
        reader.end()


async def test_views_of_a_screen_that_has_gone_are_not_used(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        reader = ViewReader(place.gateway, RealClock(), PATIENCE_S)
        screenshot, _, _ = await place.gateway.capture(place.lease, None, within())
        await place.perform("e:0", OpenApp(app="Notes"))
        assert (await reader.read(place.lease, screenshot, at(0))).outcome == "changed"
        screenshot, _, _ = await place.gateway.capture(place.lease, None, within())
        assert (await reader.read(place.lease, screenshot, at(1))).outcome == "used"
