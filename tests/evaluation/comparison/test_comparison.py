"""Runs side by side: what is a seed of what, means with their spread, the papers' rows, plots."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.comparison.cells import PAPER
from manyhands.evaluation.comparison.compare import compare, stand_ins
from manyhands.evaluation.comparison.evolution import panel_rows
from manyhands.evaluation.comparison.plots import draw, draw_satisfaction
from manyhands.evaluation.comparison.sheets import declared_sheets, metrics_of, render_page, sheets
from manyhands.evaluation.comparison.systems import Entry, identity, systems_of
from manyhands.evaluation.metrics.figure import Contribution
from manyhands.evaluation.metrics.score import score_folder
from manyhands.evaluation.metrics.table import METRICS, STATE, Metric, columns_of, page
from manyhands.evaluation.plots import empty_figure
from manyhands.evaluation.published import published
from manyhands.evaluation.suites.reading import papers_sets
from manyhands.protocol.base import Message, Outcome
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import EpisodeStarted
from manyhands.protocol.screens.actions import Wait
from tests.evaluation.metrics.three_episodes import ANNA, TAP, TASKS, journals, step, write_judge, write_three
from tests.evaluation.run_records import ended, started, write_run


def settings(profile: str, seed: int = 0, **episode: Any) -> dict[str, Any]:
    usual = {"profile": profile, "paper_exact": False, "schedule": "overlap", "captions": False, "without": []}
    return {
        "profile": profile,
        "settings": {
            "episode": {**usual, **episode},
            "seed": seed,
            "rehearsal": {"mistakes": 0.1, "seed": seed},
            "phones": [f"127.0.0.1:{5000 + seed}"],
        },
    }


def test_runs_that_differ_in_seeds_alone_are_one_system(tmp_path: Path) -> None:
    folders = [
        write_three(tmp_path / "one", **settings("e", 1)),
        write_three(tmp_path / "two", **settings("e", 2)),
        write_three(tmp_path / "exact", **settings("e", 1, paper_exact=True, captions=True, schedule="serial")),
        write_three(tmp_path / "bare_of_notes", **settings("e", 1, without=["notetaker", "tips"])),
        write_three(tmp_path / "other", **settings("v2", 1)),
    ]
    systems = systems_of([Entry(folder) for folder in folders])
    assert {system.name: [run.run for run in system.runs] for system in systems} == {
        "e": ["one", "two"],
        "e, paper exact, schedule serial": ["exact"],
        "e, without notetaker, tips": ["bare_of_notes"],
        "v2": ["other"],
    }


def test_a_metric_is_added_by_one_declaration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its figure, its columns in the tables, its panel and its row of the page follow from it."""
    waits = Metric(
        "waits",
        "waits among decisions",
        "ours",
        "waits by all decisions",
        "share",
        pooled=True,
        bases=STATE,
        part=lambda case: Contribution(
            sum(isinstance(one.action, Wait) for one in case.decisions.values()), len(case.decisions)
        ),
        columns={"v1": 3, "panels": 7},
    )
    monkeypatch.setitem(METRICS, "waits", waits)
    folder = write_three(tmp_path / "one", **settings("e"))
    score = score_folder(folder)
    assert score.state.figures["waits"].value == pytest.approx(1 / 12)
    assert "nobody judges it" in (score.judges[0].figures["waits"].reason or "")
    comparison = compare(systems_of([Entry(folder)]))
    by_title = {sheet.title: sheet for sheet in sheets(comparison)}
    sheet = by_title["As Mobile-Agent, table 2"]
    assert sheet.columns[2:] == ("SR, %", "PS, %", "RE agent", "waits, %", "RE human", "CR, %")
    assert (sheet.rows[0][0], sheet.rows[0][5]) == ("e (phone)", "8.3")
    assert columns_of("panels")[-1] == "waits"
    assert panel_rows() == 4
    assert "| `waits` | ours | waits by all decisions | the journals |" in page("<!-- metrics -->\n<!-- end -->")


def test_the_papers_figures_beside_a_table_are_columns_of_it() -> None:
    for sheet in declared_sheets():
        for paper, number in sheet.tables:
            assert set(published().table(paper, number).figures) <= set(metrics_of(sheet)), sheet.title


