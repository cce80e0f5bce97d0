"""What the gateway makes of phones that answer as those of some vendors do (``simulator.phone.vendors``)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from manyhands.actors.perception.local_backends import local_backends
from manyhands.actors.perception.reading import Stopwatch, read_frame
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.perception.view_tree import read_tree
from manyhands.protocol.errors import PhoneUnfit, StateUnavailable
from manyhands.protocol.phones import PICTURE, PhonePicture, Reset, SettleSpec
from manyhands.protocol.screens.actions import Home, OpenApp, Tap, Type
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import VIEWS, ViewTree
from manyhands.simulator.fleet import virtual_phones
from manyhands.simulator.phone.apps.preferences import LATIN_IME
from manyhands.simulator.phone.vendors.vendor import Change, Vendor, rewrite
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.shell.command import Call, Run
from tests.actors.phones.world import World, within, world

SETTINGS = "com.android.settings"


@pytest.mark.parametrize("vendor", ["input-refused", "input-refused-as-done"])
async def test_a_phone_that_permits_no_input_refuses_and_gets_no_other_task(
    adb_server: tuple[str, int], tmp_path: Path, vendor: str
) -> None:
    async with world(adb_server, tmp_path, vendors=[vendor]) as place:
        for receipt in (
            await place.perform("k:1", Tap(x=3, y=4)),
            await place.gateway.reset(place.lease, Reset(key="k:reset"), within()),
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


@pytest.mark.parametrize(("vendors", "is_fit"), [(["input-dropped"], False), ([], True)])
async def test_a_phone_that_drops_input_gets_no_other_task(
    adb_server: tuple[str, int], tmp_path: Path, vendors: Sequence[str], is_fit: bool
) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200), vendors=vendors) as place:
        await place.perform("open", OpenApp(app="Notes"))
        await place.gateway.capture(place.lease, SettleSpec(), within())
        for number in range(3):
            assert (await place.perform(f"k:{number}", Tap(x=270, y=1150))).status == "done"
            await place.gateway.capture(place.lease, SettleSpec(), within())
        await place.gateway.detach(place.lease)
        if not is_fit:
            with pytest.raises(PhoneUnfit, match="it drops input: 3 actions in a row changed nothing, and Home does"):
                await place.gateway.attach(place.fleet.serials[0], "another task", 60)
            place.fleet.endpoints[0].answer_as(())
        place.lease = await place.gateway.attach(place.fleet.serials[0], "another task", 60)
        assert place.device.focus().startswith("com.manyhands.launcher/"), "it has shown that Home works"


async def test_an_app_that_may_not_be_started_is_refused_and_the_phone_goes_on(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path, vendors=["start-refused"]) as place:
        receipt = await place.perform("k:1", OpenApp(app="Notes"))
        assert (receipt.status, receipt.unfit) == ("refused", "")
        assert "not exported from uid" in receipt.detail
        assert (await place.perform("k:2", Tap(x=3, y=4))).status == "done"


# ---------------------------------------------------------------------------- typing
@asynccontextmanager
async def search_field(adb_server: tuple[str, int], folder: Path, vendors: Sequence[str]) -> AsyncIterator[World]:
    """A phone whose browser has an empty field with the focus."""
    async with world(adb_server, folder, virtual_phones(540, 1200), vendors=vendors) as place:
        await place.perform("open", OpenApp(app="Browser"))
        assert isinstance(place.device, VirtualPhone)
        box = next(box for shown, box in place.device.layout() if shown.startswith("Search"))
        await place.perform("tap", Tap(x=box.x + box.w // 2, y=box.y + box.h // 2))
        yield place


def texts_of(place: World) -> list[str]:
    assert isinstance(place.device, VirtualPhone)
    return [text for text, _ in place.device.layout()]


async def test_what_a_deaf_adb_keyboard_loses_is_typed_by_keys(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with search_field(adb_server, tmp_path, ["adb-keyboard-deaf"]) as place:
        assert (await place.perform("type", Type(text="green tea"))).status == "done"
        assert "green tea" in texts_of(place)
        refused = await place.perform("more", Type(text="绿茶"))
        assert refused.status == "refused"
        assert "ADBKeyboard of this phone receives no texts: open it once by hand" in refused.detail
        assert [line.key for line in place.ledger].count("type") == 1, "each key is sent once"


async def test_a_text_that_no_key_carries_is_refused_by_a_deaf_keyboard(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with search_field(adb_server, tmp_path, ["adb-keyboard-deaf"]) as place:
        refused = await place.perform("type", Type(text="绿茶"))
        assert refused.status == "refused"
        assert "install it again" in refused.detail


async def test_enter_after_a_lost_text_leaves_the_receipt_unknown(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with search_field(adb_server, tmp_path, ["adb-keyboard-deaf"]) as place:
        receipt = await place.perform("type", Type(text="green tea\n"))
        assert (receipt.status, "nothing of the text has arrived" in receipt.detail) == ("unknown", True)


@pytest.mark.parametrize("looks", ["GREEN TEA", "•••••••••", "a"])
async def test_a_field_that_shows_another_text_gets_it_once(
    adb_server: tuple[str, int], tmp_path: Path, looks: str
) -> None:
    async with search_field(adb_server, tmp_path, []) as place:
        shows = rewrite("uiautomator", "dump.*", "green tea", looks)
        place.fleet.endpoints[0].answer_as(
            [Vendor("field", "A field in capitals, a masked one, one of a code", (shows,))]
        )
        assert (await place.perform("type", Type(text="green tea"))).status == "done"
        assert "green tea" in texts_of(place)
        assert [line.key for line in place.ledger].count("type") == 1


async def test_a_window_without_views_is_waited_for_once_for_each_of_two_texts(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    dumps: list[str] = []

    async def keep_moving(call: Call, _: Run) -> int:
        dumps.append(call.name)
        await call.complain("ERROR: could not get idle state.")
        return 1

    async with search_field(adb_server, tmp_path, []) as place:
        moving = Vendor("moving", "A window that keeps moving", (Change("uiautomator", "dump.*", keep_moving),))
        place.fleet.endpoints[0].answer_as([moving])
        for count, text in enumerate(("a", "b", "c")):
            assert (await place.perform(text, Type(text=text))).status == "done"
            assert len(dumps) == min(count + 1, 2)
        assert "abc" in texts_of(place)


@pytest.mark.parametrize("vendors", [[], ["broadcast-needs-package"], ["uiautomator-busy"], ["dumps-refused"]])
async def test_any_text_is_typed_once_where_adb_keyboard_hears(
    adb_server: tuple[str, int], tmp_path: Path, vendors: Sequence[str]
) -> None:
    async with search_field(adb_server, tmp_path, vendors) as place:
        for key, text in (("one", "绿茶"), ("two", " ok")):
            assert (await place.perform(key, Type(text=text))).status == "done"
        assert "绿茶 ok" in texts_of(place)


# ---------------------------------------------------------------------------- looking
async def app_in_front(place: World) -> str | None:
    screenshot, _, _ = await place.gateway.capture(place.lease, None, within())
    return screenshot.app


async def test_a_phone_whose_pictures_have_another_size_than_its_touches_gets_no_task(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    with pytest.raises(PhoneUnfit, match=r"have 144x320 pixels, but its screen is 108x240: taps would miss; 'wm size"):
        async with world(adb_server, tmp_path, vendors=["size-override"]):
            pass


async def test_a_phone_whose_app_forbids_pictures_goes_home_and_is_looked_at_again(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200), vendors=["no-screenshot-in-shop"]) as place:
        opened = await place.perform("k:1", OpenApp(app="Shop"))
        shown, _, _ = await place.gateway.capture(place.lease, None, within())
        assert (opened.status, shown.app) == ("done", "com.manyhands.launcher")
        assert "Failed to take screenshot. Status: -1" in shown.sent_home
        assert not (await place.gateway.capture(place.lease, None, within()))[0].sent_home
        assert [line.key for line in place.ledger] == ["k:1", "check"], "nothing is repeated"
        await place.perform("k:2", OpenApp(app="Shop"))
        lease = await place.gateway.attach(place.fleet.serials[0], "tests", 60)  # as an interrupted episode does
        assert lease.undisturbed


@pytest.mark.parametrize("vendor", ["screencap-warns", "slow-screencap", "serial-with-blanks"])
async def test_a_phone_is_seen_and_touched_as_any_other(
    adb_server: tuple[str, int], tmp_path: Path, vendor: str
) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200), vendors=[vendor]) as place:
        assert ("(2)." in place.lease.serial) == (vendor == "serial-with-blanks")
        await place.perform("k:1", OpenApp(app="Notes"))
        for _ in ("png", "raw"):
            screenshot, _, frame = await place.gateway.capture(place.lease, SettleSpec(), within())
            assert screenshot.app == "com.manyhands.notes"
            assert np.array_equal(frame.rgb(), place.device.frame().rgb)


async def test_of_a_foldable_the_lit_display_is_captured(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200), vendors=["foldable"]) as place:
        _, _, frame = await place.gateway.capture(place.lease, None, within())
        assert frame.rgb().any()
        picture = PhonePicture.model_validate(await place.gateway.look(place.lease.serial, PICTURE))
        assert np.array(Image.open(BytesIO(picture.jpeg))).max() > 50, "of a phone that has no task too"


@pytest.mark.parametrize(
    ("vendor", "app"),
    [
        *dict.fromkeys(("cover-display", "edge-panel", "no-focused-window", "shade-has-focus"), SETTINGS).items(),
        ("permission-dialog", "com.google.android.permissioncontroller"),
        ("dumps-refused", None),
    ],
)
async def test_the_app_in_front_is_that_of_the_main_display(
    adb_server: tuple[str, int], tmp_path: Path, vendor: str, app: str | None
) -> None:
    async with world(adb_server, tmp_path, vendors=[vendor]) as place:
        await place.perform("k:1", OpenApp(app="Settings"))
        assert await app_in_front(place) == app


@pytest.mark.parametrize(("vendor", "keys"), [("dial-pad", "0123456789*#"), ("calculator", "0123456789÷×+%=()")])
async def test_the_keys_of_a_pad_are_read_as_their_signs(
    adb_server: tuple[str, int], tmp_path: Path, vendor: str, keys: str
) -> None:
    async with world(adb_server, tmp_path, virtual_phones(1080, 2400), vendors=[vendor]) as place:
        await place.perform("k:1", OpenApp(app="Clock"))
        screenshot, _, frame = await place.gateway.capture(place.lease, None, within())
        backends = local_backends(PerceptionSettings())
        read = await asyncio.to_thread(read_frame, backends, frame, screenshot.size, Stopwatch())
        assert set(keys) <= {element.content for element in read.elements if element.kind == "text"}


async def test_a_keyboard_that_may_not_be_chosen_names_the_permission(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with search_field(adb_server, tmp_path, ["ime-set-denied"]) as place:
        await place.gateway.detach(place.lease)
        place.device.set_ime(LATIN_IME)
        place.lease = await place.gateway.attach(place.fleet.serials[0], "another task", 60)
        assert (await place.perform("type", Type(text="green tea"))).status == "done"
        assert "green tea" in texts_of(place)
        refused = await place.perform("more", Type(text="绿茶"))
        assert refused.status == "refused"
        assert "choose it by hand" in refused.detail
        assert "WRITE_SECURE_SETTINGS" in refused.detail


# ---------------------------------------------------------------------------- apps
@pytest.mark.parametrize(
    ("vendor", "package"), [("secure-folder", "com.manyhands.notes"), ("second-user", "com.example.ofuser10")]
)
async def test_apps_are_those_of_the_user_in_front(
    adb_server: tuple[str, int], tmp_path: Path, vendor: str, package: str
) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200), vendors=[vendor]) as place:
        state = await place.gateway.state(place.lease, "phone://state/apps", within())
        assert package in {app["package"] for app in state["apps"]}


@pytest.mark.parametrize(
    ("vendor", "source", "reason"),
    [
        ("messages-denied", "phone://state/sms", "the shell may not read content://sms"),
        ("uiautomator-busy", VIEWS, "could not get idle state"),
    ],
)
async def test_a_state_that_cannot_be_read_says_what_the_phone_says(
    adb_server: tuple[str, int], tmp_path: Path, vendor: str, source: str, reason: str
) -> None:
    async with world(adb_server, tmp_path, vendors=[vendor]) as place:
        with pytest.raises(StateUnavailable, match=reason):
            await place.gateway.state(place.lease, source, within())


async def test_an_app_without_a_known_activity_starts_without_system_keys(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200), vendors=["no-system-keys"]) as place:
        assert (await place.perform("k:1", OpenApp(app="Notes"))).status == "done"
        assert place.device.focus().startswith("com.manyhands.notes/")


@pytest.mark.parametrize(
    ("vendor", "labels"), [("two-icons", ("Phone", "Contacts")), ("labels-of-icons", ("Telefon", "Kontakte"))]
)
async def test_each_icon_of_a_package_is_started_by_its_own_activity(
    adb_server: tuple[str, int], tmp_path: Path, vendor: str, labels: tuple[str, str]
) -> None:
    async with world(adb_server, tmp_path, vendors=[vendor]) as place:
        for label, activity in zip(labels, ("TwelveKeyDialer", "PeopleActivity"), strict=True):
            await place.perform(label, OpenApp(app=label))  # the virtual phone itself has no such app
            assert f"com.android.contacts/com.android.contacts.activities.{activity}" in place.ledger[-1].line


@pytest.mark.parametrize("vendor", ["half-emoji", "nul-in-text", "endless-bounds", "missing-bounds"])
async def test_a_wrong_value_of_one_view_leaves_the_others(
    adb_server: tuple[str, int], tmp_path: Path, vendor: str
) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200), vendors=[vendor]) as place:
        tree = ViewTree.model_validate(await place.gateway.state(place.lease, VIEWS, within()))
        assert {"Notes", "Settings", "Shop"} <= {view.text or view.description for view in tree.views}


async def test_views_that_no_user_sees_are_no_elements(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200), vendors=["hidden-views"]) as place:
        tree = ViewTree.model_validate(await place.gateway.state(place.lease, VIEWS, within()))
        told = {element.content for element in read_tree(tree.views, Size(width=540, height=1200)).elements}
        assert {"Notes", "Settings", "Shop"} <= told
        assert not [text for text in told if "Unseen" in text]
        assert any(view.text == "Unseen below" for view in tree.views), "the phone has told of them"


@pytest.mark.parametrize("vendors", [[], ["uiautomator-busy"]])
async def test_a_page_that_forbids_pictures_is_told_by_its_layer(
    adb_server: tuple[str, int], tmp_path: Path, vendors: list[str]
) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200), vendors=vendors) as place:
        await place.perform("e:0", OpenApp(app="Browser"))
        shown, _, _ = await place.gateway.capture(place.lease, SettleSpec(), within())
        assert (shown.is_black, shown.is_secure) == (False, False)
        device = place.device
        assert isinstance(device, VirtualPhone)
        (box,) = (box for text, box in device.layout() if text == "Saved passwords")
        await place.perform("e:1", Tap(x=box.x + box.w // 2, y=box.y + box.h // 2))
        hidden, _, frame = await place.gateway.capture(place.lease, SettleSpec(), within())
        assert (hidden.is_black, hidden.is_secure, frame.rgb()[200:-200].any()) == (True, True, False)
        await place.perform("e:2", Tap(x=10, y=1000))  # reaches nothing
        again, _, _ = await place.gateway.capture(place.lease, SettleSpec(), within())
        assert again.settling is not None
        assert again.settling.quiet_ms == SettleSpec().quiet_ms, "that it stays black is no reason to wait for a change"
        assert not again.shows_as(hidden), "it may be another page"


async def test_what_is_typed_by_broadcast_is_sent_to_adb_keyboard_alone(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path) as place:
        assert (await place.perform("e:0", Type(text="你好", clear=True))).status == "done"
        sent = [part for part in place.ledger[-1].line.split("am ") if "broadcast" in part]
        assert len(sent) == 2
        assert all("-p com.android.adbkeyboard" in part for part in sent)
