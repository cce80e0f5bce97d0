"""ADBKeyboard is chosen while a phone is held, and what its owner had chosen is chosen again afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from manyhands.actors.phones import PhoneGateway
from manyhands.protocol.errors import PhoneLost
from manyhands.protocol.screens.actions import Tap, Type
from tests.actors.phones.world import World, adb_gateway, world
from tests.simulator.plain_device import ADB_KEYBOARD, LATIN, PlainDevice

HANDWRITING = "com.example.handwriting/.Pen"


class ThreeKeyboards(PlainDevice):
    def imes(self) -> tuple[str, ...]:
        return (LATIN, ADB_KEYBOARD, HANDWRITING)


class OwnersAdbKeyboard(PlainDevice):
    """A phone whose owner types with ADBKeyboard."""

    def __init__(self, seed: int = 1) -> None:
        super().__init__(seed)
        self.set_ime(ADB_KEYBOARD)


@pytest.fixture
async def phone(adb_server: tuple[str, int], tmp_path: Path) -> AsyncIterator[World]:
    async with world(adb_server, tmp_path, ThreeKeyboards) as parts:
        yield parts


async def started(phone: World) -> PhoneGateway:
    """The gateway of another run on this host."""
    gateway = adb_gateway(phone.settings)
    await gateway.start()
    return gateway


async def test_the_owners_keyboard_comes_back_with_the_phone(phone: World) -> None:
    assert phone.plain.default_ime() == ADB_KEYBOARD
    await phone.perform("k", Type(text="é"))
    await phone.gateway.detach(phone.lease)
    assert phone.plain.default_ime() == LATIN


async def test_a_keyboard_that_was_chosen_in_mid_run_is_the_owners(phone: World) -> None:
    phone.plain.set_ime(HANDWRITING)
    await phone.perform("k", Type(text="é"))
    assert phone.plain.default_ime() == ADB_KEYBOARD
    await phone.gateway.detach(phone.lease)
    assert phone.plain.default_ime() == HANDWRITING


async def test_a_keyboard_that_was_chosen_last_stays(phone: World) -> None:
    phone.plain.set_ime(HANDWRITING)
    await phone.gateway.detach(phone.lease)
    assert phone.plain.default_ime() == HANDWRITING
    await phone.gateway.detach(await phone.gateway.attach(phone.lease.serial, "next", 60))
    assert phone.plain.default_ime() == HANDWRITING


async def test_an_owner_of_adb_keyboard_keeps_it(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, OwnersAdbKeyboard) as phone:
        await phone.gateway.detach(phone.lease)
        assert phone.plain.default_ime() == ADB_KEYBOARD


async def test_giving_back_goes_on_when_nobody_waits_for_it(phone: World) -> None:
    slow = asyncio.create_task(phone.perform("k", Tap(x=1, y=1)))
    detaching = asyncio.create_task(phone.gateway.detach(phone.lease))
    await asyncio.sleep(0)
    detaching.cancel()
    await asyncio.gather(slow, detaching, return_exceptions=True)
    await phone.gateway.stop()
    assert phone.plain.default_ime() == LATIN


async def test_a_phone_that_has_a_newer_lease_is_not_given_back(phone: World) -> None:
    other = await started(phone)
    lease = await other.attach(phone.lease.serial, phone.lease.holder, 60)
    await phone.gateway.detach(phone.lease)
    await phone.gateway.stop()
    assert phone.plain.default_ime() == ADB_KEYBOARD
    await other.detach(lease)
    assert phone.plain.default_ime() == LATIN
    await other.stop()


async def test_a_run_that_was_killed_leaves_it_to_the_next_one(phone: World) -> None:
    serial = phone.lease.serial
    await phone.gateway.detach(phone.lease)
    killed = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.actors.phones.other_process", "hold", str(phone.settings.state_dir), "killed"),
        *(str(phone.settings.port), serial),
        stdout=subprocess.PIPE,
    )
    said, _ = await killed.communicate()
    assert (said, killed.returncode) == (b"held\n", 9)
    assert phone.plain.default_ime() == ADB_KEYBOARD
    lease = await phone.gateway.attach(serial, "killed", 60)
    assert phone.plain.default_ime() == ADB_KEYBOARD
    await phone.gateway.detach(lease)
    assert phone.plain.default_ime() == LATIN


async def test_a_phone_that_was_away_gets_it_back_when_the_run_ends(phone: World) -> None:
    await phone.fleet.vanish(0)
    with contextlib.suppress(PhoneLost):  # or the line was on its way before the adb server saw that
        await phone.perform("k", Tap(x=1, y=1))
    await phone.gateway.detach(phone.lease)
    await phone.fleet.come_back(0)
    assert phone.plain.default_ime() == ADB_KEYBOARD
    await phone.gateway.stop()
    assert phone.plain.default_ime() == LATIN


async def test_a_phone_that_comes_back_after_the_run_gets_it_back_from_the_next_one(phone: World) -> None:
    await phone.fleet.vanish(0)
    await phone.gateway.detach(phone.lease)
    await phone.gateway.stop()
    await phone.fleet.come_back(0)
    other = await started(phone)
    lease = await other.attach(phone.lease.serial, "next", 60)
    assert phone.plain.default_ime() == ADB_KEYBOARD
    await other.detach(lease)
    assert phone.plain.default_ime() == LATIN
    await other.stop()
