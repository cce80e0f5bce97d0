"""Two builds of an app on every phone of a fleet: what fails is told; the phones are as before, also after a kill."""

from __future__ import annotations

from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import adbutils
import pytest
import yaml

from manyhands.evaluation.formats.matrix import to_matrix_page
from manyhands.evaluation.results import TaskResult, results_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.simulator.phone.apps.builds import PACKAGE, VirtualBuild, write_build
from tests.deploy.fleet.killed_runs import started_command, until_nothing_is_left, workplace

SIZES = ("540x1200", "1080x2400")
"""Of the phones beside those of the workplace."""
LEFT_S = 10.0
TITLE = "Milk"
READ = (
    "cmd uimode night; settings get system font_scale; getprop persist.sys.timezone; settings get global mobile_data;"
    "settings get secure default_input_method; pm list packages | grep jotter"
)


def task_of(name: str, file: Path) -> dict[str, Any]:
    return {
        "id": name,
        "goal": f"Add a note with the title {TITLE} in Jotter.",
        "matrix": "serial",
        "reset_seed": 3,
        "build": {"package": PACKAGE, "install": str(file), "clear": True, "uninstall_after": True},
        "device": {"dark_mode": True, "font_scale": 1.15, "time_zone": "Europe/Berlin", "network": "wifi"},
        "check": {
            "source": "content://manyhands.simulator/state",
            "holds": {"path": "jotter.items.*.title", "equals": TITLE},
        },
        "flow": {
            "steps": [
                {"action": {"name": "Open_App", "app": "Jotter"}},
                {"before": {"app": PACKAGE}, "action": {"name": "Tap", "target": {"text": "Add", "kind": "icon"}}},
                {"before": {"app": PACKAGE}, "action": {"name": "Tap", "target": {"text": "Title"}}},
                {"before": {"app": PACKAGE, "keyboard": True}, "action": {"name": "Type", "text": TITLE}},
                {"before": {"app": PACKAGE}, "action": {"name": "Tap", "target": {"text": "Save"}}},
            ],
            "end": {"app": PACKAGE, "shows": [TITLE]},
        },
    }


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_two_builds_on_six_phones_of_three_kinds(adb_server: tuple[str, int], tmp_path: Path) -> None:
    crashing = write_build(tmp_path / "crashing.apk", VirtualBuild(version=1, crashes_on="edit"))
    moved = write_build(tmp_path / "moved.apk", VirtualBuild(version=2, has_plus_above=True))
    tasks, folder = tmp_path / "builds.yaml", tmp_path / "run"
    tasks.write_text(yaml.safe_dump([task_of("crashing", crashing), task_of("moved", moved)]), encoding="utf-8")
    client = adbutils.AdbClient(*adb_server)
    port = str(adb_server[1])
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(workplace(tmp_path, adb_server[1], 2))
        serials = list(place.serials)
        for size in SIZES:
            command = ("simulate", "--phones", "2", "--adb-port", port, "--size", size)
            serials += (await stack.enter_async_context(started_command(*command)))["serials"]

        def read() -> dict[str, str]:
            return {serial: str(client.device(serial).shell(READ)) for serial in serials}

        before = read()
        how = ("--profile", "flow", "--without", "agent", "--mllm-url", place.model, "--adb-port", port)
        run = await place.command("run", str(tasks), *how, "--phones", ",".join(serials), "--out", str(folder))
        killed = await run.after(folder, 3.0)
        if killed:
            assert read() != before, "the kill comes while phones have a task's settings"
            await run.kill_tree()
            run = await place.resume("run")
        done = await run.ended
        assert killed, "it ended before it was killed"
        assert done.code == 1, done.errors
        assert read() == before
        await until_nothing_is_left(place.ray, LEFT_S)
    results = results_of(RunFolder(folder))
    assert Counter(map(outcome, results)) == {("crashing", "app_crashed"): 6, ("moved", "passed"): 6}
    assert {result.matrix_value for result in results} == set(serials)
    for result in results:
        if result.finished is Ending.APP_CRASHED:
            assert f"{PACKAGE} crashed: java.lang.IllegalStateException" in result.reason
            assert "Page.edit(Page.kt:12)" in result.trace
    page = to_matrix_page(results, RunFolder(folder))
    assert all(f'on {serial}"' in page for serial in serials)
    assert page.count("<summary>stack trace</summary>") == 1, "all phones have the same cause"


def outcome(result: TaskResult) -> tuple[str, str]:
    return str(result.repeat_of), result.finished.value if result.verdict == "failed" else result.verdict
