"""Read screens from picture files, through the perception service that runs use."""

from __future__ import annotations

import asyncio
import resource
import sys
import time
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from manyhands.actors.frames import Frame, Rgb, content_id, decode_jpeg, encode_jpeg
from manyhands.actors.perception.page_cache import IncrementalSettings
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.deploy.perception.pictures import read_picture
from manyhands.protocol.errors import BadInput, CallError, ManyhandsError, PerceptionError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screen, Screenshot
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

PATIENCE_S = 600.0
"""Seconds that one picture may take; a screen takes about one on one core."""


@dataclass(frozen=True, slots=True)
class PictureRead:
    """Hold what was read from a file: either ``screen`` and ``rgb``, or ``error``."""

    path: Path
    rgb: Rgb | None = None
    """The pixels of the file, upright, to which the boxes refer."""
    screen: Screen | None = None
    timings_ms: dict[str, float] = field(default_factory=dict)
    """Wall time by stage, including the time to read and decode the file."""
    cpu_ms: float | None = None
    """CPU time of all threads of this process; None if pictures are read in parallel."""
    error: ManyhandsError | None = None


class PictureReader:
    """Read picture files with one service, which starts in a second or two when the context opens."""

    def __init__(self, settings: PerceptionSettings, jpeg: bool = False) -> None:
        """Prepare to read as many pictures in parallel as there are workers.

        Each picture is read in full, because files are not successive screens of one phone. ``jpeg``: first encode and
        decode each picture as JPEG, as happens to screens from a gateway elsewhere.
        """
        in_full = IncrementalSettings(on=False)
        self.settings = settings.model_copy(update={"remembered": 0, "incremental": in_full})
        """The settings that this reader applies."""
        self._service = PerceptionService(self.settings)
        self._decoded = _decoded_as_sent if jpeg else _decoded
        self._decoder = ThreadPoolExecutor(1, thread_name_prefix="decoder")

    async def __aenter__(self) -> Self:
        """Start the service.

        Raises BadInput if an engine is missing, or if models in the settings are missing or unfit.
        """
        try:
            await self._service.start()
        except PerceptionError as error:
            raise BadInput(str(error)) from error
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop the service."""
        await self._service.stop()
        await asyncio.to_thread(self._decoder.shutdown, wait=True, cancel_futures=True)

    async def read_all(self, paths: Iterable[Path]) -> AsyncGenerator[PictureRead]:
        """Read files in the order given. Close the generator (contextlib.aclosing) before the reader."""
        readings: deque[asyncio.Task[PictureRead]] = deque()
        try:
            for path in paths:
                readings.append(asyncio.create_task(self.read(path)))
                if len(readings) == self.settings.readers():
                    yield await readings.popleft()
            while readings:
                yield await readings.popleft()
        finally:
            for task in readings:
                task.cancel()
            await asyncio.gather(*readings, return_exceptions=True)

    async def read(self, path: Path) -> PictureRead:
        """Read one file. If it cannot be decoded, or not be read in time, the result has an ``error``."""
        used = time.process_time()
        try:
            loop = asyncio.get_running_loop()
            rgb, content, decode_ms = await loop.run_in_executor(self._decoder, self._decoded, path)
            screen = await self._perceived(path, rgb, content)
        except (BadInput, PerceptionError, CallError) as error:
            return PictureRead(path, error=error)
        return PictureRead(
            path,
            rgb,
            screen,
            timings_ms={**screen.timings_ms, "decode": decode_ms},
            cpu_ms=(time.process_time() - used) * 1000 if self.settings.readers() == 1 else None,
        )

    async def _perceived(self, path: Path, rgb: Rgb, content: str) -> Screen:
        shot = Screenshot(
            content_id=content,
            size=Size(width=rgb.shape[1], height=rgb.shape[0]),
            serial=str(path),
            taken_at=HOST_CLOCK.now(),
            capture_ms=0,
        )
        context = CallContext(episode=path.name, step=0, deadline=HOST_CLOCK.now() + PATIENCE_S)
        return await self._service.perceive(shot, Frame("rgb", rgb), context)


def _decoded(path: Path) -> tuple[Rgb, str, float]:
    """Return the pixels, their content id, and the milliseconds that reading and decoding took."""
    begin = time.perf_counter()
    rgb = read_picture(path)
    decode_ms = (time.perf_counter() - begin) * 1000
    return rgb, content_id(rgb), decode_ms


def _decoded_as_sent(path: Path) -> tuple[Rgb, str, float]:
    """Do the same as ``_decoded``, but return the pixels that a site's JPEG of the picture has."""
    rgb, _, decode_ms = _decoded(path)
    sent_rgb = decode_jpeg(encode_jpeg(rgb))
    return sent_rgb, content_id(sent_rgb), decode_ms


def peak_memory_mb() -> float | None:
    """Return the peak memory of this process in MiB; None if Linux does not report the peak.

    On Linux this function does not use ru_maxrss, which also counts the memory of the process before ``exec``.
    """
    if sys.platform == "linux":
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        kib = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)
        return None if kib is None else kib / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 1024
