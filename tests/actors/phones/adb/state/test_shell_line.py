"""Lines of checks in the shell of a phone: refused unless its owner allows them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import adbutils
import pytest

from manyhands.actors.phones.adb import state as state_reader
from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.state import MOST_OUTPUT, DeviceState
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.phones import CHECK_KEY
from manyhands.protocol.tasks.state_tests import ShellOutput
from manyhands.simulator.fleet import VirtualFleet, virtual_phones
from tests.actors.phones.world import World, adb_gateway, adb_settings, within, world
from tests.simulator.connecting import disconnect


@asynccontextmanager
async def permitting_world(adb_server: tuple[str, int], folder: Path) -> AsyncIterator[World]:
    settings = adb_settings(adb_server, folder).model_copy(update={"allow_shell_checks": True})
    async with VirtualFleet(1, virtual_phones(360, 800)) as fleet:
        gateway = adb_gateway(settings)
        await gateway.start()
        try:
            yield World(fleet, settings, gateway, await gateway.attach(fleet.serials[0], "tests", 120))
        finally:
            await gateway.stop()
            await disconnect(fleet, adbutils.AdbClient(*adb_server))


def source(line: str) -> str:
    return ShellOutput.model_validate({"line": line, "code": 0}).source


async def test_a_line_is_refused_unless_it_is_allowed(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path) as place:
        with pytest.raises(StateUnavailable, match="runs no lines of checks; --allow-shell-checks permits them"):
            await place.gateway.state(place.lease, source("touch /sdcard/mark"), within())
        assert not place.fleet.endpoints[0].phone.files.exists("/sdcard/mark")


@pytest.mark.parametrize(
    ("line", "output", "code"),
    [
        ("echo one; echo two", "one\ntwo\n", 0),
        ("exit 3", "", 3),
        ("cat /sdcard/none", "cat: /sdcard/none: No such file or directory\n", 1),
        ("echo it\\'s; # a comment", "it's\n", 0),
        ("echo a | grep b", "", 1),
        ("cat", "", 0),
        ("printf 'ä\n\n'", "ä\n\n", 0),
    ],
)
async def test_a_line_tells_its_output_and_status(
    adb_server: tuple[str, int], tmp_path: Path, line: str, output: str, code: int
) -> None:
    async with permitting_world(adb_server, tmp_path) as place:
        state = await place.gateway.state(place.lease, source(line), within())
        assert state == {"shell": {"output": output, "code": code}}
        assert place.ledger == ()


async def test_a_wrong_line_has_the_status_of_one(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with permitting_world(adb_server, tmp_path) as place:
        found: dict[str, Any] = (await place.gateway.state(place.lease, source("echo 'open; } ) &&"), within()))[
            "shell"
        ]
        assert found["code"] != 0
        assert found["output"]


async def test_long_output_is_cut(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with permitting_world(adb_server, tmp_path) as place:
        place.fleet.endpoints[0].phone.files.write("/sdcard/long", b"x" * 2 * MOST_OUTPUT)
        found = (await place.gateway.state(place.lease, source("cat /sdcard/long"), within()))["shell"]
        assert found["output"] == "x" * MOST_OUTPUT


async def test_a_line_that_acts_has_the_key_of_checks(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with permitting_world(adb_server, tmp_path) as place:
        await place.gateway.state(place.lease, source("input keyevent HOME"), within())
        assert [row.key for row in place.ledger] == [CHECK_KEY]


async def test_a_line_that_does_not_end_is_no_lost_phone(
    adb_server: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with permitting_world(adb_server, tmp_path) as place:
        monkeypatch.setattr(state_reader, "LONGEST_S", 0.2)
        with pytest.raises(StateUnavailable, match=r"did not end within 0\.2 s"):
            await place.gateway.state(place.lease, source("sleep 600"), within())
        monkeypatch.undo()
        state = await place.gateway.state(place.lease, source("echo alive"), within())
        assert state["shell"]["output"] == "alive\n"


@pytest.mark.parametrize("encoded", ["", "====", "é", "_w", "AA", "ZWNobyBh+"])
async def test_what_is_no_line_is_refused(encoded: str) -> None:
    async def ask(line: str) -> ShellResult:
        raise AssertionError(line)

    with pytest.raises(StateUnavailable, match=r"base64url|NUL"):
        await DeviceState(ask, allow_shell_lines=True).read(f"phone://shell/{encoded}")


async def test_an_unknown_address_is_answered_with_those_there_are() -> None:
    async def ask(line: str) -> ShellResult:
        raise AssertionError(line)

    with pytest.raises(
        StateUnavailable, match="there are phone://state/PART, phone://file/PATH and phone://shell/LINE"
    ):
        await DeviceState(ask).read("phone://mood")
