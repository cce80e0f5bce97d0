"""A flow whose app has changed is carried on by the agent, mended, and checked: then it needs no model again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import adbutils
import pytest
import yaml

from manyhands.protocol.tasks.task import read_tasks
from tests.actors.profiles.flow.differences import DIFFERENCES, SEEDS, suite
from tests.deploy.fleet.planted_phones import planted_phones

NAME = "moved_to_other_page"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_flow_is_mended_and_needs_no_model_then(adb_server: tuple[str, int], tmp_path: Path) -> None:
    (difference,) = [one for one in DIFFERENCES if one.name == NAME]
    (task,) = [one for one in suite() if one["id"] == NAME]
    flow, seed = tmp_path / "flow.yaml", SEEDS[NAME]
    flow.write_text(yaml.safe_dump([task], sort_keys=False, allow_unicode=True), "utf-8")
    planted = dict.fromkeys((seed, seed + 1), difference.planted)
    with planted_phones(adbutils.AdbClient(*adb_server), planted, 1, tmp_path) as serials:
        phones = ("--phones", *serials, "--adb-port", str(adb_server[1]), "--mllm-url", "rehearsed")

        def manyhands(*words: object) -> dict[str, Any]:
            command = [sys.executable, "-m", "manyhands", "flow", *map(str, words), *phones, "--json"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False, cwd=tmp_path)
            assert done.returncode == 0, done.stderr + done.stdout
            value = json.loads(done.stdout.splitlines()[-1])
            assert isinstance(value, dict)
            return value

        first = manyhands("run", flow, "--out", tmp_path / "first")
        assert (first["verified"], sum(role["calls"] for role in first["model"].values()) > 0) == (1, True)
        mended = manyhands("mend", tmp_path / "first", NAME, flow)
    assert (mended["is_checked"], mended["calls"]) == (True, 0)
    assert "+    - before:" in mended["difference"]
    assert "Location" in mended["difference"]
    (again,) = read_tasks(flow)
    assert again.flow is not None
    assert again.flow.is_checked
