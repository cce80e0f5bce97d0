"""Batches: what goes out and when, and that every answer reaches the one who asked."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.batching import (
    SIZES,
    Batcher,
    BatchQueue,
    BatchSettings,
    Ticket,
    measured_size,
)
from manyhands.protocol.errors import PerceptionError

FOR_EVER = BatchSettings(patience_ms=60_000)
"""Nothing goes out by patience before the others have had their say."""


# ---------------------------------------------------------------------------- what goes out, without threads
def ticket(item: int, since: float) -> Ticket[int, int]:
    return Ticket(item, None, item, since)  # type: ignore[arg-type]  nobody asked


Moves = st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 0.02), st.booleans(), st.booleans()), max_size=60)


@given(Moves, st.integers(1, 5))
def test_each_item_goes_out_once_in_order_in_batches_of_one_class(
    moves: list[tuple[str, float, bool, bool]], size: int
) -> None:
    queued: BatchQueue[int, int] = BatchQueue(size, patience_s=0.01)
    classes: dict[int, Hashable] = {}
    now, out = 0.0, list[list[int]]()
    for number, (key, passed, look, nobody_else) in enumerate(moves):
        now += passed
        queued.add(key, ticket(number, now))
        classes[number] = key
        if look:
            out.append([one.item for one in queued.due(now, nobody_else)])
            assert out[-1] or not nobody_else, "nobody else is coming: there is nothing to wait for"
    while len(queued):
        out.append([one.item for one in queued.due(now, nobody_else=True)])
    assert sorted(item for batch in out for item in batch) == sorted(classes)
    for batch in out:
        assert len(batch) <= size
        assert len({classes[item] for item in batch}) <= 1
    for key in "abc":
        gone = [item for batch in out for item in batch if classes[item] == key]
        assert gone == sorted(gone)


@given(Moves, st.integers(2, 5))
def test_nobody_is_overtaken_once_patience_has_run_out(moves: list[tuple[str, float, bool, bool]], size: int) -> None:
    queued: BatchQueue[int, int] = BatchQueue(size, patience_s=0.01)
    now, since = 0.0, dict[int, float]()
    for number, (key, passed, _, _) in enumerate(moves):
        now += passed
        queued.add(key, ticket(number, now))
        since[number] = now
        batch = queued.due(now, nobody_else=False)
        oldest = min(since, key=since.__getitem__)
        if now - since[oldest] >= 0.01:
            assert batch[0].item == oldest
        else:
            assert len(batch) in (0, size)
        for one in batch:
            del since[one.item]


def test_a_full_class_does_not_wait_for_the_patience_of_another() -> None:
    queued: BatchQueue[int, int] = BatchQueue(2, patience_s=10)
    for number, key in enumerate("abb"):
        queued.add(key, ticket(number, float(number)))
    assert [one.item for one in queued.due(3, nobody_else=False)] == [1, 2]
    assert queued.due(3, nobody_else=False) == []
    assert queued.patience_left(3) == 7
    assert [one.item for one in queued.due(10, nobody_else=False)] == [0]
    assert queued.patience_left(10) is None


# ---------------------------------------------------------------------------- how large
class Modelled:
    """A device on which a batch costs ``once`` and ``each`` item its own; its clock is moved by its work."""

    def __init__(self, once: float, each: float) -> None:
        self._once, self._each = once, each
        self.now = 0.0
        self.largest = 0

    def predict(self, items: Sequence[str]) -> None:
        self.now += self._once + self._each * len(items)
        self.largest = max(self.largest, len(items))

    def size(self) -> int:
        return measured_size(self.predict, "sample", clock=lambda: self.now)


def test_the_size_is_measured_on_the_device() -> None:
    core = Modelled(once=0, each=0.01)
    assert (core.size(), core.largest) == (1, 2)
    assert Modelled(once=0.001, each=0.01).size() == 1
    assert Modelled(once=0.01, each=0.001).size() == 16
    assert Modelled(once=1, each=0).size() == SIZES[-1]


# ---------------------------------------------------------------------------- with threads
class Doubler:
    """Doubles numbers, except 13; notes on which threads."""

    def __init__(self) -> None:
        self.threads: set[str] = set()
        self.batches: list[list[int]] = []

    def __call__(self, items: Sequence[int]) -> list[int]:
        self.threads.add(threading.current_thread().name)
        self.batches.append(list(items))
        if 13 in items:
            raise ValueError("an unlucky number")
        return [2 * item for item in items]


def ask_all(batcher: Batcher[int, int], asked: Sequence[Sequence[tuple[Hashable, int]]]) -> list[object]:
    """What each of several readers is answered, or raises, all at the same time."""
    ready = threading.Barrier(len(asked))

    def reader(items: Sequence[tuple[Hashable, int]]) -> object:
        with batcher.reading():
            ready.wait(30)
            try:
                return batcher.ask(items)
            except PerceptionError as error:
                return error

    with ThreadPoolExecutor(len(asked)) as threads:
        return list(threads.map(reader, asked))


Readers = st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(14, 99)), max_size=9), min_size=1, max_size=6)


@given(Readers, st.integers(1, 8), st.integers(1, 5))
def test_every_reader_gets_the_answers_to_its_own_items(
    asked: list[list[tuple[Hashable, int]]], size: int, waiting: int
) -> None:
    network = Doubler()
    with closing(Batcher("doubler", network, size, BatchSettings(patience_ms=1, waiting=waiting))) as batcher:
        answers = ask_all(batcher, asked)
        counts = batcher.counts()
    assert answers == [[2 * item for _, item in items] for items in asked]
    assert all(1 <= len(batch) <= size for batch in network.batches)
    assert network.threads <= {"network-doubler"}
    assert sum(size * count for size, count in counts.sizes.items()) == sum(map(len, asked))


def test_readers_fill_a_batch_together() -> None:
    network = Doubler()
    with closing(Batcher("doubler", network, 8, FOR_EVER)) as batcher:
        answers = ask_all(batcher, [[("a", reader * 10 + 20 + item) for item in range(2)] for reader in range(3)])
    assert answers == [[40, 42], [60, 62], [80, 82]]
    assert [len(batch) for batch in network.batches] == [6]


def test_an_error_reaches_those_who_caused_it_and_nobody_else() -> None:
    network = Doubler()
    with closing(Batcher("doubler", network, 8, FOR_EVER)) as batcher:
        one, unlucky, other = ask_all(batcher, [[("a", 1), ("a", 2)], [("a", 12), ("a", 13)], [("a", 3)]])
        again = batcher.ask([("a", 4)])
    assert (one, other, again) == ([2, 4], [6], [8])
    assert isinstance(unlucky, PerceptionError)
    assert str(unlucky) == "the doubler network failed: ValueError: an unlucky number"


def test_a_network_that_answers_too_few_is_found_out() -> None:
    with closing(Batcher[int, int]("short", lambda items: list(items)[1:], 8, FOR_EVER)) as batcher:
        with pytest.raises(PerceptionError, match="short network gave 1 answers to 2 items"):
            batcher.ask([("a", 1), ("a", 2)])


def test_who_waits_when_it_is_closed_is_told() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def held(items: Sequence[int]) -> Sequence[int]:
        begun.set()
        assert go_on.wait(30)
        return items

    batcher = Batcher("held", held, 1, FOR_EVER)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(batcher.ask, [("a", 1)])
        assert begun.wait(30)
        second = threads.submit(batcher.ask, [("a", 2)])
        batcher.close(wait=False)
        go_on.set()
        assert first.result(30) == [1]
        with pytest.raises(PerceptionError, match="held network is closed"):
            second.result(30)
    with pytest.raises(PerceptionError, match="closed"):
        batcher.ask([("a", 3)])


def test_answers_may_be_anything() -> None:
    with closing(Batcher[int, object]("nothing", lambda items: [None for _ in items], 4, FOR_EVER)) as batcher:
        assert batcher.ask([("a", 1), ("b", 2)]) == [None, None]
        assert batcher.ask([]) == []
