"""``manyhands bench model`` on a real vLLM: its page and its JSON."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from manyhands.benchmarks.model.figures import why_unsure
from manyhands.benchmarks.model.report import ModelReport
from tests.vllm.server import MAX_PIXELS, VllmServer

MINUTES = 3
LONGEST_S = 60 * MINUTES + 300


@pytest.fixture(scope="module")
def measured(qwen3: VllmServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a measurement."""
    out = tmp_path_factory.mktemp("bench") / "measured"
    words = ["bench", "model", "--mllm-url", qwen3.url, "--dialect", "qwen3-vl", "--max-pixels", str(MAX_PIXELS)]
    words += ["--profile", "e", "--phones", "2", "--clicks", "6", "--minutes", str(MINUTES), "--out", str(out)]
    run(*words)
    return out


def run(*words: str) -> None:
    command = [sys.executable, "-m", "manyhands", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    assert done.returncode == 0, done.stderr + done.stdout


def test_the_report_has_what_the_server_tells(measured: Path, qwen3: VllmServer) -> None:
    report = ModelReport.model_validate_json((measured / "model.json").read_text())
    assert report.is_whole
    assert (report.server.model, report.server.stand_in) == (qwen3.model.name, "")
    assert report.server.version
    assert report.server.max_model_len == 16_384
    assert report.server.cache_tokens is not None
    assert report.schemas is not None
    assert (report.schemas.obeyed, report.schemas.failed) == (8, 0)
    assert report.clicks is not None
    (profile,) = report.profiles
    loads = [load for load in profile.loads if load.calls]
    assert loads
    for load in loads:
        assert load.fates.failed == 0
        assert load.input_tokens_step is not None
        assert load.input_tokens_step > load.fates.calls > 0
        assert load.queue is not None
        assert load.queue.cache_usage is not None
    assert max(load.cached_share or 0 for load in loads) > 0.2
    assert (profile.carried is None) == bool(why_unsure(profile.loads))  # a slow machine has too few calls


def test_the_page_names_what_answered(measured: Path, qwen3: VllmServer) -> None:
    page = (measured / "model.html").read_text()
    assert qwen3.model.name in page
    assert "Qwen3-VL-8B" not in page


def test_no_request_is_left_on_the_server(measured: Path, qwen3: VllmServer) -> None:
    deadline = time.monotonic() + 60
    while (left := qwen3.metrics()["vllm:num_requests_running"]) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert left == 0
