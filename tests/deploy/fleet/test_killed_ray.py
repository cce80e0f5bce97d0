"""A run whose Ray dies under it goes on by itself on another, as if nothing had happened to its tasks."""

from __future__ import annotations

import re
from pathlib import Path

import psutil
import pytest

from manyhands.benchmarks.chaos.processes import RunProcesses, name_of
from manyhands.evaluation.audit import audit_folders
from tests.deploy.cluster.head import ray_head
from tests.deploy.fleet.killed_runs import until_nothing_is_left, workplace

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def of_ray(folder: Path, program: str) -> psutil.Process:
    (found,) = (process for process in RunProcesses(folder).everything() if name_of(process) == program)
    return found


async def test_a_cluster_that_dies_is_named_and_how_to_go_on(
    adb_server: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ray_head() as head:
        monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(head.token))
        async with workplace(tmp_path, adb_server[1], 1) as place:
            run = await place.run("run", "--task", "greeting", "--ray-address", head.address)
            assert await run.after(tmp_path / "run", 2.0)
            of_ray(head.token.parents[1], "raylet").kill()
            done = await run.ended
    assert done.code == 1, done.errors
    assert done.value["code"] == "ray_lost"
    assert (done.value["run_id"], done.value["tasks"]) == ("run", 1)
    assert re.match(r"Ray's (raylet|GCS) at \S+ has not answered for \d+ s: the cluster", done.value["error"])
    assert done.value["error"].endswith(f"manyhands resume {tmp_path / 'run'}")
    assert "SYSTEM_ERROR" not in done.errors


@pytest.mark.parametrize(("program", "called"), [("raylet", "raylet"), ("gcs_server", "GCS")])
async def test_a_run_goes_on_when_a_process_of_its_ray_is_killed(
    adb_server: tuple[str, int], tmp_path: Path, program: str, called: str
) -> None:
    async with workplace(tmp_path, adb_server[1], 2) as place:
        run = await place.run("run", "--task", "greeting", "--task", "hotel_message", "--task", "bakery_phone")
        assert await run.after(tmp_path / "run", 3.0)
        of_ray(place.ray, program).kill()
        done = await run.ended
        await until_nothing_is_left(place.ray, 10.0)
    assert done.code == 0, done.errors
    assert done.value["verified"] == 3, done.errors
    assert done.value["interruptions"]["continued"] >= 1
    assert done.value["interruptions"]["begun_anew"] == 0
    assert f"Ray's {called} was killed by signal 9" in done.errors
    assert audit_folders(tmp_path / "run").violations == ()
