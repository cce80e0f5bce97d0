"""Phones that answer as some vendors' do: which phones, which answers, and what the catalogue lists."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from manyhands.protocol.errors import BadInput
from manyhands.simulator.phone.vendors.catalogue import all_vendors, vendors_of_phones
from manyhands.simulator.phone.vendors.vendor import Vendor, answer, change_commands, in_front, rewrite
from manyhands.simulator.shell.commands import android_commands
from manyhands.simulator.system.phone_system import PhoneSystem
from tests.simulator.plain_device import PlainDevice
from tests.simulator.shell.conftest import ShellOf

DOCS = Path(__file__).parents[4] / "docs" / "virtual-phones.md"


def shell_of(*vendors: Vendor) -> ShellOf:
    phone = PhoneSystem(PlainDevice(), ThreadPoolExecutor(1))
    return ShellOf(phone, android_commands(partial(change_commands, vendors=vendors)))


async def test_an_answer_replaces_a_command_also_as_a_service_of_cmd() -> None:
    shell = shell_of(Vendor("v", "r", (answer("pm", "list packages", stderr="denied\n", status=255),)))
    for line in ("pm list packages", "cmd package list packages"):
        assert await shell.run(line) == (255, "", "denied\n")
    assert (await shell.run("pm list packages --user 0")).status == 0


async def test_what_a_phone_refuses_is_not_in_its_ledger() -> None:
    shell = shell_of(all_vendors()["input-refused"])
    answered = await shell.run("input tap 1 2")
    assert (answered.status, "INJECT_EVENTS" in answered.err, shell.phone.ledger.lines) == (255, True, [])


async def test_an_answer_in_one_app_is_given_there_alone() -> None:
    app = "com.example.notes"
    shell = shell_of(Vendor("v", "r", (answer("screencap", stderr="no\n", status=1, when=in_front(app)),)))
    assert (await shell.run("screencap -p /sdcard/a.png")).status == 0
    await shell.out(f"monkey -p {app} 1")
    assert await shell.run("screencap -p /sdcard/a.png") == (1, "", "no\n")


async def test_a_rewrite_changes_what_is_printed_and_the_file_of_the_last_argument() -> None:
    shell = shell_of(Vendor("v", "r", (rewrite("uiautomator", "dump.*", r'text="[^"]*"', 'text="\udced"'),)))
    await shell.run("uiautomator dump /sdcard/a.xml")
    printed = await shell.out("cat /sdcard/a.xml")
    assert printed.startswith("<?xml")
    assert 'text="\udced"' in printed


async def test_a_vendor_may_have_a_command_that_android_has_not() -> None:
    shell = shell_of(Vendor("v", "r", (answer("getvendor", "name", stdout="v\n"),)))
    assert await shell.out("getvendor name") == "v\n"
    assert (await shell.run("getvendor age")).status == 127


def test_a_vendor_is_for_all_phones_or_for_one() -> None:
    phones = vendors_of_phones(["input-refused@1"], 2)
    assert [[vendor.name for vendor in vendors] for vendors in phones] == [[], ["input-refused"]]
    assert all(vendors_of_phones(["input-refused"], 2))


@pytest.mark.parametrize("name", ["no-such-phone", "input-refused@2", "input-refused@x"])
def test_a_wrong_vendor_is_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(BadInput, match=r"there are .*input-refused|from 0 to 1"):
        vendors_of_phones([name], 2)


def test_the_page_on_virtual_phones_lists_every_vendor() -> None:
    section = DOCS.read_text().split("## As vendors build them")[1].split("\n## ")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE) == list(all_vendors())
