"""Exports read by the trainers themselves: rows counted, the first and the last compared with what was sent.

Each trainer has an environment of its own (``make test-trainers``), with a tiny Qwen3-VL whose processor is real.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.recorded_calls import RecordedCall, recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.geometry import Size
from manyhands.rollouts.pictures import Pictures
from tests.evaluation.run_records import planned, span
from tests.rollouts.sketched_run import Sketch, asked, picture_id, picture_part, sketch_run
from tests.rollouts.test_export import as_sent

ROOT = Path(__file__).parents[2]
LOADERS = ROOT / ".venv-loaders" / "bin"
"""Where the command is that writes Parquet."""
TRAINERS = ROOT / ".venv-trainers"
EPISODES = 26
"""More than one part."""
SIZE = Size(width=540, height=1170)
"""More pixels than LLaMA-Factory's default allows."""
FACTOR = 32
"""Qwen3-VL shows a square of so many pixels as one token, and rounds sides to whole squares."""
SHOWN = Size(width=round(SIZE.width / FACTOR) * FACTOR, height=round(SIZE.height / FACTOR) * FACTOR)
"""What a model sees of it: it is neither so small nor so large that it would be scaled further."""
PLACES = SHOWN.width * SHOWN.height // FACTOR**2
PLACE = "<|vision_start|><|image_pad|><|vision_end|>"
pytestmark = pytest.mark.timeout(600)


@dataclass(frozen=True)
class Sent:
    """A call as the server got it."""

    messages: list[tuple[str, str]]
    pictures: list[bytes]
    reply: str
    has_earlier_reply: bool

    @property
    def text(self) -> str:
        """What Qwen's chat template makes of the call, with one token for each picture."""
        turns = [f"<|im_start|>{role}\n{text.replace('<image>', PLACE)}<|im_end|>\n" for role, text in self.messages]
        return f"{''.join(turns)}<|im_start|>assistant\n{self.reply}<|im_end|>"


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with rows without pictures, in other scripts, and with an earlier reply of the model."""
    picture = picture_part(picture_id(1, SIZE))
    again = [{"role": "assistant", "content": "nonsense"}, {"role": "user", "content": "Again, {{content}}."}]
    when, usage = span(0, 1), {"input_tokens": 2000, "output_tokens": 50, "cached_tokens": 0}
    odd = [
        planned(0, when, asked(Role.PLAN, "Only words.", usage=usage)),
        planned(0, when, asked(Role.PLAN, "屏幕 \t🙂 <b>", picture, "%s {0}", reply=' {"目标": "x"}\n')),
        planned(0, when, asked(Role.PLAN, picture, "The plan?", reply="good", turns=again)),
    ]
    plans = [planned(0, when, asked(Role.PLAN, f"Task {number}.", picture)) for number in range(EPISODES)]
    sketches = [
        Sketch(
            f"t{number:02}-1-a",
            task=f"t{number:02}",
            goal=f"Do {number}",
            at=number,
            steps=1,
            size=SIZE,
            extra=[plans[number], *(odd if number == EPISODES - 1 else ())],
        )
        for number in range(EPISODES)
    ]
    return sketch_run(tmp_path_factory.mktemp("runs") / "run", *sketches)


@pytest.fixture(scope="session")
def sent(run: Path) -> list[Sent]:
    pictures = Pictures(RunFolder(run))

    def read(recorded: RecordedCall) -> Sent:
        messages, shown = as_sent(recorded.call, pictures)
        assert recorded.call.reply is not None
        return Sent(messages, shown, recorded.call.reply, ("assistant", "nonsense") in messages)

    return [read(recorded) for recorded in recorded_calls(RunFolder(run))]


ReadExport = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def read(run: Path, tmp_path: Path) -> ReadExport:
    """Export in a format, and read the export with a trainer in its environment."""

    def read_with(trainer: str) -> list[dict[str, Any]]:
        out = tmp_path / "out"
        words = [LOADERS / "manyhands", "export", run, "--format", trainer, "--out", out, "--json"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        words = [TRAINERS / trainer / "bin" / "python", Path(__file__).with_name("read_export.py"), trainer, out]
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr[-3000:]
        rows: list[dict[str, Any]] = json.loads((tmp_path / "rows.json").read_text())
        return rows

    return read_with


def check(rows: list[dict[str, Any]], calls: list[Sent]) -> None:
    """Check all rows: trainers read the files of a folder in any order."""
    assert len(rows) == len(calls)
    in_order = sorted(rows, key=lambda row: str(row["text"]))
    for row, call in zip(in_order, sorted(calls, key=lambda call: call.text), strict=True):
        assert row["text"].removesuffix("\n") == call.text
        assert row["pictures"] == [hashlib.sha256(picture).hexdigest() for picture in call.pictures]
        assert row["places"] == [PLACES] * len(call.pictures)
        assert row["loss"].removesuffix("\n") == f"{call.reply}<|im_end|>"
        assert row["loss_ids"][: len(row["reply_ids"])] == row["reply_ids"]


@pytest.mark.parametrize("trainer", ["trl", "llamafactory", "swift"])
def test_trainer_reads_each_row_and_learns_the_reply(trainer: str, read: ReadExport, sent: list[Sent]) -> None:
    assert len(sent) == EPISODES * 3 + 3
    check(read(trainer), sent)


def test_verl_reads_each_row_and_learns_the_reply(read: ReadExport, sent: list[Sent]) -> None:
    calls = [call for call in sent if not call.has_earlier_reply]
    assert len(calls) == EPISODES * 3 + 2
    rows = read("verl")
    check(rows, calls)
    for row in rows:
        assert row["text"].startswith(row["prompt"])
        assert row["text"].removeprefix(row["prompt"]).removesuffix("\n") == row["loss"].removesuffix("\n")
        assert row["prompt_sizes"] == [[SHOWN.width, SHOWN.height]] * len(row["pictures"])
