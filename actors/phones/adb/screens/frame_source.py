"""Take frames of a phone by ``screencap`` over adb, in the form (PNG or raw) that the phone returns faster.

Of a foldable phone, ``screencap`` alone may take the dark display, so the one that is on is named to it.
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from dataclasses import dataclass

from manyhands.actors.clock import LoopClock
from manyhands.actors.phones.adb.connection.server import AdbServer
from manyhands.actors.phones.adb.errors import NoPicture
from manyhands.actors.phones.adb.screens.screencap import COMMANDS, FORMS, Form, FormChoice, raw_bytes, read_frame
from manyhands.actors.phones.capture.decoded_frame import DecodedFrame, decode_frame, find_known
from manyhands.actors.phones.capture.screenshots import CapturedFrame
from manyhands.protocol.errors import CaptureFailed
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

DISPLAYS_LINE = "dumpsys display | grep DisplayDeviceInfo"
"""Prints the phone's displays, each with its physical id and whether it is on. The line changes nothing."""
_DISPLAY = re.compile(r'DisplayDeviceInfo\{.*?uniqueId="local:(\d+)"(.*)')
_STATE = re.compile(r"\bstate (\w+)")


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
    """Implements ``actors.phones.capture.screenshots.FrameSource``."""

    def __init__(self, serial: str, server: AdbServer, limits: AdbCaptureLimits, timeout_s: float) -> None:
        """``timeout_s``: seconds that one frame may take."""
        self._serial = serial
        self._server = server
        self._limits = limits
        self._timeout_s = timeout_s
        self._choice = FormChoice()
        self.display: str | None = None
        """The id of the display whose frames are taken; None for the one that the phone calls the first."""
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
