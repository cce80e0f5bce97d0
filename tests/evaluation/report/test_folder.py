"""The files of a report: what a page loads, in a run folder or in a copy, whatever the run's state."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from manyhands.evaluation.report.report_folder import ReportOptions, copy_report, write_report
from manyhands.evaluation.report.run_reports import digest_journal
from manyhands.evaluation.run_folder import InjectedFault, RunFolder, append_fault
from manyhands.evaluation.summary import summary_of
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.journals.journal import encode, scan
from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted, Record, Span, StageResult
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.judged_run import FIRST, SECOND, WRONG, screen, write_judged_run
from tests.evaluation.judged_run import HOSTILE as HOSTILE_TEXT
from tests.evaluation.report.opened import read_payload, read_script
from tests.evaluation.report.reported_run import HOSTILE, write_reported_run
from tests.evaluation.run_records import captured, ended, span, started, write_run
from tests.examples import examples

EPISODE = "episodes/one-1-a"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_reported_run(tmp_path)


def test_an_episode_tells_its_steps(run: Path) -> None:
    write_report(run)
    told = read_payload(run, EPISODE)
    [step] = told["steps"]
    assert (told["episode"]["goal"], step["subgoal"], step["action"]) == (
        "Find & keep <it>",
        "the subgoal",
        "Tap (17, 23)",
    )
    assert (step["outcome"], step["error"], step["touches"][0]["x1"]) == ("B", "a wrong page", 17)
    [element] = step["elements"]
    assert element == {"kind": "text", "content": HOSTILE, "x1": 1, "y1": 2, "x2": 30, "y2": 12, "source": "vision"}
    assert told["episode"]["unmet"] == [{"expected": "settings.dark_mode is true", "found": "false"}]


def test_the_run_tells_tasks_figures_and_why_they_failed(run: Path) -> None:
    written = write_report(run)
    told = read_payload(run, "run")
    [task] = told["tasks"]
    assert (task["verdict"], task["row"]["reason"], task["cause"]) == ("failed", "why", "cause-1")
    assert told["causes"][0]["tasks"] == ["one"]
    assert task["episodes"][0]["failure_step"] == 0
    assert told["summary"]["model"]["plan"]["input_tokens"] == 1234
    assert told["started_at"] == 1.0
    assert (run / "summary.json").is_file()
    assert written.page == run / "report.html"
    files = [run / "report.html", *(path for path in (run / "report").rglob("*") if path.is_file())]
    assert written.bytes == sum(path.stat().st_size for path in files)


def test_prompts_and_replies_are_in_a_file_of_their_own(run: Path) -> None:
    write_report(run)
    [step] = read_payload(run, "calls/one-1-a")
    assert step["calls"] == [{"number": 0, "request": {"prompt": "the whole prompt"}, "reply": ""}]
    assert "the whole prompt" not in str(read_payload(run, EPISODE))


def test_the_page_holds_no_text_of_a_run_and_forbids_all_scripts_but_its_own(run: Path) -> None:
    write_report(run)
    page = (run / "report.html").read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="(?!data:image/)([^"]*)"', page) == ["report/report.css", "report/report.js"]
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; script-src 'self' file:;")
    assert "unsafe" not in policy
    assert "Find" not in page


def test_hostile_texts_are_data_in_every_file(tmp_path: Path) -> None:
    folder = write_judged_run(tmp_path / "run")
    (folder / "episodes" / FIRST / "logcat.txt").write_text(f"{HOSTILE_TEXT}\n\x1b[2J\u202e\n", encoding="utf-8")
    write_report(folder)
    names = {read_script(path)[0] for path in (folder / "report").rglob("*.js") if path.name != "report.js"}
    assert {"run", f"episodes/{FIRST}", f"calls/{FIRST}", f"logs/{FIRST}", f"episodes/{SECOND}"} <= names
    assert HOSTILE_TEXT in read_payload(folder, f"episodes/{FIRST}")["episode"]["goal"]
    assert read_payload(folder, f"logs/{FIRST}") == [HOSTILE_TEXT, "\x1b[2J\u202e"]
    assert read_payload(folder, f"episodes/{FIRST}")["has_log"]
    assert not read_payload(folder, f"episodes/{SECOND}")["has_log"]


def test_tasks_that_never_began_are_told_with_their_reason(run: Path) -> None:
    asked = yaml.safe_load((run / "run.yaml").read_text())
    more = [{"id": "two", "goal": "Wait <for> ever", "tags": ["t"]}, {"id": "one", "goal": "Find & keep <it>"}]
    asked |= {"tasks": [*asked["tasks"], *more], "batches": [{"name": "b1", "tasks": 3}]}
    (run / "run.yaml").write_text(yaml.safe_dump(asked))
    write_report(run)
    told = read_payload(run, "run")["tasks"]
    reason = "the run ended before the task was started"
    assert [(task["row"]["id"], task["goal"], task["verdict"]) for task in told[1:]] == [
        ("two", "Wait <for> ever", "cancelled"),
        ("one", "Find & keep <it>", "cancelled"),
    ]
    assert {task["row"]["reason"] for task in told[1:]} == {reason}
    assert (told[1]["tags"], told[1]["episodes"], told[1]["cause"]) == (["t"], [], None)


def test_a_task_that_was_given_up_before_it_had_a_phone_is_told_once(run: Path) -> None:
    journal = run / "episodes" / "one-1-a" / "journal.mh"
    first, *_ = scan(journal.read_bytes()).records
    assert isinstance(first, EpisodeStarted)
    no_phone: list[Record] = [
        first.model_copy(update={"serial": "", "epoch": 0}),
        EpisodeEnded(at=3.0, ending=Ending.NO_PHONE, reason="all went", steps=0, verified=None, rubrics={}),
    ]
    journal.write_bytes(b"".join(encode(record, "one-1-a") for record in no_phone))
    write_report(run)
    told = read_payload(run, "run")
    [task] = told["tasks"]
    assert (task["row"]["reason"], task["episodes"][0]["phone"], told["phones"]) == ("all went", "", [])


def test_small_pictures_are_made_where_they_are_missing(run: Path) -> None:
    write_report(run)
    [small] = (run / "thumbnails").iterdir()
    with Image.open(small) as picture:
        assert picture.size == (108, 240)
    assert small.stem == next((run / "screens").iterdir()).stem
    small.write_bytes(b"kept")
    write_report(run)
    assert small.read_bytes() == b"kept"


@pytest.mark.parametrize("kept", [0, 20, 40, 100])
def test_a_damaged_picture_is_missing_and_the_rest_is_told(run: Path, kept: int) -> None:
    [png] = (run / "screens").iterdir()
    png.write_bytes(png.read_bytes()[:kept])
    write_report(run)
    assert read_payload(run, EPISODE)["steps"][0]["action"] == "Tap (17, 23)"
    assert list((run / "thumbnails").iterdir()) == []


@given(st.integers(0, 300), st.binary(min_size=1, max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(40))
def test_no_damage_to_a_picture_ends_the_report(run: Path, at: int, bytes_: bytes) -> None:
    [path] = (run / "screens").iterdir()
    png = path.read_bytes()
    path.write_bytes(png[:at] + bytes_ + png[at + len(bytes_) :])
    for small in run.glob("thumbnails/*"):
        small.unlink()
    write_report(run)
    path.write_bytes(png)
    assert read_payload(run, EPISODE)["steps"]


@given(st.integers(0, 4000), st.binary(min_size=1, max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(40))
def test_no_damage_to_a_journal_ends_the_report(run: Path, at: int, bytes_: bytes) -> None:
    path = run / "episodes" / "one-1-a" / "journal.mh"
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + bytes_ + whole[at + len(bytes_) :])
    write_report(run)
    path.write_bytes(whole)
    assert [task["row"]["id"] for task in read_payload(run, "run")["tasks"]] == ["one"]


def test_a_copy_has_all_that_it_needs_and_the_run_folder_stays_as_it_is(run: Path, tmp_path: Path) -> None:
    before = set(run.rglob("*"))
    written = copy_report(run, tmp_path / "sent")
    out = tmp_path / "sent"
    assert written.page == out / "report.html"
    [png] = (run / "screens").iterdir()
    assert (out / "screens" / png.name).read_bytes() == png.read_bytes()
    assert (out / "thumbnails" / f"{png.stem}.jpg").is_file()
    assert set(run.rglob("*")) == before | {run / "summary.json"}
    write_report(run)
    assert read_payload(out, EPISODE) == read_payload(run, EPISODE)


def test_a_copy_replaces_an_older_report_and_nothing_else(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "sent"
    copy_report(run, out)
    (out / "report" / "episodes" / "old.js").write_text("")
    copy_report(run, out)
    assert not (out / "report" / "episodes" / "old.js").exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("mine")
    for taken in (other, run):
        with pytest.raises(BadInput, match="--out"):
            copy_report(run, taken)
    assert (other / "letter.txt").read_text() == "mine"


def test_without_screens_no_picture_is_made_or_copied(run: Path, tmp_path: Path) -> None:
    copy_report(run, tmp_path / "sent", ReportOptions(trim=True))
    assert {path.name for path in (tmp_path / "sent").iterdir()} == {"report", "report.html"}
    assert read_payload(tmp_path / "sent", "run")["is_trimmed"]
    assert not (run / "thumbnails").exists()


def test_a_report_is_replaced_whole_and_only_its_owner_may_read_it(run: Path) -> None:
    write_report(run)
    (run / "report" / "episodes" / "gone.js").write_text("")
    (run / ".report.999999999.part").mkdir()
    write_report(run)
    assert not (run / "report" / "episodes" / "gone.js").exists()
    assert list(run.glob(".report*")) == []
    written = [run / "report.html", *(run / "report").rglob("*"), *(run / "thumbnails").rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in written} == {0}


def test_the_same_run_gives_the_same_episodes(run: Path) -> None:
    def content() -> dict[str, bytes]:
        write_report(run)
        return {path.name: path.read_bytes() for path in (run / "report").rglob("*.js") if path.name != "run.js"}

    assert content() == content()


def test_several_processes_write_the_same_as_one(tmp_path: Path) -> None:
    run = tmp_path / "many"
    run.mkdir()
    names = [f"t{number}-1-a" for number in range(20)]
    tasks = {name: TaskSpec(id=name.removesuffix("-1-a"), goal="go") for name in names}
    asked = {"run_id": "r", "tasks": [task.model_dump(mode="json") for task in tasks.values()]}
    journals = {
        name: [started(name, task, at=number), captured(0, span(number, number + 1)), ended(number + 2, steps=1)]
        for number, (name, task) in enumerate(tasks.items())
    }
    write_run(run, asked, journals)
    said: list[tuple[int, int]] = []
    several = write_report(run, ReportOptions(workers=2, on_progress=lambda *counts: said.append(counts))).report
    files = {path.name: path.read_bytes() for path in (run / "report" / "episodes").iterdir()}
    one = write_report(run).report
    assert {path.name: path.read_bytes() for path in (run / "report" / "episodes").iterdir()} == files
    assert several.model_copy(update={"made_at": 0}) == one.model_copy(update={"made_at": 0})
    assert said == [(number, 20) for number in range(1, 21)]


def test_an_episode_under_the_name_of_another_one_is_left_out(run: Path) -> None:
    (run / "episodes" / "strange").mkdir()
    journal = (run / "episodes" / "one-1-a" / "journal.mh").read_bytes()
    (run / "episodes" / "strange" / "journal.mh").write_bytes(journal)
    write_report(run)
    assert [path.name for path in (run / "report" / "episodes").iterdir()] == ["one-1-a.js"]


def test_faults_that_were_injected_are_on_the_timeline(run: Path) -> None:
    append_fault(
        run / "faults.jsonl", InjectedFault(kind="kill-host", at=2.0, over=2.0, hit={"phone": "e"}, note="<b>")
    )
    append_fault(run / "faults.jsonl", InjectedFault(kind="disk-full", at=3.0, over=9.5, hit={}))
    with (run / "faults.jsonl").open("a") as file:
        file.write('{"kind": "kill-ro')  # whoever wrote it was killed
    write_report(run)
    told = [
        (one["kind"], one["at"], one["end"], one["phone"], one["text"]) for one in read_payload(run, "run")["events"]
    ]
    assert told == [("fault", 1.0, None, "phone", "kill-host: <b>"), ("fault", 2.0, 8.5, "", "disk-full")]


def test_faults_that_cannot_be_read_are_a_typed_error(run: Path) -> None:
    write_report(run)
    (run / "faults.jsonl").write_text("{\n")
    with pytest.raises(StoreError, match=r"faults\.jsonl"):
        write_report(run)
    assert read_payload(run, "run")["run"] == "run"
    assert list(run.glob(".report*")) == []


@pytest.mark.parametrize("content", [b"tasks: [{id: a", b"\xff\xfe\x00", b"a: b: c", b"just text"])
def test_an_unreadable_run_yaml_is_a_typed_error(run: Path, content: bytes) -> None:
    (run / "run.yaml").write_bytes(content)
    with pytest.raises(BadInput, match=r"run\.yaml"):
        write_report(run)


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a run folder"):
        write_report(tmp_path)


def test_a_run_without_an_episode_has_a_report(tmp_path: Path) -> None:
    write_run(tmp_path, {"run_id": "r", "tasks": [{"id": "a", "goal": "g"}]}, {})
    write_report(tmp_path)
    assert [task["verdict"] for task in read_payload(tmp_path, "run")["tasks"]] == ["cancelled"]


def test_what_only_a_profile_knows_is_told_in_words(tmp_path: Path) -> None:
    box = {"x1": 1, "y1": 2, "x2": 3, "y2": 4}
    data = {"kind": "text", "found": 2, "ways": ["name", "place"], "box": box, "choice": None, "complete": False}
    records = [
        StageResult(step=0, span=Span(start=1, end=2), stage="locate", data=data),
        StageResult(step=0, span=Span(start=1, end=2), stage="confirm", data={"problem": HOSTILE, "missing": ""}),
    ]
    task = TaskSpec(id="one", goal="Find it")
    write_run(tmp_path, {"run_id": "r"}, {"e": [started("e", task), *records, ended(3, steps=1)]})
    write_report(tmp_path)
    found = read_payload(tmp_path, "episodes/e")["steps"][0]["findings"]
    assert found[0]["text"] == "kind: text; found: 2; ways: name, place; box: x1: 1, y1: 2, x2: 3, y2: 4; complete: no"
    assert (found[1]["text"], found[1]["is_problem"]) == (f"problem: {HOSTILE}", True)


def test_the_wrong_page_before_a_return_is_among_the_small_pictures(tmp_path: Path) -> None:
    folder = write_judged_run(tmp_path / "run")
    write_report(folder)
    assert (folder / "thumbnails" / f"{screen(WRONG)[0]}.jpg").is_file()


def test_records_of_a_digest_share_their_field_sets(run: Path) -> None:
    digest = digest_journal(RunFolder(run), "one-1-a")
    assert digest is not None
    [whole] = RunFolder(run).journals.values()
    assert [type(record) for record in digest.records] == [type(record) for record in whole.records]
    sets = [record.model_fields_set for record in digest.records]
    assert sets == [record.model_fields_set for record in whole.records]
    assert len({id(names) for names in sets}) == len({frozenset(names) for names in sets})
    assert summary_of({}, [digest.records]) == summary_of({}, [whole.records])
