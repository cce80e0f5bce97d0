"""A phone through the gateway, a real adb server and a virtual phone's shell."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from manyhands.actors.frames import content_id, make_preview
from manyhands.actors.phones.adb import phone as adb_phone
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.phones import PICTURE, PhonePicture, Reset, SettleSpec
from manyhands.protocol.screens.actions import (
    ATOMS,
    AtomicAction,
    Back,
    Enter,
    Home,
    LongPress,
    OpenApp,
    Swipe,
    SwitchApp,
    Tap,
    Type,
    Wait,
)
from manyhands.protocol.screens.geometry import Size
from manyhands.simulator.fleet import virtual_phones
from manyhands.simulator.phone.device import UnknownComponent
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.actors.phones.world import STATE, World, adb_gateway, within, world
from tests.simulator.plain_device import ADB_KEYBOARD, LATIN, PlainDevice

ALL_ASCII = "".join(chr(code) for code in range(0x20, 0x7F))
TEXTS = [
    ALL_ASCII,
    "%s%s %%s 100%",
    "thumbs up 👍🏽 and 👩‍👩‍👧",
    "naïve café Ångström",
    "明天下午三点在图书馆见，别忘了带书。",
    "https://example.org//a/b?c=d&e=f%20g#top",
    "two\nlines\tand 'both' \"quotes\" $HOME `id` \\",
    "x" * 3000,
]


class NoAdbKeyboard(PlainDevice):
    """A phone on which ADBKeyboard is not installed."""

    def imes(self) -> tuple[str, ...]:
        return (LATIN,)


class NotesDoNotStart(PlainDevice):
    """A phone that lists an app and cannot start it."""

    def launch(self, component: str) -> None:
        raise UnknownComponent(component)


@pytest.fixture
async def phone(adb_server: tuple[str, int], tmp_path: Path) -> AsyncIterator[World]:
    async with world(adb_server, tmp_path) as parts:
        yield parts


# ---------------------------------------------------------------------------- actions
EVENTS: list[tuple[AtomicAction, tuple[object, ...]]] = [
    (Tap(x=10, y=20), ("tap", 10, 20)),
    (LongPress(x=10, y=20, ms=600), ("long_press", 10, 20, 600)),
    (Swipe(x1=10, y1=200, x2=12, y2=20, ms=120), ("swipe", 10, 200, 12, 20, 120)),
    (Enter(), ("key", 66)),
    (SwitchApp(), ("key", 187)),
    (Back(), ("key", 4)),
    (Home(), ("key", 3)),
    (OpenApp(app="notes"), ("launch", "com.example.notes/com.example.notes.MainActivity")),
    (OpenApp(app="浏览器"), ("launch", "com.example.browser/org.example.web.Main")),
    (Type(text="hi"), ("commit", "hi")),
]


@pytest.mark.parametrize(("action", "event"), EVENTS)
async def test_every_action_arrives_once_under_its_key(
    phone: World, action: AtomicAction, event: tuple[object, ...]
) -> None:
    receipt = await phone.perform("e:3:0:1", action)
    assert (receipt.status, receipt.detail, receipt.repeated) == ("done", "", False)
    assert phone.plain.events == [event]
    assert [line.key for line in phone.ledger] == ["e:3:0:1"]


def test_no_action_that_touches_a_phone_is_missing_here() -> None:
    assert {type(action) for action, _ in EVENTS} == {kind for kind in ATOMS.values() if kind.touches}


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Tap(x=108, y=20), "outside the screen of 108 x 240"),
        (Swipe(x1=0, y1=0, x2=0, y2=-1), "outside the screen"),
        (OpenApp(app="Photoshop"), "nearest are"),
        (Wait(), "the episode carries it out"),
    ],
)
async def test_what_cannot_be_done_is_refused_and_not_sent(phone: World, action: AtomicAction, reason: str) -> None:
    receipt = await phone.perform("k", action)
    assert receipt.status == "refused"
    assert reason in receipt.detail
    assert phone.plain.events == []
    assert phone.ledger == ()
    again = await phone.perform("k", action)
    assert again == receipt.model_copy(update={"repeated": True})


async def test_what_the_phone_complains_about_was_sent_and_is_unknown(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path, NotesDoNotStart) as phone:
        receipt = await phone.perform("k", OpenApp(app="Notes"))
        assert receipt.status == "unknown"
        assert "does not exist" in receipt.detail
        assert [line.key for line in phone.ledger] == ["k"]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["input", "keyevent", "VOLUME_UP"], "input: a virtual phone does not know the key VOLUME_UP"),
        (["input", "pinch", "10", "20"], "Error: Unknown command: pinch"),
        (["am", "broadcast", "-a", "ADB_INPUT_MCODE"], "does not know the broadcast ADB_INPUT_MCODE"),
        (["rotate", "90"], "rotate: inaccessible or not found"),
    ],
)
async def test_an_action_that_the_phone_does_not_know_is_refused_by_name(
    phone: World, monkeypatch: pytest.MonkeyPatch, command: list[str], reason: str
) -> None:
    """As for somebody who has added an action, and not yet what virtual phones do with it."""
    monkeypatch.setattr(adb_phone, "commands_for", lambda action, facts: [command])
    receipt = await phone.perform("k", Back())
    assert receipt.status == "refused"
    assert receipt.detail.startswith("this phone does not know Back: ")
    assert reason in receipt.detail
    assert phone.plain.events == []
    assert phone.ledger == ()


async def test_an_action_of_which_a_part_may_be_done_is_unknown(phone: World, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = [["input", "keyevent", "4"], ["rotate", "90"]]
    monkeypatch.setattr(adb_phone, "commands_for", lambda action, facts: commands)
    receipt = await phone.perform("k", Back())
    assert receipt.status == "unknown"
    assert "rotate: inaccessible or not found" in receipt.detail
    assert phone.plain.events == [("key", 4)]


@pytest.mark.parametrize(
    ("action", "opens"),
    [
        (OpenApp(app="notes"), "com.example.notes"),
        (OpenApp(app="Note"), None),  # near enough to be opened, not to be sure
        (Home(), "com.example.launcher"),
        (Back(), None),
    ],
)
async def test_a_receipt_says_which_app_is_to_come_to_the_front(
    phone: World, action: AtomicAction, opens: str | None
) -> None:
    receipt = await phone.perform("k", action)
    assert (receipt.status, receipt.opens) == ("done", opens)
    assert await phone.perform("k", action) == receipt.model_copy(update={"repeated": True})


# ---------------------------------------------------------------------------- typing
@pytest.mark.parametrize("text", TEXTS)
async def test_every_text_arrives_exactly(phone: World, text: str) -> None:
    assert (await phone.perform("k", Type(text=text))).status == "done"
    assert phone.plain.text == text
    assert len(phone.ledger) == 1


async def test_texts_arrive_in_an_app_as_they_are(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200)) as phone:

        async def tap(text: str) -> None:
            await phone.gateway.capture(phone.lease, SettleSpec(), within())
            assert isinstance(phone.device, VirtualPhone)
            box = next(box for shown, box in phone.device.layout() if shown == text)
            await phone.perform(f"tap:{text.replace(' ', '-')}", Tap(x=box.x + box.w // 2, y=box.y + box.h // 2))

        await phone.perform("open", OpenApp(app="Notes"))
        await tap("Shopping list")
        await tap("Milk")
        text = "\n".join(TEXTS[:-1])
        await phone.perform("type", Type(text=text, clear=True))
        await tap("Save")
        await phone.gateway.capture(phone.lease, SettleSpec(), within())
        state = await phone.gateway.state(phone.lease, STATE, within())
        assert text in [note["body"] for note in state["notes"]["items"]]


async def test_clear_empties_the_field_first(phone: World) -> None:
    await phone.perform("k1", Type(text="old"))
    await phone.perform("k2", Type(text="new", clear=True))
    assert phone.plain.text == "new"
    assert [line.key for line in phone.ledger] == ["k1", "k2"]


async def test_another_keyboard_chosen_meanwhile_loses_no_text(phone: World) -> None:
    phone.plain.set_ime(LATIN)
    await phone.perform("k", Type(text="é"))
    assert phone.plain.text == "é"
    assert phone.plain.default_ime() == ADB_KEYBOARD


async def test_without_adb_keyboard_ascii_arrives_and_the_rest_is_refused(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path, NoAdbKeyboard) as phone:
        for number, text in enumerate((ALL_ASCII, "%s", "50%sure")):
            assert (await phone.perform(f"k{number}", Type(text=text))).status == "done"
        assert phone.plain.text == ALL_ASCII + "%s" + "50%sure"
        refused = await phone.perform("k", Type(text="naïve"))
        assert refused.status == "refused"
        assert "ADBKeyboard" in refused.detail
        assert (await phone.perform("clear", Type(text="a", clear=True))).status == "done"
        assert ("key", 67) in phone.plain.events
        assert [line.key for line in phone.ledger] == ["k0", "k1", "k2", "clear"]


async def test_the_caret_moves_by_the_length_of_what_is_typed(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200)) as phone:

        async def caret() -> int | None:
            screenshot, _, _ = await phone.gateway.capture(phone.lease, SettleSpec(), within())
            return screenshot.caret

        await phone.perform("open", OpenApp(app="Browser"))
        assert await caret() is None
        assert isinstance(phone.device, VirtualPhone)
        box = next(box for shown, box in phone.device.layout() if shown.startswith("Search"))
        await phone.perform("tap", Tap(x=box.x + box.w // 2, y=box.y + box.h // 2))
        before = await caret()
        assert before is not None
        await phone.perform("type", Type(text="a👍b"))
        assert await caret() == before + 4
        await phone.perform("again", Type(text="你好", clear=True))
        assert await caret() == 2


# ---------------------------------------------------------------------------- looking
async def test_a_screenshot_is_the_screen(phone: World) -> None:
    phone.plain.shown = True
    for number in range(6):  # both forms are tried, and PNG again where nothing changed
        screenshot, image, frame = await phone.gateway.capture(phone.lease, None, within())
        shown = phone.plain.frame().rgb
        assert np.array_equal(frame.rgb(), shown)
        assert screenshot.content_id == image.content_id == content_id(shown)
        assert screenshot.size == Size(width=108, height=240)
        assert (screenshot.keyboard, screenshot.app) == ("shown", "com.example.launcher")
        assert screenshot.settling is None
        if number % 2:
            await phone.perform(f"k{number}", Tap(x=1, y=1))


async def test_settling_waits_for_the_screen_and_reports(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(540, 1200)) as phone:
        assert isinstance(phone.device, VirtualPhone)
        await phone.gateway.capture(phone.lease, SettleSpec(), within())
        await phone.perform("k", OpenApp(app="Settings"))
        screenshot, _, frame = await phone.gateway.capture(phone.lease, SettleSpec(), within())
        assert screenshot.settling is not None
        assert screenshot.settling.settled
        assert screenshot.settling.frames > 2
        assert screenshot.app == "com.android.settings"
        assert screenshot.app_version == "1"
        assert frame.rgb().shape == (1200, 540, 3)
        # At rest: the next frame is the same one but for the status bar, which has a clock.
        _, _, later = await phone.gateway.capture(phone.lease, None, within())
        assert np.array_equal(frame.rgb()[60:], later.rgb()[60:])


async def test_what_is_in_front(phone: World) -> None:
    await phone.perform("k", OpenApp(app="Settings"))
    screenshot, _, _ = await phone.gateway.capture(phone.lease, None, within())
    assert (screenshot.app, screenshot.keyboard) == ("com.android.settings", "hidden")
    assert screenshot.size == Size(width=108, height=240)


async def test_an_app_has_its_name_also_after_a_restart(phone: World) -> None:
    """What is told of a resumed episode's screen is what the uncut episode is told."""
    await phone.perform("k", OpenApp(app="Settings"))
    first, _, _ = await phone.gateway.capture(phone.lease, None, within())
    again = adb_gateway(phone.settings)
    await again.start()
    try:
        later, _, _ = await again.capture(await again.attach(phone.lease.serial, "tests", 120), None, within())
    finally:
        await again.stop()
    assert (first.app_label, later.app_label) == ("Settings", "Settings")


