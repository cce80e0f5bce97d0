"""A way to reach phones that knows nothing of adb: panels on a desk, whose frames are drawn in memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from manyhands.actors.frames import Frame, ModelImage, Rgb
from manyhands.actors.phones.screenshots import (
    CapturedFrame,
    CaptureResources,
    Foreground,
    LastInput,
    Screenshots,
)
from manyhands.actors.phones.settling.changes import DecodedFrame, decode_frame
from manyhands.actors.phones.settling.model import ActionKind, SettlingModel
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.phones import USABLE, Perform, PhoneInfo, Receipt, Reset, SettleSpec, TransportStatus
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

PANEL = "desk-panel-3"
PAGE = "panel://desk/page"
"""Where a panel answers its state: no content provider."""
SIZE = Size(width=360, height=640)
BLANKS = 6
"""Frames after an action that show a page which is still being drawn."""


class PanelFrames:
    """Implements FrameSource: after a touch some frames show a page in the making, each another one."""

    def __init__(self) -> None:
        self.busy = False
        self.page = 0
        self.grabbed = 0
        self._unfinished = 0

    def touch(self) -> None:
        self.page += 1
        self._unfinished = BLANKS

    def rest(self) -> Rgb:
        """The page as it is once all of it is drawn."""
        return np.random.default_rng(self.page).integers(0, 255, (SIZE.height, SIZE.width, 3), np.uint8)

    async def grab(self, earlier: tuple[DecodedFrame, ...], size: Size | None) -> CapturedFrame:
        asked = asyncio.get_running_loop().time()
        self.grabbed += 1
        page = self.rest()
        if self._unfinished:
            page[: SIZE.height * self._unfinished // (BLANKS + 1)] = 255
            self._unfinished -= 1
        at = asyncio.get_running_loop().time()
        return CapturedFrame(decode_frame(Frame("rgb", page)), asked, at, HOST_CLOCK.now(), (at - asked) * 1000)


class PanelPhone:
    """Implements ``actors.interfaces.Phone``; its screenshots are those of any phone."""

    def __init__(self, serial: str, resources: CaptureResources) -> None:
        self.serial = serial
        self.frames = PanelFrames()
        self._screenshots = Screenshots(serial, self.frames, resources)
        self._last_input: LastInput | None = None

    async def prepare(self, *, for_task: bool) -> None: ...

    async def release(self) -> None: ...

    async def close(self) -> None:
        await self._screenshots.close()

    async def capture(self, settle: SettleSpec | None) -> tuple[Screenshot, ModelImage, Frame]:
        captured = await self._screenshots.capture(settle, self._last_input, self._foreground)
        self._last_input = None
        return captured

    async def _foreground(self) -> Foreground:
        return Foreground("panel.home", "hidden")

    async def perform(self, perform: Perform) -> Receipt:
        await self._screenshots.close()
        self.frames.touch()
        self._last_input = LastInput(
            asyncio.get_running_loop().time(), ActionKind(self._screenshots.app, perform.action.name)
        )
        return Receipt(key=perform.key, status="done", sent_at=time.time(), ms=0)

    async def size(self) -> Size:
        return SIZE

    async def reset(self, reset: Reset) -> Receipt:
        return Receipt(key=reset.key, status="done", sent_at=time.time(), ms=0)

    async def labels(self) -> Mapping[str, str]:
        return {"desk": "north"}

    async def state(self, source: str) -> Mapping[str, Any]:
        if source != PAGE:
            raise StateUnavailable(f"a panel answers its state at {PAGE} alone, not at {source!r}")
        return {"page": self.frames.page}


class Panels:
    """Implements ``actors.interfaces.PhoneTransport``."""

    def __init__(self) -> None:
        self.listed: list[PhoneInfo] = [
            PhoneInfo(serial=PANEL, state=USABLE, model="Panel"),
            PhoneInfo(serial="desk-panel-4", state="offline", advice="turn the panel's key"),
            PhoneInfo(serial="desk-panel-5", state="unauthorized"),
        ]
        self._pixels: ThreadPoolExecutor | None = None

    async def ensure_running(self) -> None: ...

    async def status(self) -> TransportStatus:
        return TransportStatus(name="panels", address="memory", running=True)

    async def start(self) -> None:
        self._pixels = ThreadPoolExecutor(1, "panels")

    async def stop(self) -> None:
        if self._pixels is not None:
            self._pixels.shutdown()

    async def phones(self) -> Sequence[PhoneInfo]:
        return tuple(self.listed)

    async def watch(self, tell: Callable[[Sequence[PhoneInfo]], Awaitable[None]]) -> None:
        await tell(await self.phones())
        await asyncio.Event().wait()

    async def connect(self, serial: str) -> None: ...

    def phone(self, serial: str) -> PanelPhone:
        assert self._pixels is not None
        return PanelPhone(serial, CaptureResources(self._pixels, SettlingModel()))
