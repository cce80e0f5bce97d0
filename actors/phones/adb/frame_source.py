"""Take frames of a phone by ``screencap`` over adb, in the form (PNG or raw) that the phone returns faster.

A lost phone looks like the end of the output. So both forms are checked to be complete: a PNG by its last chunk, a raw
frame by its length. An incomplete picture is an error, never a picture. Of a foldable phone, ``screencap`` alone may
take the dark display, so the one that is on is named to it.
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from dataclasses import dataclass, field
from typing import Literal

import cv2
import numpy as np

from manyhands.actors.clock import LoopClock
from manyhands.actors.frames import Frame, Rgb, paint_over
from manyhands.actors.phones.adb.server import AdbServer
from manyhands.actors.phones.adb.shell import NoPicture
from manyhands.actors.phones.screenshots import CapturedFrame
from manyhands.actors.phones.settling.changes import DecodedFrame, decode_frame, find_known
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

DISPLAYS_LINE = "dumpsys display | grep DisplayDeviceInfo"
"""Prints the phone's displays, each with its physical id and whether it is on. The line changes nothing."""
_DISPLAY = re.compile(r'DisplayDeviceInfo\{.*?uniqueId="local:(\d+)"(.*)')
_STATE = re.compile(r"\bstate (\w+)")

Form = Literal["png", "raw"]
FORMS: tuple[Form, Form] = ("raw", "png")
COMMANDS: dict[Form, str] = {"png": "screencap -p", "raw": "screencap"}

_PNG_START = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"\x00\x00\x00\x00IEND\xaeB`\x82"
_MAX_PREAMBLE = 2048
"""Some phones with two displays print a warning before the picture."""
_RGBA_8888, _RGBX_8888 = 1, 2
_RAW_HEADERS = (12, 16)
"""Width, height and format; since Android 9 also the colour space. 32-bit little-endian numbers."""


def read_frame(form: Form, data: memoryview) -> Frame:
    """Return the lossless frame in ``screencap``'s whole output; a PNG unchanged, a raw frame as RGB.

    Raises CaptureFailed for anything that is not a whole picture.
    """
    return _read_png(data) if form == "png" else Frame("rgb", _read_raw(data))


def raw_bytes(width: int, height: int) -> int:
    """Return the length of a raw frame, to read it into one buffer."""
    return _RAW_HEADERS[-1] + 4 * width * height


def _read_png(data: memoryview) -> Frame:
    start = bytes(data[:_MAX_PREAMBLE]).find(_PNG_START)
    _refuse_words(data)
    if start < 0:
        raise CaptureFailed(f"screencap gave no PNG but {_excerpt(data)}")
    if bytes(data[-len(_PNG_END) :]) != _PNG_END:
        raise CaptureFailed(f"screencap gave a PNG that is cut off after {len(data)} bytes")
    return Frame("png", bytes(data[start:]))


def _read_raw(data: memoryview) -> Rgb:
    _refuse_words(data)
    if len(data) < _RAW_HEADERS[0]:
        raise CaptureFailed(f"screencap gave no raw frame but {_excerpt(data)}")
    width, height, form = (int(number) for number in np.frombuffer(data[:12], "<u4"))
    header = len(data) - 4 * width * height
    if form not in (_RGBA_8888, _RGBX_8888) or header not in _RAW_HEADERS or not width or not height:
        raise CaptureFailed(f"screencap gave no whole raw RGBA frame but {_excerpt(data)}")
    pixels = np.frombuffer(data[header:], np.uint8).reshape(height, width, 4)
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGBA2RGB), dtype=np.uint8)


def _refuse_words(data: memoryview) -> None:
    """Raise NoPicture if the output is a text alone."""
    words = bytes(data[: _MAX_PREAMBLE + 1])
    if (
        words.strip()
        and len(words) <= _MAX_PREAMBLE
        and words.isascii()
        and words.decode("ascii").replace("\n", "").isprintable()
    ):
        raise NoPicture(f"screencap says {_excerpt(data)}")


def _excerpt(data: memoryview) -> str:
    start = bytes(data[:60])
    return f"{len(data)} bytes" + (f" ({start.decode('ascii')!r})" if start.isascii() and start else "")


@dataclass(slots=True)
class FormChoice:
    """Learn which form a phone returns faster, decoding included. Both are tried at first, and occasionally again.

    Times are seconds. A form that failed is used again only if the other form has failed too, or when it is due for
    another try.
    """

    first_tries: int = 2
    again_after: int = 400
    _seconds: dict[Form, float] = field(default_factory=dict)
    _tries: dict[Form, int] = field(default_factory=lambda: dict.fromkeys(FORMS, 0))
    _since_trial: int = 0

    def next(self) -> Form:
        """Return the form of the next capture."""
        untried = [form for form in FORMS if self._tries[form] < self.first_tries]
        if untried:
            return min(untried, key=lambda form: self._tries[form])
        best = min(FORMS, key=lambda form: self._seconds.get(form, float("inf")))
        if self._since_trial >= self.again_after:
            return next(form for form in FORMS if form != best)
        return best

    def count_capture(self, form: Form, seconds: float) -> None:
        """Count a capture in this form that succeeded."""
        average = self._seconds.get(form)
        trial = self._tries[form] < self.first_tries
        if average is None or average == float("inf"):
            self._seconds[form] = seconds
        else:
            self._seconds[form] = min(average, seconds) if trial else 0.8 * average + 0.2 * seconds
        self._count(form)

    def failed(self, form: Form) -> None:
        """Count a capture in this form that returned no picture."""
        self._seconds[form] = float("inf")
        self._tries[form] = self.first_tries
        self._count(form)

    def _count(self, form: Form) -> None:
        best = min(FORMS, key=lambda each: self._seconds.get(each, float("inf")))
        self._tries[form] += 1
        self._since_trial = 0 if form != best else self._since_trial + 1


