"""Read images for the rehearsed model: OCR in separate processes, cached by the image's hash."""

from __future__ import annotations

import asyncio
import hashlib
import os
import struct
import sys
from collections import OrderedDict
from typing import Any, Protocol

import msgpack
import numpy as np

from manyhands.simulator.rehearsal.pages import Line, Page

_STOP_S = 3.0
_PIECE = 1 << 16


class UnreadableImage(ValueError):
    """Signal an image that cannot be decoded."""


class ReaderLost(RuntimeError):
    """Signal that the reader's process has ended."""


class Reader(Protocol):
    async def read(self, encoded: bytes) -> Page:
        """Return what an encoded image shows. Raises UnreadableImage, ReaderLost."""


class _Worker:
    """Run one reading process. It reads one image at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._to, self._from = process, process.stdin, process.stdout

    @classmethod
    async def start(cls) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "manyhands.simulator.rehearsal.ocr_worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "ORT_DISABLE_TELEMETRY": "1"},  # otherwise onnxruntime reports to its maker
            start_new_session=True,  # Ctrl-C in a terminal must not reach the worker; it ends when its stdin closes
        )
        return cls(process)

    async def ask(self, encoded: bytes) -> dict[str, Any]:
        try:
            self._to.write(struct.pack(">I", len(encoded)) + encoded)
            await self._to.drain()
            size = struct.unpack(">I", await self._from.readexactly(4))[0]
            answer: dict[str, Any] = msgpack.unpackb(await self._from.readexactly(size))
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            raise ReaderLost("the reader's process has ended; see its messages on stderr") from error
        return answer

    async def stop(self) -> None:
        """Close the process's stdin, so that it ends. If it does not, kill it.

        Read the process's remaining output meanwhile. An unread answer of half a megabyte pauses the pipe, and asyncio
        never reports the end of a process whose pipe is paused.
        """
        self._to.close()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._read_out())
            try:
                async with asyncio.timeout(_STOP_S):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()

    async def _read_out(self) -> None:
        while await self._from.read(_PIECE):
            pass


class OcrReader:
    """Read images in ``processes`` processes. Each image is read once, even for several callers at a time.

    A cancelled caller does not stop the reading, because the next caller probably needs the same page.
    """

    def __init__(self, processes: int, cached_pages: int) -> None:
        self._processes = processes
        self._cached_pages = cached_pages
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._workers: list[_Worker] = []
        self._pages: OrderedDict[bytes, Page] = OrderedDict()
        self._reading: dict[bytes, asyncio.Task[Page]] = {}
        self.images_read = 0

    async def start(self) -> None:
        for _ in range(self._processes):
            worker = await _Worker.start()
            self._workers.append(worker)
            self._idle.put_nowait(worker)

    async def stop(self) -> None:
        tasks = list(self._reading.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(worker.stop() for worker in self._workers))
        self._workers.clear()

    async def read(self, encoded: bytes) -> Page:
        """Return what an encoded image shows. Raises UnreadableImage, ReaderLost."""
        digest = hashlib.blake2b(encoded, digest_size=16).digest()
        page = self._pages.get(digest)
        if page is not None:
            self._pages.move_to_end(digest)
            return page
        task = self._reading.get(digest)
        if task is None:
            task = asyncio.create_task(self._read(encoded, digest), name="read image")
            self._reading[digest] = task
            task.add_done_callback(lambda done: self._forget(digest, done))
        return await asyncio.shield(task)

    def _forget(self, digest: bytes, done: asyncio.Task[Page]) -> None:
        self._reading.pop(digest, None)
        if not done.cancelled():
            done.exception()  # take the exception, so that asyncio does not report one that no caller awaited

    async def _read(self, encoded: bytes, digest: bytes) -> Page:
        worker = await self._idle.get()
        try:
            # Only stop() cancels this, and it also ends the worker. So an answer never goes to the next image.
            answer = await worker.ask(encoded)
        finally:
            self._idle.put_nowait(worker)
        self.images_read += 1
        if "error" in answer:
            raise UnreadableImage(answer["error"])
        page = _page(answer)
        self._pages[digest] = page
        if len(self._pages) > self._cached_pages:
            self._pages.popitem(last=False)
        return page


def _page(answer: dict[str, Any]) -> Page:
    width, height = answer["width"], answer["height"]
    lines = tuple(
        Line(text, (x1 + x2) / 2 / width, (y1 + y2) / 2 / height, (y2 - y1) / height)
        for text, _, x1, y1, x2, y2 in answer["lines"]
    )
    sketch = np.frombuffer(answer["sketch"], np.uint8).reshape(answer["shape"])
    return Page(lines, sketch)
