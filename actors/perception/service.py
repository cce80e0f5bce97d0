"""Make screens from screenshots by a few worker threads. Each picture is read once, and its content is cached.

Needed pictures wait in front of speculative ones.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

import cv2
import numpy as np

from manyhands.actors.frames import Frame
from manyhands.actors.perception.backends import Backends, IconMatcher
from manyhands.actors.perception.batching import Batcher
from manyhands.actors.perception.counts import PerceptionCounts, ServiceTotals
from manyhands.actors.perception.grounding.clip import ClipMatcher
from manyhands.actors.perception.grounding.locate import locate
from manyhands.actors.perception.local_backends import LocalBackends
from manyhands.actors.perception.page_cache import ContentCache
from manyhands.actors.perception.reading import Content, PageHistory, Stopwatch, read_frame
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.protocol.errors import ActorLost, CaptureFailed, DeadlinePassed, Overloaded, PerceptionError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Located, LocateQuery, Screen, Screenshot
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _PendingReading:
    """Hold a picture that waits for a worker or is being read, and the future of its content."""

    screenshot: Screenshot
    frame: Frame
    answer: asyncio.Future[Content]
    serials: set[str]
    """The phones that show these pixels."""
    watch: Stopwatch = field(default_factory=Stopwatch)
    waiters: int = 0
    timer: asyncio.TimerHandle | None = None
    """Ends the wait of a reading that has waited too long."""

    @property
    def content_id(self) -> str:
        return self.screenshot.content_id


class ReadingQueue(Generic[T]):
    """Queue items up to a limit: needed items come before speculative ones, and longer waiting items before others.

    Belongs to one thread. An item is in the queue at most once. Items must be hashable.
    """

    def __init__(self, limit: int) -> None:
        """``limit``: how many items may wait."""
        self._limit = limit
        self._numbers = itertools.count()
        self._ranks: dict[T, tuple[bool, int]] = {}
        """(speculative, number) of each item. The lowest is next."""

    def __len__(self) -> int:
        return len(self._ranks)

    def add(self, item: T, speculative: bool) -> T | None:
        """Add ``item``.

        Return the item that has no place in a full queue, either ``item`` itself or one that it replaces; None if there
        is space. In a full queue, a needed item takes the place of the latest speculative one.
        """
        if len(self._ranks) < self._limit:
            self._ranks[item] = (speculative, next(self._numbers))
            return None
        last = max(self._ranks, key=self._ranks.__getitem__, default=None)
        if last is None or speculative or not self._ranks[last][0]:
            return item
        del self._ranks[last]
        self._ranks[item] = (speculative, next(self._numbers))
        return last

    def need(self, item: T) -> None:
        """Mark a queued ``item`` as needed, and keep its place by time waited. Do nothing if it is not queued."""
        if item in self._ranks:
            self._ranks[item] = (False, self._ranks[item][1])

    def remove(self, item: T) -> bool:
        """Remove ``item``. Return whether it was queued."""
        return self._ranks.pop(item, None) is not None

    def next(self) -> T | None:
        """Remove and return the first item. Return None if nothing waits."""
        if not self._ranks:
            return None
        first = min(self._ranks, key=self._ranks.__getitem__)
        del self._ranks[first]
        return first


class PerceptionService:
    """Implements actors.interfaces.Perception for the screenshots of all phones."""

    def __init__(
        self,
        settings: PerceptionSettings,
        make_backends: Callable[[PerceptionSettings], Backends] | None = None,
    ) -> None:
        """``make_backends``: makes the backends of one worker after another. The default is LocalBackends."""
        self._settings = settings
        self._workers = settings.readers()
        self._make_backends = make_backends
        self._executor: ThreadPoolExecutor | None = None
        self._idle: SimpleQueue[Backends] = SimpleQueue()
        self._batchers: tuple[Batcher[Any, Any], ...] = ()
        self._readings: dict[str, _PendingReading] = {}
        """The readings that wait or run, by picture."""
        self._running = 0
        self._queue: ReadingQueue[_PendingReading] = ReadingQueue(settings.waiting)
        self._pictures = ContentCache(settings.incremental, settings.remembered)
        self._totals = ServiceTotals()
        self._matcher: IconMatcher | None = None

    async def start(self) -> None:
        """Make and warm up one set of backends for each worker. Raises PerceptionError if one cannot be made."""
        cv2.setNumThreads(1)  # workers run in parallel: OpenCV's own threads would only compete with them
        executor = ThreadPoolExecutor(self._workers, thread_name_prefix="perception")
        loop = asyncio.get_running_loop()
        make = self._make_backends or LocalBackends()
        jobs: list[Future[Backends]] = []
        backends_made: list[Backends] = []
        try:
            clip = self._settings.clip
            if clip.folder is not None:
                self._matcher = await asyncio.to_thread(ClipMatcher, clip.folder, clip.threads)
            for _ in range(self._workers):
                jobs.append(executor.submit(make, self._settings))
                backends_made.append(await asyncio.wrap_future(jobs[-1]))
            await asyncio.gather(*(loop.run_in_executor(executor, _warm_up, backends) for backends in backends_made))
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for job in jobs:
                job.add_done_callback(_close_batcher)  # also for backends that are still being made
            raise
        for backends in backends_made:
            self._idle.put(backends)
        self._batchers = tuple({backends.batcher for backends in backends_made if backends.batcher is not None})
        self._executor = executor

    async def stop(self) -> None:
        """Wait for running readings. Waiting readings end with ActorLost."""
        executor, self._executor = self._executor, None
        while (reading := self._queue.next()) is not None:
            self._end(reading, ActorLost("the perception service stopped before the picture was read"))
        if executor is not None:
            await asyncio.to_thread(executor.shutdown, wait=True)
            for batcher in self._batchers:
                await asyncio.to_thread(batcher.close)
            self._batchers, self._idle = (), SimpleQueue()

    async def counts(self) -> PerceptionCounts:
        """Return the counts since the start. The counts of batches are those since this process started."""
        return self._totals.counts(
            batches=tuple(batcher.counts() for batcher in self._batchers),
            workers=self._workers,
            reading=self._running,
            waiting=len(self._queue),
        )

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        """Return the screen of ``screenshot``, whose pixels are ``frame``.

        Pixels that were read before, or are being read, are not read again. An answer for such pixels is marked as
        cached. Its only timing is the time that this call waited in the queue. Raises PerceptionError, DeadlinePassed,
        Overloaded (no room in the queue, or waited too long) and ActorLost (the service stops).
        """
        if HOST_CLOCK.now() >= context.deadline:
            raise DeadlinePassed(f"perceive for {context.episode} step {context.step}: the deadline has passed already")
        cached = self._pictures.known(screenshot.content_id, screenshot.serial)
        if cached is not None:
            self._totals.add("remembered")
            return _screen(screenshot, cached, {}, cached=True)
        reading = self._readings.get(screenshot.content_id)
        if reading is None:
            content = await self._await(self._begin(screenshot, frame, context.speculative), context)
            return _screen(screenshot, content, content.timings_ms, cached=False)
        self._totals.add("shared")
        reading.serials.add(screenshot.serial)
        if not context.speculative:
            self._queue.need(reading)
        joined = time.perf_counter()
        content = await self._await(reading, context)
        return _screen(screenshot, content, {"queue": (time.perf_counter() - joined) * 1000}, cached=True)

    async def locate(self, screenshot: Screenshot, frame: Frame, query: LocateQuery, context: CallContext) -> Located:
        """Return the elements that ``query`` may mean, the best first. ``perceive`` reads the screen.

        Raises the errors of ``perceive``, and PerceptionError for a damaged frame.
        """
        screen = await self.perceive(screenshot, frame, context)
        try:
            return await asyncio.to_thread(locate, screen, query, frame.rgb, self._matcher)
        except CaptureFailed as error:  # the screen was known by its id, so this frame has not been decoded before
            raise PerceptionError(f"the frame cannot be read: {error}") from error

    # ------------------------------------------------------------------------ who is read, and when
    def _begin(self, screenshot: Screenshot, frame: Frame, speculative: bool) -> _PendingReading:
        if self._executor is None:
            raise ActorLost("the perception service is not running")
        loop = asyncio.get_running_loop()
        reading = _PendingReading(screenshot, frame, loop.create_future(), {screenshot.serial})
        if self._running < self._workers:
            self._run(self._executor, reading)
        else:
            self._admit(reading, speculative)
            reading.timer = loop.call_later(self._settings.longest_wait_s, self._expire, reading)
        self._readings[reading.content_id] = reading
        return reading

    def _admit(self, reading: _PendingReading, speculative: bool) -> None:
        """Queue a reading. In a full queue, a speculative reading gives way to a needed one. Raises Overloaded."""
        left_out = self._queue.add(reading, speculative)
        if left_out is None:
            return
        self._totals.add("refused")
        limit = self._workers + self._settings.waiting
        refusal = Overloaded(f"perception already has {limit} pictures to read; try again later or raise 'waiting'")
        if left_out is reading:
            raise refusal
        self._end(left_out, refusal)

    def _expire(self, reading: _PendingReading) -> None:
        if self._queue.remove(reading):
            self._totals.add("refused")
            waited = self._settings.longest_wait_s
            self._end(
                reading,
                Overloaded(f"a picture waited {waited:g} s for a reader; add perception actors or threads"),
            )

    def _run(self, executor: ThreadPoolExecutor, reading: _PendingReading) -> None:
        self._running += 1
        past = self._pictures.past(reading.screenshot.serial)  # taken here, because a worker must not use the caches
        job = executor.submit(self._work, reading.frame, reading.screenshot.size, reading.watch, past)
        asyncio.wrap_future(job).add_done_callback(partial(self._finish, reading))

    def _work(self, frame: Frame, size: Size, watch: Stopwatch, past: PageHistory | None) -> Content:
        """Read a frame on a worker's thread."""
        watch.lap("queue")
        backends = self._idle.get()
        try:
            with nullcontext() if backends.batcher is None else backends.batcher.reading():
                return read_frame(backends, frame, size, watch, past)
        finally:
            self._idle.put(backends)

    def _finish(self, reading: _PendingReading, future: asyncio.Future[Content]) -> None:
        """End a reading that has run, on the event loop.

        The content is cached even if no caller waits for the reading.
        """
        self._running -= 1
        error = future.exception()
        if error is None:
            content = future.result()
            self._totals.read(content.kind, content.timings_ms)
            self._pictures.add(reading.content_id, reading.serials, content)
            self._end(reading, content)
        else:
            self._totals.add("failed")
            self._end(reading, error)
        following = None if self._executor is None else self._queue.next()
        if self._executor is not None and following is not None:
            self._run(self._executor, following)

    def _end(self, reading: _PendingReading, outcome: Content | BaseException) -> None:
        """Answer all callers that wait for the reading."""
        if reading.timer is not None:
            reading.timer.cancel()
        if self._readings.get(reading.content_id) is reading:
            del self._readings[reading.content_id]
        if isinstance(outcome, BaseException):
            reading.answer.set_exception(outcome)
            reading.answer.exception()  # marks the exception as retrieved: it is no defect if nobody waits
        else:
            reading.answer.set_result(outcome)

    async def _await(self, reading: _PendingReading, context: CallContext) -> Content:
        """Wait for the reading until the deadline. The last caller to leave drops a reading that has not begun."""
        reading.waiters += 1
        late = DeadlinePassed(f"perceive for {context.episode} step {context.step}: no screen before the deadline")
        try:
            await asyncio.wait({reading.answer}, timeout=max(context.deadline - HOST_CLOCK.now(), 0))
        finally:
            reading.waiters -= 1
            if reading.waiters == 0 and self._queue.remove(reading):
                self._totals.add("dropped")
                self._end(reading, late)
        if not reading.answer.done():
            raise late
        return reading.answer.result()


def _warm_up(backends: Backends) -> None:
    """Read one small picture, because engines allocate memory on first use."""
    sample = np.full((96, 320, 3), 255, np.uint8)
    cv2.putText(sample, "ready", (40, 64), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3)
    read_frame(backends, Frame("rgb", sample), Size(width=320, height=96), Stopwatch())


def _close_batcher(job: Future[Backends]) -> None:
    if not job.cancelled() and job.exception() is None and (batcher := job.result().batcher) is not None:
        batcher.close(wait=False)


def _screen(screenshot: Screenshot, content: Content, timings_ms: dict[str, float], *, cached: bool) -> Screen:
    """Make the screen. The state of the keyboard is the phone's report or, without a report, what the pixels show."""
    keyboard, state = screenshot.keyboard, content.state
    if keyboard == "unknown":
        keyboard = "shown" if state.keyboard else "hidden"
    return Screen(
        content_id=screenshot.content_id,
        size=screenshot.size,
        elements=content.elements,
        keyboard=keyboard,
        timings_ms=timings_ms,
        cached=cached,
        read_share=0.0 if cached else content.read_share,
        dialog=state.dialog,
        black=state.black,
        home=state.home,
    )
