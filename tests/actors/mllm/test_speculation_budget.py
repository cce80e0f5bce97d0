"""When speculative calls are let in, with the clock and the dice in hand."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.actors.mllm.load.admission import ServerQueue
from manyhands.actors.mllm.load.speculation import (
    BLOCK,
    FEW_CALLS,
    KEPT,
    LONGER,
    PROVEN_S,
    QUEUED_MS,
    ClientLoad,
    SpeculationBudget,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import SpeculationSettings
from manyhands.simulator.serving.capacity import Capacity
from tests.examples import examples
from tests.virtual_clock import run_virtual

ANSWERS = (KEPT + 2) * BLOCK
"""Answers without speculation after which nothing older counts."""
SETTINGS = SpeculationSettings(wait_s=4, longest_wait_s=100, ramp_s=8)
QUIET = ClientLoad(in_flight=0, cap=64, waiting=0, servers=[ServerQueue(waiting=0, running=3, cache_usage=0.2)])


def busy(**changes: object) -> ClientLoad:
    return ClientLoad(**{"in_flight": 0, "cap": 64, "waiting": 0, "servers": QUIET.servers, **changes})  # type: ignore[arg-type]


def budget(draw: float = 0.5, settings: SpeculationSettings = SETTINGS) -> SpeculationBudget:
    made = SpeculationBudget(settings, draw=lambda: draw)
    made.observe(QUIET, 0.0)
    return made


def shares(of: SpeculationBudget, *moments: float) -> list[float]:
    return [of.share(moment) for moment in moments]


def queue(waiting: int = 0, cache_usage: float = 0.0) -> ServerQueue:
    return ServerQueue(waiting=waiting, running=8, cache_usage=cache_usage)


def test_at_first_the_share_grows_at_once_and_the_dice_decide() -> None:
    assert SpeculationBudget(SETTINGS).share(1e9) == 0.0  # nothing was seen yet
    assert shares(budget(), 0, 2, 4, 8, 1000) == [0.0, 0.25, 0.5, 1.0, 1.0]
    assert [budget(draw=0.24).admits(QUIET, 2), budget(draw=0.25).admits(QUIET, 2)] == [True, False]


@pytest.mark.parametrize(
    "load",
    [
        busy(waiting=1),
        busy(servers=[queue(waiting=2)]),
        busy(servers=[queue(waiting=1), queue(waiting=2)]),
        busy(servers=[queue(cache_usage=0.9)]),
    ],
)
def test_a_sign_ends_speculation_and_time_begins_it_again(load: ClientLoad) -> None:
    tried = budget(draw=0.0)
    assert tried.admits(QUIET, 50)
    assert not tried.admits(load, 50)
    assert shares(tried, 50, 65, 66, 70, 74, 500) == [0.0, 0.0, 0.0, 0.5, 1.0, 1.0]
    assert not tried.admits(QUIET, 60)
    assert tried.admits(QUIET, 67)


@pytest.mark.parametrize(
    "load", [QUIET, busy(servers=[queue(waiting=1)]), busy(servers=[queue(), queue(waiting=2)]), busy(servers=[])]
)
def test_one_request_that_waits_may_just_have_come(load: ClientLoad) -> None:
    assert budget().admits(load, 50)


def test_some_places_are_kept_for_calls_that_are_needed() -> None:
    settings = SpeculationSettings(in_flight_share=0.75)
    tried = budget(settings=settings)
    for _ in range(16):
        tried.answered(Role.PLAN, 1000, 100, 50)
    assert [tried.admits(busy(in_flight=number, cap=8), 50) for number in (5, 6)] == [True, False]
    assert tried.share(50) == 1.0  # no sign: the share stays
    assert not budget(settings=SpeculationSettings(in_flight_share=0)).admits(QUIET, 50)


def test_signs_in_quick_succession_lengthen_the_wait_up_to_a_limit() -> None:
    tried, now, waits = budget(), 0.0, []
    for on_for in (PROVEN_S + 1, 5.0, 5.0, 5.0, 5.0, PROVEN_S + 1):
        while not tried.share(now):
            now += 0.5
        tried.signal_overload(now + on_for)
        now += on_for
        began = now
        while not tried.share(now):
            now += 0.5
        waits.append(now - began)
    assert waits == pytest.approx([4, 4 * LONGER, 16 * LONGER, 100, 100, 4], abs=1)


def test_signs_while_it_is_closed_only_prolong_it() -> None:
    tried = budget()
    for moment in range(50, 60):
        tried.signal_overload(moment)
    assert shares(tried, 59 + 16, 59 + 17)[0] == 0.0 < tried.share(59 + 17)


def test_a_call_that_had_to_wait_here_is_a_sign() -> None:
    tried = budget()
    tried.admitted(QUEUED_MS, 50)
    assert tried.share(50) == 1.0
    tried.admitted(QUEUED_MS + 1, 51)
    assert tried.share(52) == 0.0


def test_answers_much_slower_than_the_best_are_a_sign_at_any_length() -> None:
    tried = budget()
    for number in range(60):
        tokens = 50 + 10 * (number % 7)
        tried.answered(Role.DECIDE, 20.0 * tokens, tokens, 50)
        tried.answered(Role.PLAN, 9000, 100, 50)  # another role has a best of its own
    assert tried.share(50) == 1.0
    for _ in range(60):
        tried.answered(Role.DECIDE, 27.0 * 80, 80, 51)
    assert tried.share(51) == 1.0
    for _ in range(60):
        tried.answered(Role.DECIDE, 30.0 * 80, 80, 52)
    assert tried.share(52) == 0.0


def test_until_the_best_is_known_a_busy_client_does_not_speculate() -> None:
    tried = budget()
    assert tried.admits(busy(in_flight=FEW_CALLS - 1), 50)
    assert not tried.admits(busy(in_flight=FEW_CALLS), 50)
    for _ in range(20):
        tried.answered(Role.DECIDE, 1000, 100, 50)
    assert tried.admits(busy(in_flight=FEW_CALLS), 50)


loads = st.builds(
    ClientLoad,
    in_flight=st.integers(0, 80),
    cap=st.integers(1, 64),
    waiting=st.integers(0, 2),
    servers=st.lists(
        st.builds(ServerQueue, waiting=st.integers(0, 3), running=st.just(1), cache_usage=st.floats(0, 1))
    ),
)


@given(st.lists(st.tuples(loads, st.floats(0, 200), st.sampled_from(["see", "enter", "answer"])), max_size=60))
def test_whoever_is_let_in_need_not_wait_and_no_sign_was_seen_a_while(
    happens: list[tuple[ClientLoad, float, str]],
) -> None:
    tried, now, last_sign = SpeculationBudget(SETTINGS, draw=lambda: 0.0), 0.0, -1e9
    for load, pause, what in happens:
        now += pause
        sign = bool(load.waiting) or sum(one.waiting for one in load.servers) > max(1, len(load.servers))
        if what == "answer":
            tried.answered(Role.NOTE, 100, 10, now)
            continue
        if what == "see":
            tried.observe(load, now)
        elif tried.admits(load, now):
            assert load.in_flight < load.cap
            assert not load.waiting
            assert now - last_sign >= SETTINGS.wait_s
        last_sign = now if sign else last_sign
        assert 0 <= tried.share(now) <= 1


# ---------------------------------------------------------------------------- an idle server
answers = st.tuples(st.floats(0, 1e6), st.integers(0, 2000), st.floats(0, 30), st.booleans())


def let_in_after(
    tried: SpeculationBudget, now: float, first_ms: float, each_ms: float, lengths: list[int], apart_s: float
) -> int:
    """How many answers of an idle server it takes until a call ahead of time is let in."""
    for number in range(100_000):
        if tried.admits(QUIET, now):
            return number
        tokens = lengths[number % len(lengths)]
        tried.answered(Role.PLAN, first_ms + each_ms * max(0, tokens - 1), tokens, now)
        now += apart_s
    raise AssertionError("never")


@given(
    st.lists(answers, max_size=300),
    st.floats(0, 5000),
    st.floats(0.1, 200),
    st.lists(st.integers(0, 1500), min_size=1, max_size=40),
    st.floats(0.25, 20),
)
@settings(max_examples=examples(60), deadline=None)
def test_an_idle_server_lets_in_within_a_stated_number_of_calls_whatever_was_before(
    before: list[tuple[float, int, float, bool]], first_ms: float, each_ms: float, lengths: list[int], apart_s: float
) -> None:
    tried, now = budget(draw=0.0), 0.0
    for ms, tokens, pause, sign in before:
        now += pause
        tried.answered(Role.PLAN, ms, tokens, now)
        if sign:
            tried.signal_overload(now)
    waits = SETTINGS.longest_wait_s / apart_s
    assert let_in_after(tried, now, first_ms, each_ms, lengths, apart_s) <= ANSWERS + waits + 1


def test_short_replies_on_an_idle_server_do_not_end_speculation_for_good() -> None:
    """With a best that never fades, of time by all tokens, none of 5,000 was let in."""
    tried, let_in = budget(draw=0.0), 0
    for number in range(6000):
        tokens = 200 if number < 100 else 12
        tried.answered(Role.PLAN, 600 + 15.0 * (tokens - 1), tokens, float(number))
        let_in += number >= 1000 and tried.admits(QUIET, float(number))
    assert let_in == 5000


@pytest.mark.parametrize("spread", [0.1, 0.3])
def test_an_idle_server_whose_answers_vary_is_used(spread: float) -> None:
    draws, tried, let_in = Random(3), SpeculationBudget(SpeculationSettings(), draw=lambda: 0.5), 0
    tried.observe(QUIET, 0.0)
    for number in range(4000):
        tokens = max(1, round(draws.lognormvariate(4.5, 0.6)))
        ms = (400 + 15.0 * tokens) * draws.lognormvariate(0, spread)
        tried.answered(Role.PLAN, ms, tokens, float(number))
        let_in += tried.admits(QUIET, float(number))
    assert let_in > 3000


@pytest.mark.parametrize(("missed", "reading_ms"), [(0.1, 2000), (0.1, 4000), (0.3, 2000), (0.5, 1000)])
def test_an_idle_server_whose_cache_misses_some_pictures_is_used(missed: float, reading_ms: float) -> None:
    """Reading a picture takes as long as writing the answer or longer: single answers differ by far more than 1.4."""
    shares = []
    for seed in range(3):
        draws, tried, let_in = Random(seed), SpeculationBudget(SpeculationSettings(), draw=lambda: 0.5), 0
        tried.observe(QUIET, 0.0)
        for number in range(12_000):
            tokens, first_ms = draws.randint(30, 200), reading_ms if draws.random() < missed else 200.0
            tried.answered(Role.PLAN, (first_ms + 10.0 * tokens) * draws.lognormvariate(0, 0.1), tokens, number / 2)
            let_in += number >= 4000 and tried.admits(QUIET, number / 2)
        shares.append(let_in / 8000)
    assert min(shares) > 0.5


# ---------------------------------------------------------------------------- in a closed loop
async def let_in(tokens_per_s: float, seconds: float) -> float:
    """The share of the speculative calls that 24 phones are let make, once things have settled.

    A phone's step is a second of its own, a verdict and a decision, each of 100 tokens in a second at least. They are
    asked side by side where there is capacity, and then two decisions in five are made in vain.
    """
    loop, model, draws = asyncio.get_running_loop(), Capacity({Role.DECIDE: 1.0}, tokens_per_s, 256), Random(1)
    tried, asked, entered = SpeculationBudget(SpeculationSettings(), draws.random), 0, 0

    def load() -> ClientLoad:
        return ClientLoad(model.running, 64, 0, [ServerQueue(model.waiting, model.running, 0.0)])

    async def call() -> None:
        began = loop.time()
        async with model.place() as since:
            await model.write(Role.DECIDE, 100, since)
        tried.answered(Role.DECIDE, (loop.time() - began) * 1000, 100, loop.time())

    async def phone() -> None:
        nonlocal asked, entered
        await asyncio.sleep(3 * draws.random())
        while loop.time() < seconds:
            await asyncio.sleep(0.5 + draws.random())
            ahead = tried.admits(load(), loop.time())
            if loop.time() > seconds / 3:
                asked, entered = asked + 1, entered + ahead
            if ahead:
                await asyncio.gather(call(), call())
            else:
                await call()
            if not ahead or draws.random() < 0.4:
                await call()

    await asyncio.gather(*(phone() for _ in range(24)))
    return entered / asked


@pytest.mark.parametrize(
    ("tokens_per_s", "seconds", "least", "most"),
    [(4000, 90, 0.95, 1.0), (1000, 1200, 0.0, 0.06), (500, 1200, 0.0, 0.06)],
)
def test_a_server_with_capacity_is_used_and_a_full_one_is_left_alone(
    tokens_per_s: float, seconds: float, least: float, most: float
) -> None:
    assert least <= run_virtual(let_in(tokens_per_s, seconds)) <= most
