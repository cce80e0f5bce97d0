"""How often clients may ask, in virtual time, and how many streams may be open."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.service.api.admission import BURST, MOST_KEYS, OpenStreams, RequestRate


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_client_may_send_some_at_once_and_then_at_the_rate() -> None:
    clock = Clock()
    rate = RequestRate(8, clock)
    assert [rate.seconds_to_wait("a") for _ in range(16)] == [0.0] * 16
    assert rate.seconds_to_wait("a") == 0.125
    assert rate.seconds_to_wait("b") == 0.0
    clock.now += 0.125
    assert rate.seconds_to_wait("a") == 0.0
    assert rate.seconds_to_wait("a") > 0


@given(st.lists(st.floats(min_value=0, max_value=3), max_size=200), st.floats(min_value=0.5, max_value=50))
def test_nobody_gets_more_than_the_rate(pauses: list[float], per_second: float) -> None:
    clock = Clock()
    rate = RequestRate(per_second, clock)
    passed = 0
    for pause in pauses:
        clock.now += pause
        passed += rate.seconds_to_wait("a") == 0.0
    assert passed <= max(1.0, per_second * BURST) + per_second * sum(pauses) + 1e-6


def test_many_clients_take_bounded_memory() -> None:
    rate = RequestRate(1, Clock())
    for number in range(MOST_KEYS + 500):
        assert rate.seconds_to_wait(str(number)) == 0.0
    assert len(rate._left) == MOST_KEYS


def test_streams_are_counted_while_they_are_open() -> None:
    streams, ended = OpenStreams(3, 2), list[str]()
    with streams.counted("a", lambda: ended.append("first")), streams.counted("a", lambda: ended.append("second")):
        assert streams.is_full_for("a")
        assert not streams.is_full_for("b")
        with streams.counted("b", lambda: ended.append("other")):
            assert streams.is_full
            streams.end_all_of("a")
        assert not streams.is_full
    assert ended == ["first", "second"]
    assert not streams.is_full_for("a")
