"""A step has one name for whoever sees its requests from outside, and keeps it wherever the episode goes on."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.journals.trace_context import span_id, step_span_id, trace_id, traceparent

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


@given(NAMES, NAMES, st.integers(0, 10_000))
def test_spans_that_are_sent_have_the_ids_of_the_header(run: str, episode: str, step: int) -> None:
    _, trace, parent, _ = traceparent(run, episode, step).split("-")
    assert (int(trace, 16), int(parent, 16)) == (trace_id(run, episode), step_span_id(run, episode, step))
    assert 0 < span_id(run, episode) < 2**64


def test_spans_of_an_episode_are_told_apart() -> None:
    records = [span_id("run", "task-1", "record", 1, place) for place in range(100)]
    calls = [span_id("run", "task-1", "record", 1, place, "call", 0) for place in range(100)]
    steps = [step_span_id("run", "task-1", step) for step in range(100)]
    assert len({*records, *calls, *steps, span_id("run", "task-1")}) == 301
