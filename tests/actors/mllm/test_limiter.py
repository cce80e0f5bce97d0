"""The cap on requests in flight, with the clock in hand; and the page that it is read from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.mllm.load.admission import READ_EVERY_S, Limiter, ServerQueue, read_queue

IDLE = ServerQueue(waiting=0, running=0, cache_usage=0.0)
LONG = ServerQueue(waiting=40, running=16, cache_usage=0.5)
FULL = ServerQueue(waiting=0, running=16, cache_usage=0.99)
PAGE = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:num_requests_running{engine="1",model_name="m"} 4.0
vllm:num_requests_waiting{engine="0",model_name="m"} 2.0
vllm:num_requests_waiting{engine="1",model_name="m"} 0.0
vllm:num_requests_waiting_by_reason{engine="0",model_name="m",reason="capacity"} 2.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
vllm:kv_cache_usage_perc{engine="1",model_name="m"} 7.5e-01
"""


def test_a_long_queue_lowers_the_cap_by_shares_and_a_short_one_raises_it_by_steps() -> None:
    limiter = Limiter(ceiling=64)
    assert limiter.cap == 64
    caps = []
    for reading in range(3):
        limiter.read([LONG], now=reading * READ_EVERY_S)
        caps.append(limiter.cap)
    assert caps == [44, 31, 21]
    for reading in range(3, 6):
        limiter.read([IDLE], now=reading * READ_EVERY_S)
        caps.append(limiter.cap)
    assert caps[3:] == [25, 29, 33]


def test_a_server_that_tells_nothing_changes_nothing() -> None:
    limiter = Limiter(ceiling=64)
    for reading in range(50):
        limiter.read([None], now=reading * READ_EVERY_S)
    assert limiter.cap == 64


def test_a_burst_of_refusals_counts_once() -> None:
    limiter = Limiter(ceiling=100)
    for moment in range(10):
        limiter.refused(now=moment / 10)
    limiter.read([LONG], now=1.0)
    assert limiter.cap == 70
    limiter.refused(now=READ_EVERY_S)
    assert limiter.cap == 49


def test_a_full_cache_stops_the_growth() -> None:
    limiter = Limiter(ceiling=64)
    limiter.refused(now=0.0)
    limiter.read([FULL, IDLE], now=5.0)
    assert limiter.cap == 44
    limiter.read([IDLE, IDLE], now=7.0)
    assert limiter.cap == 48


def test_requests_of_ours_that_no_figure_counts_are_a_queue_if_they_stay() -> None:
    quiet = ServerQueue(waiting=0, running=4, cache_usage=0.2)
    assert quiet.missing(in_flight=40) == 36
    assert quiet.with_own(in_flight=40, earlier=0).backlog == 0, "they were sent a moment ago"
    preparing = quiet.with_own(in_flight=40, earlier=30)
    assert preparing.backlog == 30
    assert quiet.with_own(in_flight=3, earlier=30).backlog == 0
    limiter = Limiter(ceiling=64)
    limiter.read([preparing], now=0.0)
    assert limiter.cap == 44


def test_requests_of_other_clients_are_those_that_we_did_not_send() -> None:
    assert LONG.others(in_flight=6) == 50
    assert LONG.others(in_flight=60) == 0


def test_answers_that_take_many_times_the_best_lower_the_cap_also_without_figures() -> None:
    limiter = Limiter(ceiling=64)
    limiter.answered(4.0, now=0.0)
    assert limiter.cap == 64
    for moment in range(3):
        limiter.answered(7.0, now=moment * READ_EVERY_S)
    assert limiter.cap == 21
    limiter.read([None], now=3 * READ_EVERY_S)
    assert limiter.cap == 25


queues = st.none() | st.builds(
    ServerQueue, waiting=st.integers(0, 1000), running=st.integers(0, 1000), cache_usage=st.floats(0, 1)
)


@given(st.integers(1, 512), st.lists(st.lists(queues, min_size=1, max_size=3) | st.none(), max_size=60))
def test_the_cap_stays_between_floor_and_ceiling_and_comes_back(
    ceiling: int, readings: list[list[ServerQueue]]
) -> None:
    limiter = Limiter(ceiling)
    now = 0.0
    for reading in readings:
        now += READ_EVERY_S
        if reading is None:
            limiter.refused(now)
        else:
            limiter.read(reading, now)
        assert 1 <= limiter.cap <= ceiling
    for _ in range(16):
        limiter.read([IDLE], now)
    assert limiter.cap == ceiling


def test_a_server_of_several_engines_has_one_queue() -> None:
    assert read_queue(PAGE) == ServerQueue(waiting=2, running=7, cache_usage=0.75)


def test_a_page_that_tells_of_no_queue_is_none() -> None:
    assert read_queue("") is None
    assert read_queue("<html>vllm:num_requests_waiting 1</html>") is None
    assert read_queue("vllm:num_requests_waiting 1e999\nvllm:num_requests_running 1") is None
    assert read_queue("vllm:num_requests_waiting 1-2\nvllm:num_requests_running 1") is None


@given(st.text(alphabet='vllm:num_requests_waiting{}" 0123456789.eE+-\n', max_size=300))
def test_any_page_can_be_read(page: str) -> None:
    queue = read_queue(page + "\nvllm:num_requests_running 1")
    assert queue is None or "vllm:num_requests_waiting" in page
