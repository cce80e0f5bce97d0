"""What ``manyhands mllm --print`` says for each listed model on GPUs of 80 GiB.

A golden file holds the smallest of 1, 2, 4 and 8 GPUs that the model fits on, and why fewer do not. To write the
files anew after a change that is meant, run this file's tests with ``WRITE_GOLDEN=1`` in the environment,
then read the difference. tests/vllm/check_flags.py parses them with vLLM's own parser.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app
from tests.deploy.serving.printed import MEMORY, MODELS, printed

GOLDEN = Path(__file__).with_name("golden")
RAY = ("Qwen/Qwen3-VL-8B-Instruct-FP8", "Qwen/Qwen3-VL-235B-A22B-Instruct-FP8", "Qwen/Qwen3-VL-8B-Thinking-FP8")
WRITE = bool(os.environ.get("WRITE_GOLDEN"))


def golden_text(model: str) -> str:
    lines = []
    for gpus in (1, 2, 4, 8):
        code, text = printed(model, gpus)
        if code == 0:
            return (
                "".join(lines) + f"# manyhands mllm --model {model} --gpus {gpus} --gpu-memory {MEMORY} --print\n{text}"
            )
        assert code == 2, text
        lines.append(f"# --gpus {gpus}: {text}")
    return "".join(lines)


def compare(path: Path, text: str) -> None:
    if WRITE:
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("model", MODELS)
def test_print_of_each_model_is_its_golden_file(model: str) -> None:
    compare(GOLDEN / f"{model.partition('/')[2]}.txt", golden_text(model))


@pytest.mark.parametrize("model", RAY)
def test_print_for_ray_is_its_golden_file(model: str) -> None:
    code, text = printed(model, 8, "--on", "ray")
    assert code == 0, text
    assert yaml.safe_load(text)["applications"]
    compare(GOLDEN / f"{model.partition('/')[2]}.yaml", text)


def test_the_gpus_of_a_ray_cluster_are_not_those_that_this_process_may_see() -> None:
    arguments = ["mllm", "--model", RAY[0], "--gpus", "8", "--gpu-memory", MEMORY, "--print"]
    seen = {"CUDA_VISIBLE_DEVICES": "0", "PATH": ""}
    assert CliRunner().invoke(app, [*arguments, "--on", "ray"], env=seen).exit_code == 0
    here = CliRunner().invoke(app, arguments, env=seen)
    assert (here.exit_code, "CUDA_VISIBLE_DEVICES shows 0 only" in here.output) == (2, True)


def test_there_is_no_golden_file_of_a_model_that_is_not_listed() -> None:
    names = {f"{model.partition('/')[2]}.txt" for model in MODELS}
    assert {path.name for path in GOLDEN.glob("*.txt")} == names


@pytest.mark.parametrize("model", ["Qwen/Qwen3-VL-8B-Thinking-FP8", "Qwen/Qwen2.5-VL-7B-Instruct", "Qwen/Qwen3.5-9B"])
def test_run_takes_the_whole_line_that_is_printed(model: str, tmp_path: Path, unused_tcp_port: int) -> None:
    code, text = printed(model, 1, "--port", str(unused_tcp_port), "--json")
    assert code == 0, text
    line = shlex.split(json.loads(text)["run"])
    (tmp_path / "tasks.yaml").write_text("- {id: one, goal: Turn on dark mode.}\n")
    variables = dict(word.split("=", 1) for word in line[: line.index("manyhands")])
    words = ["run", str(tmp_path / "tasks.yaml"), *line[line.index("TASKS.yaml") + 1 :], "--phones", "virtual:1"]
    done = CliRunner().invoke(app, words, env={**variables, "MANYHANDS_MODEL_WAIT_S": "0"})
    assert done.exit_code == 2
    assert f"http://127.0.0.1:{unused_tcp_port}/v1 cannot be reached" in done.output


def test_json_tells_the_same() -> None:
    code, text = printed("Qwen/Qwen3-VL-8B-Instruct-FP8", 2, "--json")
    value = json.loads(text)
    assert code == 0
    assert [server["url"] for server in value["servers"]] == ["http://127.0.0.1:8000/v1", "http://127.0.0.1:8001/v1"]
    assert value["dialect"] == "qwen3-vl"
    assert value["run"].endswith("--dialect qwen3-vl --max-pixels 1048576")


def test_print_takes_the_path_of_an_executable_elsewhere() -> None:
    path = "/path/to/that/environment/bin/vllm"
    status, text = printed("Qwen/Qwen3-VL-8B-Instruct-FP8", 2, "--vllm", path)
    assert status == 0
    assert text.count(f"{path} serve") == 2
