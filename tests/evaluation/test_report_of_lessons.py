"""The report of a run that learned: what each task knew, used and taught, as a difference, and plots of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from manyhands.evaluation.episodes import attempted, episodes_of
from manyhands.evaluation.learning.charts import HEIGHT, MOST_LINES, REST, WIDTH, Chart, charts_of
from manyhands.evaluation.learning.lesson_view import difference, lines_of
from manyhands.evaluation.metrics.score import score_folder
from manyhands.evaluation.report.page import write_report
from manyhands.evaluation.summary import summarise
from manyhands.protocol.journal import encode, scan
from manyhands.protocol.lessons import Change, LessonTaken
from manyhands.protocol.memory import ShortcutStep
from manyhands.protocol.records import Record, Span, StageResult
from tests.evaluation.run_records import write_run
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


@pytest.fixture
def page(tmp_path: Path) -> str:
    return write_report(write_taught(tmp_path), summarise(tmp_path)).read_text(encoding="utf-8")


def sections(page: str) -> list[str]:
    """The lessons of each episode, as it is in the page."""
    return re.findall(r'<section class="lessons">.*?</section>', page, re.DOTALL)


def said(part: str) -> str:
    """What a part of a page says, without its tags."""
    return " ".join(re.sub("<[^>]*>", " ", part).split())


def test_what_a_task_knew_unfolds_with_ids(page: str) -> None:
    _, two, *_ = sections(page)
    tips, shortcuts = re.findall(r'<details class="knew">.*?</details>', two, re.DOTALL)
    assert said(tips) == f"2 tips, 1 of them learned initial-0 Be careful. {TIP_ID} {OLD}"
    assert "2 shortcuts, 1 of them learned" in said(shortcuts)
    assert f"{SEARCH_ID}@1 Search(words) Search the &lt;shop&gt;. When: Its start page is shown." in said(shortcuts)
    assert "5 tips and shortcuts were left out; 1 call of the retriever" in said(two)


def test_what_a_task_used_says_what_became_of_it(page: str) -> None:
    one, two, three, _ = map(said, sections(page))
    assert "used no shortcut" in one
    assert f"step 0: Search {SEARCH_ID}@1 worked" in two
    assert f"step 1: Search {SEARCH_ID}@1 surprised it surprised put aside: its last uses failed" in two
    assert f"step 0: Search {SEARCH_ID}@1 put aside its last uses failed" in three


def test_what_a_task_taught_is_a_difference(page: str) -> None:
    one, two, three, alone = sections(page)
    assert re.findall("<(ins|del)>", one) == ["ins"] * 6
    assert f"<ins>+ {OLD}</ins>" in one
    assert "<ins>+ 1. Click_Text text=Search</ins>" in one
    assert re.findall("<(ins|del)>", two) == ["del", "ins"]
    assert f"<del>− {OLD}</del>" in two
    assert "<ins>+ Close the &lt;b&gt;summer&lt;/b&gt; sale first.</ins>" in two
    assert "taught nothing tips learner: no answer" in said(three)
    assert "taught nobody was asked" in said(alone)


def test_what_was_refused_is_told_with_the_reason_and_nothing_is_markup(page: str) -> None:
    one, *_ = sections(page)
    assert "refused: Search_All: step 2 &lt;was&gt; not" in one
    assert one.count("step 2 &lt;was&gt; not") == 1
    assert NEW not in page
    assert "<shop>" not in page


def test_the_figures_of_the_run_stand_above(page: str) -> None:
    [table] = re.findall(r'<table class="learning">.*?</table>', page, re.DOTALL)
    rows = [tuple(map(said, re.findall("<td>.*?</td>", row, re.DOTALL))) for row in table.split("<tr>")[2:]]
    assert rows == [
        ("lessons", "2 taught, 1 failed; 2.00 s each (median)"),
        ("tips", "1 added, 1 changed"),
        ("shortcuts", "1 added, 1 refused"),
        ("uses of initial shortcuts", "1 worked"),
        ("uses of learned shortcuts", "1 worked, 1 surprised, 1 put aside"),
        ("put aside by a use", f"{SEARCH_ID}@1"),
        ("model calls of steps", "14; tokens in 1150, out 14"),
        ("model calls of the verifier", "3; tokens in 90, out 3"),
        ("model calls of the retriever", "1; tokens in 7, out 1"),
        ("model calls of the learners", "6; tokens in 90, out 6"),
    ]


def test_a_run_that_learned_nothing_has_none_of_it(tmp_path: Path) -> None:
    write_run(tmp_path, {"run_id": "r", "tasks": TASKS[3:]}, {"e-alone": LAST})
    page = write_report(tmp_path, summarise(tmp_path)).read_text(encoding="utf-8")
    assert not any(part in page for part in ('class="lessons"', 'class="learning"', 'class="chart'))


def test_lessons_of_before_it_was_kept_what_was_said_are_told_by_their_ids(tmp_path: Path) -> None:
    old = LessonTaken(version=3, added=(SEARCH_ID,), changed=(TIP_ID,), removed=("tip-00000000-000-cccc",))
    write_run(tmp_path, {"run_id": "r", "tasks": TASKS}, {"e-one": (*FIRST[:-1], learned(30, old))})
    [told] = sections(write_report(tmp_path, summarise(tmp_path)).read_text(encoding="utf-8"))
    assert f"{SEARCH_ID} added {TIP_ID} changed tip-00000000-000-cccc removed" in said(told)


def test_a_mended_shortcut_differs_by_the_lines_that_were_mended() -> None:
    mended = SEARCH.model_copy(update={"steps": (ShortcutStep(name="Home"), *SEARCH.steps)})
    found = difference(Change(id=SEARCH_ID, before=SEARCH, after=mended))
    assert found.way == "changed"
    assert [line for sign, line in found.lines if sign != "-"] == list(lines_of(mended))
    assert [line for sign, line in found.lines if sign != "+"] == list(lines_of(SEARCH))
    assert [line for sign, line in found.lines if sign == " "] == list(lines_of(SEARCH)[:3])


# ---------------------------------------------------------------------------- plots
def charts(*journals: tuple[Record, ...]) -> dict[str, Chart]:
    episodes = episodes_of(journals)
    tasks = [one.started.task.model_dump(mode="json", exclude_defaults=True) for one in episodes]
    return {chart.title: chart for chart in charts_of(attempted({"tasks": tasks}, episodes))}


def values(chart: Chart) -> dict[str, tuple[tuple[int, float], ...]]:
    return {line.name: line.values for line in chart.lines}


def test_each_scenario_has_a_line_over_the_places_of_its_tasks() -> None:
    drawn = charts(tuple(FIRST), tuple(SECOND), tuple(THIRD), tuple(LAST))
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
    uses = drawn["Uses of shortcuts"]
    assert [(bar.name, bar.value) for bar in uses.bars] == [("worked", 2), ("surprised", 1), ("put aside", 1)]


def test_all_that_is_drawn_lies_on_the_picture_and_higher_is_more() -> None:
    for chart in charts(tuple(FIRST), tuple(SECOND), tuple(THIRD)).values():
        points = [point for line in chart.lines for point in line.points]
        points += [(bar.x, bar.y) for bar in chart.bars] + [
            (bar.x + bar.width, bar.y + bar.height) for bar in chart.bars
        ]
        assert points
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in points)
        for line in chart.lines:
            by_value = sorted(zip((value for _, value in line.values), (-y for _, y in line.points), strict=True))
            assert [y for _, y in by_value] == sorted(y for _, y in by_value)
        assert [float(tick) for _, tick in chart.ys] == sorted(float(tick) for _, tick in chart.ys)


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
    (line,) = charts(*journals)["Steps"].lines
    assert (line.name, line.values) == ("mean of 7 scenarios", ((1, 4), (2, 4)))


def test_where_no_task_follows_another_one_there_is_nothing_to_draw() -> None:
    assert charts(tuple(FIRST)) == {}


def test_the_pictures_are_drawn_in_the_page_itself(page: str) -> None:
    pictures = [
        ElementTree.fromstring(svg) for svg in re.findall(r'<svg viewBox="0 0 360 200".*?</svg>', page, re.DOTALL)
    ]
    assert len(pictures) == 6
    assert [len(picture.findall("polyline")) for picture in pictures] == [2, 2, 2, 2, 2, 0]
    assert len(pictures[-1].findall("rect")) == 3


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
    assert episode in write_report(tmp_path, summarise(tmp_path)).read_text(encoding="utf-8")
    assert score_folder(tmp_path).decided > 0
