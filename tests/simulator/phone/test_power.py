"""The screen that is off and on, the battery, the rotation that is fixed: done, or said."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.phone.conftest import Commanded


async def told(commanded: Commanded) -> tuple[str, ...]:
    lines = (
        "dumpsys power | grep -o 'mWakefulness=.*'",
        "dumpsys power | grep -o 'mHoldingDisplaySuspendBlocker=.*'",
        "dumpsys display | grep -o 'mState=.*'",
        "dumpsys window | grep -o 'mAwake=[a-z]*'",
        "dumpsys input_method | grep -o 'mInteractive=.*'",
    )
    return tuple([(await commanded.out(line)).strip().partition("=")[2] for line in lines])


async def test_the_power_key_turns_the_screen_off_and_on(commanded: Commanded) -> None:
    hand = commanded.hand
    hand.open("Notes")
    before = hand.phone.frame().rgb.copy()
    assert await told(commanded) == ("Awake", "true", "ON", "true", "true")
    await commanded.out("input keyevent 26")
    assert await told(commanded) == ("Asleep", "false", "OFF", "false", "false")
    assert not hand.phone.frame().rgb.any(), "what a screencap shows is black"
    assert hand.phone.layout() == []
    await commanded.out("input keyevent POWER")
    assert await told(commanded) == ("Awake", "true", "ON", "true", "true")
    assert np.array_equal(hand.phone.frame().rgb, before), "where it was"


@pytest.mark.parametrize("key", ["WAKEUP", "MENU", "82", "POWER"])
async def test_what_wakes_it(commanded: Commanded, key: str) -> None:
    """The menu key does, as it does on a phone: scripts wake phones with 82."""
    await commanded.out(f"input keyevent SLEEP A; input keyevent {key}")
    assert commanded.hand.phone.awake()


@pytest.mark.parametrize("off", ["SLEEP", "223", "SOFT_SLEEP", "POWER"])
async def test_while_it_is_off_nothing_but_waking_does_anything(commanded: Commanded, off: str) -> None:
    hand = commanded.hand
    hand.open("Notes")
    hand.tap("Search notes")
    before = hand.phone.state()
    await commanded.out(f"input keyevent {off}")
    assert hand.phone.keyboard_shown() is False
    await commanded.out("input tap 540 700; input swipe 540 1800 540 400 1; input keyevent HOME BACK; input text lost")
    await commanded.out("am broadcast -a ADB_INPUT_TEXT --es msg lost")
    assert await commanded.run("uiautomator dump") == (
        0,
        "",
        "ERROR: null root node returned by UiTestAutomationBridge.\n",
    )
    await commanded.out("input keyevent WAKEUP; input keyevent 224")
    assert hand.phone.state() == before
    assert hand.sees("Search notes")


async def test_the_battery_is_what_it_is_set_to(commanded: Commanded) -> None:
    hand = commanded.hand
    await commanded.out("settings put system status_bar_show_battery_percent 1")
    assert hand.sees("87%")
    assert "UPDATES STOPPED" not in await commanded.out("dumpsys battery")
    assert await commanded.out("dumpsys battery set level 15; dumpsys battery set ac 1") == ""
    assert await commanded.out("dumpsys battery | grep -E 'level|powered|UPDATES'") == (
        "  (UPDATES STOPPED -- use 'reset' to restart)\n"
        "  AC powered: true\n  USB powered: true\n  Wireless powered: false\n  level: 15\n"
    )
    assert hand.sees("15%")
    await commanded.out("dumpsys battery unplug; dumpsys battery set -f status 3")
    assert await commanded.out("dumpsys battery | grep -cE 'powered: false|status: 3'") == "4\n"
    assert await commanded.out("dumpsys battery -a") == await commanded.out("dumpsys battery")
    await commanded.out("dumpsys battery reset")
    assert await commanded.out("dumpsys battery | grep -E 'level|USB'") == "  USB powered: true\n  level: 87\n"
    assert hand.sees("87%")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("dumpsys battery set level", "No value specified"),
        ("dumpsys battery set level full", "Bad value: full"),
        ("dumpsys battery set colour 3", "Unknown set option: colour"),
        ("dumpsys battery explode", "Unknown command: explode"),
        ("settings put system user_rotation 1", "does not rotate"),
        ("wm user-rotation lock 1", "rotation are fixed"),
        ("input keyevent --longpress POWER", "no power menu"),
        ("id -x", "has no -x"),
        ("cmd display list", "Can't find service"),
    ],
)
async def test_what_it_does_not_do_it_says(commanded: Commanded, line: str, said: str) -> None:
    before = commanded.hand.phone.battery
    answer = await commanded.run(line)
    assert answer.status != 0
    assert said in answer.err
    assert commanded.hand.phone.battery == before


async def test_rotation_and_identity(commanded: Commanded) -> None:
    assert await commanded.out("settings get system user_rotation; settings put system user_rotation 0") == "0\n"
    assert await commanded.out("id -u; id -un; id -g; id -G; id -Gn; id -Z") == (
        "2000\nshell\n2000\n2000 1004 3003\nshell input inet\nu:r:shell:s0\n"
    )
    assert (await commanded.out("id")).startswith("uid=2000(shell) gid=2000(shell) groups=2000(shell)")
