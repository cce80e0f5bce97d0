"""The hierarchy of what is on the screen: ``uiautomator dump`` tells what is drawn and what reacts, and no more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.simulator.phone.device import Link
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.shell.commands.uiautomator import as_xml
from manyhands.simulator.system.phone_system import PhoneSystem
from tests.examples import examples
from tests.simulator.phone.conftest import Commanded
from tests.simulator.phone.hand import Hand
from tests.simulator.plain_device import PlainDevice
from tests.simulator.shell.conftest import ShellOf

ATTRIBUTES = (
    "index text resource-id class package content-desc checkable checked clickable enabled focusable focused "
    "scrollable long-clickable password selected bounds"
)


async def nodes(commanded: ShellOf, options: str = "") -> list[ElementTree.Element]:
    """The nodes of a dump, parents first."""
    text = await commanded.out(f"uiautomator dump {options} > /dev/null && cat /sdcard/window_dump.xml")
    assert text.startswith("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node ")
    return list(ElementTree.fromstring(text.partition("?>")[2]).iter("node"))


def bounds(node: ElementTree.Element) -> tuple[int, int, int, int]:
    found = re.fullmatch(r"\[(\d+),(\d+)\]\[(\d+),(\d+)\]", node.attrib["bounds"])
    assert found is not None
    left, top, right, bottom = map(int, found.groups())
    return left, top, right, bottom


def named(found: Sequence[ElementTree.Element], name: str) -> ElementTree.Element:
    """The first node with this text or description."""
    return next(node for node in found if name in (node.get("text"), node.get("content-desc")))


def touchable(found: Sequence[ElementTree.Element], name: str) -> ElementTree.Element:
    """The innermost clickable node that holds a text or description."""
    return [
        node
        for node in found
        if node.get("clickable") == "true" and any(name in part.attrib.values() for part in node.iter())
    ][-1]


def touch(hand: Hand, node: ElementTree.Element) -> None:
    left, top, right, bottom = bounds(node)
    hand.phone.tap((left + right) // 2, (top + bottom) // 2)
    hand.wait()


async def test_a_page_of_settings(commanded: Commanded) -> None:
    commanded.hand.open("Settings")
    commanded.hand.tap("Display")
    found = await nodes(commanded)
    assert all(" ".join(node.keys()).removeprefix("NAF ") == ATTRIBUTES for node in found)
    assert {node.get("package") for node in found} == {"com.android.settings"}
    assert [found[0].get("bounds"), found[1].get("resource-id")] == ["[0,0][1080,2400]", "android:id/content"]
    switch = next(node for node in found if node.get("class") == "android.widget.Switch")
    assert (switch.get("checkable"), switch.get("checked")) == ("true", "false")
    touch(commanded.hand, touchable(found, "Dark mode"))
    assert commanded.hand.state("settings.dark_mode") is True
    found = await nodes(commanded)
    assert next(node for node in found if node.get("class") == "android.widget.Switch").get("checked") == "true"
    back = named(found, "Navigate up")
    assert (back.get("class"), back.get("clickable")) == ("android.widget.ImageButton", "true")
    touch(commanded.hand, back)
    assert commanded.hand.state("foreground.page") == "settings"


async def test_every_text_that_is_drawn_is_told_and_every_app_can_be_walked(commanded: Commanded) -> None:
    hand = commanded.hand
    for label in ("Shop", "Clock", "Calendar", "Camera", "Maps", "Photos", "Messages", "Browser", "Notes", "Settings"):
        hand.home()
        touch(hand, touchable(await nodes(commanded), label))
        assert hand.state("foreground.app") == label
        found = await nodes(commanded)
        told = "\n".join(node.attrib["text"] for node in found)
        drawn = [text for text, box in hand.phone.layout() if 84 < box.y < 2270]
        assert drawn
        assert not [text for text in drawn if text.rstrip("…") not in told.replace("\n", " ") and text not in told]
        for node in found:
            left, top, right, bottom = bounds(node)
            assert 0 <= left < right <= 1080
            assert 0 <= top < bottom <= 2400


async def test_what_an_app_draws_by_itself_is_one_view(commanded: Commanded) -> None:
    await commanded.out("am start -W -a android.intent.action.VIEW -d 'geo:0,0?q=Harbor%20Museum'")
    found = await nodes(commanded)
    assert named(found, "Harbor Museum").get("class") == "android.widget.TextView"
    (surface,) = [node for node in found if node.get("class") == "android.view.SurfaceView"]
    left, top, right, bottom = bounds(surface)
    box = commanded.hand.box("East Street")
    assert left <= box.x < box.right <= right
    assert top <= box.y < box.bottom <= bottom
    assert not list(surface)
    assert not [node for node in found if node.get("text") in ("East Street", "Zoom in")]


async def test_a_field_and_a_list(commanded: Commanded) -> None:
    commanded.hand.open("Notes")
    found = await nodes(commanded)
    field = named(found, "Search notes")
    assert (field.get("class"), field.get("focused")) == ("android.widget.EditText", "false")
    assert [node.get("scrollable") for node in found if node.get("class") == "android.widget.ScrollView"] == ["true"]
    assert touchable(found, "Gym plan").get("long-clickable") == "true"
    touch(commanded.hand, field)
    commanded.hand.type('gym & <plan> "it\'s"\n')
    found = await nodes(commanded)
    field = next(node for node in found if node.get("class") == "android.widget.EditText")
    assert (field.get("text"), field.get("focused")) == ('gym & <plan> "it\'s" ', "true")
    assert not [node for node in found if node.get("text") in ("ADB Keyboard {ON}", "09:41")], "other windows"


async def test_a_dialog_is_a_window_of_its_own(commanded: Commanded) -> None:
    commanded.hand.open("Notes")
    commanded.hand.hold("Gym plan")
    found = await nodes(commanded)
    assert {node.get("text") for node in found} - {""} == {"Gym plan", "Open", "Delete"}
    left, top, right, bottom = bounds(found[0])
    assert (right - left) * (bottom - top) < 1080 * 2400 / 2


async def test_the_app_switcher_belongs_to_the_launcher(commanded: Commanded) -> None:
    commanded.hand.open("Notes")
    commanded.hand.key(187)
    found = await nodes(commanded)
    assert {node.get("package") for node in found} == {"com.manyhands.launcher"}
    assert touchable(found, "Clear all").get("class") == "android.widget.Button"


async def test_a_page_that_forbids_screenshots_tells_its_views(commanded: Commanded) -> None:
    """As on a phone: FLAG_SECURE keeps pixels back, not accessibility."""
    commanded.hand.open("Browser")
    commanded.hand.tap("Saved passwords")
    assert not commanded.hand.sees("bank.example")
    assert named(await nodes(commanded), "bank.example") is not None


async def test_compressed_leaves_out_what_only_arranges(commanded: Commanded) -> None:
    commanded.hand.open("Notes")
    full, less = await nodes(commanded), await nodes(commanded, "--compressed")
    says = [node.get("text") for node in full if node.get("text")]
    assert [node.get("text") for node in less if node.get("text")] == says
    assert len(less) < len(full)
    plain = [node for node in less[1:] if node.get("clickable") == node.get("scrollable") == "false"]
    assert all(node.get("text") or node.get("content-desc") or node.get("checkable") == "true" for node in plain)


async def test_where_it_goes(commanded: Commanded) -> None:
    assert await commanded.out("cd /sdcard; uiautomator dump x.xml; ls *.xml") == (
        "UI hierchary dumped to: /sdcard/x.xml\nx.xml\n"
    )
    own = "/storage/emulated/0/y.xml"
    assert await commanded.out(f"uiautomator dump {own}") == f"UI hierchary dumped to: {own}\n", "as it was named"
    answer = await commanded.run("uiautomator dump --windows")
    assert (answer.status, "window in front alone" in answer.err) == (255, True)
    answer = await commanded.run("uiautomator dump /system/x.xml")
    assert (answer.status, answer.out) == (1, "")
    assert "open failed" in answer.err
    shown = await commanded.out("uiautomator dump /dev/tty")
    assert shown.endswith("</hierarchy>UI hierchary dumped to: /dev/tty\n")
    assert (await commanded.run("uiautomator runtest")).status == 255


async def test_no_window_no_file() -> None:
    device = PlainDevice()
    device.views = None
    with ThreadPoolExecutor(1) as encoders:
        shell = ShellOf(PhoneSystem(device, encoders))
    answer = await shell.run("uiautomator dump")
    assert answer == (0, "", "ERROR: null root node returned by UiTestAutomationBridge.\n")
    assert not shell.phone.files.exists("/sdcard/window_dump.xml")


async def test_it_waits_for_a_page_that_loads() -> None:
    phone = VirtualPhone(1)
    with ThreadPoolExecutor(1) as encoders:
        shell = ShellOf(PhoneSystem(phone, encoders))
        phone.open_link(Link("android.intent.action.VIEW", "http://peaks.example/everest"))
        assert any(node.kind.endswith("ProgressBar") for node in phone.hierarchy().walk())  # type: ignore[union-attr]
        found = await nodes(shell)
    assert not [node for node in found if node.attrib["class"].endswith("ProgressBar")]
    assert any("8,849 metres" in node.attrib["text"] for node in found)


@settings(max_examples=examples(50), deadline=None)
@given(st.text(max_size=30))
def test_whatever_a_field_holds_is_xml(text: str) -> None:
    hand = Hand()
    hand.open("Notes")
    hand.tap("Search notes")
    hand.phone.ime_commit(text)
    root = hand.phone.hierarchy()
    assert root is not None
    dumped = as_xml(root, "com.manyhands.notes").encode().partition(b"?>")[2]
    told = next(
        node.attrib["text"] for node in ElementTree.fromstring(dumped).iter("node") if node.get("focused") == "true"
    )
    assert len(told) == len(text or "Search notes")
