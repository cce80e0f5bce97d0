"""What is computed from the calls of one load, and from several loads."""

from __future__ import annotations

import pytest

from manyhands.benchmarks.model.command import doubled
from manyhands.benchmarks.model.figures import (
    CallFate,
    CallSample,
    LoadFigures,
    LoadWindow,
    SampleLog,
    StepSample,
    carried_phones,
    load_figures,
    why_unsure,
)
from manyhands.benchmarks.model.ramp import better_try, is_flat, why_stop
from manyhands.benchmarks.model.server_metrics import read_page
from manyhands.protocol.messages import Usage
from manyhands.protocol.roles.role import Role

PAGE = """# HELP vllm:num_requests_running Number of requests in model execution batches.
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:num_requests_running{engine="1",model_name="m"} 1.0
vllm:kv_cache_usage_perc{engine="0"} 0.25
vllm:kv_cache_usage_perc{engine="1"} 0.75
vllm:prompt_tokens_total{engine="0"} %d
vllm:prefix_cache_queries_total{engine="0"} %d
vllm:prefix_cache_hits_total{engine="0"} %d
vllm:time_to_first_token_seconds_sum{engine="0"} %f
vllm:time_to_first_token_seconds_count{engine="0"} %d
vllm:cache_config_info{block_size="16",num_gpu_blocks="1000",engine="0"} 1.0
vllm:generation_tokens_total{engine="0"} NaN
"""


def call(began: float, ended: float, fate: CallFate = "valid", role: Role = Role.DECIDE) -> CallSample:
    usage = Usage(input_tokens=1000, output_tokens=50, cached_tokens=600) if fate != "failed" else Usage()
    return CallSample(role, began, ended, fate, usage, "" if fate == "valid" else f"why {fate}")


def load(phones: int, steps_s: float, failed: int = 0) -> LoadFigures:
    """A load of 100 calls, with one call a step."""
    calls = [call(0, 1, "failed")] * failed + [call(0, 1)] * (100 - failed)
    return load_figures(LoadWindow(phones, 0, (100 - failed) / steps_s, calls, []), 1.0)


def test_figures_of_a_load() -> None:
    calls = [call(0, 2), call(1, 4), call(1, 2, "invalid", Role.PLAN), call(0, 9, "failed")]
    found = load_figures(LoadWindow(2, 0.0, 10.0, calls, [StepSample(0, 4)]), calls_per_step=1.5)
    assert (found.calls, found.steps_s) == (4, pytest.approx(0.2))
    assert (found.input_tokens_s, found.output_tokens_s) == (300, 15)
    assert (found.input_tokens_step, found.uncached_tokens_step, found.output_tokens_step) == (1500, 600, 75)
    assert found.cached_share == 0.6
    assert found.step_s is not None
    assert found.step_s.p50 == 4
    assert found.call_s is not None
    assert found.call_s.p50 == 2
    assert (found.fates.valid, found.fates.invalid, found.fates.failed) == (2, 1, 1)
    assert found.role_fates["plan"].valid_share == 0
    assert found.errors == {"why failed": 1}
    assert found.invalid_replies == {"why invalid": 1}
    assert found.queue is None


def test_a_load_without_calls_has_figures() -> None:
    found = load_figures(LoadWindow(1, 0.0, 10.0, [], []), 3.0)
    assert (found.steps_s, found.step_s, found.cached_share, found.failed_share) == (0, None, None, 0)


def test_a_window_holds_the_calls_that_ended_in_it() -> None:
    log = SampleLog([call(0, 1), call(0, 5), call(4, 9)], [StepSample(0, 1), StepSample(1, 6)])
    assert log.calls_between(1, 9) == [call(0, 1), call(0, 5)]
    assert log.steps_between(2, 9) == [StepSample(1, 6)]


def test_the_servers_own_figures_are_differences() -> None:
    before, after = read_page(PAGE % (1000, 900, 400, 3.0, 10)), read_page(PAGE % (3000, 1900, 1200, 9.0, 20))
    assert after.cache_tokens == 16_000
    queue = load_figures(LoadWindow(1, 0, 10, [], [], 5.0, [before, after]), 1.0).queue
    assert queue is not None
    assert load_figures(LoadWindow(1, 0, 10, [], [], 5.0), 1.0).sender_cores == 0.5
    assert (queue.running, queue.waiting, queue.cache_usage) == (4, None, 0.75)
    assert (queue.input_tokens_s, queue.output_tokens_s) == (200, None)
    assert (queue.prefix_hit_share, queue.first_token_s, queue.preemptions) == (0.8, pytest.approx(0.6), None)


