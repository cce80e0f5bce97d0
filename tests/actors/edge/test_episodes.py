"""Whole episodes whose phone is behind a broker that loses, doubles, swaps and delays what it is given."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.edge.messages import LeaseRequest
from manyhands.protocol.edge.wire import unpack
from manyhands.protocol.journals.records import ActionReceived, ActionSent
from manyhands.protocol.journals.trace_context import traceparent
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from tests.actors.edge.edge_world import EdgeWorld, Losing, edge_world, kind_of
from tests.actors.edge.memory_broker import Faults, as_sent
from tests.actors.episode.world import order
from tests.virtual_clock import run_virtual

RIGHT = ["s0", "s1", "s2", "s3"]


async def play(edge: EdgeWorld, faults: Faults) -> tuple[EpisodeOrder, EpisodeResult]:
    """Play the small world's episode, which taps three times, with these faults."""
    lease = await edge.lease("run-task-1")
    given = order()
    given = given.model_copy(update={"lease": lease})
    host = EpisodeHost(HostSettings(), edge.collaborators(), edge.world.clock)
    edge.broker.faults = faults
    return given, await host.run_episode(given)


def played(faults: Faults, check: Any) -> None:
    async def main() -> None:
        async with edge_world() as edge:
            given, result = await play(edge, faults)
            check(edge, given, result)

    run_virtual(main())


def assert_done_once(edge: EdgeWorld, given: EpisodeOrder, result: EpisodeResult) -> None:
    """The goal was reached, each key came to the phone once, and none that the journal does not have."""
    assert result.ending is Ending.FINISHED, result.reason
    assert edge.world.screen == edge.world.goal_screen
    assert max(Counter(edge.world.ledger).values()) == 1
    sent = {record.key for record in edge.world.written(given.episode) if isinstance(record, ActionSent)}
    assert set(edge.world.ledger) <= sent
    assert not edge.world.unwritten


def test_an_episode_does_not_know_that_its_phone_is_elsewhere() -> None:
    def check(edge: EdgeWorld, given: EpisodeOrder, result: EpisodeResult) -> None:
        assert_done_once(edge, given, result)
        assert len(edge.world.ledger) == 3
        assert edge.client_link.counts.repeats == 0
        assert edge.world.count["recall"] == 0

    played(as_sent, check)


def test_a_site_is_told_which_step_asks() -> None:
    told = set[tuple[int, str]]()

    def listen(topic: str, data: bytes) -> Iterable[tuple[float, bytes]]:
        body = unpack(data).envelope.body
        if isinstance(body, LeaseRequest):
            told.add((body.step, body.traceparent))
        return as_sent(topic, data)

    def check(edge: EdgeWorld, given: EpisodeOrder, result: EpisodeResult) -> None:
        assert_done_once(edge, given, result)
        assert {step for step, _ in told} == set(range(result.steps))
        assert told == {(step, traceparent(given.run, given.episode, step)) for step, _ in told}

    played(listen, check)


def answers_of_the_first(kind: str, seconds: float) -> Faults:
    """Lose all answers to the first request of a kind, which come to the client, for a while."""
    first: list[str] = []

    def faults(topic: str, data: bytes) -> Iterable[tuple[float, bytes]]:
        envelope = unpack(data).envelope
        if envelope.kind == kind and not first:
            first.append(envelope.id)
        lost = first and getattr(envelope.body, "answers", None) == first[0]
        return () if lost and asyncio.get_running_loop().time() < seconds else ((0.0, data),)

    return faults


def test_an_episode_that_lost_an_answer_asks_what_became_of_its_action_and_goes_on() -> None:
    """The action was carried out; its answer never comes: recall says so, and nothing is sent a second time."""

    def check(edge: EdgeWorld, given: EpisodeOrder, result: EpisodeResult) -> None:
        assert_done_once(edge, given, result)
        assert len(edge.world.ledger) == 3
        assert edge.world.count["recall"] == 1
        assert edge.client_link.counts.repeats > 5
        received = [one for one in edge.world.written(given.episode) if isinstance(one, ActionReceived)]
        assert [one.receipt.repeated for one in received] == [True, False, False]

    played(answers_of_the_first("PerformAndCapture", 1000), check)


def test_an_episode_learns_that_its_action_was_lost_and_sends_another() -> None:
    def check(edge: EdgeWorld, given: EpisodeOrder, result: EpisodeResult) -> None:
        assert_done_once(edge, given, result)
        assert len(edge.world.ledger) == 3
        assert edge.world.count["recall"] == 1
        received = [one.receipt.status for one in edge.world.written(given.episode) if isinstance(one, ActionReceived)]
        assert received == ["refused", "done", "done", "done"]

    first: list[str] = []

    def never_arrives(topic: str, data: bytes) -> Iterable[tuple[float, bytes]]:
        """The first action comes ten minutes late, each time that it is sent."""
        envelope = unpack(data).envelope
        if envelope.kind == "PerformAndCapture" and not first:
            first.append(envelope.id)
        return ((600.0 if [envelope.id] == first else 0.0, data),)

    played(never_arrives, check)


@pytest.mark.parametrize("kind", ["Shown", "Captured", "Renewed", "Received", "PictureChunk", "Renew", "Capture"])
def test_whatever_is_lost_three_times_an_episode_goes_on(kind: str) -> None:
    played(Losing({kind}, most=3), assert_done_once)


@hypothesis_settings(max_examples=25)
@given(seed=st.integers(0, 2**32), lost=st.floats(0, 0.4), twice=st.floats(0, 0.5), late=st.floats(0, 0.4))
def test_a_broker_of_any_faults_never_makes_anything_happen_twice(
    seed: int, lost: float, twice: float, late: float
) -> None:
    """Whatever else becomes of the episode: it may lose its lease, where nothing comes through for long enough."""
    chance = random.Random(seed)

    def faults(topic: str, data: bytes) -> Iterable[tuple[float, bytes]]:
        if kind_of(data) == "Presence" or chance.random() < lost:
            return ()
        delays = [chance.choice([0.01, 0.1, 2.0, 30.0, 300.0]) if chance.random() < late else 0.0]
        delays += [chance.uniform(0, 300)] if chance.random() < twice else []
        return tuple((delay, data) for delay in delays)

    async def main() -> None:
        async with edge_world() as edge:
            given, result = await play(edge, faults)
            edge.broker.faults = as_sent
            await asyncio.sleep(700)  # all that was delayed arrives now
            assert max(Counter(edge.world.ledger).values(), default=1) == 1
            records = edge.world.written(given.episode)
            sent = [record.key for record in records if isinstance(record, ActionSent)]
            assert edge.world.ledger == [
                key for key in sent if key in edge.world.ledger
            ]  # in order, and none unwritten
            refused = {
                record.receipt.key
                for record in records
                if isinstance(record, ActionReceived) and record.receipt.status == "refused"
            }
            assert not refused & set(edge.world.ledger)
            assert result.ending in {Ending.FINISHED, Ending.LEASE_LOST, Ending.PHONE_LOST, Ending.TIME_LIMIT}
            if result.ending is Ending.FINISHED:
                assert edge.world.screen == edge.world.goal_screen

    run_virtual(main())
