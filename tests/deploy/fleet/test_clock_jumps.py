"""The machine's clock is set while a run goes on: in all its processes, also in those that start afterwards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from manyhands.evaluation.audit import audit_folders
from tests.deploy.fleet.killed_runs import workplace

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
MACHINE = """
import os, time
_wall = time.time
def _set():
    try:
        with open(os.environ["TEST_CLOCK_SET_BY"]) as file:
            return float(file.read())
    except (KeyError, OSError, ValueError):
        return 0.0
time.time = lambda: _wall() + _set()
"""
"""Python imports this first in every process: a machine whose clock is as far off as a file says."""


@pytest.fixture
def set_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that says how many seconds the clock of what is started from now on was set by."""
    modules = tmp_path / "machine"
    modules.mkdir()
    (modules / "sitecustomize.py").write_text(MACHINE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(modules), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("TEST_CLOCK_SET_BY", str(tmp_path / "set_by"))
    return tmp_path / "set_by"


async def test_a_run_whose_clock_is_set_neither_ends_nor_waits(
    adb_server: tuple[str, int], tmp_path: Path, set_clock: Path
) -> None:
    async with workplace(tmp_path, adb_server[1], 1) as place:
        run = await place.run("run", "--task", "greeting", "--task", "dark_mode")
        for jump in (-3600.0, 8 * 86400.0):
            assert await run.after(tmp_path / "run", 1.0)
            set_clock.write_text(str(jump))
        done = await run.ended
    assert done.code == 0, done.errors
    assert [(row["finished"], row["verified"], row["attempts"]) for row in done.value["by_task"]] == [
        ("finished", True, 1)
    ] * 2
    assert done.value["interruptions"] is None
    assert 0 < done.value["wall_s"] < 600


async def test_a_run_that_is_killed_goes_on_after_the_clock_was_set(
    adb_server: tuple[str, int], tmp_path: Path, set_clock: Path
) -> None:
    async with workplace(tmp_path, adb_server[1], 1) as place:
        run = await place.run("run", "--task", "greeting", "--task", "dark_mode")
        assert await run.after(tmp_path / "run", 1.0)
        await run.kill_tree()
        set_clock.write_text("3600")
        done = await (await place.resume("run")).ended
    assert done.code == 0, done.errors
    assert [(row["verified"], row["attempts"]) for row in done.value["by_task"]] == [(True, 1)] * 2
    assert 0 < done.value["wall_s"] < 600
    report = audit_folders(tmp_path / "run")
    assert (report.verdict, report.violations) == ("agrees", ())
