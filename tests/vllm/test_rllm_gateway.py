"""rLLM's real gateway between a run and a real vLLM: a trace has its episode's tokens, and its reward arrives once."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.episodes import start_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import ModelSessionEnded
from manyhands.protocol.messages import CallTokens, ModelCall
from manyhands.protocol.roles.role import Role
from manyhands.rollouts.trajectories import EpisodeView
from tests.loaders.test_rllm_gateway import answered, fetch, gateway, texts
from tests.vllm.rehearsing import SUITE
from tests.vllm.running import OF_THE_MODEL, Run
from tests.vllm.server import VllmServer

TASKS = ("greeting", "dark_mode", "laptop_cart")


def earned(view: EpisodeView) -> float:
    """Score each episode by another number."""
    return TASKS.index(view.task) + len(view.steps) / 100


def of_call(call: ModelCall) -> tuple[str, str | None, CallTokens | None]:
    return texts(call.request["messages"]), call.reply, call.tokens


def of_trace(trace: dict[str, Any]) -> tuple[str, str | None, CallTokens | None]:
    tokens = CallTokens.pack(trace["prompt_token_ids"], trace["completion_token_ids"], trace["logprobs"])
    return texts(trace["messages"]), trace["response_message"]["content"], tokens


@pytest.mark.ray
async def test_each_trace_has_all_tokens_and_each_reward_arrives_once(
    qwen3: VllmServer, vllm: Path, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    config = tmp_path / "gateway.yaml"
    config.write_text("strip_vllm_fields: false\n")
    async with gateway(qwen3.url, tmp_path, vllm.parent, "--config", str(config)) as url:
        words = ["--model-sessions", "rllm", "--model-sessions-url", url, "--reward", f"{__name__}:{earned.__name__}"]
        words += ["--record-tokens", "--output-format", "json", str(SUITE)]
        words += [word for task in TASKS for word in ("--task", task)]
        run = Run([], adb_server[1], tmp_path, qwen3, extra=words)
        try:
            summary = await asyncio.to_thread(run.summary)
        finally:
            await asyncio.to_thread(run.stop)
        episodes = {name: scan.records for name, scan in RunFolder(run.out).journals.items()}
        sessions = {name: await fetch(f"{url}/sessions/{name}") for name in episodes}
        traces = {name: await fetch(f"{url}/sessions/{name}/traces") for name in episodes}
    assert {row.finished for row in summary.by_task} <= OF_THE_MODEL, summary.by_task
    rewards = {row.id: row.reward for row in summary.by_task}
    assert [int(rewards[task] or 0) for task in TASKS] == [0, 1, 2]
    assert len(episodes) == len(TASKS)
    roles: set[Role] = set()
    for name, records in episodes.items():
        started = start_of(records)
        assert started is not None
        reward = rewards[started.task.id]
        assert sessions[name]["metadata"]["reward"] == reward
        assert [record.reward for record in records if isinstance(record, ModelSessionEnded)] == [reward]
        journalled, traced = Counter(map(of_call, answered(records))), Counter(map(of_trace, traces[name]))
        assert traced == journalled
        roles.update(call.role for call in answered(records))
    assert roles >= {Role.PLAN, Role.DECIDE}
    log = (tmp_path / "gateway.log").read_text()
    assert log.count('"POST /admin/flush ') == len(TASKS)
    assert log.count('"POST /sessions ') == 2 * len(TASKS)
