"""Which server a request goes to, with the clock in hand."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.mllm.load.pool import PICTURES_KEPT, ServerPool, overloaded

URLS = ("http://a/v1", "http://b/v1", "http://c/v1")


@given(st.text(max_size=20))
def test_every_process_chooses_the_same_favourite(route: str) -> None:
    chosen = ServerPool(URLS).pick(route, 0.0).url
    assert ServerPool(URLS).pick(route, 50.0).url == chosen
    assert ServerPool(tuple(reversed(URLS))).pick(route, 0.0).url == chosen


def test_removing_a_server_moves_only_its_own_phones() -> None:
    routes = [f"phone-{number}" for number in range(200)]
    before = {route: ServerPool(URLS).pick(route, 0.0).url for route in routes}
    after = {route: ServerPool(URLS[:2]).pick(route, 0.0).url for route in routes}
    assert set(before.values()) == set(URLS)
    assert all(after[route] == url for route, url in before.items() if url != URLS[2])


def test_a_favourite_that_is_down_gives_way_to_the_next_one_and_comes_back() -> None:
    pool = ServerPool(URLS)
    favourite = pool.pick("phone", 0.0)
    pool.refused(favourite, now=0.0)
    reserve = pool.pick("phone", 0.5)
    with pool.using(reserve):
        assert pool.pick("phone", 0.5) is reserve
    reserve.in_flight = 5
    third = pool.pick("phone", 0.5)
    assert len({favourite.url, reserve.url, third.url}) == 3
    assert pool.pick("phone", 1.0) is favourite


def test_a_server_that_goes_on_refusing_is_left_alone_longer() -> None:
    pool = ServerPool(URLS[:1])
    server = pool.pick("phone", 0.0)
    waits = []
    for _ in range(8):
        pool.refused(server, now=0.0)
        waits.append(server.down_until)
    assert waits == [1, 2, 4, 8, 16, 30, 30, 30]
    assert not pool.any_sound(29.0)
    assert pool.pick("phone", 0.0) is server
    pool.answered(server, asked_at=-1.0)
    assert not pool.any_sound(29.0), "what was sent before the refusal says nothing of the queue now"
    pool.answered(server, asked_at=0.5)
    assert pool.any_sound(0.5)


def test_a_saturated_server_that_goes_on_answering_is_not_busy_all_the_time() -> None:
    pool = ServerPool(URLS[:1])
    server = pool.pick("phone", 0.0)
    for now in range(0, 1000, 10):
        pool.busy(server, asked_at=now - 0.1, now=now, retry_after_s=5.0)
        assert pool.unavailable_since(now + 1) == max(0, now - 10)
        pool.answered(server, asked_at=now - 5)  # sent before the refusal
        assert pool.unavailable_since(now + 1) == now


def test_a_server_that_names_its_time_is_left_alone_that_long() -> None:
    pool = ServerPool(URLS[:1])
    pool.refused(pool.pick("phone", 0.0), now=10.0, retry_after_s=7.0)
    assert not pool.any_sound(16.9)
    assert pool.any_sound(17.0)


def test_a_server_whose_replies_are_invalid_in_a_row_gives_way_longer_each_time() -> None:
    pool = ServerPool(URLS)
    favourite = pool.pick("phone", 0.0)
    for usable in (False, False, True, False, False):
        pool.replied(favourite.url, usable, now=0.0)
    assert pool.pick("phone", 0.0) is favourite
    waits = []
    for _ in range(7):
        pool.replied(favourite.url, False, now=0.0)
        waits.append(favourite.down_until)
    assert waits == [1, 2, 4, 8, 16, 30, 30]
    assert pool.pick("phone", 0.0) is not favourite
    pool.replied(favourite.url, True, now=31.0)
    pool.replied(favourite.url, False, now=31.0)
    assert pool.pick("phone", 31.0) is favourite


def test_with_all_down_the_first_that_may_be_back_is_tried() -> None:
    pool = ServerPool(URLS)
    servers = [pool.pick("phone", 0.0)]
    pool.refused(servers[0], now=0.0, retry_after_s=20.0)
    servers.append(pool.pick("phone", 0.0))
    pool.refused(servers[1], now=0.0, retry_after_s=5.0)
    servers.append(pool.pick("phone", 0.0))
    pool.refused(servers[2], now=0.0, retry_after_s=10.0)
    assert pool.pick("phone", 0.0) is servers[1]


def test_requests_in_flight_are_counted_also_when_they_fail() -> None:
    pool = ServerPool(URLS[:1])
    server = pool.pick("phone", 0.0)
    with suppress(ZeroDivisionError), pool.using(server):
        assert server.in_flight == 1
        raise ZeroDivisionError
    assert server.in_flight == 0


def test_a_server_that_broke_comes_back_by_its_health_only() -> None:
    pool = ServerPool(URLS[:2])
    favourite = pool.pick("phone", 0.0)
    pool.failed(favourite, now=0.0)
    assert favourite.state(1000.0) == "out"
    assert pool.pick("phone", 1000.0) is not favourite
    pool.unhealthy(favourite, now=0.0)
    assert favourite.state(1000.0) == "out"
    pool.healthy(favourite)
    assert pool.pick("phone", 1000.0) is favourite


def test_a_single_error_makes_a_server_doubtful_and_takes_it_out_of_nothing() -> None:
    pool = ServerPool(URLS)
    favourite = pool.pick("phone", 0.0)
    pool.erred(favourite, now=0.0)
    assert (favourite.state(0.0), pool.away_since) == ("up", None)
    assert pool.pick("phone", 0.0) is not favourite
    assert pool.any_sound(0.0)
    pool.healthy(favourite)
    assert pool.pick("phone", 0.0) is favourite


def test_errors_in_a_row_take_a_server_out_and_an_answer_between_them_does_not() -> None:
    pool = ServerPool(URLS[:1])
    server = pool.pick("phone", 0.0)
    for answered in (False, True, False, True, False, False):
        pool.erred(server, now=0.0)
        if answered:
            pool.answered(server, asked_at=1.0)
    assert pool.pick("phone", 0.0) is server
    assert pool.away_since is None
    assert not pool.any_sound(0.0)
    pool.erred(server, now=2.0)
    assert (server.state(1000.0), pool.away_since) == ("out", 2.0)
    pool.healthy(server)
    pool.erred(server, now=3.0)
    assert server.state(3.0) == "up"


def test_health_ends_no_cooling_off_of_a_server_that_refused() -> None:
    pool = ServerPool(URLS[:1])
    server = pool.pick("phone", 0.0)
    pool.refused(server, now=0.0)
    pool.healthy(server)
    assert server.state(0.5) == "cooling"


def test_a_server_without_a_health_page_cools_off_instead() -> None:
    pool = ServerPool(URLS[:1])
    server = pool.pick("phone", 0.0)
    pool.failed(server, now=0.0)
    pool.lacks_health_page(server)
    assert server.state(0.5) == "cooling"
    assert server.state(1.0) == "up"
    pool.failed(server, now=1.0)
    assert server.state(2.9) == "cooling"
    assert server.state(3.0) == "up"


def test_with_none_up_one_that_only_cools_off_goes_before_one_that_is_out() -> None:
    pool = ServerPool(URLS[:2])
    first = pool.pick("phone", 0.0)
    pool.failed(first, now=0.0)
    second = pool.pick("phone", 0.0)
    pool.refused(second, now=0.0, retry_after_s=20.0)
    assert not pool.any_sound(1.0)
    assert pool.pick("phone", 1.0) is second


def test_a_favourite_gives_way_when_it_has_far_more_to_do_than_the_least_busy() -> None:
    pool = ServerPool(URLS)
    favourite = pool.pick("phone", 0.0)
    favourite.in_flight = 4
    assert pool.pick("phone", 0.0) is favourite
    favourite.in_flight = 5
    other = pool.pick("phone", 0.0)
    assert other is not favourite
    for server in pool.servers:
        if server is not favourite:
            server.in_flight = 1
    assert pool.pick("phone", 0.0) is favourite
    favourite.in_flight = 7
    assert pool.pick("phone", 0.0) is not favourite


@given(st.integers(0, 100), st.integers(0, 100))
def test_the_least_busy_server_is_never_overloaded(one: int, other: int) -> None:
    assert not overloaded(min(one, other), max(one, other))
    assert not overloaded(one, one)


def test_requests_of_other_clients_count_as_well() -> None:
    pool = ServerPool(URLS[:2])
    favourite = pool.pick("phone", 0.0)
    favourite.others = 4
    assert pool.pick("phone", 0.0) is favourite
    favourite.in_flight = 1
    (other,) = (server for server in pool.servers if server is not favourite)
    assert pool.pick("phone", 0.0) is other
    other.others = 1
    assert pool.pick("phone", 0.0) is favourite


def test_all_clients_leave_an_overloaded_favourite_for_the_same_server() -> None:
    chosen = set()
    for idle in range(3):
        pool = ServerPool(URLS)
        favourite = pool.pick("phone", 0.0)
        favourite.others = 50
        for place, server in enumerate(one for one in pool.servers if one is not favourite):
            server.in_flight = (place + idle) % 3
        chosen.add(pool.pick("phone", 0.0).url)
    assert len(chosen) == 1
    assert chosen != {favourite.url}


def test_a_phone_away_from_its_favourite_goes_where_its_pictures_are() -> None:
    pool = ServerPool(URLS)
    favourite = pool.pick("phone", 0.0)
    favourite.others = 50
    second = pool.pick("phone", 0.0)
    (third,) = (server for server in pool.servers if server not in (favourite, second))
    pool.record_request(third, ["before", "after"])
    pool.record_request(second, ["before"])
    assert pool.pick("phone", 0.0, pictures=["before", "after"]) is third
    assert pool.pick("phone", 0.0, pictures=["before"]) is second
    assert pool.pick("phone", 0.0, pictures=["new"]) is second
    favourite.others = 0
    assert pool.pick("phone", 0.0, pictures=["before", "after"]) is favourite


def test_a_server_keeps_its_newest_pictures_and_none_when_it_went_out() -> None:
    pool = ServerPool(URLS[:1])
    (server,) = pool.servers
    pool.record_request(server, [str(number) for number in range(PICTURES_KEPT)])
    pool.record_request(server, ["0", "new"])
    assert len(server.pictures) == PICTURES_KEPT
    assert ("0" in server.pictures, "1" in server.pictures) == (True, False)
    pool.failed(server, now=0.0)
    assert not server.pictures
