"""One phone's camera: frames until the screen rests, the last of which is the screenshot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TypeVar

from actors.frames import Frame, ModelImage, Rgb, content_id, encode_jpeg
from actors.phones.capture import COMMANDS, FORMS, Form, FormChoice, raw_bytes, read_frame
from actors.phones.connection import AdbServer
from actors.phones.settle import Look, Thumbnail, settled, thumbnail
from protocol.errors import CaptureFailed
from protocol.geometry import Size
from protocol.phones import SettleSpec
from protocol.screens import Keyboard, Screenshot

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Front:
    """What the phone says beside its pixels."""

    app: str | None
    keyboard: Keyboard
    input_method: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A frame that was looked at. Of the last one everything but raw pixels is kept, to know it again.

    png: as it came, or None for a raw frame. rgb: None where the PNG was known already, and once kept.
    """

    png: bytes | None
    rgb: Rgb | None
    thumbnail: Thumbnail
    size: Size
    image: ModelImage | None = None

    def frame(self) -> Frame:
        if self.png is not None:
            return Frame("png", self.png)
        assert self.rgb is not None, "raw pixels are dropped only once the frame was handed out"
        return Frame("rgb", self.rgb)


@dataclass(frozen=True, slots=True)
class _Seen:
    picture: Picture
    front: Front | None
    at: float
    """When the frame was complete, in seconds of the loop's clock."""
    taken_at: float
    """The same in Unix seconds."""
    ms: float
    queued_s: float
    """What this capture had waited in queues when the frame was complete."""


class LoopClock:
    """The event loop's time."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Camera:
    """Takes one phone's screenshots. ``slots`` bounds the frames on their way on this host, ``pixels`` their work."""

    def __init__(
        self, serial: str, server: AdbServer, pixels: Executor, slots: asyncio.Semaphore, timeout_s: float
    ) -> None:
        self._serial = serial
        self._server = server
        self._pixels = pixels
        self._slots = slots
        self._timeout_s = timeout_s
        self._choice = FormChoice()
        self._clock = LoopClock()
        self._last: Picture | None = None
        self._recent: Picture | None = None
        self._queued_s = 0.0
        """What the capture that is going on has waited in queues."""

    @property
    def size(self) -> Size | None:
        """Of the last screenshot: it turns with the phone."""
        return self._last.size if self._last else None

    async def capture(
        self, settle: SettleSpec | None, acted: bool, ask_front: Callable[[], Awaitable[Front]]
    ) -> tuple[Screenshot, ModelImage, Frame]:
        """Raises PhoneLost, CaptureFailed. ``acted``: the phone was touched since the last screenshot.

        What is in front is asked beside the frame that may be the last, so that it costs little time.
        """

        self._queued_s = 0.0

        async def look(may_be_last: bool) -> Look[_Seen]:
            if may_be_last:
                seen, front = await both(self._grab(), ask_front())
                seen = replace(seen, front=front)
            else:
                seen = await self._grab()
            return Look(seen.at, seen.picture.thumbnail, seen)

        if settle is None:
            report, last = None, await look(True)
        else:
            before = self._last.thumbnail if acted and self._last else None
            last, report = await settled(settle, look, self._clock, before)
            report = report.model_copy(update={"ms": max(0.0, report.ms - last.value.queued_s * 1000)})
        seen = last.value
        front = seen.front or await ask_front()
        started_at, queued_s = time.perf_counter(), self._queued_s
        image, frame = await self._finish(seen.picture)
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
        )
        return screenshot, image, frame

    async def _grab(self) -> _Seen:
        """One frame; in the other form if this phone does not give the first one."""
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
        async with self._slots:
            started_at = time.perf_counter()
            self._queued_s += started_at - asked_at
            size = self.size
            expected = raw_bytes(size.width, size.height) if size and form == "raw" else 0
            data = await self._server.exec_out(self._serial, COMMANDS[form], self._timeout_s, expected)
            at, taken_at, queued_s = self._clock.now(), time.time(), self._queued_s
            known = tuple(picture for picture in (self._recent, self._last) if picture)
            picture = await self._in_pixels(lambda: _look_at(form, data, known))
            seconds = max(0.0, time.perf_counter() - started_at - (self._queued_s - queued_s))
        if all(picture is not each for each in known):  # what was known is not decoded, and says nothing of new ones
            self._choice.took(form, seconds)
        self._recent = picture
        return _Seen(picture, None, at, taken_at, seconds * 1000, queued_s)

    async def _finish(self, picture: Picture) -> tuple[ModelImage, Frame]:
        """The JPEG and the frame to hand out; the picture is known from now on."""
        last = self._last
        image = await self._in_pixels(lambda: _image_of(picture, last))
        self._last, self._recent = replace(picture, rgb=None, image=image), None
        return image, picture.frame()

    async def _in_pixels(self, work: Callable[[], A]) -> A:
        """``work`` in a thread for pixels; until one is free, it waits in a queue."""
        asked_at = time.perf_counter()

        def timed() -> tuple[float, A]:
            return time.perf_counter(), work()

        begun_at, done = await asyncio.get_running_loop().run_in_executor(self._pixels, timed)
        self._queued_s += begun_at - asked_at
        return done


def _look_at(form: Form, data: memoryview, known: tuple[Picture, ...]) -> Picture:
    """Decode a frame, unless it is one of those known, byte for byte."""
    frame = read_frame(form, data)
    png = frame.data if isinstance(frame.data, bytes) else None
    for picture in known:
        if png is not None and picture.png == png:
            return picture
    rgb = frame.rgb()
    height, width = rgb.shape[:2]
    return Picture(png, rgb, thumbnail(rgb), Size(width=width, height=height))


def _image_of(picture: Picture, last: Picture | None) -> ModelImage:
    """The model's JPEG, made anew only for pixels that are new."""
    if picture.rgb is None:
        assert picture.image is not None, "a picture without pixels is one that was known"
        return picture.image
    content = content_id(picture.rgb)
    if last is not None and last.image is not None and last.image.content_id == content:
        return last.image
    return ModelImage(content, encode_jpeg(picture.rgb))


async def both(first: Awaitable[A], second: Awaitable[B]) -> tuple[A, B]:
    """Both at the same time; if one fails, the other is cancelled and the failure is raised."""

    async def run(work: Awaitable[A | B]) -> A | B:
        return await work

    try:
        async with asyncio.TaskGroup() as group:
            one, two = group.create_task(run(first)), group.create_task(run(second))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return one.result(), two.result()  # type: ignore[return-value]
