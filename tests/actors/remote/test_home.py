"""Which perception actor a phone's picture goes to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.remote.proxies import HOME_SLACK, home_first


@given(st.text(min_size=1), st.integers(1, 8))
def test_a_phone_keeps_to_its_actor_while_that_one_is_not_much_busier(serial: str, count: int) -> None:
    replicas = set(range(count))
    home = home_first(serial, [0] * count, replicas)
    busy = [0] * count
    busy[home] = HOME_SLACK
    assert home_first(serial, busy, replicas) == home
    busy[home] += 1
    assert (home_first(serial, busy, replicas) == home) == (count == 1)


def test_phones_are_spread_and_one_that_was_tried_is_not_tried_again() -> None:
    homes = {home_first(f"127.0.0.1:{port}", [0, 0, 0], {0, 1, 2}) for port in range(5555, 5600)}
    assert homes == {0, 1, 2}
    home = home_first("phone", [0, 0, 0], {0, 1, 2})
    assert home_first("phone", [0, 0, 0], {0, 1, 2} - {home}) != home