def lit_display(text: str) -> str | None:
    """Return the id of the only display that is on, by ``DISPLAYS_LINE``; None if the phone has one display alone.

    Also None if none or several are on: then ``screencap`` takes the one that Android calls the first.
    """
    displays = {display: state for display, facts in _DISPLAY.findall(text) for state in _STATE.findall(facts)[:1]}
    lit = [display for display, state in displays.items() if state == "ON"]
    return lit[0] if len(displays) > 1 and len(lit) == 1 else None


def has_several(text: str) -> bool:
    """Return whether a phone has several displays of its own, so that another one may be lit later."""
    return len({display for display, _ in _DISPLAY.findall(text)}) > 1


@dataclass(frozen=True, slots=True)
class AdbCaptureLimits:
    """Limit the frames of all phones of a transport.

    ``slots``: frames in transfer. ``decoders``: frames being decoded, each in the thread that received it.
    """

    slots: asyncio.Semaphore
    decoders: threading.Semaphore


class AdbFrameSource:
    """Implements ``actors.phones.screenshots.FrameSource``."""

    def __init__(self, serial: str, server: AdbServer, limits: AdbCaptureLimits, timeout_s: float) -> None:
        """``timeout_s``: seconds that one frame may take."""
        self._serial = serial
        self._server = server
        self._limits = limits
        self._timeout_s = timeout_s
        self._choice = FormChoice()
        self.display: str | None = None
        """The id of the display whose frames are taken; None for the one that the phone calls the first."""
        self.painted: tuple[Box, ...] | None = None
        """What is painted over in each frame, before anything else sees it; None while nobody has said."""
        self._clock = LoopClock()
        self._slot_wait_s = 0.0
        """The waiting time for slots of the frame that is being taken, in seconds, over both forms."""

    @property
    def busy(self) -> bool:
        """Return whether a frame would have to wait for others."""
        return self._limits.slots.locked()

    async def grab(self, earlier: tuple[DecodedFrame, ...], size: Size | None) -> CapturedFrame:
        """Take one frame. If the phone does not return it in one form, take the other form. Only one call at a time.

        Raises PhoneLost, CaptureFailed.
        """
        form, self._slot_wait_s = self._choice.next(), 0.0
        try:
            return await self._grab_as(form, earlier, size)
        except CaptureFailed as first:
            self._choice.failed(form)
            other = next(each for each in FORMS if each != form)
            try:
                return await self._grab_as(other, earlier, size)
            except CaptureFailed as error:
                self._choice.failed(other)
                kind = NoPicture if isinstance(error, NoPicture) else CaptureFailed
                raise kind(f"phone {self._serial}: {first}; and as {other}: {error}") from error

    async def _grab_as(self, form: Form, earlier: tuple[DecodedFrame, ...], size: Size | None) -> CapturedFrame:
        asked_at = time.perf_counter()
        async with self._limits.slots:
            started_at, began_at = time.perf_counter(), self._clock.now()
            self._slot_wait_s += started_at - asked_at
            expected = raw_bytes(size.width, size.height) if size and form == "raw" else 0
            now = asyncio.get_running_loop().time
            command = COMMANDS[form] if self.display is None else f"{COMMANDS[form]} -d {self.display}"

            def read(data: memoryview) -> tuple[float, float, float, DecodedFrame]:
                at, taken_at, complete_at = now(), HOST_CLOCK.now(), time.perf_counter()
                with self._limits.decoders:
                    waited_s = time.perf_counter() - complete_at
                    if self.painted:
                        rgb = paint_over(read_frame(form, data).rgb(), self.painted)
                        return at, taken_at, waited_s, decode_frame(Frame("rgb", rgb))
                    frame = find_known(data, earlier) or decode_frame(read_frame(form, data), data)
                    return at, taken_at, waited_s, frame

            # The thread that received a frame decodes it, because moving it to another costs as much as decoding.
            at, taken_at, waited_s, frame = await self._server.exec_out(
                self._serial, command, self._timeout_s, read, expected
            )
            seconds = time.perf_counter() - started_at - waited_s
        if all(frame is not each for each in earlier):  # a known frame is not decoded
            self._choice.count_capture(form, seconds)
        return CapturedFrame(
            frame=frame,
            asked_at=began_at,
            at=at,
            taken_at=taken_at,
            ms=seconds * 1000,
            queued_s=self._slot_wait_s,
            decode_queued_s=waited_s,
        )
