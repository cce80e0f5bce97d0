"""What a step of ``native`` costs a real engine: calls, and input tokens that its cache has not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vllm.rehearsing import rehearsed_run
from tests.vllm.sent_again import send_again
from tests.vllm.server import VllmServer

TASKS = ("laptop_cart", "tidy_notes", "meeting_note")
MOST_TOKENS = 1900
MOST_CALLS = 1.25


@pytest.mark.ray
def test_a_step_of_native_is_one_call_and_little_more_than_its_picture(
    qwen3: VllmServer, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    run = rehearsed_run(tmp_path, adb_server[1], TASKS, "--profile", "native")
    cost = send_again(run, qwen3.url, qwen3.model.name)
    print(f"native: {cost}")  # noqa: T201
    assert cost.steps > 20
    assert cost.calls_a_step <= MOST_CALLS
    assert cost.uncached_a_step <= MOST_TOKENS
