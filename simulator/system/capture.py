"""Encode pictures of a phone's screen outside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from enum import IntEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.simulator.phone.device import Frame, PhoneDevice, refresh

RGBA_8888 = 1
SRGB = 1
RAW_HEADER_BYTES = 16
PNG_LEVEL = 1
ONE_PIXEL = np.zeros((1, 1, 3), np.uint8)


class CaptureFault(IntEnum):
    """Name a fault of a phone's screenshots."""

    NONE = 0
    EMPTY = 1
    """No bytes come, and no error is reported."""
    TINY = 2
    """The picture has one pixel."""


class ScreenCapture:
    """Make the pictures that ``screencap`` and adb's framebuffer service return. ``fault`` may be set at any time.

    A PNG (50 ms for 1080x2400) is cached until the screen changes; a raw frame (1 ms, 10 MB) is not cached.
    ``encoders`` must be a pool of the simulator's own: clients in the same process that wait for pictures could take
    all threads of the event loop's default pool. A lock lets one picture be made at a time, because a frame's pixels
    are valid only until the device is asked for the next frame.
    """

    def __init__(self, device: PhoneDevice, encoders: Executor) -> None:
        self._device = device
        self._encoders = encoders
        self.fault = CaptureFault.NONE
        self._lock = asyncio.Lock()
        self._png: tuple[int, memoryview] | None = None

    async def png(self) -> memoryview:
        """Return the screen as a PNG (RGB, 8 bits)."""
        if self.fault:
            return memoryview(b"") if self.fault is CaptureFault.EMPTY else encode_png(ONE_PIXEL)
        async with self._lock:
            await refresh(self._device, "frame")
            frame = self._device.frame()
            if frame.png is not None:
                return frame.png
            if self._png is None or self._png[0] != frame.version:
                self._png = (frame.version, await self._encode(encode_png, frame))
            return self._png[1]

    async def raw(self) -> memoryview:
        """Return the screen in the form that ``screencap`` without ``-p`` writes since Android 9.

        Width, height, format (1 = RGBA_8888) and colour space come first, each as u32 in little-endian order. Then come
        4 * width * height bytes of pixels.
        """
        if self.fault:
            return memoryview(b"") if self.fault is CaptureFault.EMPTY else encode_raw(ONE_PIXEL)
        async with self._lock:
            await refresh(self._device, "frame")
            frame = self._device.frame()
            return frame.raw if frame.raw is not None else await self._encode(encode_raw, frame)

    async def _encode(self, encode: Callable[[NDArray[np.uint8]], memoryview], frame: Frame) -> memoryview:
        return await asyncio.get_running_loop().run_in_executor(self._encoders, lambda: encode(frame.rgb))


def encode_png(rgb: NDArray[np.uint8]) -> memoryview:
    """Return a PNG of uint8 pixels of shape (height, width, 3)."""
    bgr = cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR)
    done, data = cv2.imencode(".png", bgr, [cv2.IMWRITE_PNG_COMPRESSION, PNG_LEVEL])
    if not done:
        raise RuntimeError(f"a frame of shape {rgb.shape} could not be encoded as PNG")
    return data.data.cast("B")


def encode_raw(rgb: NDArray[np.uint8]) -> memoryview:
    """Return the 16-byte header and RGBA pixels of uint8 pixels of shape (height, width, 3)."""
    height, width = rgb.shape[:2]
    data = np.empty(RAW_HEADER_BYTES + 4 * width * height, np.uint8)
    data[:RAW_HEADER_BYTES] = np.array([width, height, RGBA_8888, SRGB], "<u4").view(np.uint8)
    cv2.cvtColor(rgb, cv2.COLOR_RGB2RGBA, dst=data[RAW_HEADER_BYTES:].reshape(height, width, 4))
    return data.data
