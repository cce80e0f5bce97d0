"""``manyhands bench model`` over HTTP: against the canned and the rehearsed model, and interrupted."""

from __future__ import annotations

import html
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from rich.console import Console
from typer.testing import CliRunner

from manyhands.actors.mllm import LoadingWait, ModelSettings
from manyhands.benchmarks.model.page import to_html
from manyhands.benchmarks.model.pictures import PictureFigures
from manyhands.benchmarks.model.ramp import RampPlan
from manyhands.benchmarks.model.report import ModelReport
from manyhands.benchmarks.model.run import LoadLines, Measurement, MeasurementPlan, examine_server
from manyhands.deploy.command_line.cli import app
from tests.actors.mllm.model_servers import ModelServer, serving
from tests.deploy.doctor.seeing_model import SeeingModel
from tests.deploy.scripted_model import scripted_model

BENCH = [sys.executable, "-m", "manyhands", "bench", "model"]


@pytest.fixture(scope="module")
def canned_url() -> Iterator[str]:
    """A canned model in a process of its own; each reply takes 20 ms at least."""
    words = [sys.executable, "-m", "manyhands.simulator.canned.model", "--json", "--until-stdin-closes"]
    latencies = [word for role in ("plan", "decide", "reflect", "note") for word in ("--latency", f"{role}=0.02")]
    with subprocess.Popen([*words, *latencies], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
        assert process.stdin is not None
        process.stdin.close()


def measured(folder: Path, *options: str) -> dict[str, Any]:
    done = subprocess.run(
        [*BENCH, "--out", str(folder), "--json", *options], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_canned_server_is_measured_as_what_it_is(canned_url: str, tmp_path: Path) -> None:
    said = measured(tmp_path / "out", "--mllm-url", canned_url, "--profile", "e", "--minutes", "0.15", "--phones", "2")
    report = ModelReport.model_validate_json((tmp_path / "out" / "model.json").read_text())
    assert report.model_dump(mode="json") == {name: value for name, value in said.items() if name != "out"}
    assert report.is_whole
    assert report.server.model == "manyhands-canned"
    assert "none of its figures is a figure of Qwen-VL" in report.server.stand_in
    assert report.notes[0].startswith("What answered is the canned model")
    assert "none of its figures is a figure of Qwen-VL" in (tmp_path / "out" / "model.html").read_text()
    (profile,) = report.profiles
    assert profile.profile == "e"
    assert [load.phones for load in profile.loads][:1] == [1]
    for load in profile.loads:
        assert load.fates.failed == 0
        assert load.fates.calls > 0
        assert load.input_tokens_step is not None
        assert load.queue is not None
        assert load.queue.running is not None
    if profile.carried is None:  # a very busy machine
        assert profile.unsure
    else:
        assert profile.carried.steps_s == pytest.approx(0.7 * profile.carried.most_steps_s)


def test_a_server_that_answers_anything_carries_no_phones(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with scripted_model(lambda _name, _sections: {"greeting": "Hello!"}) as url:
        words = [*BENCH, "--mllm-url", url, "--profile", "native", "--phones", "2", "--minutes", "0.2"]
        done = subprocess.run([*words, "--out", str(out)], capture_output=True, check=False, text=True)
    assert done.returncode == 1, done.stderr
    assert ", 0% of replies valid" in done.stdout
    assert "\nnative (our JSON, under a schema): only 0 of" in done.stdout
    report = ModelReport.model_validate_json((out / "model.json").read_text())
    (profile,) = report.profiles
    assert profile.carried is None
    assert [load.phones for load in profile.loads] == [1]
    page = (out / "model.html").read_text()
    assert f'<p class="warning">native: only 0 of {profile.fates.calls} replies are valid' in page
    assert "phones</b>carried" not in page


def test_the_rehearsed_model_reads_what_phones_send(tmp_path: Path) -> None:
    options = ("--mllm-url", "rehearsed", "--profile", "e", "--minutes", "0.3", "--phones", "1")
    report = ModelReport.model_validate(measured(tmp_path / "out", *options))
    assert report.server.model == "manyhands-rehearsed"
    (profile,) = report.profiles
    fates = [load.fates for load in profile.loads]
    assert sum(fate.calls for fate in fates) > 0
    assert sum(fate.valid for fate in fates) == sum(fate.calls for fate in fates)


def test_ctrl_c_writes_what_was_measured(canned_url: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = [*BENCH, "--mllm-url", canned_url, "--profile", "e", "--minutes", "5", "--phones", "64", "--out", str(out)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "1 phone:" in line:
                break
        os.kill(process.pid, signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 130
    assert "Written:" in rest
    report = ModelReport.model_validate_json((out / "model.json").read_text())
    assert not report.is_whole
    assert "was interrupted" in (out / "model.html").read_text()
    assert report.profiles[0].stopped == "interrupted"
    assert report.profiles[0].loads[0].phones == 1


async def _measurement(url: str, shown: io.StringIO) -> Measurement:
    """A measurement without a load, whose lines are written to ``shown``."""
    settings = ModelSettings(urls=(url,))
    plan = MeasurementPlan(3.0, RampPlan((1,), 10.0), 3.5, "none")
    server = await examine_server(settings, None, "qwen3-vl")
    return Measurement(plan, settings, server, (), LoadLines(Console(file=shown, width=500)))


@pytest.mark.parametrize(
    ("cache", "line"),
    [
        ("hits", "a step of a chat reads up to"),
        ("none", "vllm-project/vllm issue 43587"),
        ("silent", "--enable-prompt-tokens-details"),
    ],
)
async def test_the_prefix_cache_is_judged(cache: Literal["hits", "none", "silent"], line: str) -> None:
    shown = io.StringIO()
    async with SeeingModel(cache=cache) as model:
        measurement = await _measurement(model.url, shown)
        await measurement.run()
    report = measurement.report()
    assert report.cache is not None
    assert line in report.cache.description
    assert f"prefix cache: {report.cache.description}" in shown.getvalue()
    assert html.escape(line) in to_html(report)


async def test_pictures_that_one_thread_prepares_limit_a_server() -> None:
    shown = io.StringIO()
    async with SeeingModel(picture_s=0.1) as model:
        measurement = await _measurement(model.url, shown)
        await measurement.run()
    figures = measurement.report().pictures
    assert figures is not None
    assert figures.pictures_s <= 10.5
    assert figures.api_servers > 1
    assert f"--api-server-count {figures.api_servers}" in shown.getvalue()


@pytest.mark.parametrize(
    ("pictures_s", "text_tokens_s", "api_servers"), [(40, 45_000, 1), (40, 79_000, 1), (40, 100_000, 3), (5, 10**6, 8)]
)
def test_more_api_processes_are_advised_by_how_much_slower_pictures_are(
    pictures_s: float, text_tokens_s: float, api_servers: int
) -> None:
    figures = PictureFigures(pictures_s=pictures_s, picture_tokens=1_000, text_tokens_s=text_tokens_s)
    assert figures.api_servers == api_servers
    assert ("--api-server-count" in figures.description) == (api_servers > 1)


async def test_a_server_that_is_loading_is_waited_for() -> None:
    lines: list[str] = []
    server = ModelServer()
    server.loading = 1
    async with serving(server):
        settings = ModelSettings(urls=(server.url,))
        found = await examine_server(settings, "qwen3-vl", "qwen3-vl", LoadingWait(600, lines.append))
    assert found.model == "stand-in"
    assert f"{server.url} answered 503: Loading model. Waiting up to" in lines[0]
    assert lines[1:] == [f"{server.url} has loaded its model"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--mllm-url", "localhost:8000"], "no http:// or https:// address"),
        (["--mllm-url", "rehearsed,http://127.0.0.1:1/v1"], "stands alone"),
        (["--mllm-url", "http://127.0.0.1:1/v1"], "cannot be reached"),
        (["--mllm-url", "rehearsed", "--profile", "nothing"], "no recording of it ships"),
        (["--mllm-url", "rehearsed", "--profile", "e", "--run", "runs/1"], "leave it out"),
    ],
)
def test_what_cannot_be_measured_is_refused(options: list[str], why: str, tmp_path: Path) -> None:
    words = ["bench", "model", "--out", str(tmp_path / "out"), "--json", *options]
    result = CliRunner().invoke(app, words, env={"MANYHANDS_MODEL_WAIT_S": "0"})
    assert result.exit_code == 2
    assert why in json.loads(result.stdout)["error"]
    assert not (tmp_path / "out").exists()
