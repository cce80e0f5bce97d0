"""The store of one run: appends that share commits, and what is read of the folder."""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from pydantic import Field

from manyhands.actors.frames import Frame
from manyhands.actors.store.framed import Framed, framed
from manyhands.actors.store.index import RunIndex
from manyhands.actors.store.journals import Append, Journals
from manyhands.protocol import private
from manyhands.protocol.base import Input
from manyhands.protocol.errors import CaptureFailed, StoreError, store_error
from manyhands.protocol.journal import Scan, scan
from manyhands.protocol.records import Record
from manyhands.protocol.runs import EpisodeIndex

T = TypeVar("T")

_EPISODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,149}")
_LOOK_EVERY_S = 0.05
_CONTENT = re.compile(r"[0-9a-f]{32}")


class StoreSettings(Input):
    folder: Path
    max_appends: int = Field(default=1024, ge=1)
    """Appends that may wait to be written; further callers are held until a place is free."""
    other_s: float = Field(default=20.0, ge=0)
    """How long another process that still has the journals is waited for: one of a run that was killed, say."""
    screen_threads: int = Field(default=2, ge=1, le=32)
    max_screens: int = Field(default=64, ge=1)
    """Screens that may be held in memory to be written."""


class RunStore:
    """Implements the Store seam on a folder of this machine. One per run."""

    def __init__(self, settings: StoreSettings) -> None:
        self._folder = settings.folder
        self._other_s = settings.other_s
        self._owned: int | None = None
        self._journals = Journals(settings.folder)
        self._index = RunIndex(settings.folder)
        self._waiting: list[Append] = []
        self._room = asyncio.Semaphore(settings.max_appends)
        self._committing = asyncio.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="journals")
        self._readers = ThreadPoolExecutor(1, thread_name_prefix="reading")
        self._screens = ThreadPoolExecutor(settings.screen_threads, thread_name_prefix="screens")
        self._screen_room = asyncio.Semaphore(settings.max_screens)

    async def start(self) -> None:
        """Make the folders, and take the journals for this process alone. Raises StoreError if that fails."""
        try:
            for part in ("episodes", "screens"):
                await asyncio.to_thread(private.make_folder, self._folder / part)
            self._owned = os.open(self._folder / "episodes", os.O_RDONLY | os.O_CLOEXEC)
            await self._own(self._owned)
        except OSError as error:
            raise store_error(error, f"run folder {self._folder}") from error

    async def _own(self, folder: int) -> None:
        """Lock the folder: where two wrote, one would cut off as torn what the other is writing."""
        give_up_at = time.monotonic() + self._other_s
        while True:
            try:
                return fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() > give_up_at:
                    raise StoreError(f"run folder {self._folder}: another process writes its journals") from error
            await asyncio.sleep(_LOOK_EVERY_S)

    async def stop(self) -> None:
        """Wait for running writes, then close the journals."""
        async with self._committing:
            await _in_thread(self._writer, self._journals.close)
        for threads in (self._writer, self._readers, self._screens):
            await asyncio.to_thread(threads.shutdown)
        if self._owned is not None:
            os.close(self._owned)
            self._owned = None

    # ------------------------------------------------------------------------ journals
    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
        """Append records, and return when they are on disk, in the order of the calls.

        Raises StaleEpoch, StoreFull, StoreError.
        """
        await self.append_framed(episode, framed(episode, records, first, epoch))

    async def append_framed(self, episode: str, records: Framed) -> None:
        """Append records that are encoded already. Raises StaleEpoch, StoreFull, StoreError.

        Appends that wait at the same time share a commit: whoever comes first writes for all of them.
        A cancelled append may have been written.
        """
        _check(episode)
        async with self._room:
            item = Append(episode, records)
            self._waiting.append(item)
            async with self._committing:
                if not item.done:
                    batch, self._waiting = self._waiting, []
                    await _in_thread(self._writer, lambda: self._journals.commit(batch))
        if item.error is not None:
            raise item.error
        if not item.done:
            raise StoreError(f"journal of {episode} in {self._folder}: was not written")

    async def read(self, episode: str, epoch: int) -> Scan:
        """Return what stands in a journal. From now on what an older epoch appends to it is refused.

        Raises StaleEpoch where it has been read or written under a newer one; StoreError.
        """
        return scan(await self.read_framed(episode, epoch))

    async def read_framed(self, episode: str, epoch: int) -> bytes:
        """Return the journal as it lies on disk, for a caller that decodes it itself. Raises as ``read``."""
        _check(episode)
        async with self._committing:
            size = await _in_thread(self._writer, lambda: self._journals.fence(episode, epoch))
        try:
            return await _in_thread(self._readers, lambda: _head_of(self._journals.path(episode), size))
        except OSError as error:
            raise store_error(error, f"journal of {episode} in {self._folder}") from error

    async def index(self) -> Sequence[EpisodeIndex]:
        """Return what each journal tells of its episode, in the order in which they started. Raises StoreError."""
        try:
            return await _in_thread(self._readers, self._index.read)
        except OSError as error:
            raise store_error(error, f"run folder {self._folder}") from error

    # ------------------------------------------------------------------------ screens
    async def put_screens(self, content_ids: Sequence[str], *frames: Frame) -> None:
        """Write ``screens/<content id>.png``, each unless it is there. Raises StoreError once all were tried."""
        puts = [self._put_screen(content, frame) for content, frame in zip(content_ids, frames, strict=True)]
        for outcome in await asyncio.gather(*puts, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def screen(self, content_id: str) -> bytes | None:
        """Return the PNG of a screen; None for one that was never written. Raises StoreError."""
        path = self._screen_path(content_id)
        try:
            return await _in_thread(self._readers, lambda: path.read_bytes() if path.exists() else None)
        except OSError as error:
            raise store_error(error, str(path)) from error

    async def _put_screen(self, content_id: str, frame: Frame) -> None:
        path = self._screen_path(content_id)
        async with self._screen_room:
            await _in_thread(self._screens, lambda: _write_screen(path, frame))

    def _screen_path(self, content_id: str) -> Path:
        if not _CONTENT.fullmatch(content_id):
            raise StoreError(f"content id {content_id!r}: not 32 hexadecimal digits")
        return self._folder / "screens" / f"{content_id}.png"


def _check(episode: str) -> None:
    if not _EPISODE.fullmatch(episode):
        raise StoreError(f"episode id {episode!r}: letters, digits, '_', '.' and '-' only, at most 150")


def _head_of(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def _write_screen(path: Path, frame: Frame) -> None:
    # Not synced: a screen that a power failure loses is missed by a report, never by a phone.
    if path.exists():
        return
    part = path.with_name(f".{path.stem}.{uuid.uuid4().hex}.part")
    try:
        private.write_bytes(part, frame.png())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise store_error(error, str(path)) from error
    except CaptureFailed as error:
        raise StoreError(f"{path}: {error}") from error


async def _in_thread(executor: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """Run ``work`` to its end, also if cancelled meanwhile: what is half written is worse than late."""
    running = asyncio.get_running_loop().run_in_executor(executor, work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        running.exception()  # the caller gets the cancellation
        raise
