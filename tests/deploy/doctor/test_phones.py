"""The doctor on virtual phones behind a real adb server: each fault that is planted is named with what mends it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from manyhands.actors.phones.leases import Leases
from manyhands.deploy.doctor.findings import apply_fixes
from manyhands.deploy.doctor.phone_checks import ADB_KEYBOARD_AT, ANY_TEXT, KEYS_TEXT
from tests.deploy.doctor.bench import Bench, open_bench


async def test_a_phone_without_a_fault(bench: Bench) -> None:
    report = await bench.report()
    assert report.fits
    assert report.with_status("warning") == []
    assert report.conclusion == "All that a run needs is there; no warnings."
    found = {one.name: one.found for one in report.findings}
    assert found["Android"].startswith("14 (API 34)")
    assert found["resolution"] == "540x1200"
    assert found["screenshot"].startswith("540x1200")
    assert repr(ANY_TEXT) in found["typing"]
    assert found["listed"] == "1 of 1 can be used"


FAULTS = [
    ("battery", 3, "battery", "failure", "at 3 % and not charging", "charger"),
    ("celsius", 50, "heat", "failure", "50.0 °C", "cool"),
    ("thermal", 4, "heat", "failure", "critical", "cool"),
    ("free_mb", 20, "storage", "failure", "20 MB left", "shell pm trim-caches"),
    ("lock", 2, "lock", "failure", "asks for a credential", "unlock it by hand"),
    ("lock", 1, "lock", "warning", "locked", "shell wm dismiss-keyguard"),
    ("awake", 0, "screen", "warning", "off", "shell input keyevent 224"),
    ("stays_on", 0, "stays awake", "warning", "goes off", "shell svc power stayon true"),
    ("adb_keyboard", 0, "keyboard", "warning", "printable ASCII", ADB_KEYBOARD_AT),
    ("animations", 1, "animations", "warning", "at 1", "shell 'settings put global window_animation_scale 0"),
    ("heads_up", 1, "notifications", "warning", "over apps", "heads_up_notifications_enabled 0"),
    ("sdk", 26, "Android", "warning", "older than 9", "Android 9 to 16"),
    ("sdk", 37, "Android", "warning", "newer than 16", "docs/real-phones.md"),
    ("screenshots", 1, "screenshot", "failure", "0 bytes", "reboot"),
    ("screenshots", 2, "screenshot", "failure", "1x1", "reboot"),
    ("typing", 1, "typing", "failure", "中文 o' was read back", "shell ime reset"),
]


@pytest.mark.parametrize(("condition", "value", "name", "status", "found", "mend"), FAULTS)
async def test_a_fault_is_named_with_its_mend(
    bench: Bench, condition: str, value: int, name: str, status: str, found: str, mend: str
) -> None:
    await bench.plant(**{condition: value})
    one = (await bench.findings())[name]
    assert one.status == status
    assert found in one.found
    assert mend in one.mend
    if "shell" in mend:
        assert f"-s {bench.serial} shell" in one.mend


async def test_typing_without_adb_keyboard_is_tried_with_what_keys_can_type(bench: Bench) -> None:
    await bench.plant(adb_keyboard=0)
    assert repr(KEYS_TEXT) in (await bench.findings())["typing"].found
    await bench.plant(typing=1)
    assert (await bench.findings())["typing"].status == "failure"


async def test_a_phone_that_has_not_accepted_the_key(bench: Bench) -> None:
    await bench.plant(authorised=0)
    await bench.connect_anew()
    found = await bench.findings()
    assert (found["authorised"].status, found["authorised"].found) == ("failure", "unauthorized")
    assert "allow this computer's key" in found["authorised"].mend
    assert found["listed"].found == "0 of 1 can be used"


async def test_one_of_two_that_nobody_has_named_does_not_stop_a_run(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with open_bench(adb_server, tmp_path, phones=2) as bench:
        await bench.plant(battery=3)
        bench.settings = bench.settings.model_copy(update={"phones": ()})
        report = await bench.report(touches=False)
        assert report.fits
        assert [one.name for one in report.with_status("warning") if one.about == f"phone {bench.serial}"] == [
            "battery"
        ]
        bench.settings = bench.settings.model_copy(update={"phones": bench.fleet.serials})
        assert not (await bench.report(touches=False)).fits


async def test_an_absent_phone_is_named_with_those_that_are_there(bench: Bench) -> None:
    bench.settings = bench.settings.model_copy(update={"phones": ("R58M0",)})
    found = (await bench.findings())["listed"]
    assert found.status == "failure"
    assert found.found.startswith("--phones R58M0: no such phone; there are: ")
    assert bench.serial in found.found


async def test_a_phone_that_is_at_work_is_not_touched(bench: Bench, tmp_path: Path) -> None:
    leases = Leases(tmp_path)
    leases.attach(bench.serial, "dark_mode-1@x", 60)
    await bench.plant(animations=1)
    before = len(bench.fleet.endpoints[0].phone.ledger.lines)
    found = await bench.findings()
    assert found["typing"].found == "not tried: dark_mode-1@x has the phone"
    assert found["animations"].fix is None
    assert len(bench.fleet.endpoints[0].phone.ledger.lines) == before
    leases.close()


async def test_looking_alone_touches_nothing(bench: Bench) -> None:
    found = await bench.findings(touches=False)
    assert "typing" not in found
    assert len(bench.fleet.endpoints[0].phone.ledger.lines) == 0


async def test_fixes_mend_what_is_harmless(bench: Bench) -> None:
    await bench.plant(animations=1, stays_on=0, heads_up=1, awake=0)
    report = await bench.report(touches=False)
    mended = await apply_fixes(report.findings)
    assert mended == [f"phone {bench.serial}: {name} mended" for name in ("screen", "stays awake", "animations")]
    again = await bench.report(touches=False)
    assert [one.name for one in again.with_status("warning")] == ["notifications"]


async def test_the_command_says_it_in_json_and_by_its_exit_code(bench: Bench) -> None:
    words = ("doctor", "--json", "--phones", bench.serial, "--mllm-url", "rehearsed")
    code, printed, _ = await bench.called(*words)
    assert (code, json.loads(printed)["fits"]) == (0, True)
    await bench.plant(battery=3)
    code, printed, _ = await bench.called(*words)
    assert (code, json.loads(printed)["fits"]) == (2, False)
