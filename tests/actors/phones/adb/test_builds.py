"""The app under test and a task's settings, on virtual phones behind a real adb server, through a gateway."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from manyhands.protocol.errors import SetupRefused
from manyhands.protocol.phones import CRASHES, AppCrash, Reset
from manyhands.protocol.screens.actions import OpenApp, Tap
from manyhands.protocol.tasks.build import Build, DeviceSettings
from manyhands.simulator.fleet import virtual_phones
from manyhands.simulator.phone.apps.builds import PACKAGE, VirtualBuild, write_build
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.system.phone_system import PhoneSystem
from tests.actors.phones.world import World, within, world

CAMERA = "android.permission.CAMERA"
ALL_SETTINGS = DeviceSettings(
    locale="de-DE",
    time_zone="Europe/Berlin",
    dark_mode=True,
    font_scale=1.3,
    orientation="portrait",
    animations=True,
    network="mobile",
)


@pytest.fixture
async def phone(adb_server: tuple[str, int], tmp_path: Path) -> AsyncIterator[World]:
    async with world(adb_server, tmp_path / "state", virtual_phones(360, 800)) as parts:
        yield parts


def build_of(*files: Path, **changes: Any) -> Build:
    digests = tuple(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
    return Build(package=PACKAGE, install=tuple(map(str, files)), sha256=digests, **changes)


def jotter(folder: Path, name: str = "jotter.apk", **changes: Any) -> Path:
    return write_build(folder / name, VirtualBuild(**changes))


def system(phone: World) -> PhoneSystem:
    return phone.fleet.endpoints[0].phone


def versions(phone: World) -> dict[str, int]:
    return {app.package: app.version for app in phone.device.apps()}


async def open_first_note(phone: World) -> None:
    await phone.perform("open", OpenApp(app="Jotter"))
    device = phone.device
    assert isinstance(device, VirtualPhone)
    title = device.state()["jotter"]["items"][0]["title"]
    box = next(box for text, box in device.layout() if text == title)
    await phone.perform("tap", Tap(x=box.x + box.w // 2, y=box.y + box.h // 2))


async def reset(phone: World, key: str, build: Build | None, device: DeviceSettings | None = None) -> None:
    receipt = await phone.gateway.reset(phone.lease, Reset(key=key, build=build, device=device), within())
    assert receipt.status == "done"


async def give_back_and_take(phone: World) -> None:
    await phone.gateway.detach(phone.lease)
    phone.lease = await phone.gateway.attach(phone.lease.serial, "tests", 120)


# ---------------------------------------------------------------------------- installing
async def test_a_build_is_installed_once_and_opens(phone: World, tmp_path: Path) -> None:
    build = build_of(jotter(tmp_path, version=3), grant=[CAMERA])
    await reset(phone, "one", build)
    assert versions(phone)[PACKAGE] == 3
    assert (await phone.perform("open", OpenApp(app="Jotter"))).status == "done"
    assert system(phone).device.focus().startswith(PACKAGE)
    sessions = system(phone).install_sessions.begin()
    await reset(phone, "two", build)
    assert int(system(phone).install_sessions.begin()) == int(sessions) + 1, "the same files are not sent again"
    await reset(phone, "three", build_of(jotter(tmp_path, version=4)))
    assert versions(phone)[PACKAGE] == 4
    assert not list(system(phone).files.glob("/data/local/tmp/manyhands-*")), "no file stays on the phone"


async def test_a_split_app_needs_all_its_files(phone: World, tmp_path: Path) -> None:
    base = jotter(tmp_path, "base.apk", parts=("de",))
    german = jotter(tmp_path, "de.apk", part="de")
    with pytest.raises(SetupRefused, match=r"name all its files \(INSTALL_FAILED_MISSING_SPLIT\)"):
        await reset(phone, "one", build_of(base))
    await reset(phone, "two", build_of(base, german))
    assert PACKAGE in versions(phone)


@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        ({"version": 2}, {"version": 1}, "a newer version is installed"),
        ({}, {"signature": "debug"}, "the installed app has another signature"),
        ({}, {"package": "com.example.other"}, f"not the files of {PACKAGE}"),
    ],
    ids=["downgrade", "signature", "another-app"],
)
async def test_a_phone_that_refuses_a_build_says_why(
    phone: World, tmp_path: Path, first: dict[str, Any], then: dict[str, Any], words: str
) -> None:
    if "package" not in then:
        await reset(phone, "one", build_of(jotter(tmp_path, "first.apk", **first)))
    with pytest.raises(SetupRefused, match=words):
        await reset(phone, "two", build_of(jotter(tmp_path, "then.apk", **then)))


async def test_other_refusals_are_named(phone: World, tmp_path: Path) -> None:
    build = build_of(jotter(tmp_path))
    system(phone).free_kb = 0
    with pytest.raises(SetupRefused, match="its storage is full"):
        await reset(phone, "one", build)
    system(phone).free_kb = 1 << 20
    with pytest.raises(SetupRefused, match="it has no app"):
        await reset(phone, "two", Build(package=PACKAGE))
    with pytest.raises(SetupRefused, match=r"pm grant .* no\.such"):
        await reset(phone, "three", build.model_copy(update={"grant": ("no.such",)}))
    other = jotter(tmp_path, "other.apk", version=2)
    outdated = build_of(other)
    other.write_bytes(b"text")
    with pytest.raises(SetupRefused, match="not the files with which the run began"):
        await reset(phone, "four", outdated)
    with pytest.raises(SetupRefused, match="a file is no APK"):
        await reset(phone, "five", build_of(other))


async def test_data_are_cleared_and_the_app_goes_when_told(phone: World, tmp_path: Path) -> None:
    build = build_of(jotter(tmp_path), uninstall_after=True)
    await reset(phone, "one", build)
    await open_first_note(phone)
    await reset(phone, "two", build)
    assert system(phone).device.state()["jotter"]["opened"]
    await reset(phone, "three", build.model_copy(update={"clear": True}))
    assert not system(phone).device.state()["jotter"]["opened"]
    assert PACKAGE in versions(phone)
    await give_back_and_take(phone)
    assert PACKAGE not in versions(phone)


# ---------------------------------------------------------------------------- settings
def values(phone: World) -> Sequence[object]:
    """What the tests change, as the phone has it."""
    device = system(phone).device
    names = ("font_scale", "accelerometer_rotation", "user_rotation")
    return (
        [dict(device.settings(namespace)) for namespace in ("system", "secure", "global")],
        [device.setting("system", name) for name in names],
        system(phone).zone,
        system(phone).app_locales.get(PACKAGE, ""),
    )


async def test_settings_hold_during_a_task_and_are_given_back(phone: World, tmp_path: Path) -> None:
    build = build_of(jotter(tmp_path))
    await reset(phone, "one", build)
    before, device = values(phone), system(phone).device
    await reset(phone, "two", build, ALL_SETTINGS)
    assert system(phone).zone == "Europe/Berlin"
    assert system(phone).app_locales[PACKAGE] == "de-DE"
    assert device.setting("system", "font_scale") == "1.3"
    assert device.setting("secure", "ui_night_mode") == "2"
    assert (device.setting("global", "wifi_on"), device.setting("global", "mobile_data")) == ("0", "1")
    assert device.setting("global", "animator_duration_scale") == "1"
    await give_back_and_take(phone)
    assert values(phone) == before


async def test_what_others_set_meanwhile_stays(phone: World) -> None:
    device = system(phone).device
    await reset(phone, "one", None, DeviceSettings(font_scale=1.3, dark_mode=True))
    device.put_setting("system", "font_scale", "1.1")
    await give_back_and_take(phone)
    assert (device.setting("system", "font_scale"), device.setting("secure", "ui_night_mode")) == ("1.1", "1")


async def test_an_episode_that_goes_on_gets_its_settings_again(phone: World) -> None:
    device = system(phone).device
    await reset(phone, "one", None, DeviceSettings(font_scale=1.3))
    await phone.perform("open", OpenApp(app="Notes"))
    await give_back_and_take(phone)
    again = Reset(key="two", device=DeviceSettings(font_scale=1.3), keeps_place=True)
    assert (await phone.gateway.reset(phone.lease, again, within())).status == "done"
    assert device.setting("system", "font_scale") == "1.3"
    assert device.focus().startswith("com.manyhands.notes"), "it does not go home"
    await give_back_and_take(phone)
    assert device.setting("system", "font_scale") is None


async def test_an_app_of_the_owner_stays(phone: World, tmp_path: Path) -> None:
    device = phone.device
    assert isinstance(device, VirtualPhone)
    device.install([jotter(tmp_path, "older.apk").read_bytes()])
    await reset(phone, "one", build_of(jotter(tmp_path, version=2), uninstall_after=True))
    await give_back_and_take(phone)
    assert versions(phone)[PACKAGE] == 2


async def test_a_killed_run_leaves_settings_to_the_next(phone: World, tmp_path: Path) -> None:
    build = build_of(jotter(tmp_path))
    await reset(phone, "one", build)
    before = values(phone)
    await reset(phone, "two", build, ALL_SETTINGS)
    # As after a kill: nobody has given the phone back.
    await reset(phone, "three", build, DeviceSettings(font_scale=0.8))
    assert system(phone).zone == "UTC"
    assert system(phone).device.setting("system", "font_scale") == "0.8"
    await give_back_and_take(phone)
    assert values(phone) == before


async def test_a_phone_that_takes_a_value_not_back_is_not_lost(
    phone: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await reset(phone, "one", build_of(jotter(tmp_path)), DeviceSettings(locale="de-DE", font_scale=1.3))
    device = phone.device
    assert isinstance(device, VirtualPhone)
    device.uninstall(PACKAGE)
    await reset(phone, "two", None)
    assert device.setting("system", "font_scale") is None
    assert "it does not tell locale:" in caplog.text
    caplog.clear()
    await reset(phone, "three", None)
    assert not caplog.text, "the language of an app that is gone is forgotten"


async def test_a_setting_that_does_not_hold_is_named(phone: World) -> None:
    before = values(phone)
    with pytest.raises(SetupRefused, match="rotation stays 0 and is not 1"):
        await reset(phone, "one", None, DeviceSettings(orientation="landscape", font_scale=1.5))
    await give_back_and_take(phone)
    assert values(phone) == before


# ---------------------------------------------------------------------------- crashes
@pytest.mark.parametrize(("fault", "kind"), [("crashes_on", "crash"), ("hangs_on", "not_responding")])
async def test_crashes_of_an_app_are_read(phone: World, tmp_path: Path, fault: str, kind: str) -> None:
    await reset(phone, "one", build_of(jotter(tmp_path, **{fault: "edit"})))
    assert (await phone.gateway.state(phone.lease, CRASHES + PACKAGE, within())) == {"crashes": []}
    await open_first_note(phone)
    told = await phone.gateway.state(phone.lease, CRASHES + PACKAGE, within())
    (crash,) = (AppCrash.model_validate(one) for one in told["crashes"])
    assert (crash.kind, crash.package) == (kind, PACKAGE)
    assert "edit" in crash.reason
    assert "Page.kt:12" in crash.trace
    assert (await phone.gateway.state(phone.lease, CRASHES + "com.example.other", within())) == {"crashes": []}
