"""``mllm --print`` for each model of the catalogue prints commands that the installed vLLM's own parser takes."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.deploy.serving.printed import MODELS, printed

CHECK_FLAGS = Path(__file__).with_name("check_flags.py")
LARGE, SMALL = "141GiB", "24GiB"


def arrangements(model: str) -> dict[str, str]:
    """What is printed for a model: whole and split, with a cache of 8 bits, with drafts, without a GPU, for Ray."""
    asked = {
        "large.txt": printed(model, 8, memory=LARGE),
        "small.txt": printed(model, 8, memory=SMALL),
        "fp8.txt": printed(model, 8, "--kv-cache", "fp8", "--api-key-env", "KEY", "--host", "0.0.0.0", memory=LARGE),
        "ngram.txt": printed(model, 8, "--draft", "ngram", memory=LARGE),
        "mtp.txt": printed(model, 8, "--draft", "mtp", memory=LARGE),
        "cpu.txt": printed(model, 0, "--offline", memory="2000GiB"),
        "ray.yaml": printed(model, 8, "--on", "ray", memory=LARGE),
    }
    refused = {name: text for name, (code, text) in asked.items() if code != 0}
    reasons = {"small.txt": "does not fit", "cpu.txt": "is quantised", "mtp.txt": "has no heads"}
    for name, text in refused.items():
        assert reasons[name] in text
    return {name: text for name, (_, text) in asked.items() if name not in refused}


def test_vllms_own_parser_takes_what_is_printed_for_each_model(vllm: Path, tmp_path: Path) -> None:
    for number, model in enumerate(MODELS):
        for name, text in arrangements(model).items():
            (tmp_path / f"{number}-{name}").write_text(text, encoding="utf-8")
    files = sorted(str(path) for path in tmp_path.iterdir())
    assert len(files) > 4 * len(MODELS)
    command = [str(vllm.with_name("python")), str(CHECK_FLAGS), *files]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
