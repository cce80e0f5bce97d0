"""The order of a prompt's parts, on a real engine: how much of an episode's input its caches hold."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.records import Acted
from tests.vllm.layouts import Answer, Call, Engine, Layout, Picture, list_after_its_picture, pictures_first, recorded
from tests.vllm.server import VllmServer

TASKS = ("laptop_cart", "tidy_notes")
SUITE = Path(__file__).parents[2] / "simulator" / "suites" / "everyday.yaml"


@pytest.fixture(scope="module")
def rehearsed_run(adb_server: tuple[str, int], tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Two tasks of the everyday suite on virtual phones, with the rehearsed model: prompts of whole episodes."""
    folder = tmp_path_factory.mktemp("rehearsed")
    command = [sys.executable, "-m", "manyhands", "run", str(SUITE), "--phones", "virtual:2"]
    command += ["--mllm-url", "rehearsed", "--adb-port", str(adb_server[1]), "--out", str(folder / "run")]
    command += [word for task in TASKS for word in ("--task", task)]
    environment = {**os.environ, "MANYHANDS_STATE_DIR": str(folder / "state")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode in (0, 1), done.stderr
    return RunFolder(folder / "run")


@pytest.mark.ray
def test_the_order_that_is_measured_is_the_one_that_is_sent(rehearsed_run: RunFolder) -> None:
    made = recorded_calls(rehearsed_run)
    sent = {call.call.started_at: call.call.request for call in made}
    assert len(sent) == len(made) > 20
    for call, at in zip(recorded(rehearsed_run), sorted(sent), strict=True):
        system, user = sent[at]["messages"]
        wanted_system, wanted = list_after_its_picture(call)
        assert system["content"] == wanted_system
        assert [_shown(part) for part in user["content"]] == [_text(part) for part in wanted if part]


@pytest.mark.ray
def test_most_of_an_episodes_input_is_cached(qwen3: VllmServer, rehearsed_run: RunFolder) -> None:
    calls = recorded(rehearsed_run)
    steps = sum(isinstance(record, Acted) for scan in rehearsed_run.journals.values() for record in scan.records)
    engine = Engine(qwen3.url, qwen3.model.name, rehearsed_run)
    used = _sent(engine, calls, list_after_its_picture)
    other = _sent(engine, calls, pictures_first)
    assert 1 - _fresh(used) / sum(answer.prompt_tokens for answer in used) >= 0.6
    assert _fresh(used) / steps <= 7000
    assert _fresh(used) < _fresh(other)


def _sent(engine: Engine, calls: Sequence[Call], layout: Layout) -> list[Answer]:
    return [engine.ask(call.role, *layout(call), layout.__name__) for call in calls]


def _fresh(answers: Sequence[Answer]) -> int:
    return sum(answer.prompt_tokens - answer.cached_tokens for answer in answers)


def _shown(part: dict[str, object]) -> object:
    return part["text"] if part["type"] == "text" else part["uuid"]


def _text(part: str | Picture) -> str:
    return f"{part}\n" if isinstance(part, str) else part.content_id
