"""Which phones are fit for a task, by what phones of several makers and versions print, and by virtual ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from manyhands.actors.phones.adb.fitness import Condition, condition, putting_right, why_unfit
from manyhands.actors.phones.leases import Leases
from manyhands.protocol.errors import CaptureFailed, PhoneUnfit
from manyhands.protocol.phones import CHECK_KEY, PhoneLimits
from manyhands.protocol.screens.actions import Tap
from tests.actors.phones.world import World, adb_gateway, within, world
from tests.simulator.plain_device import LATIN, PlainDevice

PIXEL = """\
  mWakefulness=Awake
      showing=false
      secure=true
        mIsShowing=false
Current Battery Service state:
  AC powered: false
  USB powered: true
  Wireless powered: false
  Dock powered: false
  Max charging current: 500000
  Charge counter: 3187000
  status: 5
  health: 2
  present: true
  level: 100
  scale: 100
  voltage: 4386
  temperature: 291
  technology: Li-ion
Thermal Status: 0
/dev/block/dm-48 113236472 18219868 94885532  17% /data
"""
LIMITS = PhoneLimits()


def test_a_phone_that_tells_all() -> None:
    found = condition(PIXEL)
    assert found == Condition(True, False, True, 100.0, True, 29.1, 0, 94885532 / 1024)
    assert why_unfit(found, LIMITS) is None
    assert putting_right(found) is None


@pytest.mark.parametrize(
    ("printed", "instead", "reason"),
    [
        ("mWakefulness=Awake", "mWakefulness=Dozing", "does not wake"),
        ("howing=false", "howing=true", "asks for a credential"),
        ("secure=true\n        mIsShowing=false", "secure=false\n", None),
        ("level: 100", "level: 9", None),
        ("USB powered: true", "USB powered: false", None),
        ("temperature: 291", "temperature: 451", "45.1 °C; a task is begun up to 45"),
        ("Status: 0", "Status: 3", "thermal status is 3 (severe)"),
        ("Status: 0", "Status: 2", None),
        ("94885532  17%", "204799  99%", "200 MB left; a task needs 200 MB"),
        ("94885532  17%", "204800  99%", None),
    ],
)
def test_each_reason_is_told(printed: str, instead: str, reason: str | None) -> None:
    assert printed in PIXEL
    why = why_unfit(condition(PIXEL.replace(printed, instead)), LIMITS)
    assert (why is None) if reason is None else (why is not None and reason in why)


def test_a_phone_may_be_nearly_empty_while_it_charges() -> None:
    charging = PIXEL.replace("level: 100", "level: 4")
    assert why_unfit(condition(charging), LIMITS) is None
    why = why_unfit(condition(charging.replace("USB powered: true", "USB powered: false")), LIMITS)
    assert why == "its battery is at 4 % and not charging; a task needs 10 %"
    assert why_unfit(condition("  level: 4\n  scale: 100"), LIMITS) is None, "it does not say that it is not charging"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Can't find service: thermalservice\ndf: not found",
        "mWakefulness=\nlevel: many\n  scale: 0\n  level: 3\nThermal Status: hot",
        "/data  12.3G  11.9G  0.1G  4096",
        "showing=maybe secure=true",
        "      showing=true\n   mIsShowing=false",
    ],
)
def test_what_is_not_understood_counts_as_fit(text: str) -> None:
    assert why_unfit(condition(text), LIMITS) is None
    assert putting_right(condition(text)) is None


# ---------------------------------------------------------------------------- virtual phones
class Sleeper(PlainDevice):
    """Wakes at the key for that, and may keep to its keyboard."""

    stays = False

    def set_ime(self, ime: str) -> None:
        if not self.stays:
            super().set_ime(ime)

    def key(self, code: int, held: frozenset[int] = frozenset()) -> None:
        super().key(code, held)
        self.on = self.on or code == 224


@pytest.fixture
async def phone(adb_server: tuple[str, int], tmp_path: Path) -> AsyncIterator[World]:
    async with world(adb_server, tmp_path, Sleeper) as parts:
        await parts.gateway.detach(parts.lease)
        yield parts


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("battery", 4, "its battery is at 4 % and not charging"),
        ("celsius", 50, r"its battery has 50\.0 °C"),
        ("thermal", 4, r"thermal status is 4 \(critical\)"),
        ("free_mb", 100, "its storage has 100 MB left"),
        ("lock", 2, "asks for a credential"),
        ("screenshots", 1, r"it gives no screenshot: screencap gave no .* but 0 bytes; and as .*: screencap gave no"),
        ("screenshots", 2, "it gives no screenshot: a picture of 1x1 is no screen"),
    ],
)
async def test_an_unfit_phone_is_given_to_nobody(
    phone: World, name: str, value: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manyhands.actors.phones.adb.fitness._RIGHT_S", 0.3)
    serial = phone.lease.serial
    await phone.fleet.set_condition(0, name, value)
    with pytest.raises(PhoneUnfit, match=f"phone {serial}: .*{reason}"):
        await phone.gateway.attach(serial, "next", 60)
    sane = {"battery": 80, "celsius": 30, "free_mb": 5000}
    await phone.fleet.set_condition(0, name, sane.get(name, 0))
    assert (await phone.gateway.attach(serial, "next", 60)).holder == "next"


async def test_a_phone_whose_keyboard_stays_would_lose_what_is_typed(
    phone: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manyhands.actors.phones.adb.keyboard.READY_S", 0.2)
    assert isinstance(phone.plain, Sleeper)
    phone.plain.stays = True
    with pytest.raises(PhoneUnfit, match=f"ADBKeyboard was chosen, and {LATIN} stays"):
        await phone.gateway.attach(phone.lease.serial, "next", 60)


async def test_a_screenshot_that_no_phone_can_have_is_no_screenshot(phone: World) -> None:
    lease = await phone.gateway.attach(phone.lease.serial, "next", 60)
    await phone.fleet.set_condition(0, "screenshots", 2)
    with pytest.raises(CaptureFailed, match=f"phone {lease.serial}: a picture of 1x1 is no screen"):
        await phone.gateway.capture(lease, None, within())


async def test_limits_are_settings(phone: World) -> None:
    await phone.fleet.set_condition(0, "battery", 30)
    lease = await phone.gateway.attach(phone.lease.serial, "next", 60)
    await phone.gateway.detach(lease)
    careful = adb_gateway(phone.settings.model_copy(update={"limits": PhoneLimits(min_battery=50)}))
    await careful.start()
    with pytest.raises(PhoneUnfit, match="a task needs 50 %"):
        await careful.attach(phone.lease.serial, "next", 60)
    await careful.stop()


async def test_a_phone_is_woken_and_unlocked_before_a_task(phone: World) -> None:
    phone.plain.on = False
    await phone.fleet.set_condition(0, "lock", 1)
    await phone.gateway.attach(phone.lease.serial, "next", 60)
    assert phone.plain.on
    assert phone.fleet.endpoints[0].phone.lock == 0
    assert {line.key for line in phone.ledger} == {CHECK_KEY}


async def test_an_episode_that_goes_on_with_its_phone_is_not_stopped_by_its_condition(phone: World) -> None:
    serial = phone.lease.serial
    expired = await phone.gateway.attach(serial, "episode", 60)
    await phone.fleet.set_condition(0, "battery", 4)
    book = Leases(phone.settings.state_dir)
    book.end(expired)
    book.close()
    lease = await phone.gateway.attach(serial, "episode", 60)
    other = adb_gateway(phone.settings)
    await other.start()
    await other.capture(lease, None, within())
    await other.stop()
    phone.lease = lease
    assert (await phone.perform("k", Tap(x=1, y=1))).status == "done"
    await phone.gateway.detach(lease)
    with pytest.raises(PhoneUnfit):
        await phone.gateway.attach(serial, "episode", 60)
