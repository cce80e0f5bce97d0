"""Take screenshots of one phone. Frames are taken until the screen is at rest. The last frame is the screenshot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

from manyhands.actors.black_pages import find_black_rows
from manyhands.actors.clock import LoopClock
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.phones.settling import changes
from manyhands.actors.phones.settling.changes import DecodedFrame, Tiles, make_model_image
from manyhands.actors.phones.settling.model import ActionKind, SettlingModel
from manyhands.actors.phones.settling.post_capture import PostCaptureCheck, RecentPages
from manyhands.actors.phones.settling.settler import PrecedingAction, ScreenSample, Settler, wait_until_settled
from manyhands.protocol.phones import SettleSpec
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Keyboard, Screenshot

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Foreground:
    """Hold which app is in front and other facts that pixels do not show."""

    app: str | None
    keyboard: Keyboard
    caret: int | None = None
    app_version: str | None = None
    app_label: str = ""


@dataclass(frozen=True, slots=True)
class CapturedFrame:
    """A frame as it came from a phone. ``asked_at`` and ``at`` are seconds of the event loop's clock."""

    frame: DecodedFrame
    asked_at: float
    """When the phone was asked for it."""
    at: float
    """When it was complete."""
    taken_at: float
    """When it was complete, in Unix seconds."""
    ms: float
    """How long it took without waiting in queues, decoding included."""
    queued_s: float = 0.0
    """How long it waited before the phone was asked for it."""
    decode_queued_s: float = 0.0
    """How long it waited between its completion and its decoding."""


class FrameSource(Protocol):
    """Returns the frames of one phone. Calls come one at a time."""

    @property
    def busy(self) -> bool:
        """Return whether a frame would have to wait for others."""
        ...

    async def grab(self, earlier: tuple[DecodedFrame, ...], size: Size | None) -> CapturedFrame:
        """Take a frame.

        ``earlier``: frames seen before. If the same bytes arrive again, the earlier frame may be returned. ``size``:
        the size of the last screenshot; None before the first one. Raises PhoneLost, CaptureFailed.
        """
        ...


@dataclass(frozen=True, slots=True)
class CaptureResources:
    """Hold what all phones of a transport share. The threads of ``pixels`` hash and encode screenshots."""

    pixels: Executor
    settling: SettlingModel


@dataclass(frozen=True, slots=True)
class LastInput:
    """Hold the last input that was sent to a phone, and its time in seconds of the loop's clock."""

    at: float
    action: ActionKind | None
    """None if the input is no action, so that nothing is learned from it."""
    is_on_secure: bool = False
    """Whether it was sent on a page that forbids pictures. That such a page looks as before says nothing."""


@dataclass(frozen=True, slots=True)
class _Sample:
    captured: CapturedFrame
    front: Foreground | None
    queued_s: float
    """How long this capture had waited in queues when the frame was complete."""


