"""Secrets are typed where they may be, and nothing that the phone tells afterwards shows them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from manyhands.actors.frames import PAINT, Frame
from manyhands.protocol.errors import CaptureFailed, LogUnavailable, StateUnavailable
from manyhands.protocol.phones import PICTURE, PhonePicture, Receipt, Reset
from manyhands.protocol.screens.actions import Back, OpenApp, Tap, Type
from manyhands.protocol.screens.screen import VIEWS, Screenshot, ViewTree
from manyhands.protocol.secrets import SECRETS, Secret
from tests.actors.phones.world import STATE, World, adb_gateway, within, world
from tests.simulator.bank_phone import BANK, BankPhone

VALUE = "tr0ub4dor&3 %s'x"
NAME = "{{secret:bank}}"
IN_BANK = Secret(apps=("Bank",))


@dataclass
class BankWorld:
    """A phone whose bank asks for a name, a password and a remark."""

    inner: World
    count: int = 0

    @property
    def typed(self) -> Mapping[str, str]:
        assert isinstance(self.inner.device, BankPhone)
        return self.inner.device.fields

    async def do(self, action: Tap | Type | OpenApp | Back) -> Receipt:
        self.count += 1
        return await self.inner.perform(f"e:{self.count}:1:0", action)

    async def views(self) -> ViewTree:
        return ViewTree.model_validate(await self.inner.gateway.state(self.inner.lease, VIEWS, within()))

    async def tap(self, name: str) -> None:
        for view in (await self.views()).views:
            if (view.text or view.description or ("Password" if view.password else "")) == name:
                left, top, right, bottom = view.bounds
                await self.do(Tap(x=(left + right) // 2, y=(top + bottom) // 2))
                return
        raise AssertionError(f"no {name} on the screen")

    async def capture(self) -> tuple[Screenshot, Frame]:
        screenshot, _, frame = await self.inner.gateway.capture(self.inner.lease, None, within())
        return screenshot, frame


@asynccontextmanager
async def bank(adb_server: tuple[str, int], folder: Path, secret: Secret = IN_BANK) -> AsyncIterator[BankWorld]:
    def make(index: int) -> BankPhone:
        return BankPhone(index, 540, 1200, 210)

    async with world(adb_server, folder, make, secrets={"bank": secret}) as inner:
        bank_world = BankWorld(inner)
        assert (await bank_world.do(OpenApp(app="Bank"))).status == "done"
        yield bank_world


@pytest.fixture(autouse=True)
def value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANYHANDS_SECRET_BANK", VALUE)


def painted(frame: Frame, bounds: tuple[int, int, int, int]) -> bool:
    left, top, right, bottom = bounds
    return bool(np.all(frame.rgb()[top:bottom, left:right] == PAINT))


async def test_a_secret_is_typed_into_the_password_s_field(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with bank(adb_server, tmp_path) as phone:
        await phone.tap("Password")
        before, frame = await phone.capture()
        (field,) = [view for view in (await phone.views()).views if view.password]
        assert not painted(frame, field.bounds)
        receipt = await phone.do(Type(text=NAME))
        assert (receipt.status, receipt.detail, phone.typed["password"]) == ("done", "", VALUE)
        after, frame = await phone.capture()
        assert painted(frame, field.bounds)
        assert before.content_id != after.content_id
        views = await phone.views()
        assert views.shown == after.content_id
        assert VALUE not in views.model_dump_json()


async def test_a_secret_that_the_app_shows_is_masked(adb_server: tuple[str, int], tmp_path: Path) -> None:
    secret = Secret(apps=(BANK,), allow_fields=("user",))
    async with bank(adb_server, tmp_path, secret) as phone:
        await phone.tap("User")
        assert (await phone.do(Type(text=NAME))).status == "done"
        assert phone.typed["user"].upper() == VALUE.upper()  # the app formats it once it draws it
        await phone.tap("Password")
        assert (await phone.do(Type(text=NAME))).status == "done"
        await phone.tap("Show password")
        _, frame = await phone.capture()
        views = (await phone.views()).views
        named = [view for view in views if view.text == NAME]
        assert len(named) == 2
        assert all(painted(frame, view.bounds) for view in named)
        text = json.dumps([view.model_dump(mode="json") for view in views])
        assert VALUE not in text
        assert VALUE.upper() not in text
        await phone.tap("Sign in")
        state = await phone.inner.gateway.state(phone.inner.lease, STATE, within())
        assert state["bank"]["entered"] == {"user": NAME, "password": NAME, "remark": ""}
        screen, frame = await phone.capture()
        assert not np.any(np.all(frame.rgb() == PAINT, axis=2).all(axis=1))  # nothing is left to paint over
        assert screen.app == BANK


async def test_people_who_look_see_no_secret_either(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with bank(adb_server, tmp_path) as phone:
        await phone.tap("Password")
        await phone.do(Type(text=NAME))
        await phone.tap("Show password")
        (field,) = [view for view in (await phone.views()).views if view.text == NAME]
        other = adb_gateway(phone.inner.settings)  # as after a crash: it knows from the disk that a secret was typed
        await other.start()
        try:
            shown = PhonePicture.model_validate(await other.look(phone.inner.lease.serial, PICTURE))
            assert VALUE not in json.dumps(await other.look(phone.inner.lease.serial, VIEWS))
        finally:
            await other.stop()
        left, top, right, bottom = field.bounds
        jpeg = Frame("jpeg", shown.jpeg).rgb()[top + 4 : bottom - 4, left + 4 : right - 4]
        assert np.abs(jpeg.astype(int) - PAINT).max() < 12


@pytest.mark.parametrize(
    ("secret", "field", "why"),
    [
        (IN_BANK, "Remark", "takes no password"),
        (IN_BANK, "", "0 fields have the focus"),
        (Secret(apps=("Notes",)), "Password", "is for Notes alone, and the field is of com.example.bank"),
        (Secret(apps=("Bank",), env="NOT_SET"), "Password", "NOT_SET is not set"),
    ],
)
async def test_a_secret_is_refused_elsewhere(
    adb_server: tuple[str, int], tmp_path: Path, secret: Secret, field: str, why: str
) -> None:
    async with bank(adb_server, tmp_path, secret) as phone:
        if field:
            await phone.tap(field)
        receipt = await phone.do(Type(text=f"a {NAME}"))
        assert receipt.status == "refused"
        assert why in receipt.detail
        assert VALUE not in receipt.detail
        assert not any(phone.typed.values())


async def test_an_unknown_secret_is_refused(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with bank(adb_server, tmp_path) as phone:
        await phone.tap("Password")
        receipt = await phone.do(Type(text="{{secret:pin}}"))
        assert "secret pin: nobody has declared it" in receipt.detail
        assert await phone.inner.gateway.look(phone.inner.lease.serial, SECRETS) == {"bank": ""}


async def test_no_broadcast_without_its_owner_s_leave(
    adb_server: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MANYHANDS_SECRET_BANK", "schlüssel")
    async with bank(adb_server, tmp_path / "a") as phone:
        await phone.tap("Password")
        receipt = await phone.do(Type(text=NAME))
        assert "allow_broadcast" in receipt.detail
        assert "ü" not in receipt.detail
        assert not any(phone.typed.values())
    async with bank(adb_server, tmp_path / "b", Secret(apps=("Bank",), allow_broadcast=True)) as phone:
        await phone.tap("Password")
        assert (await phone.do(Type(text=NAME))).status == "done"
        assert phone.typed["password"] == "schlüssel"


async def test_a_log_ends_with_a_secret_and_begins_anew_after_a_reset(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with bank(adb_server, tmp_path) as phone:
        gateway, lease = phone.inner.gateway, phone.inner.lease
        await gateway.log(lease, within())
        await phone.tap("Password")
        await phone.do(Type(text=NAME))
        with pytest.raises(LogUnavailable, match="a secret was typed"):
            await gateway.log(lease, within())
        assert (await gateway.reset(lease, Reset(key="f:reset"), within())).status == "done"
        await gateway.log(lease, within())
        await phone.do(OpenApp(app="Bank"))
        assert not any(phone.typed.values())  # the app was closed
        (field,) = [view for view in (await phone.views()).views if view.password]
        _, frame = await phone.capture()
        assert not painted(frame, field.bounds)


async def test_what_cannot_be_masked_is_not_told(
    adb_server: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bank(adb_server, tmp_path) as phone:
        await phone.tap("Password")
        await phone.do(Type(text=NAME))
        monkeypatch.delenv("MANYHANDS_SECRET_BANK")
        with pytest.raises(CaptureFailed, match="MANYHANDS_SECRET_BANK is not set"):
            await phone.capture()
        with pytest.raises(StateUnavailable, match="cannot be masked"):
            await phone.views()
