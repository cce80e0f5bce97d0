"""Lines that plant records on a virtual phone, through adb, as a person at a shell does."""

from __future__ import annotations

import asyncio
from typing import Any

import adbutils

from manyhands.protocol.tasks.state_tests import StateTest
from tests.actors.phones.world import World, within


async def run_line(place: World, line: str) -> str:
    """Run a line in the first phone's shell and return what it prints."""
    client = adbutils.AdbClient(place.settings.host, place.settings.port)
    return str(await asyncio.to_thread(client.device(place.fleet.serials[0]).shell, line))


async def holds(place: World, **written: Any) -> bool:
    """Return whether a test of a check holds on the phone."""
    criteria = StateTest.model_validate(written).criteria()
    return criteria.holds(await place.gateway.state(place.lease, criteria.source, within()))
