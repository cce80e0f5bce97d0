"""What ``manyhands mllm --print`` prints, wherever the tests run."""

from __future__ import annotations

from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app
from manyhands.deploy.serving.catalogue import LISTED

MEMORY = "80GiB"
MODELS = (*LISTED, "Qwen/Qwen3.9-27B", "Qwen/Qwen3-VL-8B-Thinking-FP8")
"""Those of the catalogue, a later one that is guessed, and one that thinks."""


def printed(model: str, gpus: int, *more: str, memory: str = MEMORY) -> tuple[int, str]:
    """The exit code and the output."""
    arguments = ["mllm", "--model", model, "--gpus", str(gpus), "--gpu-memory", memory, "--print", *more]
    # The environment of whoever runs the tests must not show in the output.
    result = CliRunner().invoke(app, arguments, env={"CUDA_VISIBLE_DEVICES": "", "PATH": ""})
    return result.exit_code, result.output
