"""Transitions that take their time: their courses, and what a phone shows and tells while they run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.simulator.phone.ui.course import FAMILIES, JITTER, PAUSE_S, Course, Family, Transitions
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.simulator.phone.hand import Clock

STEP_S = 0.001


def longest_gap(course: Course) -> float:
    """The longest time in which nothing changes, the beginning included."""
    longest, since, shown = 0.0, 0.0, course.share(0.0)
    for number in range(1, round(course.seconds / STEP_S) + 2):
        share = course.share(number * STEP_S)
        if share != shown:
            since, shown = number * STEP_S, share
        longest = max(longest, number * STEP_S - since)
    return longest


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_every_course_ends_with_the_whole_new_screen(seed: int, phone: int) -> None:
    for family in FAMILIES:
        course = Transitions(family, seed, phone).course("app", "tap")
        shares = [course.share(elapsed) for elapsed in np.linspace(0, course.seconds, 50)]
        assert shares == sorted(shares)
        assert course.share(course.seconds - 1e-6) < 1.0
        assert course.share(course.seconds) == 1.0


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_bursts_keep_still_for_no_more_than_150_ms(seed: int) -> None:
    course = Transitions("bursts", seed, 1).course("app", "tap")
    assert 0.1 <= course.seconds <= 1.5
    assert longest_gap(course) <= 0.15 + 2 * STEP_S


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_pauses_are_typical_of_app_and_input_on_all_phones_of_a_seed(seed: int) -> None:
    gaps = [longest_gap(Transitions("pauses", seed, phone).course("app", "tap")) for phone in range(4)]
    typical = [gap / share for gap in gaps for share in (1 - JITTER, 1 + JITTER)]
    assert max(gaps) <= min(gaps) * (1 + JITTER) / (1 - JITTER) + 0.04
    assert min(typical) <= PAUSE_S[1] + 0.04
    assert max(typical) >= PAUSE_S[0]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_phone_tells_when_its_screen_is_the_final_one(family: Family) -> None:
    clock = Clock()
    phone = VirtualPhone(3, 360, 800, 160, clock, clock.wall, Transitions(family, 5, 3))
    phone.frame()
    acts: tuple[Callable[[], None], ...] = (
        lambda: phone.launch("com.android.settings"),
        lambda: phone.tap(180, 300),
        lambda: phone.key(4),
        lambda: phone.key(3),
    )
    for act in acts:
        before = phone.frame().rgb.copy()
        act()
        told = phone.rest()
        assert not told["resting"]
        left = told["since"] - clock.wall().timestamp()
        assert 0.1 <= left <= 2.5
        clock.now += left - 0.01
        almost = phone.frame().rgb.copy()
        clock.now += 0.011
        final = phone.frame()
        assert phone.rest()["resting"]
        assert not np.array_equal(almost, final.rgb)
        assert not np.array_equal(before, final.rgb)
        pixels = final.rgb.copy()
        clock.now += 3
        assert np.array_equal(phone.frame().rgb, pixels)


def test_an_input_that_changes_nothing_leaves_the_screen_at_rest() -> None:
    clock = Clock()
    phone = VirtualPhone(3, 360, 800, 160, clock, clock.wall, Transitions("pauses", 5, 3))
    version = phone.frame().version
    clock.now += 1
    phone.tap(180, 500)
    assert phone.rest() == {"resting": True, "since": clock.wall().timestamp()}
    assert phone.frame().version == version
