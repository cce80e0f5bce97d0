"""What tasks teach each other shows by their place in the scenario, and apart from learned shortcuts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.comparison.cells import PAPER
from manyhands.evaluation.comparison.compare import SystemComparison, compare
from manyhands.evaluation.comparison.evolution import draw_panels, evolution_sheets
from manyhands.evaluation.comparison.plots import draw
from manyhands.evaluation.comparison.sheets import render_page
from manyhands.evaluation.comparison.systems import Entry, identity, systems_of
from manyhands.evaluation.metrics.score import LATER, RunScore, score_folder
from manyhands.evaluation.plots import empty_figure
from tests.evaluation.metrics.three_episodes import write_judge, write_three
from tests.evaluation.run_records import write_run
from tests.evaluation.taught_run import (
    ALONE,
    LAST,
    ONE,
    TASKS,
    THREE,
    TWO,
    began,
    finish,
    knowing,
    tap,
    write_taught,
)


@pytest.fixture
def score(tmp_path: Path) -> RunScore:
    return score_folder(write_taught(tmp_path))


def write_untaught(folder: Path, **asked: Any) -> Path:
    """Write a run of the same tasks, each of two taps, which knew what is initial and nothing else."""
    folder.mkdir()
    journals = {
        f"e-{task.id}": (
            began(f"e-{task.id}", task, at, knowing(searches=False)),
            *tap(0, at + 1),
            *tap(1, at + 5),
            *finish(at + 20, 2, "half"),
        )
        for at, task in ((0.0, ONE), (100.0, TWO), (200.0, THREE), (300.0, ALONE))
    }
    write_run(folder, {"run_id": "r", "profile": "e", "tasks": TASKS, **asked}, journals)
    return folder


def values(score: RunScore, metric: str) -> dict[str, float | None]:
    return {place: figures[metric].value for place, figures in score.state.by_place.items()}


@pytest.mark.parametrize(
    ("metric", "first", "second", "third", "later"),
    [
        ("SS", 0.5, 1, 1, 1),
        ("SR", 0, 1, 1, 1),
        ("steps", 3, 3, 2, 2.5),
        ("calls", 8, 9, 5, 7),  # of the second: 3 decisions, 3 preconditions, a recall, 2 of learners
        ("shortcuts", 0, 1, 1 / 2, 4 / 5),
        ("misuse", None, 1 / 3, 1, 1 / 2),
        ("SS tips", 0.5, None, None, None),
        ("tips known", 1, 2, 2, 2),
        ("shortcuts known", 1, 2, 2, 2),
    ],
)
def test_figures_by_place(
    score: RunScore, metric: str, first: float, second: float, third: float, later: float
) -> None:
    found = values(score, metric)
    assert list(found) == ["1", "2", "3", LATER]
    assert found == {"1": first, "2": second, "3": third, LATER: later}


def test_a_task_without_a_scenario_has_no_place(score: RunScore) -> None:
    assert [(task.task, task.scenario, task.place) for task in score.tasks][-1] == ("alone", None, None)
    assert [task.learned_uses for task in score.tasks] == [0, 2, 1, 0]
    assert score.state.figures["SS"].tasks == 4
    assert score.state.by_place[LATER]["SS"].tasks == 2


def test_a_task_that_no_phone_had_keeps_its_place(tmp_path: Path) -> None:
    """The one behind it knows what one task taught, and not two."""
    folder = tmp_path / "run"
    folder.mkdir()
    third = (began("e-three", THREE, 200, knowing(searches=False)), *tap(0, 201), *finish(220, 1, "half"))
    write_run(folder, {"tasks": TASKS}, {"e-three": third, "e-alone": LAST})
    assert list(score_folder(folder).state.by_place) == ["3", LATER]


def test_judges_have_figures_by_place_too(tmp_path: Path) -> None:
    folder = write_taught(tmp_path / "run")
    write_judge(folder, "ann", "person", {"e-one": {"rubrics": {"half": 0, "whole": None}}})
    (ann,) = score_folder(folder).judges
    assert ann.by_place["1"]["SS"].value == 0.5
    assert ann.by_place["2"]["SS"].value is None


# ---------------------------------------------------------------------------- side by side
@pytest.fixture
def both(tmp_path: Path) -> SystemComparison:
    runs = write_untaught(tmp_path / "e"), write_taught(tmp_path / "evo")
    return compare(systems_of([Entry(run) for run in runs]))


def test_systems_stand_side_by_side_at_each_place(both: SystemComparison) -> None:
    sheet, _ = evolution_sheets(both)
    assert sheet.columns[:4] == ("system", "place", "tasks", "SS, %")
    rows = [dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows]
    assert [(row["system"], row["place"], row["tasks"]) for row in rows] == [
        (f"{system} (phone)", place, tasks)
        for place, tasks in (("1", "1"), ("2", "1"), ("3", "1"), (LATER, "2"))
        for system in ("e", "e+evo")
    ]
    assert [row["calls"] for row in rows] == ["4.0", "8.0", "4.0", "9.0", "4.0", "5.0", "4.0", "7.0"]
    assert [row["SS, %"] for row in rows] == ["50.0", "50.0", "50.0", "100.0", "50.0", "100.0", "50.0", "100.0"]


def test_tips_alone_are_compared_where_no_run_used_a_learned_shortcut(both: SystemComparison) -> None:
    """Those are the first task and the one without a scenario, in both runs."""
    _, sheet = evolution_sheets(both)
    ours = [row for row in sheet.rows if not row[0].startswith(PAPER)]
    assert ours == [("e (phone)", "2 of 2", "50.0"), ("e+evo (phone)", "2 of 2", "50.0")]
    assert (f"{PAPER}e + evolved tips, GPT-4o (Mobile-Agent-E, table 6)", "Mobile-Eval-E", "87.5") in sheet.rows


def test_runs_that_taught_nothing_have_no_such_tables(tmp_path: Path) -> None:
    comparison = compare(systems_of([Entry(write_three(tmp_path / "one"))]))
    assert list(evolution_sheets(comparison)) == []


def test_the_evolution_is_drawn(both: SystemComparison, tmp_path: Path) -> None:
    drawn = draw(both, tmp_path / "plots")
    (plot,) = [plot for plot in drawn if plot.png is not None and plot.png.name == "evolution.png"]
    assert plot.svg is not None
    assert plot.svg.read_bytes().count(b'<g id="axes_') == 6
    assert "evolution.svg" in render_page(both, drawn, "manyhands suite compare e evo")


def test_where_a_judge_alone_tells_the_evolution_is_drawn_by_the_judge(tmp_path: Path) -> None:
    """As on real phones: the phone tells of no rubric, so its panel says why. The journals tell the other panels."""
    folder = write_taught(tmp_path / "run", is_state_hidden=True)
    rubrics = {"e-one": {"half": 0, "whole": None}, "e-two": {"half": 0, "whole": 1}}
    write_judge(folder, "ann", "person", {episode: {"rubrics": said} for episode, said in rubrics.items()})
    comparison = compare(systems_of([Entry(folder)]))
    drawn = [plot.svg.name for plot in draw(comparison, tmp_path / "plots") if plot.svg is not None]
    assert [name for name in drawn if name.startswith("evolution")] == ["evolution.svg", "evolution_ann.svg"]
    points: dict[str | None, list[list[tuple[float, float]]]] = {}
    for judge in (None, "ann"):
        figure = empty_figure(9, 9)
        draw_panels(figure, comparison, judge)
        lines = [line for axes in figure.axes for line in axes.get_lines()]
        points[judge] = [[tuple(point) for point in line.get_xydata().tolist()] for line in lines]
        said = [text.get_text() for text in figure.axes[0].texts]
        assert said == ([] if judge else ["nobody judged all rubrics"])
    assert points["ann"][0] == [(1, 50), (2, 100)]
    assert points[None][0] == []
    assert points["ann"][1:] == points[None][1:]
    assert points["ann"][1] == [(1, 3), (2, 3), (3, 2)]


@pytest.mark.parametrize(
    ("models", "settings", "same"),
    [
        (["plan", "learn_tips"], {"memory": "fleet.memory"}, False),
        (["plan", "learn_tips"], {"memory_tokens": 100}, False),
        (["plan"], {"memory_tokens": 100}, True),
    ],
)
def test_another_memory_is_another_system_where_anything_is_learned(
    models: Sequence[str], settings: dict[str, Any], same: bool
) -> None:
    asked = {"tasks": [{"id": "t", "goal": "g"}], "settings": {}, "models": {role: {"model": "m"} for role in models}}
    assert (identity({**asked, "settings": settings}) == identity(asked)) is same