@pytest.mark.parametrize("page", ["", "vllm:cache_config_info{} 1", 'vllm:num_requests_running{a="b"} -1', "<html>"])
def test_pages_that_tell_nothing(page: str) -> None:
    found = read_page(page)
    assert (dict(found.values), found.cache_tokens) == ({}, None)


def test_carried_phones_are_interpolated_between_two_loads() -> None:
    loads = [load(1, 1.0), load(2, 2.0), load(4, 4.0), load(8, 5.0), load(16, 5.0)]
    found = carried_phones(loads, phone_s=3.0)
    assert found is not None
    assert (found.most_steps_s, found.steps_s) == (pytest.approx(5.0), pytest.approx(3.5))
    assert found.asking == pytest.approx(3.5)
    assert found.step_model_s == pytest.approx(1.0)
    assert (found.calls, found.measured_phones, found.is_extrapolated) == (100, 16, False)
    assert found.phones == 14  # 3.5 steps a second, each 1 s of the model and 3 s of the phone


def test_a_server_that_one_phone_fills_carries_what_the_pauses_allow() -> None:
    found = carried_phones([load(1, 1.0), load(2, 1.0)], phone_s=3.0)
    assert found is not None
    assert (found.asking, found.phones) == (pytest.approx(0.7), 2)
    more = carried_phones([load(1, 1.0), load(2, 1.0)], phone_s=9.0)
    assert more is not None
    assert (more.phones, more.measured_phones, more.is_extrapolated) == (7, 2, True)


def test_loads_with_failed_calls_count_for_nothing() -> None:
    found = carried_phones([load(1, 1.0), load(2, 9.0, failed=1)], phone_s=0.0)
    assert found is not None
    assert found.most_steps_s == 1.0
    assert carried_phones([load(1, 1.0, failed=100 - 1)], phone_s=0.0) is None
    assert carried_phones([], phone_s=0.0) is None


def test_a_best_load_of_few_calls_says_nothing_about_phones() -> None:
    few = load_figures(LoadWindow(2, 0, 1, [call(0, 1)] * 29, []), 1.0)
    assert carried_phones([load(1, 1.0), few], phone_s=3.0) is None
    assert "its best load had 29 calls of at least 30." in why_unsure([load(1, 1.0), few])
    assert why_unsure([load(1, 1.0)]) == ""


def test_loads_whose_replies_are_mostly_invalid_carry_nothing() -> None:
    def mixed(valid: int) -> LoadFigures:
        calls = [call(0, 1)] * valid + [call(0, 1, "invalid")] * (100 - valid)
        return load_figures(LoadWindow(1, 0, 10, calls, []), 1.0)

    assert carried_phones([mixed(49)], phone_s=3.0) is None
    assert carried_phones([mixed(50)], phone_s=3.0) is not None
    assert why_stop([mixed(49)]) == "only 49 of 100 replies are valid with 1 phone"
    assert why_stop([mixed(50)]) is None


def test_the_load_is_raised_until_it_brings_nothing_or_calls_fail() -> None:
    assert why_stop([load(1, 1.0)]) is None
    assert why_stop([load(1, 1.0), load(2, 1.5)]) is None
    assert why_stop([load(1, 1.0), load(2, 1.04)]) == "2 phones brought no more steps a second than fewer phones"
    assert why_stop([load(1, 1.0), load(2, 2.0, failed=2)]) == "2 of 100 calls failed with 2 phones"
    assert why_stop([load_figures(LoadWindow(4, 0, 1, [], []), 1.0)]) == "no call ended in time with 4 phones"


@pytest.mark.parametrize(
    ("most", "loads"),
    [(1, (1,)), (2, (1, 2)), (5, (1, 2, 4, 5)), (8, (1, 2, 4, 8)), (128, (1, 2, 4, 8, 16, 32, 64, 128))],
)
def test_loads_double(most: int, loads: tuple[int, ...]) -> None:
    assert doubled(most) == loads


def test_a_load_that_brings_nothing_is_tried_twice_and_its_better_try_counts() -> None:
    flat = [load(1, 1.0), load(2, 1.04)]
    assert is_flat(flat)
    assert not is_flat([load(1, 1.0)])
    assert not is_flat([load(1, 1.0), load(2, 1.5)])
    assert not is_flat([load(1, 1.0), load(2, 0.5, failed=2)]), "failed calls need no second try"
    second = load(2, 1.3)
    assert better_try(flat[1], second) is second
    assert better_try(second, flat[1]) is second
    assert better_try(flat[1], load(2, 2.0, failed=1)) is flat[1]
    assert why_stop([flat[0], second]) is None
