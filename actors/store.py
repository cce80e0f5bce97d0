"""The run folder: journals that are on disk when an append returns, and screens written once each.

Layout::

    episodes/<episode id>/journal.mh   framed records, append-only (protocol.journal)
    screens/<content id>.png

Only its owner can read any of it.
"""

from __future__ import annotations

import asyncio
import os
import re
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import Field

from manyhands.actors.frames import Frame
from manyhands.protocol import private
from manyhands.protocol.base import Input
from manyhands.protocol.errors import CaptureFailed, StoreError, WireError
from manyhands.protocol.journal import encode, scan
from manyhands.protocol.records import EpisodeEnded, Record

T = TypeVar("T")

_EPISODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,149}")
_CONTENT = re.compile(r"[0-9a-f]{32}")


class StoreSettings(Input):
    folder: Path
    max_appends: int = Field(default=1024, ge=1)
    """Appends that may wait to be written; further callers are held until a place is free."""
    screen_threads: int = Field(default=2, ge=1, le=32)
    max_screens: int = Field(default=64, ge=1)
    """Screens that may be held in memory to be written."""


@dataclass(slots=True)
class _Append:
    """Hold the records of one append on their way to disk."""

    episode: str
    records: Framed
    done: bool = False
    error: str | None = "was not written"


class Framed(NamedTuple):
    """Hold records in the journal's encoding."""

    data: bytes
    ends: bool
    """Whether the end of the episode is among them."""


def framed(episode: str, records: Sequence[Record]) -> Framed:
    """Encode records. Raises StoreError for what a journal cannot hold."""
    try:
        data = b"".join(encode(record, episode, getattr(record, "step", None)) for record in records)
    except WireError as error:
        raise StoreError(f"journal of {episode}: {error}") from error
    return Framed(data, any(isinstance(record, EpisodeEnded) for record in records))


class _Journals:
    """Holds the open journals. Used by one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, int] = {}

    def commit(self, batch: Sequence[_Append]) -> None:
        """Write all appends, sync each journal once, and note in each append whether it failed."""
        for episode in dict.fromkeys(item.episode for item in batch):
            items = [item for item in batch if item.episode == episode]
            problem = None
            try:
                self._commit_episode(episode, items)
            except OSError as error:
                self._close(episode)  # opened anew, a torn tail is cut off
                problem = str(error)
            for item in items:
                item.done, item.error = True, problem

    def close(self) -> None:
        for episode in list(self._files):
            self._close(episode)

    def _commit_episode(self, episode: str, items: Sequence[_Append]) -> None:
        file = self._open(episode)
        view = memoryview(b"".join(item.records.data for item in items))
        while view:
            view = view[os.write(file, view) :]
        os.fsync(file)
        if any(item.records.ends for item in items):
            self._close(episode)

    def _open(self, episode: str) -> int:
        if episode not in self._files:
            path = self._folder / "episodes" / episode / "journal.mh"
            private.make_folder(path.parent)
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, private.FILE_MODE)
            self._files[episode] = file
            clean_end = scan(path.read_bytes()).clean_end
            if clean_end < os.fstat(file).st_size:
                os.ftruncate(file, clean_end)
            for folder in (path.parent, path.parent.parent):
                _sync_folder(folder)
        return self._files[episode]

    def _close(self, episode: str) -> None:
        file = self._files.pop(episode, None)
        if file is not None:
            os.close(file)


class RunStore:
    """Implements the Store seam on a folder of this machine. One per run."""

    def __init__(self, settings: StoreSettings) -> None:
        self._folder = settings.folder
        self._journals = _Journals(settings.folder)
        self._waiting: list[_Append] = []
        self._room = asyncio.Semaphore(settings.max_appends)
        self._committing = asyncio.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="journals")
        self._screens = ThreadPoolExecutor(settings.screen_threads, thread_name_prefix="screens")
        self._screen_room = asyncio.Semaphore(settings.max_screens)

    async def start(self) -> None:
        """Make the folders. Raises StoreError if that fails."""
        try:
            for part in ("episodes", "screens"):
                await asyncio.to_thread(private.make_folder, self._folder / part)
        except OSError as error:
            raise StoreError(f"run folder {self._folder}: {error}") from error

    async def stop(self) -> None:
        """Wait for running writes, then close the journals."""
        async with self._committing:
            await _in_thread(self._writer, self._journals.close)
        await asyncio.to_thread(self._writer.shutdown)
        await asyncio.to_thread(self._screens.shutdown)

    async def append(self, episode: str, records: Sequence[Record]) -> None:
        """Append records, and return when they are on disk, in the order of the calls. Raises StoreError."""
        await self.append_framed(episode, framed(episode, records))

    async def append_framed(self, episode: str, records: Framed) -> None:
        """Append records that are encoded already. Raises StoreError.

        Appends that wait at the same time share a commit: whoever comes first writes for all of them.
        A cancelled append may have been written.
        """
        if not _EPISODE.fullmatch(episode):
            raise StoreError(f"episode id {episode!r}: letters, digits, '_', '.' and '-' only, at most 150")
        async with self._room:
            item = _Append(episode, records)
            self._waiting.append(item)
            async with self._committing:
                if not item.done:
                    batch, self._waiting = self._waiting, []
                    await _in_thread(self._writer, lambda: self._journals.commit(batch))
        if item.error is not None:
            raise StoreError(f"journal of {episode} in {self._folder}: {item.error}")

    async def put_screens(self, content_ids: Sequence[str], *frames: Frame) -> None:
        """Write ``screens/<content id>.png``, each unless it is there. Raises StoreError once all were tried."""
        puts = [self._put_screen(content, frame) for content, frame in zip(content_ids, frames, strict=True)]
        for outcome in await asyncio.gather(*puts, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def _put_screen(self, content_id: str, frame: Frame) -> None:
        if not _CONTENT.fullmatch(content_id):
            raise StoreError(f"content id {content_id!r}: not 32 hexadecimal digits")
        path = self._folder / "screens" / f"{content_id}.png"
        async with self._screen_room:
            await _in_thread(self._screens, lambda: _write_screen(path, frame))


def _write_screen(path: Path, frame: Frame) -> None:
    # Not synced: a screen that a power failure loses is missed by a report, never by a phone.
    if path.exists():
        return
    part = path.with_name(f".{path.stem}.{uuid.uuid4().hex}.part")
    try:
        private.write_bytes(part, frame.png())
        part.replace(path)
    except (OSError, CaptureFailed) as error:
        part.unlink(missing_ok=True)
        raise StoreError(f"{path}: {error}") from error


def _sync_folder(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


async def _in_thread(executor: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """Run ``work`` to its end, also if cancelled meanwhile: what is half written is worse than late."""
    running = asyncio.get_running_loop().run_in_executor(executor, work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        running.exception()  # the caller gets the cancellation
        raise
