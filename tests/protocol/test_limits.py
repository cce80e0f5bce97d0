"""Limits of an episode: each is declared once, and what people and journals know of them stays."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from pydantic import Field

from manyhands.protocol.base import Ending
from manyhands.protocol.runs.limits import Counters, Limit, Limits, count_steps


def test_keys_and_defaults_are_those_of_tasks_and_journals() -> None:
    assert Limits().model_dump() == {"max_steps": 40, "max_failures": 3, "max_repeats": 3, "wall_s": 1800.0}


def test_every_ending_by_a_limit_is_declared_by_one() -> None:
    by_limits = Counter(limit.ending for limit in Limits.declarations().values())
    assert by_limits == Counter(ending for ending in Ending if ending.endswith("_limit"))


def test_what_only_a_verdict_tells_is_not_asked_without_one() -> None:
    asked = [name for name, limit in Limits.declarations().items() if limit.counter(judged=False, paper_exact=False)]
    assert asked == ["max_failures", "max_repeats", "max_steps"]
    judged = Limit(Ending.FAILURE_LIMIT, ours=Counters(count_steps))
    assert judged.counter(judged=False, paper_exact=False) is None
    assert judged.counter(judged=True, paper_exact=True) is count_steps


def test_lifted_limits_are_at_their_bounds_but_for_the_given_ones_and_the_time() -> None:
    assert Limits.lifted(max_steps=7) == Limits(max_steps=7, max_failures=100, max_repeats=100)


def test_a_declared_limit_is_lifted_with_the_others() -> None:
    class MoreLimits(Limits):
        max_calls: Annotated[int, Limit(Ending.STEP_LIMIT, ours=Counters(count_steps))] = Field(default=5, ge=1, le=50)

    assert list(MoreLimits.declarations()) == [*Limits.declarations(), "max_calls"]
    assert MoreLimits.lifted().max_calls == 50
