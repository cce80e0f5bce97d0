"""Take screenshots of one phone: frames until the screen rests, the last of which is the screenshot."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from manyhands.actors.clock import LoopClock
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.phones.adb.pictures import Picture, image_of, look_at
from manyhands.actors.phones.adb.screencap import COMMANDS, FORMS, Form, FormChoice, raw_bytes
from manyhands.actors.phones.adb.server import AdbServer
from manyhands.actors.phones.settling import likeness
from manyhands.actors.phones.settling.changes import Tiles
from manyhands.actors.phones.settling.model import ActionKind, SettlingModel
from manyhands.actors.phones.settling.post_capture import PostCaptureCheck
from manyhands.actors.phones.settling.settler import Acted, Look, Settler, settled
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.geometry import Size
from manyhands.protocol.phones import SettleSpec
from manyhands.protocol.screens import Keyboard, Screenshot

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Foreground:
    """Hold what is in front, which pixels do not show."""

    app: str | None
    keyboard: Keyboard
    caret: int | None = None
    app_version: str | None = None


@dataclass(frozen=True, slots=True)
class CaptureResources:
    """Hold what all phones of a transport share.

    ``slots`` bounds the frames on their way, ``decoders`` those that are looked at, each in the thread that received
    it; ``pixels`` has the threads for pictures that are finished; ``settling`` learns from all phones.
    """

    server: AdbServer
    pixels: Executor
    slots: asyncio.Semaphore
    decoders: threading.Semaphore
    settling: SettlingModel


@dataclass(frozen=True, slots=True)
class Sent:
    """Hold the last thing that was sent to a phone, and when, in seconds of the loop's clock."""

    at: float
    action: ActionKind | None
    """None for what is no action, and nothing is learned of."""


@dataclass(frozen=True, slots=True)
class _Seen:
    picture: Picture
    front: Foreground | None
    asked: float
    """When the frame was asked of the phone, in seconds of the loop's clock."""
    at: float
    """When it was complete, likewise."""
    taken_at: float
    """The same in Unix seconds."""
    ms: float
    queued_s: float
    """What this capture had waited in queues when the frame was complete."""


