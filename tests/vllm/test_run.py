"""A whole run on virtual phones against a tiny random model ends every task in a way that has a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vllm.running import MAX_STEPS, OF_THE_MODEL, PHONES, Run
from tests.vllm.server import VllmServer

GOALS = [f"Turn on dark mode in app number {number}" for number in range(4)]


@pytest.mark.ray
def test_a_run_ends_with_named_endings_only(qwen3: VllmServer, adb_server: tuple[str, int], tmp_path: Path) -> None:
    run = Run(GOALS, adb_server[1], tmp_path, qwen3)
    try:
        summary = run.summary()
    finally:
        run.stop()
    assert (summary.tasks, summary.phones) == (len(GOALS), PHONES)
    for row in summary.by_task:
        assert row.finished in OF_THE_MODEL, row
        assert row.steps <= MAX_STEPS
    assert set(summary.servers) == {qwen3.url}
    assert summary.steps > 0
    assert summary.model["plan"].calls >= len(GOALS)
