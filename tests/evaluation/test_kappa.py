"""Cohen's kappa, against values computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.judgements.judgements import (
    EpisodeJudgement,
    Judgements,
    agreement,
    cohens_kappa,
    compare_judges,
)

YES, NO = True, False


@pytest.mark.parametrize(
    ("both", "first_only", "second_only", "neither", "by_hand"),
    [
        # observed 35/50 = 0.7; the first says yes 25 of 50 times, the second 30: 0.5 * 0.6 + 0.5 * 0.4 = 0.5 by chance
        (20, 5, 10, 15, (0.7 - 0.5) / (1 - 0.5)),
        # observed 6/10; yes 7 and 7 of 10: 0.49 + 0.09 = 0.58 by chance
        (5, 2, 2, 1, (0.6 - 0.58) / (1 - 0.58)),
        (3, 0, 0, 4, 1.0),
        # observed 0; yes 1 of 2 each: 0.5 by chance
        (0, 1, 1, 0, -1.0),
        # one of them always says yes: all agreement is by chance
        (3, 1, 0, 0, 0.0),
    ],
)
def test_kappa_is_that_computed_by_hand(
    both: int, first_only: int, second_only: int, neither: int, by_hand: float
) -> None:
    pairs = [(YES, YES)] * both + [(YES, NO)] * first_only + [(NO, YES)] * second_only + [(NO, NO)] * neither
    assert cohens_kappa(pairs) == pytest.approx(by_hand)


def test_without_a_kappa_there_is_a_reason() -> None:
    assert agreement([]).kappa is None
    assert agreement([]).reason == "the two judged nothing in common"
    alike = agreement([(YES, YES)] * 4)
    assert (alike.compared, alike.same, alike.kappa) == (4, 4, None)
    assert alike.reason.startswith("both said the same of everything")


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_kappa_does_not_depend_on_who_is_first_and_is_never_above_1(pairs: list[tuple[bool, bool]]) -> None:
    kappa = cohens_kappa(pairs)
    assert kappa == cohens_kappa([(second, first) for first, second in pairs])
    assert kappa is None or -1 <= kappa <= 1


def test_a_person_and_a_model_are_compared_by_what_both_judged() -> None:
    ann = Judgements(
        judge="ann",
        source="person",
        episodes={
            "a": EpisodeJudgement(
                success=True,
                actions={0: True, 1: True, 2: False, 3: False},
                effects={2: True, 3: False},
                rubrics={"r": 1, "s": None, "t": 4},
            ),
            "b": EpisodeJudgement(success=False, operations={0: True}),
            "c": EpisodeJudgement(success=False),
        },
    )
    model = Judgements(
        judge="model",
        source="model",
        episodes={
            "a": EpisodeJudgement(
                success=True,
                actions={0: True, 1: False, 2: False, 7: True},
                effects={1: False, 2: True},
                rubrics={"r": 3, "s": 2, "t": None},
            ),
            "b": EpisodeJudgement(success=False, reflections={0: True}),
        },
    )
    (pair,) = compare_judges([ann, model])
    assert (pair.judges, pair.sources) == (("ann", "model"), ("person", "model"))
    found = {kind: (one.compared, one.same, one.kappa) for kind, one in pair.kinds.items()}
    assert found["success"] == (2, 2, 1.0)
    # steps 0, 1 and 2: observed 2/3; by chance (2/3)(1/3) + (1/3)(2/3) = 4/9; (6/9 - 4/9) / (5/9)
    assert found["actions"] == (3, 2, pytest.approx(0.4))
    assert found["effects"] == (1, 1, None)  # of step 2 alone: step 1 is wrong to one of them, step 3 to the other
    # yes and yes, though of other steps; no and yes; yes and no: observed 1/3, by chance 4/9 + 1/9; (3/9 - 5/9) / (4/9)
    assert found["rubrics"] == (3, 1, pytest.approx(-0.5))
    assert found["reflections"] == (0, 0, None)
    assert found["operations"] == (0, 0, None)


def test_every_two_of_three_judges_are_compared() -> None:
    judges = [Judgements(judge=name, source="person") for name in ("ann", "bob", "eve")]
    assert [pair.judges for pair in compare_judges(judges)] == [("ann", "bob"), ("ann", "eve"), ("bob", "eve")]