def test_a_system_alone_of_its_profile_is_called_by_its_departures_too(tmp_path: Path) -> None:
    folders = [
        write_three(tmp_path / "v1", **settings("v1")),
        write_three(tmp_path / "v2", **settings("v2", paper_exact=True)),
        write_three(tmp_path / "e", **settings("e", without=["notetaker", "tips"])),
    ]
    systems = systems_of([Entry(folder) for folder in folders])
    assert [system.name for system in systems] == ["v1", "v2, paper exact", "e, without notetaker, tips"]


V2_SHEET = "As Mobile-Agent-v2, table 4"
REPEATED = ("b", "c", "lost")


def write_again(folder: Path, before: Path) -> Path:
    """Write a run that repeated three tasks: the phone now verifies ``b``, and not ``c``."""
    folder.mkdir()
    tasks = [one for one in TASKS if one.id in REPEATED]
    journals = {
        f"again-{one.id}": [
            started(f"again-{one.id}", one),
            *step(0, TAP, Outcome.A),
            ended(10, steps=1, verified=one.id == "b", rubrics={"r1": True, "r2": one.id == "b"}),
        ]
        for one in tasks
        if one.id != "lost"
    }
    repeated = {"run": "before", "folder": str(before), "tasks": 4, "kept_done": 1}
    asked = {"tasks": [one.model_dump(mode="json") for one in tasks], "repeated": repeated}
    write_run(folder, {**settings("v2"), **asked}, journals)
    return folder


