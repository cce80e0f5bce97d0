"""Results as rows, CSV and JUnit: read back by the libraries that people read them with."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase
from junitparser.junitparser import Properties, SystemOut

from manyhands.evaluation.formats.results import run_to_junit
from manyhands.evaluation.results import TaskResult, answer_fields, results_of, select_batch, to_csv, to_json_lines
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import PhonePrepared
from manyhands.protocol.phones import AppCrash, PhoneDescription
from manyhands.protocol.roles.role import Role
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from tests.evaluation.run_records import ID, call, captured, decided, ended, planned, sent, span, started, write_run

CHECK = {"source": "content://example/state", "holds": {"path": "dark", "equals": True}}
UNMET = UnmetTest(expected="dark is true", found="false")


def task(id: str, **fields: Any) -> TaskSpec:
    return TaskSpec(id=id, goal=f"Do {id}.", **fields)


TRACE = "java.lang.IllegalStateException: no model\n\tat Page.edit(Page.kt:12)"
CRASH = AppCrash(id="1", kind="crash", package="com.example", reason="java.lang.IllegalStateException", trace=TRACE)


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    tasks = [task("done", check=CHECK), task("wrong", check=CHECK), task("lost"), task("asked"), task("left")]
    folder = tmp_path / "run"
    folder.mkdir()
    write_run(
        folder,
        {"run_id": "night", "tasks": [one.model_dump(mode="json") for one in tasks]},
        {
            "done": [
                started("done", tasks[0], at=10),
                planned(0, span(10, 11), call(Role.PLAN, 100)),
                captured(0, span(11, 12)),
                decided(0, span(12, 13), call(Role.DECIDE, 50)),
                sent(0, "k", at=13),
                ended(22, steps=1, verified=True),
            ],
            "wrong": [
                started("wrong", tasks[1], at=20),
                ended(25, steps=2, verified=False, unmet=(UNMET,), check_screen=ID),
            ],
            "lost": [started("lost", tasks[2], at=20), ended(26, Ending.PHONE_LOST, reason="it was\x1b[2J unplugged")],
            "asked": [
                started("asked", tasks[3], at=20),
                ended(27, steps=1, answer='{"price": -5, "name": "=HYPERLINK(1)", "stars": 4.5}'),
            ],
        },
    )
    (folder / "screens").mkdir()
    (folder / "screens" / f"{ID}.png").write_bytes(b"png")
    return RunFolder(folder)


def by_task(run: RunFolder) -> dict[str, TaskResult]:
    return {result.id: result for result in results_of(run)}


def test_a_row_says_what_came_of_its_task_and_what_it_took(run: RunFolder) -> None:
    rows = by_task(run)
    assert {name: row.verdict for name, row in rows.items()} == {
        "done": "passed",
        "wrong": "failed",
        "lost": "failed",
        "asked": "passed",
        "left": "cancelled",
    }
    done = rows["done"]
    assert (done.seconds, done.steps, done.model_calls) == (12, 1, 2)
    assert (done.input_tokens, done.output_tokens) == (150, 2)
    assert (done.last_action, done.last_screen, done.episode) == ("Home", f"screens/{ID}.png", "done")
    assert rows["wrong"].unmet == (UNMET,)
    assert rows["wrong"].last_screen == f"screens/{ID}.png", "the check looked at it"
    assert (rows["left"].episode, rows["left"].phone, rows["left"].seconds) == (None, None, 0)


def test_rows_of_one_batch_are_chosen_by_its_name(tmp_path: Path) -> None:
    tasks = [task("one"), task("two"), task("three")]
    batches = [{"name": "batch-1", "tasks": 1}, {"name": "batch-2", "tasks": 2}]
    asked = {"tasks": [one.model_dump(mode="json") for one in tasks], "batches": batches}
    write_run(tmp_path, asked, {"two": [started("two", tasks[1], batch="batch-2"), ended(3)]})
    results = results_of(RunFolder(tmp_path))
    assert [row.batch for row in results] == ["batch-1", "batch-2", "batch-2"]
    assert [row.id for row in select_batch(results, "batch-2")] == ["two", "three"]
    with pytest.raises(BadInput, match=r"--batch batch-3: no such batch; there are batch-1, batch-2"):
        select_batch(results, "batch-3")


def test_a_csv_has_the_fields_of_answers_as_columns_and_no_formula(run: RunFolder) -> None:
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(to_csv(results_of(run)), newline=""))}
    asked = rows["asked"]
    assert (asked["answer.price"], asked["answer.stars"], asked["answer.name"]) == ("-5", "4.5", "'=HYPERLINK(1)")
    assert "answer" not in asked
    assert rows["wrong"]["unmet"] == "expected dark is true; found false"
    assert [rows[name]["verified"] for name in ("done", "wrong", "lost")] == ["yes", "no", ""]
    assert rows["done"]["seconds"] == "12.0"


def test_the_reason_is_the_check_that_does_not_hold(tmp_path: Path) -> None:
    tasks = [task("wrong", check=CHECK), task("limit", check=CHECK), task("unsaid", check=CHECK)]
    done, limit = "Everything that was asked for is done", "3 steps without reaching the goal"
    write_run(
        tmp_path,
        {"tasks": [one.model_dump(mode="json") for one in tasks]},
        {
            "wrong": [started("wrong", tasks[0]), ended(5, verified=False, unmet=(UNMET,), reason=done)],
            "limit": [started("limit", tasks[1]), ended(5, Ending.STEP_LIMIT, verified=False, reason=limit)],
            "unsaid": [started("unsaid", tasks[2]), ended(5, verified=None, reason=done)],
        },
    )
    results = results_of(RunFolder(tmp_path))
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(to_csv(results), newline=""))}
    said = "its check does not hold: expected dark is true; found false"
    assert {id: row["reason"] for id, row in rows.items()} == {"wrong": said, "limit": limit, "unsaid": done}
    assert [row["verdict"] for row in rows.values()] == ["failed", "failed", "undecided"]
    assert [row["human_steps"] for row in rows.values()] == ["", "", ""], "nobody said how many a human needs"


def test_an_answer_that_is_a_list_of_objects_has_a_line_for_each(tmp_path: Path) -> None:
    hotels = [{"name": "Alpha", "price": 89.5}, {"name": "Beta", "rating": None}]
    tasks = [task("hotels"), task("price"), task("invalid")]
    write_run(
        tmp_path,
        {"tasks": [one.model_dump(mode="json") for one in tasks]},
        {
            "hotels": [started("hotels", tasks[0]), ended(5, answer=json.dumps(hotels), answer_data=hotels)],
            "price": [started("price", tasks[1]), ended(5, answer='{"price": 3}', answer_data={"price": 3})],
            "invalid": [started("invalid", tasks[2]), ended(5, Ending.ANSWER_INVALID, answer="?", answered=False)],
        },
    )
    results = results_of(RunFolder(tmp_path))
    rows = list(csv.DictReader(io.StringIO(to_csv(results), newline="")))
    assert [(row["id"], row["answer.name"], row["answer.price"], row["answer.rating"]) for row in rows] == [
        ("hotels", "Alpha", "89.5", ""),
        ("hotels", "Beta", "", ""),
        ("price", "", "3", ""),
        ("invalid", "", "", ""),
    ]
    assert [row["verdict"] for row in rows] == ["passed", "passed", "passed", "failed"]
    assert json.loads(to_json_lines(results).splitlines()[0])["answer_data"] == hotels
    assert answer_fields(results[0]) == {"name": "Alpha; Beta", "price": "89.5", "rating": ""}


def test_junit_has_failures_errors_of_lost_phones_and_skips(run: RunFolder) -> None:
    (suite,) = JUnitXml.fromstring(run_to_junit(run, results_of(run)).encode())
    cases = {case.name: case for case in suite}
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (5, 1, 1, 1)
    (failure,), (error,), (skip,) = (cases[name].result for name in ("wrong", "lost", "left"))
    assert isinstance(failure, Failure)
    assert (failure.message, failure.type) == ("expected dark is true; found false", "check")
    assert "goal: Do wrong." in (failure.text or "")
    assert isinstance(error, Error)
    assert "it was\\x1b[2J unplugged" in error.message
    assert isinstance(skip, Skipped)
    assert (cases["done"].result, cases["asked"].result) == ([], [])
    assert f"[[ATTACHMENT|{run.path / 'screens' / ID}.png]]" in output_of(cases["done"])


def test_a_crash_of_the_app_is_a_failure_with_its_trace(tmp_path: Path) -> None:
    tasks = [task("crash", check=CHECK), task("refused", check=CHECK)]
    product = PhonePrepared(at=0, receipts=(), phone=PhoneDescription(product="oriole"))
    crashed = ended(5, Ending.APP_CRASHED, verified=False, reason=CRASH.words, crash=CRASH)
    write_run(
        tmp_path,
        {"tasks": [one.model_dump(mode="json") for one in tasks]},
        {
            "crash": [started("crash", tasks[0], serial="a:5555"), product, crashed],
            "refused": [started("refused", tasks[1]), ended(5, Ending.SETUP_REFUSED, reason="no space")],
        },
    )
    run = RunFolder(tmp_path)
    results = results_of(run)
    assert [(row.verdict, row.trace, row.product) for row in results] == [
        ("failed", TRACE, "oriole"),
        ("undecided", "", ""),
    ]
    (suite,) = JUnitXml.fromstring(run_to_junit(run, results).encode())
    crash, refused = suite
    (failure,), (error,) = crash.result, refused.result
    assert isinstance(failure, Failure)
    assert (failure.type, failure.message) == ("app_crashed", f"app_crashed: {CRASH.words}")
    assert (failure.text or "").endswith(TRACE)
    assert isinstance(error, Error)
    assert properties_of(crash) == {"phone": "a:5555", "product": "oriole"}
    assert TRACE not in to_csv(results)
    assert json.loads(to_json_lines(results).splitlines()[0])["trace"] == TRACE


def test_junit_names_a_task_alike_in_every_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    for number in (1, 2):
        folder = tmp_path / "runs" / f"{number}"
        folder.mkdir()
        asked = {"run_id": f"{number}", "settings": {"name": "errands"}, "tasks": [{"id": "dark", "goal": "Go."}]}
        write_run(folder, asked, {"dark": [started("dark", task("dark")), captured(0, span(1, 2)), ended(5)]})
        (folder / "screens").mkdir()
        (folder / "screens" / f"{ID}.png").touch()
        run = RunFolder(folder)
        (suite,) = JUnitXml.fromstring(run_to_junit(run, results_of(run)).encode())
        (case,) = suite
        assert (suite.name, case.classname, case.name) == ("errands", "errands", "dark")
        assert output_of(case).strip() == f"[[ATTACHMENT|runs/{number}/screens/{ID}.png]]"


def properties_of(case: TestCase) -> dict[str, str]:
    found = case.child(Properties)
    return {} if found is None else {str(one.name): str(one.value) for one in found}


def output_of(case: TestCase) -> str:
    found = case.child(SystemOut)
    assert found is not None
    return str(found.text)
