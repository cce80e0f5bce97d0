"""What holds for every figure and every curve."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.judgements.judgements import EpisodeJudgement, judgeable
from manyhands.evaluation.metrics.curves import polyline, regression
from manyhands.evaluation.metrics.figure import Contribution, Missing, figure, spread
from manyhands.evaluation.metrics.outcomes import (
    UNNAMED,
    Case,
    agent_steps,
    all_reflections,
    completion,
    human_steps,
    reflections,
    satisfaction,
    state_says,
)
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import Record
from tests.evaluation.metrics.three_episodes import task
from tests.evaluation.run_records import checked, ended, reflected, rubrics_checked, span, started

RUBRICS = ("r1", "r2", "r3", "r4")
parts = st.builds(lambda of, share: Contribution(share * of, of), st.integers(1, 20), st.floats(0, 1))
missing = st.builds(Missing, st.sampled_from(["nobody judged it", "no rubrics"]))


@given(st.lists(parts | missing), st.booleans())
def test_a_share_lies_between_0_and_1_and_is_null_only_with_a_reason(
    given: list[Contribution | Missing], pooled: bool
) -> None:
    found = figure(given, pooled)
    known = [part for part in given if isinstance(part, Contribution)]
    assert (found.value is None) == (not known) == (found.reason is not None)
    assert found.value is None or -1e-9 <= found.value <= 1 + 1e-9
    assert (found.covers, found.tasks) == (len(known), len(given))


@given(st.lists(parts, min_size=1), st.booleans())
def test_what_is_missing_changes_no_value_and_is_counted(known: list[Contribution], pooled: bool) -> None:
    whole, found = figure(known, pooled), figure([*known, Missing("x"), Missing("x"), Missing("y")], pooled)
    assert (found.value, found.covers, found.tasks) == (whole.value, len(known), len(known) + 3)
    assert (whole.without, found.without) == ({}, {"x": 2, "y": 1})


@given(st.lists(st.floats(-1e6, 1e6), min_size=2))
def test_a_spread_is_that_of_the_differences(values: list[float]) -> None:
    found = spread(values)
    assert found is not None
    assert found >= 0
    assert spread([values[0]]) is None


def episode(steps: int, held: list[tuple[int, list[str]]], done: bool) -> RecordedEpisode:
    """An episode whose rubrics held after some of its steps."""
    one = task("t", ("a", "b", "c", "d"), [(name, number + 1) for number, name in enumerate(RUBRICS)])
    ever = {name for _, names in held for name in names}
    start = started("e", one)
    end = ended(1, Ending.FINISHED, steps, verified=done, rubrics={name: name in ever for name in RUBRICS})
    records: list[Record] = [start, *(rubrics_checked(step, *names) for step, names in sorted(held)), end]
    return RecordedEpisode(start, end, records)


held_after = st.integers(1, 12).flatmap(
    lambda steps: st.tuples(
        st.just(steps),
        st.lists(st.tuples(st.integers(0, steps - 1), st.lists(st.sampled_from(RUBRICS))), max_size=6),
    )
)


@given(held_after, st.booleans())
def test_a_satisfaction_curve_only_rises_and_ends_at_the_score(
    held: tuple[int, list[tuple[int, list[str]]]], done: bool
) -> None:
    steps, after = held
    one = episode(steps, after, done)
    case = Case(one, state_says(one))
    curve, score = polyline(case), satisfaction(case)
    assert not isinstance(curve, Missing)
    assert isinstance(score, Contribution)
    xs, ys = zip(*curve.points, strict=True)
    assert list(xs) == [step / steps for step in range(steps + 1)]
    assert list(ys) == sorted(ys)
    assert (ys[0], ys[-1]) == (0, score.amount / score.of)
    slope, _ = regression(curve.points)
    assert slope >= -1e-9


@given(held_after, st.booleans())
def test_a_done_task_has_completed_every_operation(held: tuple[int, list[tuple[int, list[str]]]], done: bool) -> None:
    one = episode(*held, done)
    said = state_says(one)
    part = completion(Case(one, said))
    assert isinstance(part, Contribution)
    ever = {name for _, names in held[1] for name in names}
    assert part.amount == (4 if done else len(ever))  # each of the four is named by one rubric


def test_an_operation_without_effect_shares_the_fate_of_the_next() -> None:
    one = task("t", ("open", "tap", "type", "save", "back"), [("found", 3), ("saved", 4)])
    start, end = started("e", one), ended(1, verified=False, steps=2, rubrics={"found": True, "saved": False})
    said = state_says(RecordedEpisode(start, end, [start, rubrics_checked(0, "found"), end]))
    assert said.operations == {0: True, 1: True, 2: True, 3: False, 4: False}


def test_a_task_without_a_check_is_not_judged_by_the_phone() -> None:
    one = task("t", ("open",), [("r", 1)]).model_copy(update={"check": None})
    start, end = started("e", one), ended(1)
    assert state_says(RecordedEpisode(start, end, [start, end])) == EpisodeJudgement()


def test_operations_that_are_only_counted_can_be_judged_by_their_numbers() -> None:
    one = task("t", (), [("found", None), ("saved", None)]).model_copy(update={"check": None, "human_steps": 5})
    start, end = started("e", one), ended(1, verified=None, steps=7)
    episode = RecordedEpisode(start, end, [start, end])
    done = Case(episode, EpisodeJudgement(success=True, rubrics={"found": 2, "saved": 6}))
    failed = Case(episode, EpisodeJudgement(success=False, rubrics={"found": 2, "saved": None}))
    assert (satisfaction(done), satisfaction(failed)) == (Contribution(2, 2), Contribution(1, 2))
    assert (agent_steps(done), human_steps(done)) == (Contribution(7), Contribution(5))
    assert completion(done) == Contribution(5, 5)
    assert completion(failed) == Missing(UNNAMED)
    judged = failed.judgement.model_copy(update={"operations": {0: True, 1: True, 2: True, 3: False, 4: False}})
    assert completion(Case(episode, judged)) == Contribution(3, 5)
    assert judgeable(episode).operations[0] == "operation 1 of the 5 that a human needs"


def test_ra_counts_the_reflectors_verdicts_alone_and_ra_all_those_of_rules_too() -> None:
    start, end = started("e", task("t", ("open",), [])), ended(1, verified=None, steps=3)
    verdicts = [reflected(0, span(0, 1)), checked(1, 2.0), reflected(2, span(3, 4))]
    said = EpisodeJudgement(reflections={0: True, 1: True, 2: False})
    assert reflections(Case(RecordedEpisode(start, end, [start, *verdicts, end]), said)) == Contribution(1, 2)
    assert all_reflections(Case(RecordedEpisode(start, end, [start, *verdicts, end]), said)) == Contribution(2, 3)
    by_rules = Case(RecordedEpisode(start, end, [start, checked(1, 2.0), end]), EpisodeJudgement(reflections={1: True}))
    assert reflections(by_rules) == Missing("the reflector gave no verdict")
    assert all_reflections(by_rules) == Contribution(1, 1)
