"""``manyhands phones``: whether each phone can be used and why not; ``--check`` goes through the page step by step."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.deploy.doctor.bench import Bench

PAGE = Path(__file__).parents[3] / "docs" / "real-phones.md"


async def test_what_can_be_used_and_what_cannot(bench: Bench) -> None:
    words = ("phones", "--phones", bench.serial)
    code, printed, _ = await bench.called(*words, "--json")
    (phone,) = json.loads(printed)
    assert code == 0
    assert (phone["serial"], phone["state"], phone["usable"], phone["why_not"]) == (bench.serial, "device", True, "")
    assert (phone["android"], phone["size"], phone["adb_keyboard"]) == ("14", [540, 1200], True)
    assert (phone["labels"]["android"], phone["labels"]["serial"]) == ("14", bench.serial)
    assert {"model", "maker", "app:Maps", "app:com.manyhands.maps"} <= phone["labels"].keys()
    await bench.plant(battery=3)
    code, printed, _ = await bench.called(*words, "--json")
    (phone,) = json.loads(printed)
    assert (code, phone["usable"], phone["battery"]) == (0, False, 3)
    assert phone["why_not"] == "battery: its battery is at 3 % and not charging; a task needs 10 %"
    code, printed, _ = await bench.called(*words)
    assert "can be used" in printed.splitlines()[0]
    assert "no: battery" in printed
    assert f"{bench.serial}: battery: its battery is at 3 %" in printed
    assert bench.fleet.endpoints[0].phone.ledger.lines == []


async def test_a_named_phone_that_is_absent(bench: Bench) -> None:
    code, _, complaint = await bench.called("phones", "--phones", f"R58M0,{bench.serial}")
    assert code == 2
    assert complaint.startswith("error: --phones R58M0: no such phone; there are: ")
    assert bench.serial in complaint


async def test_virtual_phones_are_those_of_a_run(bench: Bench) -> None:
    code, _, complaint = await bench.called("phones", "--phones", "virtual:2")
    assert (code, "manyhands simulate" in complaint) == (2, True)


def headings() -> set[str]:
    """The numbered headings of the page that ``--check`` goes through."""
    return {line.removeprefix("## ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:2] == "##"}


async def test_the_steps_with_a_phone(bench: Bench) -> None:
    code, printed, complaint = await bench.called("phones", "--check", bench.serial)
    assert code == 0, printed + complaint
    lines = printed.splitlines()
    assert lines[0] == "1. adb"
    steps = {line for line in lines if line[0].isdigit()}
    assert steps <= headings()
    assert {step.split(".")[0] for step in steps} == {"1", "2", "3", "5", "6", "7", "8", "9"}
    assert lines[-1].startswith("It can be given tasks: manyhands run")
    await bench.plant(lock=2)
    code, printed, _ = await bench.called("phones", "--check", bench.serial, "--json")
    value = json.loads(printed)
    assert (code, value["usable"]) == (2, False)
    (step,) = [step for step in value["steps"] if not step["passed"]]
    assert step["title"] == "No lock"
    assert "unlock it by hand" in step["checks"][0]["mend"]


async def test_the_next_command_begins_as_this_one_was_called(bench: Bench, tmp_path: Path) -> None:
    program = tmp_path / "manyhands"
    program.write_text("from manyhands.deploy.command_line.cli import main\n\nmain()\n", encoding="utf-8")
    code, printed, _ = await bench.called("phones", "--check", bench.serial, program=(str(program),))
    begun = f"It can be given tasks: {os.path.relpath(program)} run --goal"
    assert (code, printed.splitlines()[-1].startswith(begun)) == (0, True), printed


async def test_the_steps_end_where_adb_lists_no_such_phone(bench: Bench) -> None:
    code, printed, _ = await bench.called("phones", "--check", "R58M0")
    assert code == 2
    assert printed.splitlines()[2] == "2. Debugging"
    assert bench.serial in printed
    assert "tap Build number seven times" in printed


async def test_the_steps_end_where_the_key_is_not_accepted(bench: Bench) -> None:
    await bench.plant(authorised=0)
    await bench.connect_anew()
    code, printed, _ = await bench.called("phones", "--check", bench.serial)
    assert code == 2
    assert printed.splitlines()[-2:] == [
        "   failure: authorised: unauthorized",
        printed.splitlines()[-1],
    ]
    assert "allow this computer's key" in printed.splitlines()[-1]
