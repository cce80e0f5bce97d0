"""When a failed delivery is tried again, and when it is given up."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from manyhands.service.webhook_courier import DAY_S, RetryPlan

PLAN = RetryPlan()


@given(st.integers(1, 50), st.integers(), st.floats(0, 1e9))
def test_a_receiver_can_ask_for_a_longer_wait_within_bounds(failures: int, seed: int, asked: float) -> None:
    wait = PLAN.wait_s(failures, Random(seed), asked)
    assert wait >= min(asked, PLAN.longest_asked_s)
    assert wait <= max(PLAN.backoff.longest_s, PLAN.longest_asked_s)


@given(st.integers())
def test_a_delivery_is_tried_for_a_day(seed: int) -> None:
    random, start = Random(seed), 1_800_000_000.0
    now: float | None = start
    attempts = list[float]()
    while now is not None:
        attempts.append(now)
        now = PLAN.next_attempt(start, len(attempts), now, random)
    assert attempts[-1] == start + DAY_S
    assert 100 < len(attempts) < 400
    assert attempts == sorted(attempts)
