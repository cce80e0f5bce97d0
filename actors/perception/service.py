"""Screens from screenshots: a few worker threads, one reading per picture, a memory of what was read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue

import cv2
import numpy as np
from pydantic import Field

from actors.frames import Frame
from actors.perception.backends import Backends
from actors.perception.icons.edges import EdgeIconFinder, EdgeIconSettings
from actors.perception.incremental.remembered import IncrementalSettings, ReadPictures
from actors.perception.reading import Content, Past, Stopwatch, read_frame
from actors.perception.text.rapid import RapidTextSettings, rapid_reader
from protocol.base import Input, Message
from protocol.errors import ActorLost, DeadlinePassed, Overloaded
from protocol.geometry import Size
from protocol.messages import CallContext
from protocol.screens import Screen, Screenshot


class PerceptionSettings(Input):
    workers: int = Field(default=2, ge=1, le=64)
    """Threads that read, each with a reader of its own (memory: docs/perception.md)."""
    waiting: int = Field(default=64, ge=0)
    """Pictures that may wait for a worker; one more is refused as Overloaded."""
    remembered: int = Field(default=256, ge=0)
    """Pictures whose content is kept; the one unused for longest goes first."""
    incremental: IncrementalSettings = IncrementalSettings()
    text: RapidTextSettings = RapidTextSettings()
    icons: EdgeIconSettings = EdgeIconSettings()


class PerceptionCounts(Message):
    """What a service has done since its start."""

    read: int = 0
    """Pictures that were read to the end: the sum of the next four."""
    full: int = 0
    part: int = 0
    """Read on the rows that no page before had."""
    scrolled: int = 0
    """The same, with texts known from other places on the screen."""
    unchanged: int = 0
    """Not the same pixels as any picture before, but the same rows as pages before: nothing was read."""
    remembered: int = 0
    """Requests that were answered from memory."""
    shared: int = 0
    """Requests that joined a reading under way."""
    refused: int = 0
    dropped: int = 0
    """Readings that nobody waited for any more before they began."""
    failed: int = 0


@dataclass(slots=True)
class _Reading:
    content_id: str
    serials: set[str]
    """Phones that show these pixels."""
    job: Future[Content]
    answer: asyncio.Future[Content]
    waiters: int = 0


def local_backends(settings: PerceptionSettings) -> Backends:
    """RapidOCR and edges: what runs anywhere."""
    return Backends(text=rapid_reader(settings.text), icons=EdgeIconFinder(settings.icons))


class PerceptionService:
    """Implements actors.seams.Perception for the screenshots of all phones."""

    def __init__(
        self,
        settings: PerceptionSettings,
        make_backends: Callable[[PerceptionSettings], Backends] = local_backends,
    ) -> None:
        self._settings = settings
        self._make_backends = make_backends
        self._executor: ThreadPoolExecutor | None = None
        self._idle: SimpleQueue[Backends] = SimpleQueue()
        self._readings: dict[str, _Reading] = {}
        self._pictures = ReadPictures(settings.incremental, settings.remembered)
        self._counts = PerceptionCounts()

    async def start(self) -> None:
        """Make and warm up one set of backends per worker. Raises PerceptionError where one cannot be made."""
        executor = ThreadPoolExecutor(self._settings.workers, thread_name_prefix="perception")
        loop = asyncio.get_running_loop()
        try:
            made = await asyncio.gather(
                *(loop.run_in_executor(executor, self._warm_backends) for _ in range(self._settings.workers))
            )
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
        for backends in made:
            self._idle.put(backends)
        self._executor = executor

    def _warm_backends(self) -> Backends:
        backends = self._make_backends(self._settings)
        sample = np.full((96, 320, 3), 255, np.uint8)
        cv2.putText(sample, "ready", (40, 64), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3)
        read_frame(backends, Frame("rgb", sample), Size(width=320, height=96), Stopwatch())
        return backends

    async def stop(self) -> None:
        """Waits for the readings that run; those that wait end as ActorLost."""
        executor, self._executor = self._executor, None
        if executor is not None:
            await asyncio.to_thread(executor.shutdown, wait=True, cancel_futures=True)
            self._idle = SimpleQueue()

    async def counts(self) -> PerceptionCounts:
        return self._counts

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        """The screen of ``screenshot``, whose pixels are ``frame``.

        Pixels that were read before, or are being read, cost no second reading: the answer is marked
        cached and has no timings but its own time in the queue. Raises PerceptionError, DeadlinePassed,
        Overloaded, ActorLost (the service stops).
        """
        if time.time() >= context.deadline:
            raise DeadlinePassed(f"perceive for {context.episode} step {context.step}: the deadline has passed already")
        known = self._pictures.known(screenshot.content_id, screenshot.serial)
        if known is not None:
            self._count("remembered")
            return _screen(screenshot, known, {}, cached=True)
        reading = self._readings.get(screenshot.content_id)
        if reading is None:
            content = await self._await(self._begin(screenshot, frame), context)
            return _screen(screenshot, content, content.timings_ms, cached=False)
        self._count("shared")
        reading.serials.add(screenshot.serial)
        joined = time.perf_counter()
        content = await self._await(reading, context)
        return _screen(screenshot, content, {"queue": (time.perf_counter() - joined) * 1000}, cached=True)

    def _begin(self, screenshot: Screenshot, frame: Frame) -> _Reading:
        if self._executor is None:
            raise ActorLost("the perception service is not running")
        limit = self._settings.workers + self._settings.waiting
        if len(self._readings) >= limit:
            self._count("refused")
            raise Overloaded(f"perception already has {limit} pictures to read; try again later or raise 'waiting'")
        past = self._pictures.past(screenshot.serial)  # as of now: the worker does not touch the memory
        job = self._executor.submit(self._work, frame, screenshot.size, Stopwatch(), past)
        reading = _Reading(screenshot.content_id, {screenshot.serial}, job, asyncio.wrap_future(job))
        self._readings[reading.content_id] = reading
        reading.answer.add_done_callback(lambda _: self._end(reading))
        return reading

    def _work(self, frame: Frame, size: Size, watch: Stopwatch, past: Past | None) -> Content:
        """On a worker's thread."""
        watch.lap("queue")
        backends = self._idle.get()
        try:
            return read_frame(backends, frame, size, watch, past)
        finally:
            self._idle.put(backends)

    async def _await(self, reading: _Reading, context: CallContext) -> Content:
        """Waits until the deadline; the last one to leave drops a reading that has not begun."""
        reading.waiters += 1
        try:
            await asyncio.wait({reading.answer}, timeout=max(context.deadline - time.time(), 0))
        finally:
            reading.waiters -= 1
            expired = not reading.answer.done()
            if expired and reading.waiters == 0 and reading.job.cancel():
                del self._readings[reading.content_id]
                self._count("dropped")
        if expired:
            raise DeadlinePassed(f"perceive for {context.episode} step {context.step}: no screen before the deadline")
        if reading.answer.cancelled():
            raise ActorLost("the perception service stopped before the picture was read")
        return reading.answer.result()

    def _end(self, reading: _Reading) -> None:
        """On the loop, when a reading is done or dropped. A picture that nobody waits for is remembered as well."""
        if self._readings.get(reading.content_id) is reading:
            del self._readings[reading.content_id]
        if reading.answer.cancelled():
            return
        if reading.answer.exception() is not None:
            self._count("failed")
            return
        content = reading.answer.result()
        self._count("read")
        self._count(content.kind)
        self._pictures.add(reading.content_id, reading.serials, content)

    def _count(self, name: str) -> None:
        self._counts = self._counts.model_copy(update={name: getattr(self._counts, name) + 1})


def _screen(screenshot: Screenshot, content: Content, timings_ms: dict[str, float], *, cached: bool) -> Screen:
    """A phone that says whether its keyboard is shown is believed; otherwise the pixels are asked."""
    keyboard = screenshot.keyboard
    if keyboard == "unknown":
        keyboard = "shown" if content.keyboard_in_pixels else "hidden"
    return Screen(
        content_id=screenshot.content_id,
        size=screenshot.size,
        elements=content.elements,
        keyboard=keyboard,
        timings_ms=timings_ms,
        cached=cached,
        read_share=0.0 if cached else content.read_share,
    )
