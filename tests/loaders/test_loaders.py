"""Exports read by the real loaders: rows counted, the first and the last compared with what was sent."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.frames import decode_jpeg
from manyhands.protocol.roles.role import Role
from tests.evaluation.run_records import planned, span
from tests.rollouts.sketched_run import REPLY, TOKENS, Sketch, asked, jpeg, picture_id, sketch_run

ROOT = Path(__file__).parents[2]
BIN = ROOT / ".venv-loaders" / "bin"
JSON_LINES = ("llamafactory", "swift", "qwen")
EPISODES = 60
"""More than two parts."""


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of many parts, in which some rows have no picture, and some rewards are missing."""
    words = [planned(0, span(0, 1), asked(Role.PLAN, "Only words."))]
    sketches = [
        Sketch(
            f"t{number:02}-1-a",
            task=f"t{number:02}",
            goal=f"Do {number}",
            at=number,
            verified=None if number < 30 else True,
            extra=words if number % 2 else (),
            person=number == 40,
            tokens=TOKENS if number else None,
        )
        for number in range(EPISODES)
    ]
    return sketch_run(tmp_path_factory.mktemp("runs") / "run", *sketches)


def export(run: Path, out: Path, name: str, *options: str) -> dict[str, int]:
    """Export by the command, where only the extra ``rollouts`` is installed."""
    words = [BIN / "manyhands", "export", run, "--format", name, "--out", out, "--json", *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    counts: dict[str, int] = json.loads(done.stdout)["rows"]
    return counts


def read(loader: str, out: Path) -> list[dict[str, Any]]:
    words = [BIN / "python", ROOT / "tests" / "loaders" / "read_export.py", loader, out]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def of_split(found: list[dict[str, Any]], split: str) -> list[dict[str, Any]]:
    return [row for row in found if row["split"] == split]


@pytest.mark.parametrize("name", JSON_LINES)
def test_datasets_reads_json_lines_by_the_card(run: Path, tmp_path: Path, name: str) -> None:
    counts = export(run, tmp_path / "out", name, "--split", "train=8,test=2")
    found = read("datasets", tmp_path / "out")
    assert {split: len(of_split(found, split)) for split in counts} == counts
    assert sum(counts.values()) == (EPISODES - 1) * 4 + EPISODES // 2
    for row in (of_split(found, "train")[0], of_split(found, "train")[-2]):
        facts = json.loads(row["facts"])
        pictures = [(tmp_path / "out" / path).read_bytes() for path in row["pictures"]]
        shown = (0,) if facts["role"] == "decide" else (1, 2)
        assert pictures == [jpeg(number) for number in shown]
        last = row["conversations"][-1]["value"] if name == "qwen" else row["messages"][-1]["content"]
        assert last == (REPLY if facts["role"] == "decide" else '{"outcome": "A"}')


@pytest.mark.parametrize("name", ["trl", "verl"])
def test_datasets_reads_parquet_with_its_pictures(run: Path, tmp_path: Path, name: str) -> None:
    counts = export(run, tmp_path / "out", name, "--role", "operator")
    found = read("datasets", tmp_path / "out")
    assert counts == {"train": len(found)} == {"train": (EPISODES - 1) * 2}
    for row, number in ((found[0], 0), (found[-1], 1)):
        rgb = decode_jpeg(jpeg(number))
        height, width = rgb.shape[:2]
        ((size, _),) = row["pictures"]
        assert size == [width, height]
        if name == "trl":
            assert [part["type"] for part in row["prompt"][1]["content"]] == ["text", "image", "text"]
            assert row["completion"] == [{"role": "assistant", "content": [{"type": "text", "text": REPLY}]}]
        else:
            assert row["messages"][-1] == {"role": "assistant", "content": REPLY}
            assert row["prompt"][1]["content"] == f"What next?\n<image>Step {number}.\n"
    if name == "verl":
        assert len({row["extra_info"]["index"] for row in found}) == len(found)
        columns = ("tokens", "response_length", "loss_mask", "rollout_log_probs", "weight_versions")
        assert [found[0][name] for name in columns] == [None, None, None, None, []]
        tokens = [*TOKENS.prompt_ids, *TOKENS.reply_ids]
        assert [found[-1][name] for name in columns] == [tokens, 2, [1, 1], [-0.5, -0.25], ["3", "4"]]


def test_webdataset_reads_its_tar_files(run: Path, tmp_path: Path) -> None:
    counts = export(run, tmp_path / "out", "webdataset")
    found = read("webdataset", tmp_path / "out")
    assert counts == {"train": len(found)}
    assert found[0]["pictures"] == [sha256(jpeg(0))]
    assert found[-2]["pictures"] == [sha256(jpeg(number)) for number in (1, 2)]
    assert found[-1]["pictures"] == []
    assert found[-1]["messages"][-1]["content"] == [{"type": "text", "text": "Only words.\n"}]


def test_atif_accepts_trajectories_of_agents_and_persons(run: Path, tmp_path: Path) -> None:
    counts = export(run, tmp_path / "out", "atif")
    found = read("atif", tmp_path / "out")
    assert counts == {"train": len(found)} == {"train": EPISODES}
    assert {tuple(row["pictures"]) for row in found} == {tuple(sha256(jpeg(number)) for number in (0, 1, 2))}
    assert [row["extra"]["by"] for row in found].count("person") == 1
    assert found[-1]["steps"][1]["metrics"]["completion_token_ids"] == [7, 8]
    assert (tmp_path / "out" / "images" / f"{picture_id(2)}.jpg").is_file()