class Screenshots:
    """Take one phone's screenshots. ``close`` ends the looks that follow one."""

    def __init__(self, serial: str, resources: CaptureResources, timeout_s: float) -> None:
        self._serial = serial
        self._resources = resources
        self._timeout_s = timeout_s
        self._choice = FormChoice()
        self._clock = LoopClock()
        self._last: Picture | None = None
        self._recent: Picture | None = None
        self._shown: likeness.Shown | None = None
        """The last screenshot."""
        self._late = PostCaptureCheck(
            self._look_late, lambda: not resources.slots.locked(), resources.settling, self._clock
        )
        self._queued_s = 0.0
        """What the capture that is going on has waited in queues."""
        self.app: str | None = None
        """In front at the last screenshot."""

    @property
    def size(self) -> Size | None:
        """Return the size of the last screenshot: it turns with the phone."""
        return self._last.size if self._last else None

    async def close(self) -> None:
        """Take no more looks until the next capture: the phone is about to be touched, or another may hold it."""
        await self._late.end()

    async def capture(
        self, settle: SettleSpec | None, sent: Sent | None, ask_foreground: Callable[[], Awaitable[Foreground]]
    ) -> tuple[Screenshot, ModelImage, Frame]:
        """Return the screen once it is at rest. ``sent``: the last input since the last screenshot.

        What is in front is asked beside the frame that may be the last, so that it costs little time. Raises
        PhoneLost, CaptureFailed.
        """
        await self._late.end()
        self._queued_s = 0.0

        async def look(may_be_last: bool) -> Look[_Seen]:
            if may_be_last:
                seen, front = await both(self._grab(), ask_foreground())
                seen = replace(seen, front=front)
            else:
                seen = await self._grab()
            return _look(seen)

        settler = None if settle is None else self._settler(settle, sent)
        last = await look(True) if settler is None else await settled(settler, look, self._clock)
        seen = last.value
        report = settler.report() if settler else None
        if report is not None:
            report = report.model_copy(update={"ms": max(0.0, report.ms - seen.queued_s * 1000)})
        front = seen.front or await ask_foreground()
        started_at, queued_s = time.perf_counter(), self._queued_s
        restless = settler.restless if settler else None
        image, frame, alike = await self._finish(seen.picture, restless, front.caret, sent)
        finishing_s = time.perf_counter() - started_at - (self._queued_s - queued_s)
        screenshot = Screenshot(
            content_id=image.content_id,
            size=seen.picture.size,
            serial=self._serial,
            taken_at=seen.taken_at,
            capture_ms=seen.ms + max(0.0, finishing_s) * 1000,
            queue_ms=self._queued_s * 1000,
            settling=report,
            keyboard=front.keyboard,
            app=front.app,
            app_version=front.app_version,
            caret=front.caret,
            alike=alike,
        )
        self.app = front.app
        if settle is not None and settle.learn and settler is not None and sent is not None and sent.action:
            self._late.learn(settler, sent.action)
        return screenshot, image, frame

    # ------------------------------------------------------------------ settling
    def _settler(self, spec: SettleSpec, sent: Sent | None) -> Settler:
        now, restless = self._clock.now(), self._shown.restless if self._shown else None
        if sent is None:
            return Settler(spec, now, None, restless)
        before = self._last.thumbnail if self._last else None
        action, model = sent.action if spec.learn else None, self._resources.settling
        if action is None:
            return Settler(spec, now, Acted(sent.at, before), restless)
        expects, moves = partial(model.expected, action), partial(model.motion, action)
        return Settler(spec, now, Acted(sent.at, before, expects, moves), restless)

    async def _look_late(self) -> Look[_Seen]:
        seen = await self._grab()
        self._recent = None  # until the next capture, however late that is, its pixels would be kept
        return _look(seen)

    # ------------------------------------------------------------------ frames
    async def _grab(self) -> _Seen:
        """Take one frame; in the other form if this phone does not give the first one."""
        form = self._choice.next()
        try:
            return await self._grab_as(form)
        except CaptureFailed as first:
            self._choice.failed(form)
            other = next(each for each in FORMS if each != form)
            try:
                return await self._grab_as(other)
            except CaptureFailed as error:
                self._choice.failed(other)
                raise CaptureFailed(f"phone {self._serial}: {first}; and as {other}: {error}") from error

    async def _grab_as(self, form: Form) -> _Seen:
        asked_at = time.perf_counter()
        async with self._resources.slots:
            started_at, asked = time.perf_counter(), self._clock.now()
            self._queued_s += started_at - asked_at
            size = self.size
            expected = raw_bytes(size.width, size.height) if size and form == "raw" else 0
            known = tuple(picture for picture in (self._recent, self._last) if picture)
            now = asyncio.get_running_loop().time

            def read(data: memoryview) -> tuple[float, float, float, Picture]:
                at, taken_at, complete_at = now(), time.time(), time.perf_counter()
                with self._resources.decoders:
                    return at, taken_at, time.perf_counter() - complete_at, look_at(form, data, known)

            # The thread that received a frame looks at it: handing it to another costs as much as looking.
            server, command = self._resources.server, COMMANDS[form]
            queued_s = self._queued_s
            at, taken_at, waited_s, picture = await server.exec_out(
                self._serial, command, self._timeout_s, read, expected
            )
            self._queued_s += waited_s
            seconds = time.perf_counter() - started_at - waited_s
        if all(picture is not each for each in known):  # what was known is not decoded
            self._choice.took(form, seconds)
        self._recent = picture
        return _Seen(picture, None, asked, at, taken_at, seconds * 1000, queued_s)

    async def _finish(
        self, picture: Picture, restless: Tiles | None, caret: int | None, sent: Sent | None
    ) -> tuple[ModelImage, Frame, str | None]:
        """Return the JPEG and the frame, and the content id of the screenshot before if it shows the same.

        The picture is known, and the last screenshot, from now on.
        """
        last, before = self._last, self._shown

        def finish() -> tuple[ModelImage, likeness.Shown, bool]:
            image = image_of(picture, last)
            shown = likeness.Shown(image.content_id, picture.grey, restless, caret)
            return image, shown, before is not None and likeness.same(before, shown, sent is not None)

        image, self._shown, same = await self._in_pixels(finish)
        kept = picture.came if isinstance(picture.came, bytes) else None
        self._last, self._recent = replace(picture, came=kept, rgb=None, image=image), None
        return image, picture.frame(), before.content_id if before is not None and same else None

    async def _in_pixels(self, work: Callable[[], A]) -> A:
        """Do ``work`` in a thread for pixels; until one is free, it waits in a queue."""
        asked_at = time.perf_counter()

        def timed() -> tuple[float, A]:
            return time.perf_counter(), work()

        begun_at, done = await asyncio.get_running_loop().run_in_executor(self._resources.pixels, timed)
        self._queued_s += begun_at - asked_at
        return done


def _look(seen: _Seen) -> Look[_Seen]:
    return Look(seen.asked, seen.at, seen.picture.thumbnail, seen)


async def both(first: Awaitable[A], second: Awaitable[B]) -> tuple[A, B]:
    """Await both at the same time; if one fails, the other is cancelled and the failure is raised."""

    async def run(work: Awaitable[A | B]) -> A | B:
        return await work

    try:
        async with asyncio.TaskGroup() as group:
            one, two = group.create_task(run(first)), group.create_task(run(second))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return one.result(), two.result()  # type: ignore[return-value]
