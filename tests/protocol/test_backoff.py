"""Waits that grow with the failures in a row."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.utilities.backoff import Backoff, read_retry_after


@given(st.floats(0.01, 10), st.floats(10, 1000), st.integers(1, 5000))
def test_waits_double_up_to_the_longest(first_s: float, longest_s: float, failures: int) -> None:
    backoff = Backoff(first_s=first_s, longest_s=longest_s)
    wait_s = backoff.wait_s(failures)
    assert backoff.wait_s(1) == first_s <= wait_s <= longest_s
    assert backoff.wait_s(failures + 1) == min(2 * wait_s, longest_s)


@given(st.floats(0.01, 10), st.floats(10, 1000), st.integers(0, 30))
def test_the_iterator_gives_the_waits_of_one_failure_after_the_other(first_s: float, longest_s: float, n: int) -> None:
    backoff = Backoff(first_s=first_s, longest_s=longest_s)
    assert list(islice(backoff.pauses(), n)) == [backoff.wait_s(failures) for failures in range(1, n + 1)]


@given(st.floats(0, 1), st.integers(1, 5000), st.integers())
def test_chance_takes_off_no_more_than_its_share(jitter: float, failures: int, seed: int) -> None:
    full_s = Backoff(first_s=0.25, longest_s=8).wait_s(failures)
    wait_s = Backoff(first_s=0.25, longest_s=8, jitter=jitter).wait_s(failures, Random(seed).random)
    assert full_s * (1 - jitter) * 0.999 <= wait_s <= full_s


def test_those_that_failed_together_return_at_different_times() -> None:
    backoff = Backoff(first_s=1, longest_s=60, jitter=0.5)
    assert len({backoff.wait_s(6, Random(5 + number).random) for number in range(100)}) == 100


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        ("0.5", 0.5),
        ("-5", 0.0),
        ("nan", 0.0),
        ("1e400", math.inf),
        ("Fri, 15 Jan 2027 08:01:00 GMT", 60.0),
        ("Fri, 15 Jan 2021 08:01:00 GMT", 0.0),
        ("Wed, 99 Foo 2027 99:99:99 GMT", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_a_server_says_when_to_come_back_by_a_number_or_a_date(header: str | None, seconds: float | None) -> None:
    now = datetime(2027, 1, 15, 8, 0, tzinfo=UTC).timestamp()
    assert read_retry_after(header, now) == seconds


@given(st.text())
def test_no_header_is_an_error(header: str) -> None:
    seconds = read_retry_after(header, 0.0)
    assert seconds is None or seconds >= 0
