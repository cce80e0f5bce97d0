"""The papers' tables and figures on phones that tell nothing, as real ones do: a person's word fills them.

The phones are virtual, and named by their serials. So the agent gets the instructions word for word, without checks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import adbutils
import pytest

from manyhands.evaluation.judgements.judgements import EpisodeJudgement, Judgements, write_judgements
from manyhands.evaluation.judgements.session import JudgeAnswer, JudgementQuestion, QuestionSheet, answered, sheets
from manyhands.evaluation.run_folder import RunFolder

V1, BASIC, ADVANCED = (
    "mobile_eval.settings.1",
    "mobile_eval_v2.en.settings.basic.1",
    "mobile_eval_v2.en.settings.advanced.2",
)
SCENARIO = ("mobile_eval_e.1_late_night_korean_food", "mobile_eval_e.1_thai_duck")
BY_ANN = "(person ann)"


@pytest.fixture
def serials(adb_server: tuple[str, int]) -> Iterator[str]:
    server = adbutils.AdbClient(*adb_server)
    command = [sys.executable, "-m", "manyhands.simulator.fleet", "--phones", "2", "--size", "720x1600", "--json"]
    with subprocess.Popen(
        [*command, "--until-stdin-closes"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        found = [f"127.0.0.1:{port}" for port in json.loads(process.stdout.readline())["ports"]]
        for serial in found:
            assert "connected to" in server.connect(serial, timeout=60)
        yield ",".join(found)
        for serial in found:
            server.disconnect(serial)
        process.stdin.close()
        process.wait(100)


class Suite:
    """Calls ``manyhands suite`` in a process of its own."""

    def __init__(self, phones: str, port: int, home: Path) -> None:
        self._on_phones = ("--phones", phones, "--adb-port", str(port), "--mllm-url", "rehearsed")
        self._home = home

    def __call__(self, *arguments: str | Path) -> Any:
        command = [sys.executable, "-m", "manyhands", "suite", *map(str, arguments), "--json"]
        environment = {**os.environ, "MANYHANDS_STATE_DIR": str(self._home / "state")}
        done = subprocess.run(command, capture_output=True, text=True, timeout=400, env=environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def run(self, out: str, *arguments: str | Path) -> Path:
        self("run", *arguments, *self._on_phones, "--out", self._home / out)
        return self._home / out


@pytest.fixture
def suite(serials: str, adb_server: tuple[str, int], tmp_path: Path) -> Suite:
    return Suite(serials, adb_server[1], tmp_path)


def judge(folder: Path, failed: Collection[str] = ()) -> None:
    """Answer all that ``suite judge`` asks, as ann: each task is done, except ``failed`` ones."""
    run = RunFolder(folder)
    episodes = {}
    for sheet in sheets(run):
        said = EpisodeJudgement()
        for question in sheet.questions:
            if question.is_due(said):
                value = answer(question, sheet, sheet.story.started.task.id not in failed)
                said = EpisodeJudgement.model_validate(answered(said, question, JudgeAnswer(value)))
        assert sheet.open_questions(said) == []
        episodes[sheet.episode] = said
    write_judgements(run, Judgements(judge="ann", source="person", episodes=episodes))


def answer(question: JudgementQuestion, sheet: QuestionSheet, is_done: bool) -> bool | int | None:
    """Of a failed task the last action is wrong, and the first operation and the first rubric alone were reached."""
    last = sheet.story.steps[-1].number
    kind = question.kind
    alike = [one for one in sheet.questions if one.kind == kind]
    if kind == "rubrics":
        return last if is_done or question is alike[0] else None
    if kind == "actions":
        return is_done or question is not alike[-1]
    return is_done or (kind == "operations" and question is alike[0]) or kind in ("reflections", "effects")


def rows(page: Path, title: str) -> dict[tuple[str, str], list[str]]:
    """Return the rows of a table of a comparison that ann judged: cells by the system and the tasks."""
    section = page.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if BY_ANN in line]
    return {(name.removesuffix(BY_ANN).strip(), tasks): values for name, tasks, *values in cells}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_tables_of_v1_and_v2_are_filled_by_a_persons_word_alone(suite: Suite, tmp_path: Path) -> None:
    human = tmp_path / "human.yaml"
    for id in (BASIC, ADVANCED):
        suite("record-human", id, "--to", human, "--operation", "open Settings", "--operation", "tap the switch")
    instructions = (V1, BASIC, ADVANCED, "--human", human, "--profile", "v2")

    first = suite.run("first", *instructions)
    (score,) = suite("score", first)
    assert [task["success"] for task in score["tasks"]] == [None, None, None], "no phone told anything"
    judge(first, failed=(V1, ADVANCED))
    hints = tmp_path / "hints.yaml"
    hints.write_text(f"{ADVANCED}: It is on the page of the status bar.\n")
    second = suite.run("second", *instructions, "--failed-of", first, "--inject", hints)
    judge(second)
    suite("compare", f"before={first}", f"again={second}", "--write", tmp_path / "v2")
    page = tmp_path / "v2" / "comparison.md"
    english = rows(page, "As Mobile-Agent-v2, table 2 (English)")
    assert english["before", "System app, basic"][:2] == ["100.0", "100.0"]
    assert english["before", "System app, advanced"][:2] == ["0.0", "50.0"]
    assert english["again + Know.", "System app, basic of first"] == ["100.0"] * 4
    assert english["again + Know.", "System app, advanced of first"] == ["100.0"] * 4
    assert rows(page, "As Mobile-Agent-v2, table 4")["again + Know.", "all of first"] == ["100.0"] * 4
    of_v1 = rows(page, "As Mobile-Agent, table 2")
    su, _, _, _, completed = of_v1["before", "Settings, simple"]
    assert (su, completed) == ("0.0", "25.0")  # the first of the four operations that the paper counts


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_figure_6_of_e_is_drawn_by_a_persons_word_alone(suite: Suite, tmp_path: Path) -> None:
    evolved = suite.run("evolved", *SCENARIO, "--profile", "e+evo")
    judge(evolved, failed=SCENARIO[:1])
    found = suite("compare", evolved, "--write", tmp_path / "e", "--task", SCENARIO[0], "--task", SCENARIO[1])
    (system,) = found["systems"]
    (phone, ann) = system["judged"]
    assert phone["figures"]["SS"]["mean"] is None
    places = {place: figures["SS"]["mean"] for place, figures in ann["by_place"].items()}
    assert places.keys() == {"1", "2", "2 on"}
    assert places["1"] < places["2"] == 1
    assert {"evolution_ann.svg", "sss_ann.svg", "thirds_ann.svg"} <= {Path(path).name for path in found["written"]}
    main = rows(tmp_path / "e" / "comparison.md", "As Mobile-Agent-E, tables 3 and 4")
    assert all(cell != "-" for cell in main["e+evo", "all"][:3])
