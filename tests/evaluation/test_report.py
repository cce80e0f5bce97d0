"""The report of a run: one page that needs nothing else, and in which nothing that a screen says is markup."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyhands.actors.frames import content_id, encode_png
from manyhands.evaluation.report.page import write_report
from manyhands.evaluation.run_folder import InjectedFault, append_fault
from manyhands.evaluation.summary import summarise
from manyhands.protocol.actions import Tap
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.geometry import Box, Size
from manyhands.protocol.journal import encode, scan
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.messages import ModelCall, Usage
from manyhands.protocol.records import (
    ActionDecided,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    Perceived,
    Planned,
    Record,
    Reflected,
    ScreenCaptured,
    Span,
    StageResult,
)
from manyhands.protocol.requests import Decision, Plan, Reflection, Subgoal
from manyhands.protocol.roles import STEP_ROLES, Role
from manyhands.protocol.screens import Element, Screen, Screenshot
from manyhands.protocol.tasks import TaskSpec
from manyhands.protocol.unmet_tests import UnmetTest
from tests.evaluation.judged_run import WRONG, screen, write_judged_run
from tests.evaluation.run_records import ended, started, write_run

HOSTILE = "</script><script>alert(1)</script>"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    rgb = np.full((240, 108, 3), 200, np.uint8)
    digest = content_id(rgb)
    size = Size(width=108, height=240)
    span = Span(start=1.0, end=2.0)
    task = TaskSpec(id="one", goal="Find & keep <it>")
    shot = Screenshot(content_id=digest, size=size, serial="phone", taken_at=1.0, capture_ms=5)
    element = Element(kind="text", box=Box(x1=1, y1=2, x2=30, y2=12), content=HOSTILE, confidence=0.9)
    plan = Plan(thought="", text="", subgoal=Subgoal(id=1, text="the subgoal"), change="next", status="continue")
    call = ModelCall(
        role=Role.PLAN,
        server="http://model-7/v1",
        request={"prompt": "the whole prompt"},
        reply="",
        error="cut <off>",
        usage=Usage(input_tokens=1234, output_tokens=56, cached_tokens=789),
        started_at=1.0,
        latency_ms=4321,
        attempts=3,
    )
    records: list[Record] = [
        EpisodeStarted(
            at=1.0,
            run="r",
            episode="one-1-a",
            attempt=1,
            task=task,
            serial="phone",
            epoch=1,
            profile="e",
            schedule="overlap",
            memory=LongTermMemory(),
        ),
        ScreenCaptured(step=0, span=span, screenshot=shot),
        Planned(step=0, span=span, plan=plan, calls=(call,)),
        Perceived(
            step=0, span=span, screen=Screen(content_id=digest, size=size, elements=(element,), keyboard="hidden")
        ),
        ActionDecided(step=0, span=span, decision=Decision(thought=HOSTILE, action=Tap(x=17, y=23), expectation="x")),
        ActionSent(at=2.0, step=0, key="one-1-a:0:1:0", action=Tap(x=17, y=23)),
        Reflected(
            step=0,
            span=span,
            reflection=Reflection(outcome=Outcome.B, error="a wrong page", progress="p", made_by="model"),
        ),
        EpisodeEnded(
            at=3.0,
            ending=Ending.FAILURE_LIMIT,
            reason="why",
            steps=1,
            verified=False,
            rubrics={"opened": True, "saved": False},
            unmet=(UnmetTest(expected="settings.dark_mode is true", found="false"),),
            rubrics_unmet={"saved": (UnmetTest(expected='notes.*.body is "<b>"', found="nothing"),)},
        ),
    ]
    folder = tmp_path / "run"
    (folder / "episodes" / "one-1-a").mkdir(parents=True)
    (folder / "screens").mkdir()
    (folder / "episodes" / "one-1-a" / "journal.mh").write_bytes(b"".join(encode(item, "one-1-a") for item in records))
    (folder / "screens" / f"{digest}.png").write_bytes(encode_png(rgb))
    asked = {"run_id": "r", "profile": "e", "schedule": "overlap", "phones": ["phone"], "started_at": 0.5}
    (folder / "run.yaml").write_text(yaml.safe_dump({**asked, "tasks": [task.model_dump(mode="json")]}))
    return folder


def test_the_page_tells_the_step(run: Path) -> None:
    page = write_report(run, summarise(run)).read_text(encoding="utf-8")
    for said in ("Find &amp; keep &lt;it&gt;", "the subgoal", "a wrong page", "Tap (17, 23)", "failure_limit: why"):
        assert said in page
    assert '<circle cx="17" cy="23"' in page
    assert '<rect class="text" x="1" y="2" width="29" height="10">' in page


def test_the_page_says_what_did_not_hold(run: Path) -> None:
    page = write_report(run, summarise(run)).read_text(encoding="utf-8")
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(?:<td>.*?</td>)+</tr>", page)]
    assert ["check", "settings.dark_mode is true", "false"] in rows
    assert ["rubric: saved", "notes.*.body is &#34;&lt;b&gt;&#34;", "nothing"] in rows
    told = json.loads((run / "summary.json").read_text(encoding="utf-8"))["by_task"][0]
    assert told["unmet"] == [{"expected": "settings.dark_mode is true", "found": "false"}]


def test_the_page_stands_alone_and_runs_nothing_from_a_screen(run: Path) -> None:
    page = write_report(run, summarise(run)).read_text(encoding="utf-8")
    assert HOSTILE not in page
    assert page.count("<script") == 1
    assert re.findall(r'(?:src|href)="(?!data:)[^"]', page) == []


def test_a_task_that_never_began_is_told_with_its_reason(run: Path) -> None:
    asked = yaml.safe_load((run / "run.yaml").read_text())
    more = [{"id": "two", "goal": "Wait <for> ever"}, {"id": "one", "goal": "Find & keep <it>"}]
    (run / "run.yaml").write_text(yaml.safe_dump({**asked, "tasks": [*asked["tasks"], *more]}))
    page = write_report(run, summarise(run)).read_text(encoding="utf-8")
    told = re.findall(r'<details class="never".*?</details>', page, re.DOTALL)
    texts = [" ".join(re.sub("<[^>]*>", " ", part).split()) for part in told]
    reason = "never began cancelled: the run ended before the task was started"
    assert texts == [f"two {reason} Wait &lt;for&gt; ever", f"one {reason} Find &amp; keep &lt;it&gt;"]


def test_a_task_that_was_given_up_before_it_had_a_phone_is_told_once(run: Path) -> None:
    journal = run / "episodes" / "one-1-a" / "journal.mh"
    started, *_ = scan(journal.read_bytes()).records
    assert isinstance(started, EpisodeStarted)
    no_phone: list[Record] = [
        started.model_copy(update={"serial": "", "epoch": 0}),
        EpisodeEnded(at=3.0, ending=Ending.NO_PHONE, reason="all went", steps=0, verified=None, rubrics={}),
    ]
    journal.write_bytes(b"".join(encode(record, "one-1-a") for record in no_phone))
    page = write_report(run, summarise(run)).read_text(encoding="utf-8")
    assert page.count("all went") == 1
    assert "one-1-a had no phone, attempt 1" in page
    assert 'class="never"' not in page


def test_the_page_tells_what_the_model_cost(run: Path) -> None:
    page = write_report(run, summarise(run)).read_text(encoding="utf-8")
    [calls] = re.findall(r'<details class="calls">(.*?)</details>', page, re.DOTALL)
    told = re.findall(r"<td>(.*?)</td>", calls)
    error = '<br><span class="failed">cut &lt;off&gt;</span>'
    assert told == ["plan", "1234", "789", "56", "4321 ms", "3", f"http://model-7/v1{error}"]
    assert "1 model call<" in calls
    assert "the whole prompt" not in page


def test_the_page_tells_the_model_calls_by_role_and_by_server(run: Path) -> None:
    page = write_report(run, summarise(run)).read_text(encoding="utf-8")
    [figures] = re.findall(r'<table class="model">(.*?)</table>', page, re.DOTALL)
    rows = {cells[0]: cells[1:] for row in figures.split("</tr>") if (cells := re.findall(r"<td>(.*?)</td>", row))}
    assert list(rows) == [*STEP_ROLES, "http://model-7/v1"]
    assert rows["plan"] == ["1", "1234", "64 %", "56", "–", "0 / 0 ms", "1", "2", "0"]
    assert rows["http://model-7/v1"] == rows["plan"]
    assert rows["note"] == ["0", "0", "–", "0", "–", "–", "0", "0", "0"]


def test_the_page_tells_which_model_each_role_asked(run: Path) -> None:
    assert 'class="asked"' not in write_report(run, summarise(run)).read_text(encoding="utf-8")
    asked = yaml.safe_load((run / "run.yaml").read_text())
    model = {
        "model": "Qwen <3>",
        "servers": ["http://one/v1", "http://two/v1"],
        "dialect": "qwen3-vl",
        "max_pixels": None,
        "output": "json",
        "grammar": "guidance",
        "temperature": 0.5,
        "seed": 7,
        "max_tokens": 512,
    }
    (run / "run.yaml").write_text(yaml.safe_dump({**asked, "models": {"decide": model}}))
    page = write_report(run, summarise(run)).read_text(encoding="utf-8")
    [table] = re.findall(r'<table class="asked">(.*?)</table>', page, re.DOTALL)
    told = re.findall(r"<td>(.*?)</td>", table)
    servers = "http://one/v1, http://two/v1"
    assert told == ["decide", "Qwen &lt;3&gt;", servers, "qwen3-vl", "the family&#39;s own", "json", "0.5", "7"]


@pytest.mark.parametrize("kept", [0, 20, 40, 100])
def test_a_damaged_picture_is_missing_and_the_rest_is_told(run: Path, kept: int) -> None:
    assert "data-screen=" in write_report(run, summarise(run)).read_text(encoding="utf-8")
    [png] = (run / "screens").iterdir()
    png.write_bytes(png.read_bytes()[:kept])
    page = write_report(run, summarise(run)).read_text(encoding="utf-8")
    assert "Tap (17, 23)" in page
    assert "data-screen=" not in page


@given(st.integers(0, 300), st.binary(min_size=1, max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_no_damage_to_a_picture_ends_the_report(run: Path, at: int, bytes_: bytes) -> None:
    [path] = (run / "screens").iterdir()
    png = path.read_bytes()
    path.write_bytes(png[:at] + bytes_ + png[at + len(bytes_) :])
    page = write_report(run, summarise(run)).read_text(encoding="utf-8")
    path.write_bytes(png)
    assert "Tap (17, 23)" in page


def test_the_page_tells_the_faults_that_somebody_put_into_the_run(run: Path) -> None:
    assert "fault put into this run" not in write_report(run, summarise(run)).read_text()
    append_fault(
        run / "faults.jsonl", InjectedFault(kind="kill-host", at=2.0, over=2.0, hit={"phone": "e-17"}, note="<b>")
    )
    append_fault(run / "faults.jsonl", InjectedFault(kind="disk-full", at=3.0, over=9.5, hit={}))
    with (run / "faults.jsonl").open("a") as file:
        file.write('{"kind": "kill-ro')  # whoever wrote it was killed
    page = write_report(run, summarise(run)).read_text()
    assert "kill-host" in page
    assert "e-17" in page
    assert "&lt;b&gt;" in page
    assert "6.5 s" in page


def test_faults_that_cannot_be_read_are_a_typed_error(run: Path) -> None:
    (run / "faults.jsonl").write_text("{\n")
    with pytest.raises(StoreError, match=r"faults\.jsonl"):
        write_report(run, summarise(run))


@pytest.mark.parametrize("content", [b"tasks: [{id: a", b"\xff\xfe\x00", b"a: b: c", b"just text"])
def test_an_unreadable_run_yaml_is_a_typed_error(run: Path, content: bytes) -> None:
    (run / "run.yaml").write_bytes(content)
    with pytest.raises(BadInput, match=r"run\.yaml"):
        summarise(run)


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a run folder"):
        write_report(tmp_path, summarise(tmp_path))


def test_what_only_a_profile_knows_is_written_in_words(tmp_path: Path) -> None:
    box = {"x1": 1, "y1": 2, "x2": 3, "y2": 4}
    data = {"kind": "text", "found": 2, "ways": ["name", "place"], "box": box, "choice": None, "complete": False}
    records = [
        StageResult(step=0, span=Span(start=1, end=2), stage="locate", data=data),
        StageResult(step=0, span=Span(start=1, end=2), stage="confirm", data={"problem": HOSTILE, "missing": ""}),
    ]
    folder = tmp_path / "run"
    folder.mkdir()
    task = TaskSpec(id="one", goal="Find it")
    write_run(folder, {"run_id": "r"}, {"e": [started("e", task), *records, ended(3, steps=1)]})
    write_report(folder, summarise(folder))
    page = (folder / "report.html").read_text(encoding="utf-8")
    said = " ".join(page.split())
    assert "kind: text; found: 2; ways: name, place; box: x1: 1, y1: 2, x2: 3, y2: 4; complete: no</dd>" in said
    assert '<dd class="failed">problem: &lt;/script&gt;' in said
    assert "missing" not in said


def test_a_page_that_was_restored_is_shown_with_the_wrong_one_before(tmp_path: Path) -> None:
    folder = write_judged_run(tmp_path / "run")
    page = write_report(folder, summarise(folder)).read_text(encoding="utf-8")
    assert page.count(f'data-screen="{screen(WRONG)[0]}"') == 1
    assert f'"{screen(WRONG)[0]}"' in page.partition("const screens")[2]
