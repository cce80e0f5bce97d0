"""Links of all kinds open where a phone opens them, and nowhere else."""

from __future__ import annotations

import pytest

from manyhands.simulator.phone.content.library import Library
from tests.simulator.phone.conftest import Commanded

START = "am start -a android.intent.action.VIEW -d"


@pytest.mark.parametrize(
    ("action", "section", "line"),
    [
        ("WIFI_SETTINGS", "Network & internet", "Mobile data"),
        ("BLUETOOTH_SETTINGS", "Connected devices", "Bluetooth"),
        ("SOUND_SETTINGS", "Sound & vibration", "Phone ringtone"),
        ("DISPLAY_SETTINGS", "Display", "Dark mode"),
        ("LOCATION_SOURCE_SETTINGS", "Location", "Use location"),
        ("LOCALE_SETTINGS", "Languages", "English"),
        ("DEVICE_INFO_SETTINGS", "About phone", "Build number"),
    ],
)
async def test_a_page_of_settings(commanded: Commanded, action: str, section: str, line: str) -> None:
    assert await commanded.out(f"am start -a android.settings.{action}") == (
        f"Starting: Intent {{ act=android.settings.{action} }}\n"
    )
    assert commanded.hand.sees(section)
    assert commanded.hand.sees(line)
    assert commanded.hand.state("foreground.page") == "section"
    assert commanded.hand.state("settings.pages") == [section]
    await commanded.out("input keyevent 4")
    assert commanded.hand.state("foreground.page") == "settings"


async def test_settings_themselves_and_pages_that_are_not_there(commanded: Commanded) -> None:
    answer = await commanded.run("am start -a android.settings.PRINT_SETTINGS")
    assert answer.status == 1
    assert "unable to resolve Intent { act=android.settings.PRINT_SETTINGS flg=0x10000000 }" in answer.err
    assert commanded.hand.state("foreground.page") == "home"
    await commanded.out("am start -a android.settings.SETTINGS")
    assert commanded.hand.state("foreground.page") == "settings"


async def test_a_short_message_to_a_contact_and_to_a_stranger(commanded: Commanded) -> None:
    hand = commanded.hand
    await commanded.out("am start -a android.intent.action.SENDTO -d smsto:5550100 --es sms_body 'On my way'")
    assert hand.state("foreground.app") == "Messages"
    assert hand.sees("5550100")
    assert hand.sees("On my way")
    hand.tap("On my way")
    hand.enter()
    assert hand.state("messages.threads.0") == {
        "contact": "5550100",
        "unread": 0,
        "messages": [{"from": "me", "text": "On my way"}],
    }
    await commanded.out("am start -a android.intent.action.SENDTO -d sms:")
    assert hand.state("foreground.page") == "compose"
    number = Library(0).people()[0]
    await commanded.out(f"{START} 'sms:{number.number.replace(' ', '%20')}?body=Hello%20there'")
    assert hand.state("messages.opened") == ["5550100", number.name]
    assert hand.sees("Hello there")


async def test_a_place(commanded: Commanded) -> None:
    await commanded.out(f"{START} 'geo:0,0?q=Harbor%20Museum'")
    assert commanded.hand.state("foreground.app") == "Maps"
    assert commanded.hand.sees("Harbor Museum")
    commanded.hand.tap("Zoom in")
    assert commanded.hand.state("maps") == {"place": "Harbor Museum", "zoom": 13}
    assert commanded.hand.sees("Scale 13")
    await commanded.out(f"{START} geo:48.2,16.3")
    assert commanded.hand.sees("48.2,16.3")


async def test_a_named_app_opens_it_or_nobody_does(commanded: Commanded) -> None:
    page = "http://peaks.example/everest"
    await commanded.out(f"{START} {page} -n com.android.settings/.Settings")
    assert commanded.hand.state("foreground.app") == "Settings", "the app that was named, though it opens no pages"
    await commanded.out(f"{START} {page} com.manyhands.browser")
    assert commanded.hand.state("browser.address") == "peaks.example/everest"
    answer = await commanded.run(f"{START} {page} com.manyhands.notes")
    assert answer.status == 1
    assert "pkg=com.manyhands.notes" in answer.err


async def test_who_would_open_it(commanded: Commanded) -> None:
    resolve = "cmd package resolve-activity --brief --components -a android.intent.action.VIEW -d"
    assert await commanded.out(f"{resolve} geo:1,2") == "com.manyhands.maps/.MapsActivity\n"
    assert await commanded.out(f"{resolve} http://a.example") == "com.manyhands.browser/.BrowserActivity\n"
    assert await commanded.out(f"{resolve} tel:1") == "No activity found\n"


@pytest.mark.parametrize(
    ("options", "result"), [("", "result=-1"), ("-p ca.zgrs.clipper", "result=-1"), ("-p com.example", "result=0")]
)
async def test_a_broadcast_that_names_a_package_reaches_that_alone(
    commanded: Commanded, options: str, result: str
) -> None:
    assert result in await commanded.out(f"am broadcast {options} -a clipper.get")


async def test_the_layer_of_a_page_tells_that_it_forbids_pictures(commanded: Commanded) -> None:
    commanded.hand.open("Browser")
    line = "dumpsys SurfaceFlinger | grep -o 'isSecure=[a-z]* geom'"
    assert await commanded.out(line) == "isSecure=false geom\n"
    commanded.hand.tap("Saved passwords")
    assert await commanded.out(line) == "isSecure=true geom\n"
    assert "isSecure" not in await commanded.out("dumpsys SurfaceFlinger --display-id")
