"""How far a gateway's clock is ahead, learnt from its answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.edge.remote_site import MAX_DRIFT, ClockOffset

NOW = 1_700_000_000.0
JOURNEY = st.floats(min_value=0, max_value=30)


@given(
    ahead=st.floats(min_value=-86400, max_value=86400),
    drift=st.floats(min_value=-MAX_DRIFT / 2, max_value=MAX_DRIFT / 2),
    answers=st.lists(st.tuples(JOURNEY, JOURNEY, st.floats(min_value=0, max_value=600)), min_size=1, max_size=20),
)
def test_the_true_offset_is_always_within_the_bounds(
    ahead: float, drift: float, answers: list[tuple[float, float, float]]
) -> None:
    offset, now = ClockOffset(), NOW

    def theirs(ours: float) -> float:
        return ours + ahead + drift * (ours - NOW)

    best = float("inf")
    for there, back, pause in answers:
        offset.observe(now, theirs(now + there), now + there + back)
        now += there + back
        best = min(best, (there + back) / 2)
        assert abs(offset.seconds - (theirs(now) - now)) <= offset.error_s(now) + 1e-5
        now += pause
    assert abs(offset.to_site(now) - theirs(now)) <= offset.error_s(now) + 1e-5
    assert offset.to_local(offset.to_site(now)) == pytest.approx(now, abs=1e-5)


def test_a_slow_answer_takes_nothing_from_what_a_quick_one_told() -> None:
    offset = ClockOffset()
    offset.observe(NOW, NOW + 100.001, NOW + 0.002)
    offset.observe(NOW + 1, NOW + 101.1, NOW + 31)
    assert offset.seconds == pytest.approx(100, abs=0.02)


def test_a_clock_that_was_set_is_believed() -> None:
    offset = ClockOffset()
    offset.observe(NOW, NOW + 100, NOW + 0.002)
    offset.observe(NOW + 10, NOW + 10 - 5, NOW + 10.002)
    assert offset.seconds == pytest.approx(-5, abs=0.01)


def test_our_own_clock_set_back_meanwhile_tells_nothing() -> None:
    offset = ClockOffset()
    offset.observe(NOW, NOW + 100, NOW - 3600)
    assert not offset.is_known
    with pytest.raises(ValueError, match="no reply"):
        offset.error_s(NOW)