async def test_a_phone_is_looked_at_without_a_lease_and_beside_one(phone: World) -> None:
    shot, _, frame = await phone.gateway.capture(phone.lease, None, within())
    state = await phone.gateway.look(phone.lease.serial, PICTURE)
    picture = PhonePicture.model_validate(state)
    assert picture.size == shot.size
    assert picture.jpeg == make_preview(frame.rgb())
    assert Image.open(io.BytesIO(picture.jpeg)).width == min(540, shot.size.width)
    assert phone.ledger == ()


async def test_state_of_a_provider(phone: World) -> None:
    await phone.perform("k", Type(text="a 'b'"))
    state = await phone.gateway.state(phone.lease, STATE, within())
    assert (state["text"], state["quotes"]) == ("a 'b'", "'\" ,=\n你好")


@pytest.mark.parametrize(
    "source",
    ["content://no.such.provider/state", "content://manyhands.simulator/nothing", "content://a/b; reboot", "state"],
)
async def test_no_state_where_none_is_told(phone: World, source: str) -> None:
    with pytest.raises(StateUnavailable):
        await phone.gateway.state(phone.lease, source, within())
    assert phone.ledger == ()


# ---------------------------------------------------------------------------- reset
async def test_reset_closes_what_is_in_front_and_sets_the_contents(phone: World) -> None:
    await phone.perform("k", OpenApp(app="Notes"))
    receipt = await phone.gateway.reset(phone.lease, Reset(key="r", seed=77), within())
    assert (receipt.status, receipt.detail) == ("done", "")
    events = phone.plain.events[1:]
    assert events == [("key", 224), ("key", 82), ("stop", "com.example.notes"), ("key", 3), ("reset", 77)]
    assert [line.key for line in phone.ledger] == ["k", "r"]
    assert receipt.has_reset
    again = await phone.gateway.reset(phone.lease, Reset(key="r", seed=77), within())
    assert again.repeated
    assert len(phone.ledger) == 2


async def test_reset_without_a_seed_leaves_the_contents_and_the_launcher(phone: World) -> None:
    receipt = await phone.gateway.reset(phone.lease, Reset(key="r"), within())
    assert (receipt.status, receipt.has_reset) == ("done", False)
    assert phone.plain.events == [("key", 224), ("key", 82), ("key", 3)]
