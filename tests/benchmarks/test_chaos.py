"""A real chaos, as short as it may be: nothing is lost, repeated or wrong."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from manyhands.benchmarks.chaos.plan import BEHIND_A_BROKER, FaultKind
from manyhands.benchmarks.chaos.world import lacks


async def chaos(out: Path, *words: str) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "manyhands", "bench", "chaos", "--out", str(out), "--json", *words,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    said, told = await process.communicate()
    assert process.returncode == 0, f"{told.decode()}\n{said.decode()}"
    figures: dict[str, Any] = json.loads(said)
    return figures


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_nothing_is_lost_repeated_or_wrong_whatever_is_killed(tmp_path: Path) -> None:
    figures = await chaos(tmp_path / "out", "--minutes", "3", "--phones", "2", "--seed", "2", "--away-s", "3")
    kinds = {kind for kind in FaultKind if kind not in BEHIND_A_BROKER and lacks(kind) is None}
    met = {row["fault"] for row in figures["rows"] if row["times"]}
    assert met <= kinds
    assert len(met) >= 3  # more where the machine has little else to do; the plan comes to each of them in turn
    assert (figures["lost"], figures["repeated"], figures["wrong"], figures["contradictions"]) == (0, 0, 0, {})
    assert figures["tasks"] == figures["verified"] + figures["not_verified"] > 0
    assert (figures["unrecovered"], figures["left_over"], figures["not_json"], figures["wrong_exits"]) == (0, 0, 0, {})
