"""Screens from picture files, through the perception service that a run has too."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from manyhands.actors.frames import Frame, Rgb, content_id
from manyhands.actors.perception.incremental.remembered import IncrementalSettings
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.deploy.perception.pictures import read_picture
from manyhands.protocol.errors import BadInput, CallError, ManyhandsError, PerceptionError
from manyhands.protocol.geometry import Size
from manyhands.protocol.messages import CallContext
from manyhands.protocol.screens import Screen, Screenshot

PATIENCE_S = 600.0
"""For one picture; a screen takes a second on one core."""


@dataclass(frozen=True, slots=True)
class PictureRead:
    """What was read off a file: either ``screen`` and ``rgb``, or ``error``."""

    path: Path
    rgb: Rgb | None = None
    """Of the file, upright: the boxes are in its pixels."""
    screen: Screen | None = None
    timings_ms: dict[str, float] = field(default_factory=dict)
    """By stage, on the clock, from reading the file on."""
    cpu_ms: float | None = None
    """Of all threads of this process; None where pictures are read side by side."""
    error: ManyhandsError | None = None


class PictureReader:
    """Reads picture files with one warm service. ``async with``: it starts there, in a second or two."""

    def __init__(self, settings: PerceptionSettings) -> None:
        """As many pictures as ``settings`` have workers are read side by side; each in full, whatever ``settings`` say
        of pages read before, for files are no phone's history.
        """
        in_full = IncrementalSettings(on=False)
        self.settings = settings.model_copy(update={"remembered": 0, "incremental": in_full})
        """As they are applied."""
        self._service = PerceptionService(self.settings)
        self._decoder = ThreadPoolExecutor(1, thread_name_prefix="decoder")

    async def __aenter__(self) -> Self:
        """Raises BadInput where an engine or the models that the settings name are missing or unfit."""
        try:
            await self._service.start()
        except PerceptionError as error:
            raise BadInput(str(error)) from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._service.stop()
        await asyncio.to_thread(self._decoder.shutdown, wait=True, cancel_futures=True)

    async def read_all(self, paths: Iterable[Path]) -> AsyncGenerator[PictureRead]:
        """Each file, in the order given. Close it (contextlib.aclosing) before the reader."""
        begun: deque[asyncio.Task[PictureRead]] = deque()
        try:
            for path in paths:
                begun.append(asyncio.create_task(self.read(path)))
                if len(begun) == self.settings.readers():
                    yield await begun.popleft()
            while begun:
                yield await begun.popleft()
        finally:
            for task in begun:
                task.cancel()
            await asyncio.gather(*begun, return_exceptions=True)

    async def read(self, path: Path) -> PictureRead:
        """A file that cannot be decoded, or not be read in time, is an answer with an ``error``."""
        used = time.process_time()
        try:
            rgb, content, decode_ms = await asyncio.get_running_loop().run_in_executor(self._decoder, _decoded, path)
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
            taken_at=time.time(),
            capture_ms=0,
        )
        context = CallContext(episode=path.name, step=0, deadline=time.time() + PATIENCE_S)
        return await self._service.perceive(shot, Frame("rgb", rgb), context)


def _decoded(path: Path) -> tuple[Rgb, str, float]:
    """Pixels, their content id, and the milliseconds that reading and decoding the file took."""
    begin = time.perf_counter()
    rgb = read_picture(path)
    decode_ms = (time.perf_counter() - begin) * 1000
    return rgb, content_id(rgb), decode_ms


def peak_memory_mb() -> float | None:
    """The most that this process has had in memory; None where the system does not say.

    Not ru_maxrss on Linux: that counts what the process before ``exec`` had, too.
    """
    if sys.platform == "linux":
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        kib = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)
        return None if kib is None else kib / 1024
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 1024
