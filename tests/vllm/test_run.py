"""A whole run on virtual phones against a tiny random model ends every task in a way that has a name."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.messages import ModelCall
from tests.vllm.running import MAX_STEPS, OF_THE_MODEL, PHONES, Run
from tests.vllm.server import VllmServer

GOALS = [f"Turn on dark mode in app number {number}" for number in range(4)]


@pytest.mark.ray
@pytest.mark.parametrize("profile", ["e", "v1", "v2", "native"])
def test_a_run_ends_with_named_endings_only(
    qwen3: VllmServer, adb_server: tuple[str, int], tmp_path: Path, profile: str
) -> None:
    run = Run(GOALS, adb_server[1], tmp_path, qwen3, profile=profile, extra=("--output-format", "json"))
    try:
        summary = run.summary()
    finally:
        run.stop()
    assert (summary.tasks, summary.phones, summary.profile) == (len(GOALS), PHONES, profile)
    for row in summary.by_task:
        assert row.finished in OF_THE_MODEL, row
        assert row.steps <= MAX_STEPS
    assert set(summary.servers) == {qwen3.url}
    # A random planner may find a goal reached or impossible at once: then nobody is asked for an action.
    begun = [row for row in summary.by_task if row.finished not in (Ending.FINISHED, Ending.IMPOSSIBLE)]
    assert (summary.steps > 0) >= bool(begun)
    assert not begun or summary.model["decide"].calls >= len(begun)
    assert profile not in ("e", "native") or summary.model["plan"].calls >= len(GOALS)
    for one in recorded_calls(RunFolder(run.out)):
        held_to_its_schema(one.call)


def held_to_its_schema(call: ModelCall) -> None:
    """What a server answered in whole is what it was asked for."""
    assert call.error is None
    assert call.reply is not None
    if call.usage.output_tokens < call.request["max_tokens"]:
        jsonschema.validate(json.loads(call.reply), call.request["response_format"]["json_schema"]["schema"])