def rows_with_knowledge(*folders: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    comparison = compare(systems_of([Entry(folder) for folder in folders]))
    (sheet,) = (sheet for sheet in sheets(comparison) if sheet.title == V2_SHEET)
    return {(row[0].rpartition("Know. ")[2], row[1]): row[2:] for row in sheet.rows if " + Know. (" in row[0]}


def test_a_run_that_repeated_what_failed_has_rows_with_knowledge_by_each_source(tmp_path: Path) -> None:
    """Of four tasks ``a`` is done at first, then ``b``; ``lost`` lost its phone twice, and so counts nowhere."""
    before = write_three(tmp_path / "before", **settings("v2"))
    again = write_again(tmp_path / "again", before)
    phone = {
        ("(phone)", "all of before"): ("66.7 (3 of 4 tasks)", "83.3 (3 of 4 tasks)", "-", "-"),
        ("(phone)", "basic of before"): ("100.0", "100.0", "-", "-"),
        ("(phone)", "advanced of before"): ("0.0", "50.0", "-", "-"),
    }
    assert rows_with_knowledge(before, again) == phone  # anna judged the first run alone
    judged = {"success": True, "actions": {"0": True}, "reflections": {"0": True}}
    second = {"again-b": judged, "again-c": {**judged, "success": False, "operations": {"0": True, "1": False}}}
    write_judge(again, "anna", "person", second)
    assert rows_with_knowledge(before, again) == {
        **phone,
        ("(person anna)", "all of before"): (
            "66.7 (3 of 4 tasks)",
            "83.3 (3 of 4 tasks)",
            "87.5 (3 of 4 tasks)",
            "100.0 (3 of 4 tasks)",
        ),
        ("(person anna)", "basic of before"): ("100.0", "100.0", "85.7", "100.0"),
        ("(person anna)", "advanced of before"): ("0.0", "50.0", "100.0", "100.0"),
    }
    assert rows_with_knowledge(before) == {}


PLAYED = {"a": ("gmail.1", "simple"), "b": ("gmail.2", "more_required"), "c": ("multi_app.1", "simple")}
OF_V2 = {"a": "settings.basic.1", "b": "notes.basic.1", "c": "x.advanced.1", "lost": "multi_app.basic.1"}


def write_played(folder: Path, ids: dict[str, tuple[str, ...]]) -> Path:
    """Write the three episodes again, as those of papers' instructions: the tags of each task by its id."""
    folder.mkdir(parents=True)
    tasks = {one.id: one.model_copy(update={"tags": ids.get(one.id, ())}) for one in TASKS}
    played = {
        name: [
            record.model_copy(update={"task": tasks[record.task.id]}) if isinstance(record, EpisodeStarted) else record
            for record in records
        ]
        for name, records in journals().items()
    }
    write_run(folder, {**settings("v1"), "tasks": [one.model_dump(mode="json") for one in tasks.values()]}, played)
    return folder


def test_mobile_agents_table_2_has_a_row_for_each_app_and_its_levels_mean_eleven(tmp_path: Path) -> None:
    ids = {task: (level, f"mobile_eval.{name}") for task, (name, level) in PLAYED.items()}
    comparison = compare(systems_of([Entry(write_played(tmp_path / "one", ids))]))
    by_title = {sheet.title: sheet for sheet in sheets(comparison)}
    sheet = by_title["As Mobile-Agent, table 2"]
    assert [(row[1], row[2]) for row in sheet.rows if not row[0].startswith(PAPER)] == [
        ("all", "33.3"),
        ("simple", "50.0"),
        ("more_required", "0.0"),
        ("Gmail, simple", "100.0"),
        ("Gmail, more_required", "0.0"),
        ("Multi-App, simple", "0.0"),
    ]
    printed = [row[1:4] for row in sheet.rows if row[0].startswith(PAPER)]
    assert printed[3:] == [
        ("Gmail, simple", "100.0", "100.0"),
        ("Gmail, more_required", "0.0", "56.0"),
        ("Multi-App, simple", "100.0", "100.0"),
    ]
    levels = Counter(one.level.value for one in papers_sets()[0].instructions)
    assert levels == {"simple": 11, "more_required": 11, "abstract": 11}


def test_mobile_agent_v2s_tables_1_and_2_have_a_row_for_each_kind_of_app(tmp_path: Path) -> None:
    ids = {task: (name.split(".")[1], f"mobile_eval_v2.en.{name}") for task, name in OF_V2.items()}
    ids["b"] = (*ids["b"], "mobile_eval_v2.zh.notes.basic.1", "mobile_eval_v2.en.notes.basic.2")
    comparison = compare(systems_of([Entry(write_played(tmp_path / "one", ids))]))
    by_title = {sheet.title: sheet for sheet in sheets(comparison)}
    ours = {
        title.rpartition("table ")[2]: [row[1:3] for row in sheet.rows if not row[0].startswith(PAPER)]
        for title, sheet in by_title.items()
        if title.startswith("As Mobile-Agent-v2")
    }
    assert ours == {
        "2 (English)": [("System app, basic", "50.0"), ("External app, advanced", "0.0")],
        "1 (Chinese)": [("System app, basic", "0.0")],
        "4": [("all", "33.3"), ("basic", "50.0"), ("advanced", "0.0")],
    }
    printed = [row[1] for row in by_title["As Mobile-Agent-v2, table 2 (English)"].rows if row[0].startswith(PAPER)]
    assert {"System app, basic", "External app, advanced", "Multi-app, advanced"} <= set(printed)


def test_one_task_can_be_compared_alone(tmp_path: Path) -> None:
    """By its id, or by that of its instruction; its curve is drawn without a line of least squares."""
    folder = write_played(tmp_path / "one", {"b": ("simple", "mobile_eval.gmail.1")})
    for name in ("b", "mobile_eval.gmail.1"):
        comparison = compare(systems_of([Entry(folder)], [name]))
        (system,) = comparison.systems
        (phone,) = system.judged
        assert (system.asked, system.decided, phone.figures["SR"].values) == (1, 1, (0.0,))
        assert [line.task for line in phone.satisfaction[0].polylines] == ["b"]
    figure = empty_figure(4, 4)
    axes = figure.subplots()
    draw_satisfaction(axes, {system.name: phone.satisfaction}, "the phone's state")
    (line,) = axes.get_lines()
    assert line.get_label() == "v1"
    with pytest.raises(BadInput, match=r"one: has no task z; its tasks are a, b, c, lost"):
        systems_of([Entry(folder)], ["z"])


def test_the_run_before_is_found_beside_a_moved_run_and_missed_aloud(tmp_path: Path) -> None:
    before = write_three(tmp_path / "before", **settings("v2"))
    again = write_again(tmp_path / "again", Path("/elsewhere/before"))
    assert rows_with_knowledge(again)["(phone)", "all of before"][0] == "66.7 (3 of 4 tasks)"
    before.rename(tmp_path / "renamed")
    assert rows_with_knowledge(again) == {}
    (sheet,) = (one for one in sheets(compare(systems_of([Entry(again)]))) if one.title == V2_SHEET)
    assert "v2 + Know.: there is no run folder /elsewhere/before any more" in sheet.notes


def test_runs_of_one_name_are_one_system(tmp_path: Path) -> None:
    folders = [write_three(tmp_path / name, **settings(profile)) for name, profile in (("x", "e"), ("y", "v2"))]
    (system,) = systems_of([Entry(folder, "ours") for folder in folders])
    assert (system.name, len(system.runs)) == ("ours", 2)


def test_runs_over_other_tasks_are_not_the_same_system(tmp_path: Path) -> None:
    one = write_three(tmp_path / "one", **settings("e"))
    other = write_three(tmp_path / "other", **settings("e"), tasks=[{"id": "a", "goal": "another goal"}])
    names = [system.name for system in systems_of([Entry(one), Entry(other)])]
    assert names == ["e, 4 tasks", "e, 1 task"]


def test_a_figure_is_the_mean_over_runs_with_its_spread(tmp_path: Path) -> None:
    """The same episodes, of which a second person found one more done."""
    folders = [write_three(tmp_path / name, judged=False, **settings("e", seed)) for seed, name in enumerate("xy")]
    for folder, done in zip(folders, (True, False), strict=True):
        episodes = {episode: {"success": done} for episode in ANNA}
        write_judge(folder, "ben", "person", {**episodes, "e-c": {"success": True}})
    (system,) = compare(systems_of([Entry(folder) for folder in folders])).systems
    state, ben = system.judged
    assert ben.figures["SR"].values == (1, pytest.approx(1 / 3))
    assert ben.figures["SR"].mean == pytest.approx(2 / 3)
    assert ben.figures["SR"].spread == pytest.approx(2**0.5 / 3)
    assert (state.figures["SR"].mean, state.figures["SR"].spread) == (pytest.approx(1 / 3), 0)
    assert state.figures["DA"].mean is None
    assert "judge" in (state.figures["DA"].reason or "")
    assert system.left_out == {"phone_lost": 2}


def test_kinds_of_wrong_are_joined_where_one_run_cannot_tell_them_apart(tmp_path: Path) -> None:
    folders = [write_three(tmp_path / name, judged=False, **settings("e", seed)) for seed, name in enumerate("xy")]
    failed = {"success": False, "actions": {"0": True, "1": False, "3": False}}
    apart = {**failed, "effects": {"1": True, "3": False}}
    for said, wrong, ineffective in ((apart, (0, 2, 0), (0, 0, 2)), (failed, (0, 2, 2), None)):
        write_judge(folders[0], "ben", "person", {"e-b": apart})
        write_judge(folders[1], "ben", "person", {"e-b": said})
        ((_, ben),) = (system.judged for system in compare(systems_of([Entry(folder) for folder in folders])).systems)
        assert ben.thirds is not None
        assert (ben.thirds.wrong, ben.thirds.ineffective, ben.thirds.episodes) == (wrong, ineffective, 2)


def test_each_source_has_rows_of_its_own_and_the_papers_are_marked(tmp_path: Path) -> None:
    folder = write_three(tmp_path / "one", **settings("e"))
    comparison = compare(systems_of([Entry(folder)]))
    by_title = {sheet.title: sheet for sheet in sheets(comparison)}
    sheet = by_title["As Mobile-Agent-E, tables 3 and 4"]
    assert sheet.columns == ("system", "tasks", "SS, %", "AA, %", "RA, %", "TE, %")
    ours = [row for row in sheet.rows if not row[0].startswith(PAPER)]
    assert ours == [
        ("e (phone)", "all", "66.7", "-", "-", "66.7"),
        ("e (person anna)", "all", "75.0 (2 of 3 tasks)", "66.7 (2 of 3 tasks)", "88.9 (2 of 3 tasks)", "-"),
    ]
    assert (
        f"{PAPER}e, GPT-4o (Mobile-Agent-E, table 3)",
        "Mobile-Eval-E",
        "75.1",
        "85.9",
        "97.4",
        "32.0",
    ) in sheet.rows
    assert any("AA, RA" in note and "judge" in note for note in sheet.notes)
    levels = [row[1] for row in by_title[V2_SHEET].rows if row[0] == "e (phone)"]
    assert levels == ["all", "basic", "advanced"]
    assert {sheet.title for sheet in declared_sheets()} < set(by_title)


def test_the_page_says_what_ran_by_the_runs_own_words(tmp_path: Path) -> None:
    ours = write_three(tmp_path / "one", **settings("e"))
    real = write_three(tmp_path / "two", **settings("v2"), model_source="a <b>model</b> | served")
    comparison = compare(systems_of([Entry(ours), Entry(real)]))
    assert stand_ins(comparison) == (
        "e: model: a stand-in for a model",
        "phones: stand-ins for phones",
        "v2: model: a <b>model</b> | served",
    )
    written = render_page(comparison, [], "manyhands suite compare runs/one runs/two")
    assert "a stand-in for a model" in written
    assert "<b>" not in written
    assert str(tmp_path) not in written


def test_plots_are_drawn_for_each_source_or_say_why_not(tmp_path: Path) -> None:
    judged = compare(systems_of([Entry(write_three(tmp_path / "judged", **settings("e")))]))
    plots = draw(judged, tmp_path / "plots")
    assert [plot.png.name for plot in plots if plot.png] == ["sss.png", "sss_anna.png", "thirds.png", "thirds_anna.png"]
    for plot in plots:
        assert plot.png is not None
        assert plot.svg is not None
        assert plot.png.read_bytes().startswith(b"\x89PNG")
        assert b"<svg" in plot.svg.read_bytes()
    before = plots[0].svg.read_bytes() if plots[0].svg else b""
    assert draw(judged, tmp_path / "again")[0].svg.read_bytes() == before  # type: ignore[union-attr]

    nobody = write_three(tmp_path / "nobody", **settings("e"))
    write_judge(nobody, "anna", "person", {})
    missing = [
        plot.reason for plot in draw(compare(systems_of([Entry(nobody)])), tmp_path / "more") if plot.png is None
    ]
    assert missing == ["nobody judged all rubrics", "no task was judged as failed"]


def test_a_folder_that_is_no_run_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a run folder"):
        systems_of([Entry(tmp_path)])


def test_a_run_that_is_given_twice_is_no_second_seed(tmp_path: Path) -> None:
    run = write_three(tmp_path / "one", **settings("e"))
    with pytest.raises(BadInput, match="is given twice"):
        systems_of([Entry(run, "a"), Entry(tmp_path / "." / "one", "a")])


def test_a_folder_of_seeds_is_told_by_its_runs(tmp_path: Path) -> None:
    for seed in (0, 1):
        write_three(tmp_path / "suite" / f"seed-{seed}", **settings("e", seed))
    with pytest.raises(BadInput, match="runs are in it: seed-0, seed-1"):
        systems_of([Entry(tmp_path / "suite")])


def test_what_is_compared_can_be_read_again(tmp_path: Path) -> None:
    found: Message = compare(systems_of([Entry(write_three(tmp_path / "one", **settings("e")))]))
    assert type(found).model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    "other",
    [
        {"memory": {"tips": ["Close pop-ups."]}},
        {"tasks": [{"id": "t", "goal": "g", "limits": {"max_steps": 5}}]},
        {"settings": {"models": {"plan": {"temperature": 0.7}}}},
    ],
)
def test_runs_that_knew_or_were_given_something_else_are_no_seeds_of_one_system(other: dict[str, Any]) -> None:
    asked = {"profile": "e", "tasks": [{"id": "t", "goal": "g"}], "settings": {}, "memory": {"tips": []}}
    assert identity({**asked, **other}) != identity(asked)


def test_where_a_model_is_and_seeds_make_no_other_system() -> None:
    def asked(port: int, seed: int) -> dict[str, Any]:
        models = {"plan": {"urls": [f"http://127.0.0.1:{port}/v1"], "seed": seed}}
        return {"tasks": [{"id": "t", "goal": "g", "reset_seed": seed}], "settings": {"models": models}}

    assert identity(asked(1, 1)) == identity(asked(2, 2))
