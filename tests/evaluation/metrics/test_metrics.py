"""Metrics equal what a pencil gives for three stored episodes; what nobody judged is null, with the reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.judgements.judgements import EpisodeJudgement
from manyhands.evaluation.metrics.curves import thirds_by_verdicts
from manyhands.evaluation.metrics.outcomes import EXITS, UNNAMED, Case
from manyhands.evaluation.metrics.score import RunScore, score_folder
from manyhands.evaluation.metrics.table import METRICS, page
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import BadInput
from tests.evaluation.metrics.three_episodes import TAP, TASKS, step, write_judge, write_three
from tests.evaluation.run_records import started


@pytest.fixture(scope="module")
def score(tmp_path_factory: pytest.TempPathFactory) -> RunScore:
    return score_folder(write_three(tmp_path_factory.mktemp("runs") / "three"))


def test_tasks_that_a_lost_phone_ended_count_in_no_figure(score: RunScore) -> None:
    assert (score.asked, score.decided, score.left_out) == (4, 3, {"phone_lost": 1})
    assert {figure.tasks for figure in score.state.figures.values()} == {3}
    assert (score.model_source, score.phones_source) == ("a stand-in for a model", "stand-ins for phones")


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("SR", 1 / 3),
        ("CR", (1 + 1 / 3 + 1 / 2) / 3),
        ("SS", (1 + 1 / 2 + 1 / 2) / 3),
        ("TE", 2 / 3),  # the step limit, and a planner that gave up
        ("RE agent", (5 + 4 + 2) / 3),  # a Stop is no step
        ("RE human", (4 + 3 + 2) / 3),
        ("s/op roles", (40 / 5 + 28 / 4 + 14 / 2) / 3),  # the last step has no verdict; a shortcut has three atoms
        ("s/op all", (46 / 5 + 32 / 4 + 16 / 2) / 3),
        ("shortcuts", 1 / 11),
    ],
)
def test_by_the_phones_state(score: RunScore, metric: str, value: float) -> None:
    figure = score.state.figures[metric]
    assert figure.value == pytest.approx(value)
    assert (figure.covers, figure.reason) == (3, None)


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("SR", 1 / 2),
        ("CR", (1 + 2 / 3) / 2),
        ("SS", (1 + 1 / 2) / 2),
        ("PS", (5 / 6 + 1 / 4) / 2),  # a reply without an action is a wrong step
        ("DA", 6 / 10),
        ("AA", 6 / 9),
        ("RA", 8 / 9),
        ("RA all", 8 / 9),
    ],
)
def test_by_a_person(score: RunScore, metric: str, value: float) -> None:
    (anna,) = score.judges
    assert (anna.source, anna.judge) == ("person", "anna")
    figure = anna.figures[metric]
    assert figure.value == pytest.approx(value)
    assert (figure.covers, figure.tasks) == (2, 3)


def test_what_nobody_judged_is_null_with_the_reason_and_never_0(tmp_path: Path) -> None:
    score = score_folder(write_three(tmp_path / "run", judged=False))
    assert score.judges == ()
    for name in ("PS", "DA", "AA", "RA"):
        assert score.state.figures[name].value is None
        assert "manyhands suite judge" in (score.state.figures[name].reason or "")
    write_judge(tmp_path / "run", "empty", "model", {})
    (nothing,) = score_folder(tmp_path / "run").judges
    assert [name for name, figure in nothing.figures.items() if figure.value is not None] == []
    assert all(figure.reason for figure in nothing.figures.values())


def test_a_part_of_an_episode_is_not_enough(tmp_path: Path) -> None:
    folder = write_three(tmp_path / "run", judged=False)
    actions = {"0": True, "1": True}
    write_judge(folder, "ben", "person", {"e-a": {"actions": actions}, "e-c": {"actions": actions}})
    (ben,) = score_folder(folder).judges
    assert ben.figures["AA"].value == 1
    assert ben.figures["AA"].covers == 1  # of episode a two of six actions are judged
    assert ben.figures["SR"].reason == "nobody judged whether the task is done"


def test_a_failed_task_whose_operations_nobody_judged_is_left_out_of_cr_alone(tmp_path: Path) -> None:
    folder = write_three(tmp_path / "run", judged=False)
    failed = {"e-b": {"success": False}, "e-c": {"success": False, "operations": {"0": True, "1": False}}}
    write_judge(folder, "ben", "person", {"e-a": {"success": True}, **failed})
    (ben,) = score_folder(folder).judges
    assert (ben.figures["CR"].value, ben.figures["CR"].covers) == (0.75, 2)
    assert ben.figures["CR"].without == {UNNAMED: 1}
    assert ben.figures["SR"].without == {}


def test_each_judge_has_figures_of_its_own(tmp_path: Path) -> None:
    folder = write_three(tmp_path / "run")
    write_judge(folder, "qwen", "model", {"e-a": {"success": False, "operations": dict.fromkeys("0123", True)}})
    state, anna, qwen = score_folder(folder).sources
    assert [one.figures["SR"].value for one in (state, anna, qwen)] == [pytest.approx(1 / 3), 0.5, 0]
    assert qwen.figures["CR"].value == 1


@pytest.mark.parametrize(
    ("episodes", "said"),
    [
        ({"nobody": {}}, "episodes.nobody: the run has no such episode"),
        ({"e-a": {"actions": {"9": True}}}, "episodes.e-a.actions.9: the episode has no decision in step 9"),
        ({"e-b": {"effects": {"2": True}}}, "episodes.e-b.effects.2: the episode has no action in step 2"),
    ],
)
def test_a_judgement_of_what_is_not_there_is_refused(tmp_path: Path, episodes: dict[str, object], said: str) -> None:
    folder = write_three(tmp_path / "run", judged=False)
    write_judge(folder, "ben", "person", episodes)
    with pytest.raises(BadInput, match=said):
        score_folder(folder)


def test_satisfaction_by_steps(score: RunScore) -> None:
    curve = score.state.satisfaction
    done = {line.task: [y for _, y in line.points] for line in curve.polylines}
    assert done == {"a": [0, 0.5, 0.5, 0.75, 0.75, 1, 1], "b": [0, 0, 0.5, 0.5, 0.5], "c": [0, 0.5, 0.5]}
    points = [point for line in curve.polylines for point in line.points]
    assert [x for x, _ in curve.polylines[2].points] == [0, 0.5, 1]
    assert (curve.slope, curve.intercept) == pytest.approx(tuple(np.polyfit(*zip(*points, strict=True), 1)))
    assert len(score.judges[0].satisfaction.polylines) == 2


def test_where_failed_episodes_went_wrong(score: RunScore) -> None:
    own = score.verdict_thirds
    assert (own.wrong, own.ineffective, own.episodes) == ((1, 1, 0), (0, 1, 1), 2)
    anna = score.judges[0].thirds
    assert anna is not None
    assert (anna.wrong, anna.ineffective, anna.episodes) == ((0, 1, 1), None, 1)


@pytest.mark.parametrize(
    ("effects", "wrong", "ineffective"),
    [
        ({"1": True, "3": False}, (0, 1, 0), (0, 0, 1)),
        ({"1": False, "3": False}, (0, 0, 0), (0, 1, 1)),
        ({"1": True}, (0, 1, 1), None),  # of one of the two nobody said whether it had an effect
    ],
)
def test_a_judge_separates_no_effect_from_a_wrong_page(
    tmp_path: Path, effects: dict[str, bool], wrong: tuple[int, ...], ineffective: tuple[int, ...] | None
) -> None:
    folder = write_three(tmp_path / "run", judged=False)
    actions = {"0": True, "1": False, "3": False}
    write_judge(folder, "ben", "person", {"e-b": {"success": False, "actions": actions, "effects": effects}})
    ben = score_folder(folder).judges[0].thirds
    assert ben is not None
    assert (ben.wrong, ben.ineffective, ben.episodes) == (wrong, ineffective, 1)


def test_thirds_without_a_wrong_operation_are_unknown(tmp_path: Path) -> None:
    right = {"success": False, "actions": {"0": True, "1": True, "3": True}}
    folder = write_three(tmp_path / "run", judged=False)
    write_judge(folder, "ben", "person", {"e-b": right})
    ben = score_folder(folder).judges[0].thirds
    assert ben is not None
    assert (ben.wrong, ben.ineffective, ben.episodes) == (None, None, 1)
    assert ben.reason == "no operation of failed tasks was judged as wrong"
    good = RecordedEpisode(started("e-x", TASKS[1]), None, tuple(step(0, TAP, Outcome.A)))
    own = thirds_by_verdicts([Case(good, EpisodeJudgement(success=False))])
    assert (own.wrong, own.ineffective) == (None, None)
    assert own.reason == "the agent found no operation of failed tasks wrong or ineffective"


def test_what_a_step_costs(score: RunScore) -> None:
    costs = score.costs
    assert costs.steps == 12
    assert costs.calls == costs.pictures == pytest.approx(46 / 12)
    assert costs.input_tokens == pytest.approx(4600 / 12)
    assert costs.cached_share == 0.5
    assert costs.seconds == pytest.approx((60 + 40 + 20) / 12)


def test_figures_by_level(score: RunScore) -> None:
    assert score.state.by_level["basic"]["SR"].value == 0.5
    assert score.state.by_level["advanced"]["TE"].value == 1
    assert score.judges[0].by_level["advanced"]["SR"].value is None


def test_every_ending_counts_in_one_way() -> None:
    """As docs/metrics.md says: the agent's own stop; what leaves the denominator; everything else."""
    assert [ending for ending, counts in EXITS.items() if counts == "own_stop"] == [
        Ending.FINISHED,
        Ending.ANSWER_INVALID,
    ]
    faults = {Ending.PHONE_LOST, Ending.NO_PHONE, Ending.LEASE_LOST, Ending.HOST_LOST}
    left_out = {*faults, Ending.CANCELLED, Ending.NEEDS_PERSON, Ending.APP_CRASHED, Ending.SETUP_REFUSED}
    assert {ending for ending, counts in EXITS.items() if counts == "left_out"} == left_out
    assert set(EXITS) == set(Ending)


def test_every_figure_has_a_source_that_gives_it(score: RunScore) -> None:
    for name, metric in METRICS.items():
        given = [one for one in score.sources if one.figures[name].value is not None]
        assert {"state" if one.judge is None else "judge" for one in given} == set(metric.bases), name


def test_the_page_names_every_metric_with_its_paper() -> None:
    text = (Path(__file__).parents[3] / "docs/metrics.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ")]
    papers = {name: row[2].strip() for row in rows for name in METRICS if f"`{name}`" in row[1]}
    assert papers == {name: metric.paper for name, metric in METRICS.items()}


def test_the_page_has_what_the_metrics_declare() -> None:
    text = (Path(__file__).parents[3] / "docs/metrics.md").read_text(encoding="utf-8")
    assert page(text) == text, "make metrics"


def test_the_page_names_every_ending_as_it_counts() -> None:
    text = (Path(__file__).parents[3] / "docs/metrics.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
    words = {"own_stop": "own stop", "error": "error", "left_out": "left out"}
    for ending, counts in EXITS.items():
        (said,) = [row[2] for row in rows if f"`{ending.value}`" in row[1]]
        assert words[counts] in said
