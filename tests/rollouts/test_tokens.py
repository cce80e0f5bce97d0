"""What exports hold of tokens that a run recorded, and of the weights that wrote a reply."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

from manyhands.actors.redaction.redactions import Redactions
from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.rewards import Rewards
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.roles.role import Role
from manyhands.rollouts.export import Exporter
from manyhands.rollouts.filters import Filters
from manyhands.rollouts.formats import format_named
from manyhands.rollouts.formats.parquet import Verl
from manyhands.rollouts.plan import plan_export
from manyhands.rollouts.rows import TrainingRow, episode_facts, rows_of
from tests.evaluation.run_records import planned, span
from tests.rollouts.sketched_run import TOKENS, WEIGHTS, Sketch, asked, lines, sketch_run
from tests.rollouts.test_export import TRAIN, export, facts, files, rows

IDS = {"prompt_token_ids": [5, 151_655, 151_655, 6], "completion_token_ids": [7, 8], "logprobs": [-0.5, -0.25]}


def training_rows(run: Path) -> list[tuple[Any, TrainingRow]]:
    found = []
    for scan in RunFolder(run).journals.values():
        episode = episode_of(scan.records)
        assert episode is not None
        known = episode_facts(episode, {}, str, Rewards.of_run(RunFolder(run)))
        found += [(known, row) for row in rows_of(episode, scan.records) if isinstance(row, TrainingRow)]
    return found


def test_verl_has_the_columns_of_slimes_samples(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a", steps=1, tokens=TOKENS))
    (_, operator), (known, reflector) = training_rows(run)
    values = Verl().values(known, operator, 0)
    assert (values["tokens"], values["response_length"]) == ([5, 151_655, 151_655, 6, 7, 8], 2)
    assert (values["loss_mask"], values["rollout_log_probs"]) == ([1, 1], [-0.5, -0.25])
    assert values["weight_versions"] == ["3", "4"]
    assert values.keys() <= Verl.features.keys()
    assert "tokens" not in Verl().values(known, reflector, 1)


def test_webdataset_has_them_beside_the_reply(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a", steps=1, tokens=TOKENS))
    export(tmp_path / "out", run, format_name="webdataset")
    with tarfile.open(tmp_path / "out" / "train" / "00000.tar") as tar:
        files = [tar.extractfile(member) for member in tar if member.name.endswith(".json")]
        operator, reflector = [json.load(file) for file in files if file is not None]
    assert operator["tokens"] == IDS
    assert "tokens" not in reflector


def test_atif_has_those_of_the_reply_that_decided_the_step(tmp_path: Path) -> None:
    other = planned(0, span(0, 1), asked(Role.PLAN, "q", tokens=TOKENS.pack([1], [], [])))
    run = sketch_run(tmp_path / "run", Sketch("one-1-a", steps=1, tokens=TOKENS, extra=[other]))
    export(tmp_path / "out", run, format_name="atif")
    (found,) = lines(tmp_path / "out" / "train" / "one-1-a.json")
    metrics = found["steps"][1]["metrics"]
    assert {name: metrics[name] for name in IDS} == IDS
    assert metrics["extra"] == {"token_ids_of": "operator"}


def test_a_row_names_the_weights_and_the_sampling(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a", steps=1, tokens=TOKENS))
    export(tmp_path / "out", run, format_name="llamafactory")
    operator, reflector = [facts(row) for row in rows(tmp_path / "out")]
    assert operator["weights"] == [span.model_dump() for span in WEIGHTS]
    assert operator["sampling"] == {"temperature": 0.0}
    assert reflector["weights"] == []


def test_an_export_that_redacts_has_no_ids(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a", steps=1, tokens=TOKENS))
    for name in ("webdataset", "atif"):
        plan = plan_export([run], format_named(name), Filters(), TRAIN, Redactions(typed=False))
        Exporter(plan, tmp_path / name, "manyhands export").export()
        assert not any(b"token_ids" in content for content in files(tmp_path / name / "train").values())
