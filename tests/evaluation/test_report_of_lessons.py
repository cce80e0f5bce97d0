"""The report of a run that learned: what each task knew, used and taught, as a difference, and plots of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.episodes import attempted, episodes_of
from manyhands.evaluation.metrics.score import score_folder
from manyhands.evaluation.report.report_folder import write_report
from manyhands.evaluation.report.run_reports import MOST_LINES, REST, learning_plots
from manyhands.protocol.journals.journal import encode, scan
from manyhands.protocol.journals.records import Record, Span, StageResult
from manyhands.protocol.roles.lessons import Change, LessonTaken
from manyhands.protocol.roles.memory import ShortcutStep
from manyhands.protocol.run_report import LearningPlot
from tests.evaluation.report.opened import read_payload
from tests.evaluation.run_records import in_one_batch, write_run
from tests.evaluation.taught_run import (
    FIRST,
    LAST,
    NEW,
    OLD,
    SEARCH,
    SEARCH_ID,
    SECOND,
    TASKS,
    THIRD,
    TIP_ID,
    began,
    finish,
    knowing,
    learned,
    tap,
    task,
    write_taught,
)


def test_what_a_task_knew_and_taught_is_told_with_ids(tmp_path: Path) -> None:
    write_report(write_taught(tmp_path))
    ids = [one.started.episode for one in episodes_of([FIRST, SECOND, THIRD])]
    one, two, three = (read_payload(tmp_path, f"episodes/{id}") for id in ids)
    known = [(lesson["id"], lesson["text"]) for lesson in two["lessons"] if lesson["way"] == "given"]
    assert ("initial-0", "Be careful.") in known
    assert (TIP_ID, OLD) in known
    assert any(id == f"{SEARCH_ID}@1" and text.startswith("Search(words)\nSearch the <shop>.") for id, text in known)
    assert next(lesson["text"] for lesson in one["lessons"] if lesson["way"] == "added") == OLD
    assert [(lesson["before"], lesson["text"]) for lesson in two["lessons"] if lesson["way"] == "changed"] == [
        (OLD, NEW)
    ]
    assert "refused: Search_All: step 2 <was> not" in one["lesson_problem"]
    assert three["lesson_problem"] == "tips learner: no answer"


def test_the_run_tells_what_was_learned_by_episode(tmp_path: Path) -> None:
    write_report(write_taught(tmp_path))
    told = read_payload(tmp_path, "run")
    assert [(one["task"], [change["way"] for change in one["changes"]]) for one in told["lessons"]] == [
        ("one", ["added", "added"]),
        ("two", ["changed"]),
    ]
    assert told["summary"]["learning"]["lessons"] == 2


def test_a_run_that_learned_nothing_tells_nothing_of_it(tmp_path: Path) -> None:
    write_run(tmp_path, {"run_id": "r", "tasks": TASKS[3:]}, {"e-alone": LAST})
    write_report(tmp_path)
    told = read_payload(tmp_path, "run")
    assert (told["lessons"], told["summary"]["learning"]) == ([], None)


def test_a_mended_shortcut_is_told_before_and_after(tmp_path: Path) -> None:
    mended = SEARCH.model_copy(update={"steps": (ShortcutStep(name="Home"), *SEARCH.steps)})
    taken = LessonTaken(version=3, changed=(SEARCH_ID,), changes=(Change(id=SEARCH_ID, before=SEARCH, after=mended),))
    write_run(tmp_path, {"run_id": "r", "tasks": TASKS}, {"e-one": (*FIRST[:-1], learned(30, taken))})
    write_report(tmp_path)
    [change] = read_payload(tmp_path, "run")["lessons"][0]["changes"]
    added = set(change["text"].splitlines()) - set(change["before"].splitlines())
    assert added == {"1. Home", "2. Click_Text text=Search", "3. Enter"}


# ---------------------------------------------------------------------------- plots
def plots(*journals: tuple[Record, ...]) -> dict[str, LearningPlot]:
    tasks = [one.started.task.model_dump(mode="json", exclude_defaults=True) for one in episodes_of(journals)]
    asked, placed = in_one_batch({"tasks": tasks}, journals)
    return {plot.title: plot for plot in learning_plots(attempted(asked, episodes_of(placed)))}


def values(plot: LearningPlot) -> dict[str, tuple[tuple[int, float], ...]]:
    return {line.name: line.points for line in plot.lines}


def test_each_scenario_has_a_line_over_the_places_of_its_tasks() -> None:
    drawn = plots(tuple(FIRST), tuple(SECOND), tuple(THIRD), tuple(LAST))
    assert list(drawn) == [
        "Satisfaction score, %",
        "Steps",
        "Model calls, of learning too",
        "Tips known at the start",
        "Shortcuts known at the start",
        "Uses of shortcuts",
    ]
    assert values(drawn["Satisfaction score, %"]) == {"shop": ((1, 50), (2, 100), (3, 100)), REST: ((1, 50),)}
    assert values(drawn["Model calls, of learning too"])["shop"] == ((1, 8), (2, 9), (3, 5))
    assert values(drawn["Tips known at the start"])["shop"] == ((1, 1), (2, 2), (3, 2))
    uses = values(drawn["Uses of shortcuts"])
    assert {name: sum(count for _, count in points) for name, points in uses.items()} == {
        "worked": 2,
        "surprised": 1,
        "put aside": 1,
    }


def test_of_many_scenarios_the_mean_is_drawn() -> None:
    journals = [
        (
            began(
                f"e-{scenario}-{place}", task(f"t-{scenario}-{place}", f"s{scenario}"), place, knowing(searches=False)
            ),
            *tap(0, place),
            *finish(place + 9, scenario, "half"),
        )
        for scenario in range(1, MOST_LINES + 2)
        for place in (1, 2)
    ]
    (line,) = plots(*journals)["Steps"].lines
    assert (line.name, line.points) == ("mean of 7 scenarios", ((1, 4), (2, 4)))


def test_where_no_task_follows_another_one_there_is_nothing_to_draw() -> None:
    assert plots(tuple(FIRST)) == {}


def test_the_report_has_the_plots(tmp_path: Path) -> None:
    write_report(write_taught(tmp_path))
    assert len(read_payload(tmp_path, "run")["plots"]) == 6


@pytest.mark.parametrize("data", [{}, {"problem": {"a": 1}}, {"use": [None]}])
@pytest.mark.parametrize("stage", ["permit", "watch", "plan", "of_a_stranger"])
def test_a_stage_that_wrote_something_else_costs_the_report_nothing(
    tmp_path: Path, stage: str, data: dict[str, Any]
) -> None:
    write_taught(tmp_path)
    path = next((tmp_path / "episodes").glob("*/journal.mh"))
    records = list(scan(path.read_bytes()).records)
    strange = StageResult(step=0, span=Span(start=1, end=2), stage=stage, data=data)
    (started, *others), episode = records, path.parent.name
    journal = [
        encode(one, episode, getattr(one, "step", None), place, 1)
        for place, one in enumerate([started, strange, *others])
    ]
    path.write_bytes(b"".join(journal))
    write_report(tmp_path)
    assert read_payload(tmp_path, f"episodes/{episode}")["steps"]
    assert score_folder(tmp_path).decided > 0
