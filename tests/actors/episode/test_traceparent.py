"""A step has one name for whoever sees its requests from outside, and keeps it wherever the episode goes on."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.episode.stage_context import traceparent

NAMES = st.text(min_size=1, max_size=20)


@given(NAMES, NAMES, st.integers(0, 10_000))
def test_it_is_one_of_trace_context_and_follows_from_what_the_journal_has(run: str, episode: str, step: int) -> None:
    said = traceparent(run, episode, step)
    assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01", said)
    assert said == traceparent(run, episode, step)


def test_an_episode_is_a_trace_and_its_steps_are_told_apart() -> None:
    steps = [traceparent("run", "task-1", step).split("-") for step in range(100)]
    assert len({parts[1] for parts in steps}) == 1
    assert len({parts[2] for parts in steps}) == 100
    others = {
        traceparent(run, episode, 0).split("-")[1] for run in ("run", "run-2") for episode in ("task-1", "task-2")
    }
    assert len(others) == 4
