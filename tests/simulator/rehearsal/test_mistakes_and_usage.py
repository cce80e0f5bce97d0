"""Mistakes drawn by occasion, token estimates, and the prefix cache."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.roles.role import STEP_ROLES, Role
from manyhands.simulator.rehearsal.mistakes import Mistake, Occasion, drawn_mistake
from manyhands.simulator.rehearsal.usage import PrefixCache, image_tokens, text_tokens
from tests.simulator.rehearsal.parts import text_image


def occasions(seed: int = 0) -> list[Occasion]:
    return [
        Occasion(seed, f"goal {goal}", role, str(step), 0)
        for goal in range(50)
        for role in STEP_ROLES
        for step in range(20)
    ]


def test_mistakes_come_in_the_share_that_was_asked_for() -> None:
    drawn = [drawn_mistake(occasion, 0.1) for occasion in occasions()]
    share = sum(mistake is not None for mistake in drawn) / len(drawn)
    assert 0.08 < share < 0.12
    assert {mistake for mistake in drawn if mistake} == set(Mistake)
    assert not any(drawn_mistake(occasion, 0.0) for occasion in occasions())
    assert all(drawn_mistake(occasion, 1.0) for occasion in occasions())


@given(st.randoms(use_true_random=False))
def test_the_order_of_requests_changes_no_mistake(random: object) -> None:
    expected = {occasion: drawn_mistake(occasion, 0.3) for occasion in occasions()[:200]}
    shuffled = list(expected)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert {occasion: drawn_mistake(occasion, 0.3) for occasion in shuffled} == expected


def test_each_part_of_an_occasion_counts() -> None:
    base = Occasion(0, "goal", Role.DECIDE, "3", 0)
    others = [
        Occasion(1, "goal", Role.DECIDE, "3", 0),
        Occasion(0, "other", Role.DECIDE, "3", 0),
        Occasion(0, "goal", Role.PLAN, "3", 0),
        Occasion(0, "goal", Role.DECIDE, "4", 0),
        Occasion(0, "goal", Role.DECIDE, "3", 1),
    ]
    assert len({one.draw("purpose", 10**12) for one in (base, *others)}) == 6


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [(1080, 2400, 34 * 75), (1088, 2400, 34 * 75), (32, 32, 64), (540, 1200, 17 * 38)],
)
def test_an_image_costs_a_token_per_32_pixels_square(width: int, height: int, tokens: int) -> None:
    assert image_tokens(width, height) == tokens


@given(st.integers(1, 20000), st.integers(1, 20000))
def test_no_image_costs_more_than_the_largest(width: int, height: int) -> None:
    assert image_tokens(width, height) <= 16384 or max(width, height) / min(width, height) > 200


def test_chinese_costs_more_tokens_a_character() -> None:
    assert text_tokens("a" * 40) == 10
    assert text_tokens("长" * 30) == 20


FIRST, SECOND = text_image("first"), text_image("second")


def test_the_same_beginning_is_cached_and_a_swapped_image_order_is_not() -> None:
    cache = PrefixCache(100_000)
    system = "You operate a phone. " * 20
    total, cached, pictures = cache.take([system, FIRST, SECOND, "question"])
    assert (cached, pictures) == (0, 2)
    assert cache.take([system, FIRST, SECOND, "question"]) == (total, total, 0)
    other_question = cache.take([system, FIRST, SECOND, "another"])
    assert (other_question.cached, other_question.new_pictures) == (total - text_tokens("question"), 0)
    swapped = cache.take([system, SECOND, FIRST, "question"])
    assert swapped.new_pictures == 2
    assert swapped.cached == sum(text_tokens(system[start : start + 64]) for start in range(0, len(system), 64))


@given(st.lists(st.lists(st.text(max_size=300), max_size=4), max_size=12), st.integers(0, 200))
def test_cached_tokens_never_exceed_the_prompt_and_the_cache_is_bounded(prompts: list[list[str]], size: int) -> None:
    cache = PrefixCache(size)
    for parts in prompts:
        total, cached, _ = cache.take(parts)
        assert 0 <= cached <= total
    _, cached, _ = cache.take(["x" * 4000])
    assert cached <= size
