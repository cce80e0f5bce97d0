"""What each format writes, read without its trainer. ``tests/loaders`` reads the same files with the real loaders."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import (
    AtomicAction,
    Back,
    Enter,
    Home,
    LongPress,
    OpenApp,
    Stop,
    Swipe,
    SwitchApp,
    Tap,
    Type,
    Wait,
)
from manyhands.rollouts.filters import Filters
from manyhands.rollouts.formats import FORMATS, CallFormat, EpisodeFormat
from manyhands.rollouts.formats.androidlab import parsed_action
from manyhands.rollouts.formats.export_format import marked_messages
from manyhands.rollouts.formats.parquet import Trl
from manyhands.rollouts.rows import ChatMessage, ShownPicture, TrainingRow
from tests.evaluation.run_records import planned, span
from tests.rollouts.sketched_run import REPLY, Sketch, asked, jpeg, lines, picture_id, picture_part, sketch_run
from tests.rollouts.test_export import export, facts, files, rows

AGAIN = [{"role": "assistant", "content": "nonsense"}, {"role": "user", "content": "Again."}]


def chat_run(folder: Path) -> Path:
    """A run with a call that shows the model its earlier reply."""
    mended = asked(Role.PLAN, "q", picture_part(picture_id(0)), reply="good", turns=AGAIN)
    return sketch_run(folder, Sketch("one-1-a", steps=1, extra=[planned(0, span(0, 1), mended)]))


def test_swift_has_no_loss_on_earlier_replies(tmp_path: Path) -> None:
    export(tmp_path / "out", chat_run(tmp_path / "run"), format_name="swift")
    messages = rows(tmp_path / "out")[-1]["messages"]
    assert [(message["role"], message.get("loss")) for message in messages] == [
        ("system", None), ("user", None), ("assistant", False), ("user", None), ("assistant", True),
    ]  # fmt: skip
    assert messages[1]["content"] == "q\n<image>"


def test_qwen_has_two_messages_and_leaves_out_earlier_replies(tmp_path: Path) -> None:
    summary = export(tmp_path / "out", chat_run(tmp_path / "run"), format_name="qwen")
    assert (summary.rows, summary.rows_left_out) == ({"train": 2}, {"earlier turns": 1})
    row = rows(tmp_path / "out")[0]
    assert row["image"] == [f"images/{picture_id(0)}.jpg"]
    assert row["conversations"] == [
        {"from": "human", "value": "You are the decide.\n\nWhat next?\n<image>Step 0.\n"},
        {"from": "gpt", "value": REPLY},
    ]
    assert facts(row)["step"] == 0


def test_webdataset_has_each_row_with_its_pictures(tmp_path: Path) -> None:
    export(tmp_path / "out", sketch_run(tmp_path / "run", Sketch("one-1-a")), format_name="webdataset")
    with tarfile.open(tmp_path / "out" / "train" / "00000.tar") as tar:
        members = {member.name: tar.extractfile(member) for member in tar}
        content = {name: file.read() for name, file in members.items() if file is not None}
    assert list(content)[:5] == [
        "train-00000-000000.json", "train-00000-000000.0.jpg",
        "train-00000-000001.json", "train-00000-000001.0.jpg", "train-00000-000001.1.jpg",
    ]  # fmt: skip
    assert content["train-00000-000001.1.jpg"] == jpeg(1)
    row = json.loads(content["train-00000-000000.json"])
    assert row["messages"][1]["content"][1:] == [{"type": "image", "image": 0}, {"type": "text", "text": "Step 0.\n"}]
    assert (row["reply"], row["facts"]["reward"]) == (REPLY, 1.0)
    assert not (tmp_path / "out" / "images").exists()


def trajectory(path: Path) -> dict[str, Any]:
    (line,) = lines(path)
    return line


def test_atif_has_an_episode_with_its_actions_and_screens(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a"), Sketch("two-1-a", task="two", person=True, at=1))
    summary = export(tmp_path / "out", run, format_name="atif")
    assert summary.rows == {"train": 2}
    found = trajectory(tmp_path / "out" / "train" / "one-1-a.json")
    assert found["schema_version"] == "ATIF-v1.8"
    assert found["agent"]["model_name"] == "a-model"
    assert [(step["step_id"], step["source"]) for step in found["steps"]] == [(1, "user"), (2, "agent"), (3, "agent")]
    assert found["steps"][0]["message"][0] == {"type": "text", "text": "Look at the price"}
    assert found["steps"][0]["message"][1]["source"]["path"] == f"../images/{picture_id(0)}.jpg"
    (call,) = found["steps"][2]["tool_calls"]
    assert (call["function_name"], call["arguments"]) == ("Tap", {"x": 1, "y": 1})
    (result,) = found["steps"][2]["observation"]["results"]
    assert result["source_call_id"] == call["tool_call_id"]
    assert result["content"][0]["source"]["path"] == f"../images/{picture_id(2)}.jpg"
    assert found["steps"][1]["extra"]["verdict"] == "A"
    assert (found["extra"]["reward"], found["extra"]["phone"]) == (1.0, "phone 1")
    person = trajectory(tmp_path / "out" / "train" / "two-1-a.json")
    assert [(step.get("llm_call_count"), "metrics" in step) for step in person["steps"][1:]] == [(0, False)] * 2
    assert "eve" not in (tmp_path / "out" / "train" / "two-1-a.json").read_text()
    for number in range(3):
        assert (tmp_path / "out" / "images" / f"{picture_id(number)}.jpg").read_bytes() == jpeg(number)


def test_androidlab_has_a_folder_that_its_evaluation_finds(tmp_path: Path) -> None:
    """Read as its own evaluation reads traces."""
    actions: list[AtomicAction] = [Swipe(x1=30, y1=80, x2=32, y2=20), Stop()]
    run = sketch_run(
        tmp_path / "run", Sketch("clock_1-1-a", task="clock_1", actions=actions, fields={"answer": "9:41"})
    )
    summary = export(tmp_path / "out", run, format_name="androidlab")
    assert summary.rows == {"train": 1}
    (folder,) = (tmp_path / "out" / "train").iterdir()
    assert folder.name.split("_")[:2] == ["clock", "1"]
    facts, *steps = lines(folder / "traces" / "trace.jsonl")
    assert "parsed_action" not in facts
    assert facts["facts"]["reward"] == 1.0
    assert [step["parsed_action"] for step in steps] == [
        {"operation": "do", "action": "Swipe", "kwargs": {"element": [30, 80], "direction": "up", "dist": 30}},
        {"operation": "finish", "action": "finish", "kwargs": {"message": "9:41"}},
    ]
    assert [(step["index"], step["target"], step["xml"], step["ac_xml"]) for step in steps] == [
        (number, "Look at the price", "ERROR", None) for number in range(2)
    ]
    for number, step in enumerate(steps):
        assert (folder / "Screen" / step["image"].split("/")[-1]).read_bytes() == jpeg(number)
    assert "**Journals\nhold no tree of views**" in (tmp_path / "out" / "README.md").read_text()
    assert (tmp_path / "out" / "card" / "1.jpg").read_bytes() == jpeg(1)


ATOMS: list[tuple[AtomicAction, Any]] = [
    (Tap(x=1, y=2), {"action": "Tap", "kwargs": {"element": [1, 2]}}),
    (LongPress(x=1, y=2), {"action": "Long Press", "kwargs": {"element": [1, 2]}}),
    (
        Swipe(x1=5, y1=9, x2=55, y2=9),
        {"action": "Swipe", "kwargs": {"element": [5, 9], "direction": "right", "dist": 20}},
    ),
    (Type(text="hi"), {"action": "Type", "kwargs": {"text": "hi"}}),
    (OpenApp(app="Clock"), {"action": "Launch", "kwargs": {"app": "Clock"}}),
    (Enter(), {"action": "Press Enter"}),
    (Back(), {"action": "Press Back"}),
    (Home(), {"action": "Press Home"}),
    (Wait(), {"action": "Wait"}),
    (SwitchApp(), {"action": "Switch_App"}),
]


@pytest.mark.parametrize(("atom", "parsed"), ATOMS, ids=lambda one: getattr(one, "name", ""))
def test_androidlab_has_actions_in_its_form(atom: AtomicAction, parsed: dict[str, Any]) -> None:
    assert parsed_action(atom, None) == {"operation": "do", **parsed}


def test_demonstrations_are_episodes_of_persons_alone(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a"), Sketch("two-1-a", task="two", person=True, at=1))
    summary = export(tmp_path / "out", run, format_name="atif", by="person")
    assert summary.episodes_left_out == {"not by person alone": 1}
    assert {path.name for path in (tmp_path / "out" / "train").iterdir()} == {"two-1-a.json"}


def test_an_episode_without_its_pictures_is_named(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a", ending=Ending.STEP_LIMIT), Sketch("two-1-a", steps=1, at=1))
    (run / "screens" / f"{picture_id(2)}.png").unlink()
    summary = export(tmp_path / "out", run, format_name="atif")
    assert summary.rows == {"train": 1}
    (problem,) = summary.problems
    assert problem.startswith("episode one-1-a: ")
    assert {path.name for path in (tmp_path / "out" / "train").iterdir()} == {"two-1-a.json"}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_refuses_filters_that_it_cannot_follow(name: str) -> None:
    installed = type("Installed", (type(FORMATS[name]),), {"needs": ""})()
    installed.check(Filters(no_loops=True, by="agent"))
    refused = Filters(by="person") if isinstance(installed, CallFormat) else Filters(no_duplicates=True)
    with pytest.raises(BadInput, match=name):
        installed.check(refused)


class MissingPackage(Trl):
    needs = "no_such_package"


def test_a_format_names_the_package_that_it_needs() -> None:
    with pytest.raises(BadInput, match=r"--format trl: needs no_such_package: pip install 'manyhands\[rollouts\]'"):
        MissingPackage().check(Filters())


@pytest.mark.parametrize("name", [name for name, one in FORMATS.items() if not one.needs])
def test_the_same_input_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", *(Sketch(f"t{number}-1-a", task=f"t{number}", at=number) for number in range(3)))
    for out in ("first", "second"):
        export(tmp_path / out, run, format_name=name)
    assert files(tmp_path / "first") == files(tmp_path / "second")
    assert isinstance(FORMATS[name], CallFormat | EpisodeFormat)


PARTS = st.lists(st.one_of(st.text(), st.builds(ShownPicture, st.just("0" * 32))), max_size=6)


@given(st.lists(PARTS, min_size=1, max_size=4), st.text())
def test_a_row_has_as_many_marks_as_pictures_or_is_left_out(contents: Sequence[Any], reply: str) -> None:
    messages = tuple(ChatMessage("user", tuple(parts)) for parts in contents)
    row = TrainingRow(facts=None, messages=messages, reply=reply, shown=(), tools=None)  # type: ignore[arg-type]
    marks = sum(message["content"].count("<image>") for message in marked_messages(row, "<image>"))
    assert row.holds(("<image>",)) or marks == len(row.pictures)
