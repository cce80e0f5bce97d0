"""What speculation is worth on a model with room and on one without, for small fleets in virtual time."""

from __future__ import annotations

import pytest

from tests.actors.mllm.virtual_fleet import Asked, Figures, simulate


def both(phones: int, load: float, steps: int) -> tuple[Figures, Figures]:
    return (
        simulate(Asked(phones, "overlap", load, steps)),
        simulate(Asked(phones, "speculate", load, steps)),
    )


def test_the_same_seed_gives_the_same_figures() -> None:
    one, other = (simulate(Asked(16, "speculate", 0.5, 120)) for _ in range(2))
    assert one == other


def test_with_room_speculation_is_faster_and_wastes_some_of_the_model() -> None:
    overlap, speculate = both(16, 0.1, 120)
    assert overlap.ahead == 0
    assert overlap.refused == 0
    assert speculate.steps_per_s > 1.2 * overlap.steps_per_s
    assert speculate.ahead > 0.7
    assert speculate.wasted > overlap.wasted


def test_without_room_speculation_backs_off() -> None:
    overlap, speculate = both(16, 3.0, 120)
    assert overlap.busy == pytest.approx(1, abs=0.02)
    assert speculate.ahead < 0.3
    assert speculate.refused > 0


@pytest.mark.parametrize("load", [1.0, 2.0])
def test_a_full_model_gives_no_less_under_speculation(load: float) -> None:
    overlap, speculate = both(64, load, 600)
    assert speculate.steps_per_s >= 0.99 * overlap.steps_per_s
