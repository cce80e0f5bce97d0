"""A run becomes flows, a second run checks them, and other phones carry them out without a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from manyhands.protocol.tasks.task import read_tasks
from tests.deploy.fleet.killed_runs import SUITE, until_nothing_is_left, workplace

LEFT_S = 10.0


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_a_flow_is_made_checked_and_run_on_another_size(adb_server: tuple[str, int], tmp_path: Path) -> None:
    flow = tmp_path / "meeting_note.yaml"
    async with workplace(tmp_path, adb_server[1], 1) as place:
        model = ("--mllm-url", place.model, "--adb-port", str(adb_server[1]))
        phones = ("--phones", ",".join(place.serials), *model)

        async def manyhands(*words: str) -> dict[str, Any]:
            done = await (await place.command(*words)).ended
            assert done.code == 0, done.errors + done.out
            value = json.loads(done.out.splitlines()[-1])
            assert isinstance(value, dict)
            return value

        how = ("--profile", "native", "--pictures", "none", "--without", "shortcuts")
        first = await manyhands(
            "run", str(SUITE), "--task", "meeting_note", *how, *phones, "--out", f"{tmp_path}/first"
        )
        assert first["verified"] == 1
        made = await manyhands("flow", "make", f"{tmp_path}/first", "meeting_note", "-o", str(flow), *phones)
        assert (made["is_checked"], made["calls"]) == (True, 0)
        (task,) = read_tasks(flow)
        assert task.flow is not None
        assert task.flow.is_checked
        other = ("--phones", "virtual:1", "--size", "1080x2400", *model, "--out", f"{tmp_path}/other")
        second = await manyhands("flow", "run", str(flow), *other)
        assert (second["verified"], sum(role["calls"] for role in second["model"].values())) == (1, 0)
        figures = await manyhands("flow", "figures", f"{tmp_path}/other")
        assert figures["meeting_note"]["by_flow_alone"] == 1
        assert figures["meeting_note"]["saved_calls"] == task.flow.calls > 0
        await until_nothing_is_left(place.ray, LEFT_S)
