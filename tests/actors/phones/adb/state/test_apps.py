"""Apps of virtual phones: which are installed, in front and running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.state import DeviceState
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.screens.actions import Home, OpenApp
from manyhands.protocol.tasks.state_tests import AppState
from manyhands.simulator.fleet import virtual_phones
from tests.actors.phones.world import within, world

NOTES = "com.manyhands.notes"


async def test_an_app_is_in_front_then_runs_then_is_stopped(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:

        async def notes() -> dict[str, Any]:
            apps = (await place.gateway.state(place.lease, "phone://state/apps", within()))["apps"]
            return next(app for app in apps if app["package"] == NOTES)

        assert await notes() == {"package": NOTES, "version": 1, "front": False, "running": False}
        await place.perform("e:0", OpenApp(app="Notes"))
        assert await notes() == {"package": NOTES, "version": 1, "front": True, "running": True}
        await place.perform("e:1", Home())
        assert await notes() == {"package": NOTES, "version": 1, "front": False, "running": True}
        place.device.force_stop(NOTES)
        assert not (await notes())["running"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"package": "com.manyhands.launcher", "front": True, "version": {"at_least": 1}}, True),
        ({"package": "com.manyhands.launcher", "version": {"at_least": 2}}, False),
        ({"package": "com.example.nothing", "installed": False}, True),
        ({"package": "com.example.nothing", "installed": True}, False),
    ],
)
async def test_checks_of_apps(
    adb_server: tuple[str, int], tmp_path: Path, written: dict[str, Any], expected: bool
) -> None:
    test = AppState.model_validate(written)
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        assert test.holds(await place.gateway.state(place.lease, test.source, within())) is expected


@pytest.mark.parametrize("processes", ["", "NAME\n", "ps: bad -o NAME\n"])
async def test_without_processes_nothing_is_told(processes: str) -> None:
    mark = "--- manyhands\n"

    async def ask(line: str) -> ShellResult:
        return ShellResult(f"package:a.b versionCode:1\n{mark}{mark}{processes}".encode(), b"", 0)

    with pytest.raises(StateUnavailable, match="does not tell apps"):
        await DeviceState(ask).read("phone://state/apps")


async def test_a_process_of_another_name_belongs_to_the_package_before_its_colon() -> None:
    mark = "--- manyhands\n"
    versions = "package:a.b versionCode:1\npackage:a.c versionCode:2\n"
    processes = "NAME\ninit\na.b:remote\n"

    async def ask(line: str) -> ShellResult:
        return ShellResult(f"{versions}{mark}{mark}{processes}".encode(), b"", 0)

    apps = (await DeviceState(ask).read("phone://state/apps"))["apps"]
    assert [app["running"] for app in apps] == [True, False]
