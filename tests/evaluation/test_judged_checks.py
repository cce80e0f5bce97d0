"""Checks that a model judged: counted apart from the phone's word everywhere, and compared with people."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from junitparser import Failure, JUnitXml

from manyhands.evaluation.formats.results import run_to_junit, to_html
from manyhands.evaluation.judgements.judgements import (
    MODEL_JUDGE,
    EpisodeJudgement,
    Judgements,
    judgements_in_journals,
    read_all_judgements,
    write_judgements,
)
from manyhands.evaluation.judgements.session import sheets
from manyhands.evaluation.metrics.score import score_folder
from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.evaluation.report.report_folder import write_report
from manyhands.evaluation.results import results_of, to_csv, to_json_lines
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.summary import summarise
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from tests.evaluation.report.opened import read_payload
from tests.evaluation.run_records import SIZE, write_run
from tests.evaluation.statements_run import ENDS, SAID, STATEMENT, episode, write_statements_run


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(write_statements_run(tmp_path / "run"))


def test_the_summary_counts_a_judges_word_apart(run: RunFolder) -> None:
    summary = summarise(run.path)
    assert (summary.verified, summary.judged_done, summary.judged_not_done, summary.false_completes) == (1, 2, 1, 1)
    by = {row.id: (row.verified, row.verified_by, row.is_done) for row in summary.by_task}
    assert by["phone_no"] == (False, "phone", False)
    assert by["judge_yes"] == (True, "judge", True)
    assert by["open"] == (None, None, False)
    assert json.loads((run.path / "summary.json").read_text())["judged_done"] == 2
    assert summary.model["judge"].calls == 4


def test_results_have_verdicts_of_their_own_in_every_format(run: RunFolder) -> None:
    results = results_of(run)
    assert [(one.verdict, one.passes) for one in results] == [
        ("passed", True),
        ("failed", False),
        ("judged_done", True),
        ("judged_done", True),
        ("judged_not_done", False),
        ("undecided", False),
    ]
    rows = list(csv.DictReader(io.StringIO(to_csv(results))))
    assert [row["verified_by"] for row in rows] == ["phone", "phone", "judge", "judge", "judge", ""]
    assert [json.loads(line)["verified_by"] for line in to_json_lines(results).splitlines()][2] == "judge"
    page = to_html(results, run)
    assert "<b>2</b>judged done" in page
    assert "<b>1</b>judged not done" in page
    (suite,) = JUnitXml.fromstring(run_to_junit(run, results).encode())
    cases = {case.name: case for case in suite}
    marked = ElementTree.fromstring(run_to_junit(run, results)).findall(
        ".//property[@name='verified_by'][@value='judge']"
    )
    assert len(marked) == 3
    assert cases["judge_yes"].is_passed
    (failed,) = cases["judge_no"].result
    assert isinstance(failed, Failure)
    assert failed.type == "judge"


def test_the_report_tells_a_judges_word_apart_and_its_reason(run: RunFolder) -> None:
    write_report(run.path)
    told = read_payload(run.path, "run")
    assert {task["row"]["id"]: (task["verdict"], task["row"]["verified_by"]) for task in told["tasks"]} == {
        "phone_yes": ("done", "phone"),
        "phone_no": ("failed", "phone"),
        "judge_yes": ("done", "judge"),
        "judge_yes_too": ("done", "judge"),
        "judge_no": ("failed", "judge"),
        "open": ("undecided", None),
    }
    assert (told["summary"]["judged_done"], told["summary"]["judged_not_done"]) == (2, 1)
    [judged] = read_payload(run.path, "episodes/judge_no")["judged"]
    assert judged["reason"] == "<b>seen</b> in judge_no"


def test_the_phones_figures_do_not_count_a_judges_word(run: RunFolder) -> None:
    score = score_folder(run.path)
    assert (score.state.figures["SR"].value, score.state.figures["SR"].covers) == (0.5, 2)
    (model,) = score.judges
    assert (model.source, model.judge) == ("model", MODEL_JUDGE)
    assert (model.figures["SR"].amount, model.figures["SR"].covers) == (2.0, 3)
    assert score.costs.calls == 1  # a step: the judge is no part of the agent


def test_a_person_is_asked_what_the_model_was_asked_and_both_are_compared(run: RunFolder) -> None:
    asked = {sheet.episode: [one.name for one in sheet.questions if one.kind == "statements"] for sheet in sheets(run)}
    assert asked == {name: [STATEMENT] if name in SAID else [] for name in ENDS}
    thinks = {"judge_yes": True, "judge_yes_too": False, "judge_no": False, "open": True}
    episodes = {name: EpisodeJudgement(statements={STATEMENT: word}, success=word) for name, word in thinks.items()}
    write_judgements(run, Judgements(judge="ann", source="person", episodes=episodes))
    (pair,) = score_folder(run.path).agreement
    assert (pair.judges, pair.sources) == (("ann", MODEL_JUDGE), ("person", "model"))
    # yes and yes, no and yes, no and no: observed 2/3; by chance (1/3)(2/3) + (2/3)(1/3) = 4/9; (6/9 - 4/9) / (5/9)
    for kind in ("statements", "success"):
        found = pair.kinds[kind]  # type: ignore[index]
        assert (found.compared, found.same, found.kappa) == (3, 2, pytest.approx(0.4))


def test_a_statement_that_nobody_asked_about_cannot_be_judged(run: RunFolder) -> None:
    episodes = {"phone_yes": EpisodeJudgement(statements={STATEMENT: True})}
    write_judgements(run, Judgements(judge="ann", source="person", episodes=episodes))
    with pytest.raises(BadInput, match=r"episodes\.phone_yes\.statements: no model was asked"):
        read_all_judgements(run)


def test_nobody_else_has_the_name_of_the_models_judgements(run: RunFolder) -> None:
    write_judgements(run, Judgements(judge=MODEL_JUDGE, source="person"))
    with pytest.raises(BadInput, match="belongs to the model that judged the checks"):
        read_all_judgements(run)


def test_a_run_without_statements_has_no_judge(tmp_path: Path) -> None:
    write_run(tmp_path, {}, {"phone_yes": episode("phone_yes", 1)})
    assert judgements_in_journals(RunFolder(tmp_path)) is None
    assert score_folder(tmp_path).judges == ()


def test_the_judges_requests_can_be_sent_again(run: RunFolder) -> None:
    calls = [one for one in recorded_calls(run) if one.role is Role.JUDGE]
    assert [(one.episode, one.step, one.shown) for one in calls] == [(name, 0, (SIZE,)) for name in SAID]
