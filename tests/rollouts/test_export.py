"""Exports of sketched runs: which rows there are, what they hold, what becomes of faults, losses and interruptions."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.mllm import restore_request
from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.evaluation.rewards import RecordedReward, RewardFile
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import Record, StageFailed
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.screens.crops import PromptPicture
from manyhands.rollouts.export import Exporter
from manyhands.rollouts.export_folder import STATE
from manyhands.rollouts.filters import Filters, Split
from manyhands.rollouts.formats import format_named
from manyhands.rollouts.pictures import Pictures
from manyhands.rollouts.plan import plan_export
from manyhands.rollouts.summary import ExportSummary
from tests.evaluation.run_records import decided, planned, resumed, span
from tests.rollouts.sketched_run import (
    HOME,
    Sketch,
    asked,
    jpeg,
    lines,
    picture_id,
    picture_part,
    sketch_run,
)

TRAIN = (Split(name="train", share=1),)


def export(
    out: Path, *runs: Path, splits: tuple[Split, ...] = TRAIN, format_name: str = "llamafactory", **filters: Any
) -> ExportSummary:
    plan = plan_export(runs, format_named(format_name), Filters.model_validate(filters), splits)
    return Exporter(plan, out, "manyhands export").export()


def rows(out: Path, split: str = "train") -> list[dict[str, Any]]:
    return [row for path in sorted((out / split).glob("*.jsonl")) for row in lines(path)]


def facts(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(row["facts"])
    return found


def files(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def test_a_row_holds_what_was_sent_and_what_is_known_beside_it(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a", serial="q"))
    out = tmp_path / "out"
    summary = export(out, run)
    assert summary.rows == {"train": 4}
    found = rows(out)
    assert found[0]["messages"] == [
        {"role": "system", "content": "You are the decide."},
        {"role": "user", "content": "What next?\n<image>Step 0.\n"},
        {"role": "assistant", "content": '{"action": {"name": "Tap", "x": 250, "y": 50}}'},
    ]
    assert found[0]["images"] == [f"images/{picture_id(0)}.jpg"]
    assert found[1]["messages"][1]["content"] == "Did it work?\n<image><image>"
    assert found[1]["images"] == [f"images/{picture_id(number)}.jpg" for number in (0, 1)]
    for row in found:
        for path in row["images"]:
            assert (out / path).read_bytes() in [jpeg(number) for number in range(3)]
    assert (out / found[-1]["images"][-1]).read_bytes() == jpeg(2)
    known = facts(found[2])
    assert {key: known[key] for key in ("task", "group", "seed", "attempt", "step", "turn", "role", "verdict")} == {
        "task": "one", "group": "one", "seed": 7, "attempt": 1, "step": 1, "turn": 0, "role": "decide", "verdict": "A",
    }  # fmt: skip
    assert (known["ending"], known["reward"], known["verified_by"], known["by"]) == ("finished", 1.0, "phone", "agent")
    assert (known["phone"], known["model"]) == ("phone 2", "a-model")
    assert '"q"' not in found[2]["facts"]


def as_sent(call: ModelCall, pictures: Pictures) -> tuple[list[tuple[str, str]], list[bytes]]:
    """The messages of a request and its pictures, read off the bytes that a server gets."""
    messages, sent_pictures = [], []
    for message in json.loads(restore_request(call, pictures.of(call.request)))["messages"]:
        text = ""
        for part in [message] if isinstance(message["content"], str) else message["content"]:
            text += part.get("text", "") or ("<image>" if "image_url" in part else part["content"])
            if "image_url" in part:
                sent_pictures.append(base64.b64decode(part["image_url"]["url"].removeprefix("data:image/jpeg;base64,")))
        messages.append((message["role"], text))
    return messages, sent_pictures


def test_rows_equal_the_bytes_that_replay_sends(tmp_path: Path) -> None:
    crop = PromptPicture(picture_id(0), half=True).content_id
    extra = [planned(0, span(0, 1), asked(Role.PLAN, picture_part(crop), "Half of it."))]
    run, out = sketch_run(tmp_path / "run", Sketch("one-1-a", extra=extra)), tmp_path / "out"
    export(out, run)
    pictures = Pictures(RunFolder(run))
    for row, recorded in zip(rows(out), recorded_calls(RunFolder(run)), strict=True):
        messages = [(message["role"], message["content"]) for message in row["messages"]]
        shown = [(out / path).read_bytes() for path in row["images"]]
        assert (messages[:-1], shown) == as_sent(recorded.call, pictures)
        assert messages[-1] == ("assistant", recorded.call.reply)


def test_calls_whose_replies_were_not_used_are_no_rows(tmp_path: Path) -> None:
    when = span(0, 1)
    mend = [{"role": "assistant", "content": "nonsense"}, {"role": "user", "content": "Again."}]
    picture = picture_part(picture_id(0))
    extra: list[Record] = [
        planned(0, when, asked(Role.PLAN, "q", picture, reply="nonsense"),
                asked(Role.PLAN, "q", picture, reply="good", repair=True, turns=mend)),
        planned(0, when, asked(Role.PLAN, "q", picture, reply=None, error="no server")),
        planned(0, when, asked(Role.PLAN, "q", picture, reply="other", unused=True)),
        StageFailed(step=0, span=when, stage="plan", code="reply_unusable", error="x",
                    calls=(asked(Role.PLAN, "q", picture, reply="bad"),)),
        decided(1, when, asked(Role.DECIDE, "q", picture, reply="dropped")),
        resumed(0, 5),
        decided(1, when, asked(Role.DECIDE, "q", picture, reply="again")),
    ]  # fmt: skip
    run = sketch_run(tmp_path / "run", Sketch("one-1-a", steps=1, extra=extra))
    summary = export(tmp_path / "out", run)
    assert [row["messages"][-1]["content"] for row in rows(tmp_path / "out")][2:] == ["good", "again"]
    assert summary.rows_left_out == {"reply not used": 3, "no reply": 1, "step discarded": 1}
    repaired = rows(tmp_path / "out")[2]["messages"]
    assert [message["role"] for message in repaired] == ["system", "user", "assistant", "user", "assistant"]


FAULTS = [
    ({"ending": Ending.PHONE_LOST}, "phone_lost"),
    ({"ending": Ending.LEASE_LOST}, "lease_lost"),
    ({"ending": None}, "host_lost"),
    ({"ending": Ending.NO_PHONE, "serial": "", "steps": 0}, "no_phone"),
    ({"ending": Ending.CANCELLED}, "cancelled"),
    ({"ending": Ending.MODEL_FAILED}, "model_failed"),
    ({"ending": Ending.PERCEPTION_FAILED}, "perception_failed"),
    ({"ending": Ending.INTERNAL_ERROR}, "internal_error"),
    (
        {
            "ending": Ending.TIME_LIMIT,
            "extra": [planned(0, span(0, 5).model_copy(update={"away": ((1.0, 4.0),)}))],
        },
        "time_limit while a server was away",
    ),
]


@pytest.mark.parametrize(("fields", "fault"), FAULTS)
def test_faults_are_left_out_and_have_no_reward(tmp_path: Path, fields: dict[str, Any], fault: str) -> None:
    lost = Sketch("one-1-a", **{"verified": False, **fields})
    run = sketch_run(tmp_path / "run", lost, Sketch("two-1-a", task="two", at=1))
    summary = export(tmp_path / "out", run)
    assert {facts(row)["task"] for row in rows(tmp_path / "out")} == {"two"}
    assert summary.episodes_left_out == {f"fault: {fault}": 1}
    assert f"fault: {fault} 1" in (tmp_path / "out" / "README.md").read_text()
    if fields.get("steps") != 0:
        export(tmp_path / "all", run, with_faults=True)
        assert {facts(row)["reward"] for row in rows(tmp_path / "all")} == {None, 1.0}


@pytest.mark.parametrize(
    ("ending", "reward"),
    [(Ending.STEP_LIMIT, 0.0), (Ending.TIME_LIMIT, 0.0), (Ending.IMPOSSIBLE, 0.0), (Ending.FAILURE_LIMIT, 0.0)],
)
def test_the_agents_own_failures_are_rewarded_with_nothing(tmp_path: Path, ending: Ending, reward: float) -> None:
    export(tmp_path / "out", sketch_run(tmp_path / "run", Sketch("one-1-a", ending=ending, verified=False)))
    assert {facts(row)["reward"] for row in rows(tmp_path / "out")} == {reward}


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"right-1-a", "right-2-a", "wrong-1-a", "judged-1-a", "looping-1-a", "silent-1-a"}),
    ({"verified": ("phone",)}, {"right-1-a", "right-2-a", "looping-1-a"}),
    ({"verified": ("judge",)}, {"judged-1-a"}),
    ({"verified": ("phone", "judge")}, {"right-1-a", "right-2-a", "judged-1-a", "looping-1-a"}),
    ({"verified": ("person",)}, {"wrong-1-a"}),
    ({"pass_rate": (0.1, 0.9)}, {"right-1-a", "wrong-1-a"}),
    ({"pass_rate": (1, 1)}, {"right-2-a", "judged-1-a", "looping-1-a"}),
    ({"no_loops": True}, {"right-1-a", "right-2-a", "wrong-1-a", "judged-1-a", "silent-1-a"}),
    ({"pick": "shortest"}, {"right-1-a", "right-2-a", "judged-1-a", "looping-1-a", "silent-1-a"}),
    ({"pick": "longest"}, {"wrong-1-a", "right-2-a", "judged-1-a", "looping-1-a", "silent-1-a"}),
]


@pytest.fixture
def mixed_run(tmp_path: Path) -> Path:
    run = sketch_run(
        tmp_path / "run",
        Sketch("right-1-a", task="mixed", steps=1),
        Sketch("wrong-1-a", task="mixed", steps=2, verified=False, at=1),
        Sketch("right-2-a", task="easy", goal="Easy", at=2),
        Sketch("judged-1-a", task="told", goal="Told", verified_by="judge", at=3),
        Sketch("silent-1-a", task="asked", goal="Asked", at=5, fields={"answered": False}),
        Sketch("looping-1-a", task="round", goal="Round", steps=3, actions=[HOME, HOME, HOME], at=4),
    )
    (run / "judgements").mkdir()
    said = {"judge": "eve", "source": "person", "episodes": {"wrong-1-a": {"success": True}}}
    (run / "judgements" / "eve.json").write_text(json.dumps(said))
    return run


@pytest.mark.parametrize(("filters", "episodes"), FILTERS)
def test_filters_choose_episodes(mixed_run: Path, tmp_path: Path, filters: dict[str, Any], episodes: set[str]) -> None:
    summary = export(tmp_path / "out", mixed_run, **filters)
    assert {facts(row)["episode"] for row in rows(tmp_path / "out")} == episodes
    assert summary.episodes + sum(summary.episodes_left_out.values()) == 6


def test_filters_ask_whether_episodes_passed_and_not_what_they_earned(tmp_path: Path) -> None:
    earned = {"fits-1-a": 0.0, "unfit-1-a": 0.5, "wrong-1-a": 0.9}
    sketches = [Sketch(name, verified=name != "wrong-1-a", at=at) for at, name in enumerate(earned)]
    sketches[1].fields["answered"] = False
    run = sketch_run(tmp_path / "run", *sketches, settings={"dialect": "qwen3-vl", "reward": "my:function"})
    for episode, reward in earned.items():
        RewardFile(run).append(RecordedReward(episode=episode, reward=reward))
    assert export(tmp_path / "third", run, pass_rate=(0.3, 0.34)).episodes == 3
    export(tmp_path / "passed", run, verified=("phone",))
    assert {facts(row)["episode"] for row in rows(tmp_path / "passed")} == {"fits-1-a"}


def test_filters_choose_rows(tmp_path: Path) -> None:
    run = sketch_run(
        tmp_path / "run",
        Sketch("one-1-a", outcomes=[Outcome.A, Outcome.B], steps=2),
        Sketch("one-2-a", outcomes=[Outcome.A, Outcome.C], steps=2, at=1),
    )
    assert export(tmp_path / "a", run, verdicts=("A",)).rows == {"train": 4}
    assert export(tmp_path / "b", run, verdicts=("B", "C"), roles=("decide",)).rows == {"train": 2}
    once = export(tmp_path / "c", run, no_duplicates=True)
    assert (once.rows, once.rows_left_out) == ({"train": 4}, {"duplicate": 4})


def test_texts_that_hold_the_mark_of_a_picture_are_left_out(tmp_path: Path) -> None:
    extra = [planned(0, span(0, 1), asked(Role.PLAN, "The screen says <image>.", picture_part(picture_id(0))))]
    summary = export(tmp_path / "out", sketch_run(tmp_path / "run", Sketch("one-1-a", extra=extra)))
    assert (summary.rows, summary.rows_left_out) == ({"train": 4}, {"mark": 1})


def test_no_task_is_in_two_splits(tmp_path: Path) -> None:
    tasks = [Sketch(f"t{number}-{attempt}-a", task=f"t{number}", goal=f"Do {number}", at=number)
             for number in range(20) for attempt in (1, 2)]  # fmt: skip
    tasks.append(Sketch("other-1-a", task="other", goal="do  3", at=50))
    run = sketch_run(tmp_path / "run", *tasks)
    splits = (Split(name="train", share=8), Split(name="test", share=2))
    summary = export(tmp_path / "out", run, splits=splits)
    by_split = {name: {facts(row)["task"] for row in rows(tmp_path / "out", name)} for name in ("train", "test")}
    assert by_split["train"] & by_split["test"] == set()
    assert len(by_split["train"] | by_split["test"]) == 21
    assert ("t3" in by_split["test"]) == ("other" in by_split["test"])
    assert 3 <= len(by_split["test"]) <= 5
    assert list(summary.rows) == ["train", "test"]
    again = export(tmp_path / "again", run, splits=splits, verified=("phone",))
    assert again.rows == summary.rows


def test_goals_of_a_command_line_are_tasks_by_their_words(tmp_path: Path) -> None:
    first = sketch_run(tmp_path / "first", Sketch("goal-1-1-a", task="goal-1", goal="Do this"))
    second = sketch_run(tmp_path / "second", Sketch("goal-1-1-b", task="goal-1", goal="Do that", verified=False))
    export(tmp_path / "out", first, second, pass_rate=(1, 1))
    assert {facts(row)["goal"] for row in rows(tmp_path / "out")} == {"Do this"}


def test_rows_with_missing_or_wrong_pictures_are_named(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a", steps=3))
    (run / "screens" / f"{picture_id(1)}.png").unlink()
    shutil.copy(run / "screens" / f"{picture_id(0)}.png", run / "screens" / f"{picture_id(3)}.png")
    summary = export(tmp_path / "out", run)
    assert summary.rows == {"train": 2}
    assert [(problem.split(": ")[0], problem.rsplit(" ", 2)[-2:]) for problem in summary.problems] == [
        ("episode one-1-a, step 0, reflect 0", ["is", "missing"]),
        ("episode one-1-a, step 1, decide 0", ["is", "missing"]),
        ("episode one-1-a, step 1, reflect 0", ["is", "missing"]),
        ("episode one-1-a, step 2, reflect 0", ["name", "says"]),
    ]
    assert not (tmp_path / "out" / "images" / f"{picture_id(1)}.jpg").exists()
    assert "4 rows that should be here could not be made" in (tmp_path / "out" / "README.md").read_text()


def test_pictures_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a", steps=1))
    path = run / "screens" / f"{picture_id(1)}.png"
    path.write_bytes(b"no picture")
    (problem,) = export(tmp_path / "damaged", run).problems
    assert "is damaged: 10 bytes are not a PNG" in problem
    path.unlink()
    path.symlink_to(path.name)
    summary = export(tmp_path / "out", run)
    assert (summary.rows, len(summary.problems)) == ({"train": 1}, 1)


def test_a_damaged_journal_is_named_and_what_is_left_of_it_is_used(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a"), Sketch("two-1-a", task="two", at=1))
    journal = run / "episodes" / "two-1-a" / "journal.mh"
    data = bytearray(journal.read_bytes())
    data[len(data) // 2] ^= 255
    journal.write_bytes(data)
    summary = export(tmp_path / "out", run)
    assert summary.damaged == ("two-1-a",)
    assert 4 < summary.rows["train"] < 8
    assert "1 journal with damaged places: two-1-a." in (tmp_path / "out" / "README.md").read_text()


class Stopped(Exception):
    pass


@pytest.mark.parametrize("after", [1, 26, 30, 55])
def test_an_interrupted_export_goes_on_and_gives_the_same_bytes(tmp_path: Path, after: int) -> None:
    sketches = [Sketch(f"t{number}-1-a", task=f"t{number}", goal=f"Do {number % 9}", steps=1, at=number)
                for number in range(60)]  # fmt: skip
    run = sketch_run(tmp_path / "run", *sketches)
    filters = Filters(no_duplicates=True, roles=(Role.DECIDE, Role.REFLECT))

    def exporter(out: Path) -> Exporter:
        return Exporter(plan_export([run], format_named("llamafactory"), filters, TRAIN), out, "a command")

    exporter(tmp_path / "whole").export()
    left = iter(range(after))

    def stop() -> None:
        if next(left, None) is None:
            raise Stopped

    with pytest.raises(Stopped):
        exporter(tmp_path / "out").export(stop)
    state = tmp_path / "out" / STATE
    state.write_bytes(state.read_bytes() + b'{"name": "cut o')
    exporter(tmp_path / "out").export()
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a"))
    export(tmp_path / "out", run)
    with pytest.raises(BadInput, match="other runs, filters or format"):
        export(tmp_path / "out", run, roles=("decide",))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(BadInput, match="is not empty"):
        export(tmp_path / "mine", run)


def test_runs_that_cannot_be_exported_are_refused(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a"))
    shutil.copytree(run, tmp_path / "copy")
    with pytest.raises(BadInput, match="one of them is a copy of the other"):
        export(tmp_path / "out", run, tmp_path / "copy")
    with pytest.raises(BadInput, match="it has no journals"):
        export(tmp_path / "out", sketch_run(tmp_path / "empty"))
    with pytest.raises(BadInput, match="no episode is left to export, of 1: 1 not by person alone"):
        plan_export([run], format_named("llamafactory"), Filters(by="person"), TRAIN)
    assert not (tmp_path / "out").exists()


def test_the_card_and_the_settings_say_what_would_spoil_the_rows(tmp_path: Path) -> None:
    usage = {"input_tokens": 9_000, "output_tokens": 100}
    long = asked(Role.PLAN, "q", picture_part(picture_id(0)), usage=usage)
    one = sketch_run(tmp_path / "one", Sketch("one-1-a", extra=[planned(0, span(0, 1), long)]))
    two = sketch_run(
        tmp_path / "two", Sketch("two-1-a", actions=[Tap(x=1, y=1)]), name="b run",
        settings={"dialect": "qwen2.5-vl", "max_pixels": 1000000},
    )  # fmt: skip
    export(tmp_path / "out", one, two)
    settings = (tmp_path / "out" / "settings.yaml").read_text().splitlines()
    assert {"cutoff_len: 12288", "image_max_pixels: 1000000", "mask_history: true"} <= set(settings)
    assert not any(line.startswith("template") for line in settings)  # of two families
    card = (tmp_path / "out" / "README.md").read_text()
    assert "- `a run`: 1 episode; profile e; virtual phones of a test; a model of a test" in card
    assert "- `b run`: 1 episode" in card
    assert "The rows have 3 different system texts." in card
    assert "![A picture of the row](card/3.jpg)" in card
    assert (tmp_path / "out" / "card" / "1.jpg").read_bytes() in [jpeg(number) for number in range(3)]
    info = json.loads((tmp_path / "out" / "dataset_info.json").read_text())
    assert info["manyhands_train"]["file_name"] == "train"
    assert (tmp_path / "out" / "train" / "00000.jsonl").stat().st_mode & 0o777 == 0o600
