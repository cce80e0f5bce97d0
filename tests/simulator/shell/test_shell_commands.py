"""Android's commands, as the clients that we know send them."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import string
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.simulator.phone.device import VIEW
from manyhands.simulator.phone.keycodes import KEY_CODES, key_code
from manyhands.simulator.system.phone_system import PhoneSystem
from tests.simulator.plain_device import ADB_KEYBOARD, HOME, LATIN, PlainDevice
from tests.simulator.shell.conftest import PhoneShell

NOTES = "com.example.notes/com.example.notes.MainActivity"


# ---------------------------------------------------------------------------- input
@pytest.mark.parametrize(
    ("line", "events"),
    [
        ("input tap 10 20", [("tap", 10, 20)]),
        ("input tap 10.6 20.2", [("tap", 11, 20)]),
        ("input touchscreen tap 10 20", [("tap", 10, 20)]),
        ("input -d 0 tap 10 20", [("tap", 10, 20)]),
        ("input swipe 1 200 1 20 1", [("swipe", 1, 200, 1, 20, 1)]),
        ("input touchscreen swipe 1 200 1 20 1", [("swipe", 1, 200, 1, 20, 1)]),
        ("input draganddrop 1 200 90 20 1", [("swipe", 1, 200, 90, 20, 1)]),
        ("input swipe 5 5 5 5 500", [("long_press", 5, 5, 500)]),
        ("input swipe 5 5 6 5 20", [("tap", 5, 5)]),
        ("input keyevent 4", [("key", 4)]),
        ("input keyevent KEYCODE_HOME", [("key", 3)]),
        ("input keyevent APP_SWITCH ENTER 67", [("key", 187), ("key", 66), ("key", 67)]),
        ("input keyevent --longpress 67", [("key", 67)]),
        ("input keyevent --delay 1 DEL DEL", [("key", 67), ("key", 67)]),
        ("cmd input tap 1 2", [("tap", 1, 2)]),
        ("input text 'a%sb c'", [("text", "a b c")]),
        (r"input text it\'s%%s", [("text", "it's% ")]),
        ("input text one two", [("text", "one")]),
        ("input text ''", [("text", "")]),
    ],
)
async def test_input(shell: PhoneShell, line: str, events: list[tuple[object, ...]]) -> None:
    assert await shell.out(line) == ""
    assert shell.device.events == events


@pytest.mark.parametrize(
    "line",
    [
        "input",
        "input tap 1",
        "input tap a b",
        "input tap nan 1",
        "input swipe 1 2 3",
        "input keyevent",
        "input text",
        "input wave",
        "input keyevent --longpress POWER",
    ],
)
async def test_bad_input_touches_nothing(shell: PhoneShell, line: str) -> None:
    answer = await shell.run(line)
    assert answer.status == 255
    assert answer.err
    assert shell.device.events == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("input keyevent NO_SUCH_KEY", "input: a virtual phone does not know the key NO_SUCH_KEY"),
        ("input keyevent HOME 1000000", "input: a virtual phone does not know the key 1000000"),
        (
            "input keyevent --longpress KEYCODE_VOLUME_UP",
            "input: a virtual phone does not know the key KEYCODE_VOLUME_UP",
        ),
        ("input keycombination CTRL_LEFT 24", "input: a virtual phone does not know the key 24"),
        (
            "am broadcast -a ADB_INPUT_MCODE --eia mcode 4096,29",
            "am: a virtual phone does not know the broadcast ADB_INPUT_MCODE",
        ),
        (
            "monkey -p com.example.notes 500",
            "monkey: a virtual phone does not know 500 random events: with a count of 1 monkey starts an app",
        ),
        ("pinch 1 2", "/system/bin/sh: pinch: inaccessible or not found"),
    ],
)
async def test_what_a_virtual_phone_does_not_know_is_refused_by_name(shell: PhoneShell, line: str, what: str) -> None:
    """It did nothing and gave 0."""
    await shell.out(f"ime set {ADB_KEYBOARD}")
    assert await shell.run(f"MH_KEY=k {line}") == (127, "", f"{what}\n")
    assert shell.device.events == []
    assert shell.phone.ledger.lines == []


async def test_a_swipe_takes_its_time(shell: PhoneShell) -> None:
    started = time.monotonic()
    await shell.out("input swipe 1 200 1 20 120")
    assert time.monotonic() - started >= 0.12


async def test_input_text_knows_no_other_scripts(shell: PhoneShell) -> None:
    answer = await shell.run("input text 'ni 你'")
    assert answer.status == 255
    assert "java.lang.NullPointerException" in answer.err
    assert shell.device.text == ""


async def test_every_printable_character_can_be_typed(shell: PhoneShell) -> None:
    text = string.printable[:95]
    quoted = "'" + text.replace("'", "'\\''") + "'"
    await shell.out(f"input text {quoted}")
    assert shell.device.text == text


def test_key_codes() -> None:
    expected = {"HOME": 3, "BACK": 4, "A": 29, "Z": 54, "ENTER": 66, "MENU": 82, "PLUS": 81, "NUMPAD_ENTER": 160}
    expected |= {"CTRL_LEFT": 113, "APP_SWITCH": 187, "WAKEUP": 224, "PASTE": 279, "0": 7, "POWER": 26, "ESCAPE": 111}
    assert {name: KEY_CODES[name] for name in expected} == expected
    assert (key_code("7"), key_code("KEYCODE_7"), key_code("1000000"), key_code("home")) == (7, 14, 0, 0)


# ---------------------------------------------------------------------------- typing through ADBKeyboard
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_base64_broadcasts_type_any_text(text: str) -> None:
    device = PlainDevice()
    device.set_ime(ADB_KEYBOARD)
    message = base64.b64encode(text.encode()).decode()
    with ThreadPoolExecutor(1) as encoders:
        shell = PhoneShell(device, PhoneSystem(device, encoders))
        asyncio.run(shell.out(f"am broadcast -a ADB_INPUT_B64 --es msg '{message}'"))
    assert device.text == text


async def test_a_broadcast_that_nobody_receives_completes(shell: PhoneShell) -> None:
    answer = await shell.run("MH_KEY=k am broadcast -a android.intent.action.AIRPLANE_MODE --ez state true")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.endswith("Broadcast completed: result=0\n")
    assert shell.device.events == []
    assert shell.phone.ledger.lines == []


async def test_adb_keyboard(shell: PhoneShell) -> None:
    done = "Broadcasting: Intent { act=ADB_INPUT_TEXT flg=0x400000 (has extras) }\nBroadcast completed: result=0\n"
    assert await shell.out("am broadcast -a ADB_INPUT_TEXT --es msg 'lost'") == done
    assert shell.device.text == ""
    assert await shell.out(f"ime set {ADB_KEYBOARD}") == f"Input method {ADB_KEYBOARD} selected for user #0\n"
    assert await shell.out("am broadcast -a ADB_INPUT_TEXT --es msg '你好 \"it'\\''s\"'") == done
    await shell.out("am broadcast -a ADB_INPUT_CHARS --eia chars '128568,32,67'")
    await shell.out("am broadcast -a ADB_INPUT_B64 --es msg 'not base64!'")
    await shell.out("am broadcast -a ADB_INPUT_TEXT")
    assert shell.device.text == '你好 "it\'s"😸 C'
    await shell.out("am broadcast -a ADB_CLEAR_TEXT")
    await shell.out("am broadcast -a ADB_EDITOR_CODE --ei code 3; am broadcast -a ADB_INPUT_CODE --ei code 67")
    assert shell.device.text == ""
    assert shell.device.events[-2:] == [("key", 66), ("key", 67)]


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("--es msg Hello world", "act=ADB_INPUT_TEXT flg=0x400000 pkg=world (has extras)"),
        (
            "--es msg Hello com.example/.Receiver",
            "act=ADB_INPUT_TEXT flg=0x400000 cmp=com.example/.Receiver (has extras)",
        ),
        ("--es msg See 8: now", "act=ADB_INPUT_TEXT dat=8: flg=0x400000 (has extras)"),
        ("--es msg one two --es msg three", "act=ADB_INPUT_TEXT flg=0x400000 pkg=two (has extras)"),
    ],
)
async def test_a_text_without_quotes_is_typed_by_nobody(shell: PhoneShell, rest: str, said: str) -> None:
    """As on a phone: what follows the first word is a package, a component or a URI, and nobody there listens."""
    await shell.out(f"ime set {ADB_KEYBOARD}")
    assert await shell.out(f"am broadcast -a ADB_INPUT_TEXT {rest}") == (
        f"Broadcasting: Intent {{ {said} }}\nBroadcast completed: result=0\n"
    )
    assert shell.device.text == ""
    await shell.out("am broadcast -a ADB_INPUT_TEXT --es msg 'Hello world' com.android.adbkeyboard")
    assert shell.device.text == "Hello world"


@pytest.mark.parametrize("line", ["am broadcast -a A --bogus", "am start --es one", "am broadcast --es msg hello -x"])
async def test_options_that_am_does_not_have(shell: PhoneShell, line: str) -> None:
    answer = await shell.run(line)
    assert answer.status == 1
    assert answer.err.startswith("Error: ")


async def test_input_methods(shell: PhoneShell) -> None:
    assert await shell.out("ime list -s") == f"{LATIN}\n{ADB_KEYBOARD}\n"
    assert f"mId={LATIN}" in await shell.out("ime list -a")
    await shell.out(f"ime set {ADB_KEYBOARD}")
    assert await shell.out(f"ime disable {ADB_KEYBOARD}") == f"Input method {ADB_KEYBOARD}: now disabled for user #0\n"
    assert await shell.out("ime list -s; settings get secure default_input_method") == f"{LATIN}\n{LATIN}\n"
    assert await shell.out("ime list -s -a") == f"{LATIN}\n{ADB_KEYBOARD}\n"
    refused = await shell.run(f"ime set {ADB_KEYBOARD}")
    assert refused == (255, "", f"Unknown input method {ADB_KEYBOARD} cannot be selected for user #0\n")
    assert await shell.out(f"ime enable {ADB_KEYBOARD}") == f"Input method {ADB_KEYBOARD}: now enabled for user #0\n"
    assert "already enabled" in await shell.out(f"ime enable {ADB_KEYBOARD}")
    await shell.out(f"ime set {ADB_KEYBOARD}; ime reset")
    assert shell.device.default_ime() == LATIN
    assert (await shell.run("ime set com.example.absent/.X")).status == 255


# ---------------------------------------------------------------------------- apps
async def test_am_start(shell: PhoneShell) -> None:
    assert await shell.out("am start -n com.example.notes/.MainActivity") == (
        "Starting: Intent { cmp=com.example.notes/.MainActivity }\n"
    )
    assert shell.device.focus() == NOTES
    assert await shell.out("am start -a android.intent.action.MAIN -c android.intent.category.HOME") == (
        "Starting: Intent { act=android.intent.action.MAIN cat=[android.intent.category.HOME] }\n"
    )
    assert shell.device.focus() == HOME
    answer = await shell.out("am start  -W -n com.example.notes/.MainActivity")
    assert answer.splitlines()[1:4] == ["Status: ok", "LaunchState: COLD", "Activity: com.example.notes/.MainActivity"]
    assert answer.endswith("Complete\n")
    await shell.out(
        "am start com.android.settings/.Settings; am start -a android.settings.SETTINGS; am start com.example.notes"
    )
    assert [event for event in shell.device.events if event[0] == "launch"][2:] == [
        ("launch", "com.android.settings/com.android.settings.Settings"),
        ("launch", "com.android.settings/com.android.settings.Settings"),
        ("launch", "com.example.notes"),
    ]
    await shell.out("am start -a android.intent.action.VIEW -d 'https://example.com/?q=1&r=2#top'")
    assert shell.device.events[-1] == ("link", VIEW, "https://example.com/?q=1&r=2#top")


async def test_am_start_of_what_is_not_there(shell: PhoneShell) -> None:
    answer = await shell.run("am start -n com.example.notes/.Absent")
    assert answer.status == 1
    assert answer.out == "Starting: Intent { cmp=com.example.notes/.Absent }\n"
    assert answer.err == (
        "Error type 3\nError: Activity class {com.example.notes/com.example.notes.Absent} does not exist.\n"
    )
    answer = await shell.run("am start -a android.intent.action.VIEW -d tel:123")
    assert answer.err == (
        "Error: Activity not started, unable to resolve Intent { "
        "act=android.intent.action.VIEW dat=tel:123 flg=0x10000000 }\n"
    )
    assert (await shell.run("am start -n nonsense")).err == "Error: Bad component name: nonsense\n"
    assert shell.device.events == []


async def test_force_stop_monkey_and_clear(shell: PhoneShell) -> None:
    assert (await shell.out("monkey -p com.example.notes -c android.intent.category.LAUNCHER 1")).startswith(
        "Events injected: 1\n"
    )
    assert await shell.out("am force-stop com.example.notes; am force-stop com.example.absent") == ""
    assert await shell.run("monkey -p com.example.absent 1") == (
        252,
        "** No activities found to run, monkey aborted.\n",
        "",
    )
    assert await shell.out("pm clear com.example.notes") == "Success\n"
    assert await shell.run("pm clear com.example.absent") == (1, "", "Failed\n")
    assert shell.device.events == [
        ("launch", "com.example.notes"),
        ("stop", "com.example.notes"),
        ("clear_data", "com.example.notes"),
    ]


async def test_packages(shell: PhoneShell) -> None:
    assert await shell.out("pm list packages -s") == "package:com.android.settings\n"
    assert await shell.out("pm list packages -3 notes") == "package:com.example.notes\n"
    assert await shell.out("pm list packages --show-versioncode notes") == "package:com.example.notes versionCode:1\n"
    assert await shell.out("cmd package list packages -f settings") == (
        "package:/system/app/com.android.settings/base.apk=com.android.settings\n"
    )
    assert await shell.out("pm path com.example.notes") == "package:/data/app/com.example.notes-1/base.apk\n"
    assert await shell.run("pm path com.example.absent") == (1, "", "")
    report = await shell.out("dumpsys package com.example.notes")
    assert report == await shell.out("pm dump com.example.notes")
    assert "versionName=1.0" in report
    every = await shell.out("dumpsys package packages | grep -E '^  Package |versionName='")
    assert every.count("versionName=1.0") == 3
    assert every.startswith("  Package [com.android.settings] (")
    assert "Notes" not in report, "no label is told outside the content door"


async def test_launcher_activities(shell: PhoneShell) -> None:
    match = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false"
    assert await shell.out("cmd package resolve-activity --brief com.example.notes") == (
        f"{match}\ncom.example.notes/.MainActivity\n"
    )
    home = "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.HOME"
    assert await shell.out(f"{home} | tail -n 1") == "com.example.launcher/.Home\n"
    assert (
        await shell.out("cmd package resolve-activity --brief com.example.absent | tail -n 1") == "No activity found\n"
    )
    query = "cmd package query-activities --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
    lines = (await shell.out(query)).splitlines()
    assert lines[:4] == ["3 activities found:", "  Activity #0:", f"    {match}", "    com.android.settings/.Settings"]
    assert lines[-1] == "    com.example.browser/org.example.web.Main"
    assert await shell.out(query.replace("--brief", "--components")) == (
        "com.android.settings/.Settings\ncom.example.notes/.MainActivity\ncom.example.browser/org.example.web.Main\n"
    )


# ---------------------------------------------------------------------------- what clients ask
async def test_dumpsys(shell: PhoneShell) -> None:
    await shell.run("am start -n com.example.notes/.MainActivity")
    for line in ("dumpsys window", "dumpsys window windows"):
        found = re.search(r"mCurrentFocus=Window\{([0-9a-f]+) u0 (\S+)\}", await shell.out(line))
        assert found is not None
        assert found[2] == NOTES
    assert "mResumedActivity: ActivityRecord{" in await shell.out("dumpsys activity activities")
    assert re.search(
        r"ACTIVITY com.example.notes/.MainActivity [0-9a-f]+ pid=\d+", await shell.out("dumpsys activity top")
    )
    assert await shell.out("am stack list | grep -E visible=true") == (
        f"  taskId=1: {NOTES} bounds=[0,0][108,240] userId=0 visible=true topActivity=ComponentInfo{{{NOTES}}}\n"
    )
    assert "mInputShown=false" in await shell.out("dumpsys input_method")
    shell.device.shown = True
    keyboard = await shell.out("dumpsys input_method | grep -E 'mInputShown|mCurMethodId'")
    assert "mInputShown=true" in keyboard
    assert f"mCurMethodId={LATIN}\n" in keyboard
    await shell.run("input text abc")
    assert "  mCursorSelStart=3 mCursorSelEnd=3 " in await shell.out("dumpsys input_method | grep mCursorSel")
    assert "logicalFrame=[0, 0, 108, 240]" in await shell.out("dumpsys input | grep logicalFrame")
    assert "SurfaceOrientation: 0" in await shell.out("dumpsys input")
    assert await shell.out("dumpsys window | grep -c mCurrentRotation=ROTATION_0") == "1\n"
    assert "orientation=0" in await shell.out("dumpsys display")
    assert "mHoldingDisplaySuspendBlocker=true" in await shell.out("dumpsys power")
    assert "  level: 87" in await shell.out("dumpsys battery")
    assert "Thermal Status: 0\n" in await shell.out("dumpsys thermalservice")
    assert (
        await shell.out("cmd thermalservice override-status 3; dumpsys thermalservice | grep -c 'Status: 3'") == "1\n"
    )
    assert "Status: 0" in await shell.out("cmd thermalservice reset; dumpsys thermalservice")
    assert "override-status N" in (await shell.run("cmd thermalservice melt")).err
    assert "showing=false" in await shell.out("dumpsys window policy")
    assert "  window\n" in await shell.out("dumpsys -l")
    assert (await shell.run("dumpsys nothing")).err == "Can't find service: nothing\n"


async def test_screen_facts(shell: PhoneShell) -> None:
    assert await shell.out("wm size; wm density") == "Physical size: 108x240\nPhysical density: 160\n"
    assert (await shell.run("wm size 720x1280")).status == 255
    assert await shell.out("screencap -p | head -c 4") == "\udc89PNG"
    assert await shell.out("screencap -d 0 | wc -c") == f"{16 + 4 * 108 * 240}\n"
    assert (
        await shell.run("screencap -p /system/x.png")
    ).err == "Error opening file: /system/x.png (Read-only file system)\n"


async def test_what_would_do_nothing_is_said(shell: PhoneShell) -> None:
    """It did nothing and gave 0."""
    answer = await shell.run("settings reset system com.example.notes")
    assert (answer.status, answer.err.startswith("Error: ")) == (255, True)


async def test_settings(shell: PhoneShell) -> None:
    assert await shell.out("settings get system screen_brightness; settings get global nothing") == "102\nnull\n"
    await shell.out("settings put global airplane_mode_on 1")
    assert await shell.out("settings get global airplane_mode_on") == "1\n"
    await shell.out("svc wifi disable; settings put --user 0 secure a 'b c'")
    assert await shell.out("settings list global") == "airplane_mode_on=1\nwifi_on=0\n"
    assert await shell.out("settings delete secure a; settings delete secure a") == "Deleted 1 rows\nDeleted 0 rows\n"
    await shell.out(f"settings put secure default_input_method {ADB_KEYBOARD}")
    assert await shell.out("settings list secure") == f"default_input_method={ADB_KEYBOARD}\n"
    assert (await shell.run("settings get nowhere x")).err == "Invalid namespace 'nowhere'\n"
    assert (await shell.run("settings put system")).status == 255


async def test_properties_and_the_like(shell: PhoneShell) -> None:
    assert await shell.out("getprop ro.build.version.sdk; getprop ro.product.model") == "34\nPlain Phone\n"
    assert "[sys.boot_completed]: [1]\n" in await shell.out("getprop")
    assert await shell.out("getprop no.such.thing") == "\n"
    assert await shell.out("which input screencap") == "/system/bin/input\n/system/bin/screencap\n"
    assert (await shell.run("which screenrecord; echo X4EXIT:$?")).out == "X4EXIT:1\n"
    assert (await shell.out("id")).startswith("uid=2000(shell)")
    assert abs(int(await shell.out("date +%s")) - time.time()) < 5


# ---------------------------------------------------------------------------- the simulator's own door
def unpacked(row: str) -> object:
    return json.loads(base64.b64decode(row.removeprefix("Row: 0 json=")))


async def test_state_and_reset(shell: PhoneShell) -> None:
    shell.phone.files.write("/sdcard/left", b"over")
    state = await shell.out("content query --uri content://manyhands.simulator/state")
    assert unpacked(state) == shell.device.state()
    reset = "content call --uri content://manyhands.simulator --method reset --arg 42"
    assert await shell.out(reset) == "Result: Bundle[{ok=true}]\n"
    assert shell.device.events == [("reset", 42)]
    assert not shell.phone.files.exists("/sdcard/left")


async def test_apps_by_label(shell: PhoneShell) -> None:
    assert (await shell.out("content query --uri content://manyhands.simulator/apps")).splitlines()[1:] == [
        "Row: 1 label=Notes, package=com.example.notes, activity=com.example.notes.MainActivity",
        "Row: 2 label=浏览器, package=com.example.browser, activity=org.example.web.Main",
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("content query --uri content://downloads/all", "Could not find provider: downloads"),
        ("content query --uri content://sms/nowhere", "Unknown URL content://sms/nowhere"),
        ("content query --uri content://sms --projection nothing", "Invalid column nothing"),
        ("content query --uri content://sms --sort nothing", "no such column: nothing"),
        ("content insert --uri content://call_log/calls --bind type:i:1", "number is missing"),
        ("content insert --uri content://call_log/calls --bind type:i:x", 'For input string: "x"'),
        ("content insert --uri content://call_log/calls --bind mood:s:x", "no such column: mood"),
        (
            "content query --uri content://manyhands.simulator/nothing",
            "Unknown URI content://manyhands.simulator/nothing",
        ),
        ("content call --uri content://manyhands.simulator --method explode", "Unknown method explode"),
        ("content call --uri content://manyhands.simulator --method reset", "reset needs --arg SEED"),
    ],
)
async def test_other_content_is_refused_as_android_does(shell: PhoneShell, line: str, said: str) -> None:
    answer = await shell.run(line)
    assert (answer.status, answer.out) == (0, "")
    assert answer.err.startswith("Error while accessing provider:")
    assert said in answer.err
    assert shell.device.events == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("content insert --uri content://sms --bind body:s:x", "content://sms as a table to write"),
        ("content insert --uri content://call_log/calls --bind number:x:1", "the type 'x' of a value"),
        ("content query --uri content://sms --where 'read=0'", "--where 'read=0'"),
        ("ps -A", "columns other than -o NAME"),
    ],
)
async def test_what_a_virtual_phone_does_not_know_is_said(shell: PhoneShell, line: str, said: str) -> None:
    answer = await shell.run(line)
    assert (answer.status, answer.out) == (127, "")
    assert said in answer.err


async def test_settings_as_content(shell: PhoneShell) -> None:
    assert await shell.out("content query --uri content://settings/system") == (
        "Row: 0 _id=0, name=screen_brightness, value=102\n"
    )
    assert (await shell.run("content delete --uri content://settings/system")).status == 1


# ---------------------------------------------------------------------------- text and files
@pytest.mark.parametrize(
    ("line", "out"),
    [
        ("echo -n a; echo -e 'b\\tc'; echo -x", "ab\tc\n-x\n"),
        ("printf '%s=%d\\n' a 1 b 2", "a=1\nb=2\n"),
        ("printf 'a\\nb\\nc\\n' | head -n 2 | tail -n 1", "b\n"),
        ("printf 'a\\nb\\nc\\n' | tail -1", "c\n"),
        ("printf abcdef | head -c 3", "abc"),
        ("printf 'one\\nTwo\\nthree\\n' | grep -i '^t'", "Two\nthree\n"),
        ("printf 'one\\ntwo\\n' | grep -v one", "two\n"),
        ("printf 'a.b\\naxb\\n' | grep -F a.b", "a.b\n"),
        ("printf 'aa\\nab\\n' | grep 'a\\+$'", "aa\n"),
        ("printf 'a+\\naa\\n' | grep 'a+'", "a+\n"),
        ("printf 'x=1\\ny=2\\n' | grep -oE '[0-9]|x'", "x\n1\n2\n"),
        ("printf 'ab\\ncd\\n' | grep -n -e a -e d", "1:ab\n2:cd\n"),
        ("printf 'ab\\n' | grep -q ab && echo found", "found\n"),
        ("printf 'hi there' | base64", "aGkgdGhlcmU=\n"),
        ("echo aGkgdGhlcmU= | base64 -d", "hi there"),
        ("printf 'a b\\nc\\n' | wc", "2 3 6\n"),
        (
            "printf hello > /sdcard/h; md5sum /sdcard/h; wc -c /sdcard/h",
            "5d41402abc4b2a76b9719d911017c592  /sdcard/h\n5 /sdcard/h\n",
        ),
        ("mkdir -p /sdcard/a/b; touch /sdcard/a/f; ls /sdcard/a; rm -r /sdcard/a; ls -d /sdcard", "b\nf\n/sdcard\n"),
        (
            "cd /sdcard; echo 1 > f; cp f Download; mv f g; cat g Download/f",
            "1\n1\n",
        ),
        ("printf abc > /sdcard/f; stat -c '%s %F' /sdcard/f", "3 regular file\n"),
        ("rm -f /sdcard/none; sleep 0; sleep 0.001s", ""),
    ],
)
async def test_tools(shell: PhoneShell, line: str, out: str) -> None:
    assert await shell.out(line) == out


@pytest.mark.parametrize(
    ("line", "status", "err"),
    [
        ("grep x /sdcard/none", 2, "grep: /sdcard/none: No such file or directory\n"),
        ("echo a | grep b", 1, ""),
        ("grep '[' /dev/null", 2, None),
        ("ls /nope", 1, "ls: /nope: No such file or directory\n"),
        ("cat /sdcard", 1, "cat: /sdcard: Is a directory\n"),
        ("rm /sdcard/none", 1, "rm: /sdcard/none: No such file or directory\n"),
        ("mkdir /sdcard", 1, "mkdir: /sdcard: File exists\n"),
        ("mkdir /data/x", 1, "mkdir: /data/x: Permission denied\n"),
        ("sleep soon", 1, "sleep: bad number 'soon'\n"),
        ("[ 1 -eq one ]", 2, "/system/bin/sh: [: 1 -eq one: bad number\n"),
        ("[ 1", 2, "/system/bin/sh: [: missing ]\n"),
        ("pm install /sdcard/x.apk", 1, None),
        ("cmd nothing", 20, "cmd: Can't find service: nothing\n"),
    ],
)
async def test_tools_complain(shell: PhoneShell, line: str, status: int, err: str | None) -> None:
    answer = await shell.run(line)
    assert answer.status == status
    assert answer.err == err if err is not None else answer.err
