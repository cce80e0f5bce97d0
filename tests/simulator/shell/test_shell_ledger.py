"""The ledger: one line for every shell line that acts, with the key that it names."""

from __future__ import annotations

import base64
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.system.phone_system import PhoneSystem
from tests.simulator.shell.conftest import PhoneShell, ShellOf


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("MH_KEY='e1/3/0' input tap 1 2", "e1/3/0"),
        ("MH_KEY='a b'; input tap 1 2", "a b"),
        ("export MH_KEY=k; input tap 1 2", "k"),
        ("MH_KEY='it'\\''s' input tap 1 2 && input tap 3 4", "it's"),
        ("MH_KEY=k true; input tap 1 2", "k"),
        ("MH_KEY=k sh -c 'input tap 1 2; input tap 3 4'", "k"),
        ("MH_KEY=k nosuch; input keyevent 4", "k"),
        ("input tap 1 2; MH_KEY=late input tap 1 2", None),
        ("input tap 1 2", None),
        ("MH_KEY=k am start -n com.example.notes/.MainActivity", "k"),
        ("MH_KEY=k am start -n com.example.absent/.A", "k"),
        ("MH_KEY=k am force-stop com.example.notes", "k"),
        ("MH_KEY=k am broadcast -a ADB_INPUT_TEXT --es msg x", "k"),
        ("MH_KEY=k monkey -p com.example.notes 1", "k"),
        ("MH_KEY=k cmd input tap 1 1", "k"),
        ("MH_KEY=k input text $(echo typed)", "k"),
    ],
)
async def test_lines_that_act_are_kept_once(shell: PhoneShell, line: str, key: str | None) -> None:
    await shell.run(line)
    (entry,) = shell.phone.ledger.lines
    assert (entry.seq, entry.key, entry.line) == (0, key, line)
    assert entry.at > 1_600_000_000


@pytest.mark.parametrize(
    "line",
    [
        "MH_KEY=k echo hi",
        "MH_KEY=k dumpsys window; screencap -p > /sdcard/x",
        "MH_KEY=k am broadcast -a android.intent.action.AIRPLANE_MODE --ez state true",
        "MH_KEY=k ime set com.android.adbkeyboard/.AdbIME; settings put system a 1",
        "MH_KEY=k false && input tap 1 1",
        "MH_KEY=k input tap 1 1 'open",
        "MH_KEY=k (input tap 1 1)",
        "MH_KEY=k am stack list",
        "echo input tap 1 1",
    ],
)
async def test_lines_that_only_ask_are_not_kept(shell: PhoneShell, line: str) -> None:
    await shell.run(line)
    assert shell.phone.ledger.lines == []


async def test_the_line_is_kept_before_it_acts_and_survives_a_reset(shell: PhoneShell) -> None:
    await shell.run("MH_KEY=first input swipe 1 200 1 20 5")
    await shell.out("content call --uri content://manyhands.simulator --method reset --arg 7")
    await shell.run("MH_KEY=second input tap 1 1; input tap 2 2")
    row = await shell.out("content query --uri content://manyhands.simulator/ledger")
    assert row.startswith("Row: 0 json=")
    rows = json.loads(base64.b64decode(row.removeprefix("Row: 0 json=")))["rows"]
    assert [(entry["seq"], entry["key"]) for entry in rows] == [(0, "first"), (1, "second")]
    assert rows[1]["line"] == "MH_KEY=second input tap 1 1; input tap 2 2"
    assert shell.device.events[-2:] == [("tap", 1, 1), ("tap", 2, 2)]


async def test_each_reset_keeps_the_state_that_its_line_found(shell: PhoneShell) -> None:
    await shell.run("MH_KEY=first input tap 1 1")
    found = shell.device.state()
    reset = "content call --uri content://manyhands.simulator --method reset --arg 7"
    await shell.run(f"MH_KEY=reset input keyevent 3; {reset}")
    again = shell.device.state()
    await shell.run(reset)
    row = await shell.out("content query --uri content://manyhands.simulator/left")
    rows = json.loads(base64.b64decode(row.removeprefix("Row: 0 json=")))["rows"]
    assert rows == [{"lines": 1, "state": found}, {"lines": 2, "state": again}]


async def test_each_line_tells_what_its_inputs_reached_across_a_reset() -> None:
    with ThreadPoolExecutor(1) as encoders:
        shell = ShellOf(PhoneSystem(VirtualPhone(seed=1), encoders))
        await shell.run("MH_KEY=open am start -n com.manyhands.notes/.MainActivity")
        await shell.run("content call --uri content://manyhands.simulator --method reset --arg 7")
        await shell.run("MH_KEY=nowhere input tap 1 1")
        await shell.run("MH_KEY=home input keyevent 3")
        row = await shell.out("content query --uri content://manyhands.simulator/reached")
    rows = json.loads(base64.b64decode(row.removeprefix("Row: 0 json=")))["rows"]
    assert [(row["key"], len(row["reached"])) for row in rows] == [("open", 1), ("nowhere", 0), ("home", 1)]
    assert rows[0]["reached"] == ["open com.manyhands.notes"]
