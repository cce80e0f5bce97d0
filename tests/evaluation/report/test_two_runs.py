"""Two runs beside each other, as pages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from manyhands.evaluation.comparison.run_difference import compare_runs
from manyhands.evaluation.comparison.screen_paths import VisitedScreen
from manyhands.evaluation.report.report_folder import ReportOptions
from manyhands.evaluation.report.two_runs import first_other_action, write_difference
from manyhands.evaluation.results import results_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import TaskSpec
from tests.deploy.command_line.called import manyhands
from tests.evaluation.judged_run import FIRST, SECOND, write_judged_run
from tests.evaluation.report.opened import read_payload
from tests.evaluation.run_records import captured, decided, ended, span, started, write_run


@pytest.fixture
def before(tmp_path: Path) -> RunFolder:
    return RunFolder(write_judged_run(tmp_path / "first run"))


@pytest.fixture
def after(tmp_path: Path) -> RunFolder:
    folder = tmp_path / "second"
    folder.mkdir()
    task = TaskSpec(id="short", goal="Say five")
    asked = {"run_id": "later", "tasks": [task.model_dump(mode="json")]}
    records = [
        started("short-1-z", task, at=0),
        captured(0, span(1, 2)),
        decided(0, span(2, 3)),
        ended(9, Ending.FAILURE_LIMIT, steps=1, reason="three failed steps"),
    ]
    write_run(folder, asked, {"short-1-z": records})
    return RunFolder(folder)


def test_a_task_has_both_of_its_episodes_and_the_step_at_which_they_part(
    before: RunFolder, after: RunFolder, tmp_path: Path
) -> None:
    found = compare_runs(results_of(before), results_of(after), (str(before.path), str(after.path)))
    page = write_difference(found, before, after, tmp_path / "out", ReportOptions())
    told = read_payload(tmp_path / "out", "diff")
    short, hostile = told["tasks"]
    assert (short["task"], short["change"], short["before"]["episode"], short["after"]["episode"]) == (
        "short",
        "newly_failing",
        SECOND,
        "short-1-z",
    )
    assert (short["before"]["verdict"], short["after"]["verdict"], short["other_action"]) == ("done", "failed", 0)
    assert short["why"] == "three failed steps"
    assert (hostile["task"], hostile["after"], hostile["other_action"]) == ("hostile", None, None)
    assert read_payload(tmp_path / "out", f"left/episodes/{FIRST}")["steps"]
    assert read_payload(tmp_path / "out", "right/episodes/short-1-z")["episode"]["ending"] == "failure_limit"
    assert 'data-first="diff"' in page.read_text(encoding="utf-8")


def test_pictures_stay_in_the_run_folders_and_have_relative_addresses(
    before: RunFolder, after: RunFolder, tmp_path: Path
) -> None:
    found = compare_runs(results_of(before), results_of(after), ("a", "b"))
    page = write_difference(found, before, after, tmp_path / "deep" / "out", ReportOptions())
    told = read_payload(page.parent, "diff")
    assert (told["pictures_before"], told["pictures_after"]) == ("../../first%20run/", "../../second/")
    assert os.path.samefile(page.parent / "../../first run/thumbnails", before.path / "thumbnails")
    assert not (page.parent / "screens").exists()


def test_the_command_writes_the_pages_beside_its_table(before: RunFolder, after: RunFolder, tmp_path: Path) -> None:
    out = tmp_path / "pages"
    done = manyhands("diff", before.path, after.path, "--html", out)
    assert (done.returncode, "short" in done.stdout) == (1, True)
    assert f"Written: {out / 'report.html'}" in done.stderr
    with pytest.raises(BadInput, match="run folder itself"):
        write_difference(compare_runs((), (), ("a", "b")), before, after, after.path, ReportOptions())


@pytest.mark.parametrize(
    ("first", "second", "step"),
    [
        (["Tap (10, 20)", "Home"], ["Tap (15, 29)", "Home"], None),
        (["Tap (10, 20)", "Home"], ["Tap (10, 120)", "Home"], 0),
        (["Tap (10, 20)", "Home"], ["Tap (10, 20)"], 1),
        (["Type (1, 2) milk"], ["Type (1, 2) bread"], 0),
        ([], [], None),
    ],
)
def test_actions_differ_by_more_than_a_few_pixels(first: list[str], second: list[str], step: int | None) -> None:
    def path(actions: list[str]) -> list[VisitedScreen]:
        return [
            VisitedScreen(step=number, content_id="0" * 32, app=None, texts=(), action=action)
            for number, action in enumerate(actions)
        ]

    assert first_other_action(path(first), path(second)) == step