class Screenshots:
    """Take one phone's screenshots. ``close`` ends the frames that are still taken after a screenshot."""

    def __init__(self, serial: str, source: FrameSource, resources: CaptureResources) -> None:
        self._serial = serial
        self._source = source
        self._resources = resources
        self._clock = LoopClock()
        self._last: DecodedFrame | None = None
        self._recent: DecodedFrame | None = None
        self._shown: changes.ComparableScreenshot | None = None
        """The last screenshot."""
        self._pages = RecentPages()
        self._late = PostCaptureCheck(self._look_late, lambda: not source.busy, resources.settling, self._clock)
        self._turn = asyncio.Lock()
        """Held while a frame is taken, because the source takes one at a time."""
        self._queued_s = 0.0
        """How long the running capture has waited in queues."""
        self.app: str | None = None
        """The app in front at the last screenshot."""

    @property
    def size(self) -> Size | None:
        """Return the size of the last screenshot, which turns with the phone."""
        return self._last.size if self._last else None

    async def close(self) -> None:
        """Take no more frames until the next capture, because the phone will be touched or given to another holder."""
        await self._late.end()

    async def check(self) -> Size:
        """Take a frame and drop it, to check that the phone returns frames. Return its size.

        Raises PhoneLost, CaptureFailed.
        """
        await self._late.end()
        sample = await self._grab()
        self._recent = None
        return sample.captured.frame.size

    async def look(self) -> Frame:
        """Return a new frame, for people. Store nothing.

        May run beside a capture. Raises PhoneLost, CaptureFailed.
        """
        async with self._turn:
            return (await self._source.grab((), self.size)).frame.frame()

    async def recognize(self) -> str | None:
        """Return the last screenshot's content id if a new frame shows the same, else None. Store nothing.

        May run beside a capture. Raises PhoneLost, CaptureFailed.
        """
        async with self._turn:
            last_shown, last = self._shown, self._last
            if last_shown is None or last is None:
                return None
            frame = (await self._source.grab((last,), self.size)).frame
        if frame is last:
            return last_shown.content_id
        now = replace(last_shown, content_id="", grey=frame.grey)
        loop = asyncio.get_running_loop()
        same = await loop.run_in_executor(self._resources.pixels, changes.same, last_shown, now, False)
        return last_shown.content_id if same else None

    async def capture(
        self,
        settle: SettleSpec | None,
        last_input: LastInput | None,
        ask_foreground: Callable[[], Awaitable[Foreground]],
    ) -> tuple[Screenshot, ModelImage, Frame]:
        """Return the screen once it is at rest. ``last_input``: the last input since the last screenshot.

        The app in front is queried while the frame is taken that may be the last one, so the query costs little time.
        Raises PhoneLost, CaptureFailed.
        """
        await self._late.end()
        self._queued_s = 0.0

        async def look(may_be_last: bool) -> ScreenSample[_Sample]:
            if may_be_last:
                sample, front = await both(self._grab(), ask_foreground())
                sample = replace(sample, front=front)
            else:
                sample = await self._grab()
            return _as_screen_sample(sample)

        settler = None if settle is None else self._settler(settle, last_input)
        last = await look(True) if settler is None else await wait_until_settled(settler, look, self._clock)
        sample = last.value
        report = settler.report() if settler else None
        if report is not None:
            report = report.model_copy(update={"ms": max(0.0, report.ms - sample.queued_s * 1000)})
        front = sample.front or await ask_foreground()
        started_at, queued_s = time.perf_counter(), self._queued_s
        restless = settler.restless if settler else None
        image, frame, alike, page_id = await self._finish(sample.captured.frame, restless, front.caret, last_input)
        black = find_black_rows(sample.captured.frame.grey, front.keyboard == "shown")
        finishing_s = time.perf_counter() - started_at - (self._queued_s - queued_s)
        screenshot = Screenshot(
            content_id=image.content_id,
            size=sample.captured.frame.size,
            serial=self._serial,
            taken_at=sample.captured.taken_at,
            capture_ms=sample.captured.ms + max(0.0, finishing_s) * 1000,
            queue_ms=self._queued_s * 1000,
            settling=report,
            keyboard=front.keyboard,
            app=front.app,
            app_label=front.app_label,
            app_version=front.app_version,
            caret=front.caret,
            alike=alike,
            page_id=page_id,
            is_black=next(black, None) is not None,
        )
        self.app = front.app
        action = last_input.action if last_input is not None and not last_input.is_on_secure else None
        if settle is not None and settle.learn and settler is not None and action is not None:
            self._late.learn(settler, action)
        return screenshot, image, frame

    # ------------------------------------------------------------------ settling
    def _settler(self, spec: SettleSpec, last_input: LastInput | None) -> Settler:
        now, restless = self._clock.now(), self._shown.restless if self._shown else None
        if last_input is None:
            return Settler(spec, now, None, restless)
        before = self._last.thumbnail if self._last else None
        is_secure, model = last_input.is_on_secure, self._resources.settling
        action = last_input.action if spec.learn and not is_secure else None
        if action is None:
            return Settler(spec, now, PrecedingAction(last_input.at, before, is_secure=is_secure), restless)
        expects, moves = partial(model.expected, action), partial(model.motion, action)
        return Settler(spec, now, PrecedingAction(last_input.at, before, expects, moves), restless)

    async def _look_late(self) -> ScreenSample[_Sample]:
        sample = await self._grab()
        self._recent = None  # otherwise its pixels stay in memory until the next capture
        return _as_screen_sample(sample)

    # ------------------------------------------------------------------ frames
    async def _grab(self) -> _Sample:
        earlier = tuple(frame for frame in (self._recent, self._last) if frame)
        async with self._turn:
            captured = await self._source.grab(earlier, self.size)
        self._queued_s += captured.queued_s
        sample = _Sample(captured, None, self._queued_s)
        self._queued_s += captured.decode_queued_s
        self._recent = captured.frame
        return sample

    async def _finish(
        self, decoded: DecodedFrame, restless: Tiles | None, caret: int | None, last_input: LastInput | None
    ) -> tuple[ModelImage, Frame, str | None, str]:
        """Return the JPEG and the frame, the content id of the last screenshot if this frame shows the same, and the
        id of the page.

        Store the frame as the last screenshot: the next frames and the next screenshot are compared with it.
        """
        last, before = self._last, self._shown

        def finish() -> tuple[ModelImage, changes.ComparableScreenshot, bool, str]:
            image = make_model_image(decoded, last)
            comparable = changes.ComparableScreenshot(image.content_id, decoded.grey, restless, caret)
            same = before is not None and changes.same(before, comparable, last_input is not None)
            return image, comparable, same, self._pages.identify(image.content_id, decoded.thumbnail, restless, caret)

        image, self._shown, same, page_id = await self._in_pixels(finish)
        data = decoded.received if isinstance(decoded.received, bytes) else None
        self._last, self._recent = replace(decoded, received=data, rgb=None, image=image), None
        return image, decoded.frame(), before.content_id if before is not None and same else None, page_id

    async def _in_pixels(self, work: Callable[[], A]) -> A:
        """Do ``work`` in a thread for pixels; it waits in a queue until a thread is free."""
        asked_at = time.perf_counter()

        def timed() -> tuple[float, A]:
            return time.perf_counter(), work()

        begun_at, result = await asyncio.get_running_loop().run_in_executor(self._resources.pixels, timed)
        self._queued_s += begun_at - asked_at
        return result


def _as_screen_sample(sample: _Sample) -> ScreenSample[_Sample]:
    captured = sample.captured
    return ScreenSample(captured.asked_at, captured.at, captured.frame.thumbnail, sample)


async def both(first: Awaitable[A], second: Awaitable[B]) -> tuple[A, B]:
    """Await both at the same time. If one fails, cancel the other and raise the failure."""

    async def run(work: Awaitable[A | B]) -> A | B:
        return await work

    try:
        async with asyncio.TaskGroup() as group:
            one, two = group.create_task(run(first)), group.create_task(run(second))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return one.result(), two.result()  # type: ignore[return-value]
