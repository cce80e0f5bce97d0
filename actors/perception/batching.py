"""Collect items of several threads for one network, and run the network on batches.

``BatchQueue`` decides what to run and when, without threads or a clock. ``Batcher`` has the threads.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import Field

from manyhands.actors.perception.counts import BatchCounts
from manyhands.protocol.base import Input
from manyhands.protocol.errors import PerceptionError

Item = TypeVar("Item")
Answer = TypeVar("Answer")
SIZES = (1, 2, 4, 8, 16, 32, 64)
WORTH_IT = 1.25
"""A batch of twice the size pays only if it makes an item so many times cheaper. On a CPU, smaller gains are noise."""


class BatchSettings(Input):
    """Configure how the items of several readers are batched for one network."""

    size: int | None = Field(default=None, ge=1, le=256)
    """The most items of a batch. It is measured at the start if not given; 1 means no batches."""
    patience_ms: float = Field(default=4, ge=0, le=60_000)
    """How long an item waits for others of its class while some reader is busy with something else, in ms."""
    waiting: int = Field(default=1024, ge=1)
    """How many items may wait for the network. A reader with more items waits before it adds them."""


def measured_size(
    predict: Callable[[Sequence[Item]], object],
    sample: Item,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> int:
    """Measure the batch size for this network on this device.

    Double the size as long as an item then costs at least a fifth less. ``predict`` is called with copies of
    ``sample``, four times for each size. The measurement ends with the first size that does not pay; on a CPU that is
    2.
    """
    best, cost = 1, _cost(predict, [sample], clock)
    for size in SIZES[1:]:
        each = _cost(predict, [sample] * size, clock)
        if each * WORTH_IT > cost:
            break
        best, cost = size, each
    return best


def _cost(predict: Callable[[Sequence[Item]], object], items: Sequence[Item], clock: Callable[[], float]) -> float:
    """Return the least time for one item, in seconds. The first call warms up and does not count."""
    times = []
    for _ in range(4):
        begin = clock()
        predict(items)
        times.append(clock() - begin)
    return min(times[1:]) / len(items)


# ---------------------------------------------------------------------------- what goes out, and when
@dataclass(slots=True, eq=False)
class _BatchRequest(Generic[Answer]):
    """Hold the state of one call of ``ask``."""

    count: int
    answers: dict[int, Answer] = field(default_factory=dict)
    """The answers by the index of their items."""
    error: Exception | None = None
    waits: bool = True

    @property
    def done(self) -> bool:
        return self.error is not None or len(self.answers) == self.count


@dataclass(frozen=True, slots=True)
class Ticket(Generic[Item, Answer]):
    """Hold one item, and the call to which its answer belongs."""

    item: Item
    asked: _BatchRequest[Answer]
    index: int
    since: float


class BatchQueue(Generic[Item, Answer]):
    """Queue items that wait for the network, by class. Not thread-safe."""

    def __init__(self, size: int, patience_s: float) -> None:
        self._size = size
        self._patience_s = patience_s
        self._tickets: list[tuple[Hashable, Ticket[Item, Answer]]] = []
        """Classes and tickets, the oldest first."""

    def __len__(self) -> int:
        return len(self._tickets)

    def add(self, key: Hashable, ticket: Ticket[Item, Answer]) -> None:
        """Add a ticket. ``ticket.since`` must not decrease from one call to the next."""
        self._tickets.append((key, ticket))

    def due(self, now: float, nobody_else: bool) -> list[Ticket[Item, Answer]]:
        """Return a batch of one class, the oldest items first. Return none if it is better to wait.

        If the oldest item has waited its patience, or if ``nobody_else`` is going to add items, the batch is of the
        oldest item's class. Otherwise it is of a class that has enough items for a full batch.
        """
        if not self._tickets:
            return []
        key, oldest = self._tickets[0]
        if not nobody_else and now - oldest.since < self._patience_s:
            counts = Counter(name for name, _ in self._tickets)
            full = [name for name, count in counts.items() if count >= self._size]
            if not full:
                return []
            key = full[0]
        due, rest = list[Ticket[Item, Answer]](), []
        for name, ticket in self._tickets:
            if name == key and len(due) < self._size:
                due.append(ticket)
            else:
                rest.append((name, ticket))
        self._tickets = rest
        return due

    def patience_left(self, now: float) -> float | None:
        """Return the seconds until a batch is due even if nothing is added. Return None if nothing waits."""
        if not self._tickets:
            return None
        return max(0.0, self._tickets[0][1].since + self._patience_s - now)

    def clear(self) -> list[Ticket[Item, Answer]]:
        """Remove and return all waiting items."""
        tickets = [ticket for _, ticket in self._tickets]
        self._tickets.clear()
        return tickets


# ---------------------------------------------------------------------------- threads
class Batcher(Generic[Item, Answer]):
    """Run a network on a thread of its own for several readers. Thread-safe.

    A batch runs when it is full, when every reader waits for answers, or when its oldest item has waited its patience.
    """

    def __init__(
        self, network: str, predict: Callable[[Sequence[Item]], Sequence[Answer]], size: int, settings: BatchSettings
    ) -> None:
        """``predict`` is called on the batcher's own thread only, with 1 to ``size`` items of one class.

        ``network``: its name, for errors and counts.
        """
        self._network = network
        self._predict = predict
        self._limit = settings.waiting
        self._queued: BatchQueue[Item, Answer] = BatchQueue(size, settings.patience_ms / 1000)
        lock = threading.Lock()
        self._work = threading.Condition(lock)
        """Notifies the network's thread that there is something to decide."""
        self._done = threading.Condition(lock)
        """Notifies readers of answers, or of room to add items."""
        self._readers = 0
        self._waiting = 0
        self._closed = False
        self._sizes: Counter[int] = Counter()
        self._waited_s = self._busy_s = 0.0
        self._thread = threading.Thread(target=self._serve, name=f"network-{network}", daemon=True)
        self._thread.start()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Register this thread as a reader that may ask. The items of others then wait briefly for its items."""
        with self._work:
            self._readers += 1
        try:
            yield
        finally:
            with self._work:
                self._readers -= 1
                self._work.notify()

    def ask(self, items: Sequence[tuple[Hashable, Item]]) -> list[Answer]:
        """Return the answers to items, in their order. Each item is given with its class. Blocks.

        Raises PerceptionError if the network failed on one of these items, or is closed.
        """
        request: _BatchRequest[Answer] = _BatchRequest(len(items))
        with self._work:
            self._waiting += 1
            try:
                for index, (key, item) in enumerate(items):
                    while len(self._queued) >= self._limit and not self._closed and not request.done:
                        self._work.notify()
                        self._done.wait()
                    if self._closed:
                        raise self._is_closed()
                    self._queued.add(key, Ticket(item, request, index, time.monotonic()))
                self._work.notify()
                while not request.done:
                    self._done.wait()
            finally:
                self._release(request)
        if request.error is not None:
            raise self._typed(request.error) from request.error
        return [request.answers[index] for index in range(len(items))]

    def counts(self) -> BatchCounts:
        """Return the counts since the start."""
        with self._work:
            return BatchCounts(
                network=self._network,
                sizes=dict(sorted(self._sizes.items())),
                waited_ms=self._waited_s * 1000,
                busy_ms=self._busy_s * 1000,
            )

    def close(self, wait: bool = True) -> None:
        """Finish the running batch. All other items, including later ones, get PerceptionError.

        ``wait``: return only when the network's thread has ended.
        """
        with self._work:
            self._closed = True
            self._work.notify()
        if wait:
            self._thread.join()

    # ------------------------------------------------------------------------ on the network's thread
    def _serve(self) -> None:
        while (batch := self._next()) is not None:
            self._answer(batch)

    def _next(self) -> list[Ticket[Item, Answer]] | None:
        with self._work:
            while not self._closed:
                now = time.monotonic()
                batch = self._queued.due(now, nobody_else=self._waiting >= self._readers)
                tickets = [ticket for ticket in batch if ticket.asked.error is None]
                if tickets:
                    self._waited_s += sum(now - ticket.since for ticket in tickets)
                    self._done.notify_all()  # there is room
                    return tickets
                if not batch:
                    self._work.wait(self._queued.patience_left(now))
            for ticket in self._queued.clear():
                ticket.asked.error = self._is_closed()
            self._done.notify_all()
            return None

    def _answer(self, batch: Sequence[Ticket[Item, Answer]]) -> None:
        """Answer a batch.

        If it fails and has items of several callers, run each caller's items again by themselves, so that only the
        caller at fault gets the error.
        """
        try:
            answers = self._predicted([ticket.item for ticket in batch])
        except Exception as error:  # noqa: BLE001  whatever an engine raises goes to those who asked
            askers = list(dict.fromkeys(ticket.asked for ticket in batch))
            if len(askers) == 1:
                self._deliver(batch, error)
                return
            for request in askers:
                self._answer([ticket for ticket in batch if ticket.asked is request])
            return
        self._deliver(batch, answers)

    def _predicted(self, items: Sequence[Item]) -> Sequence[Answer]:
        begin = time.monotonic()
        try:
            answers = self._predict(items)
        finally:
            took = time.monotonic() - begin
            with self._work:
                self._sizes[len(items)] += 1
                self._busy_s += took
        if len(answers) != len(items):
            raise PerceptionError(f"the {self._network} network gave {len(answers)} answers to {len(items)} items")
        return answers

    def _deliver(self, batch: Sequence[Ticket[Item, Answer]], result: Sequence[Answer] | Exception) -> None:
        with self._work:
            for number, ticket in enumerate(batch):
                if isinstance(result, Exception):
                    ticket.asked.error = result
                else:
                    ticket.asked.answers[ticket.index] = result[number]
                if ticket.asked.done:
                    self._release(ticket.asked)
            self._done.notify_all()

    def _release(self, request: _BatchRequest[Answer]) -> None:
        """Count a reader as no longer waiting, even before its thread wakes up."""
        if request.waits:
            request.waits = False
            self._waiting -= 1

    # ------------------------------------------------------------------------ errors
    def _is_closed(self) -> PerceptionError:
        return PerceptionError(f"the {self._network} network is closed")

    def _typed(self, error: Exception) -> PerceptionError:
        """Return a separate error for each caller. The errors may share one cause."""
        if isinstance(error, PerceptionError):
            return PerceptionError(str(error))
        return PerceptionError(f"the {self._network} network failed: {type(error).__name__}: {error}")
