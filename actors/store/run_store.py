"""Store the journals and screens of one run: share commits between appends, and read the folder."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import Field, SecretStr

from manyhands.actors.frames import Frame, make_thumbnail
from manyhands.actors.store.folder import SCREENS, THUMBNAILS, LockedFolder, append_log
from manyhands.actors.store.index import RunIndex
from manyhands.actors.store.journals import Append, EncodedRecords, Journals, encode_records
from manyhands.protocol.base import Input
from manyhands.protocol.errors import CaptureFailed, InvalidRecord, StoreError, store_error
from manyhands.protocol.journals.journal import Scan, scan
from manyhands.protocol.journals.journal_file import with_copies
from manyhands.protocol.journals.records import Record
from manyhands.protocol.phones import LOGCAT, PhoneLog
from manyhands.protocol.runs.folder_identity import FolderIdentity
from manyhands.protocol.runs.results import EpisodeIndex
from manyhands.protocol.runs.run_cipher import RunCipher
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

T = TypeVar("T")

_EPISODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,149}")
_CONTENT = re.compile(r"[0-9a-f]{32}")


class StoreSettings(Input):
    folder: Path
    identity: FolderIdentity | None = None
    """The identity of the folder that the run was given. Another folder at the same path is refused."""
    key: SecretStr = SecretStr("")
    """The run's own identity of age, if the run is encrypted (``protocol.runs.run_cipher``)."""
    max_appends: int = Field(default=1024, ge=1)
    """The most appends that may wait to be written. Further callers wait until a place is free."""
    other_s: float = Field(default=20.0, ge=0)
    """How long to wait for another process that still has the journals open, such as one of a run that was killed."""
    screen_threads: int = Field(default=2, ge=1, le=32)
    max_screens: int = Field(default=64, ge=1)
    """The most screens that may be held in memory until they are written."""


class RunStore:
    """Implements the Store interface on a folder of this machine. One per run."""

    def __init__(self, settings: StoreSettings) -> None:
        self._folder = settings.folder
        self._other_s = settings.other_s
        self._locked = LockedFolder(settings.folder, settings.identity)
        self._cipher = RunCipher(settings.key.get_secret_value())
        self._journals = Journals(self._locked, self._cipher)
        self._index = RunIndex(self._locked, self._cipher)
        self._waiting: list[Append] = []
        self._room = asyncio.Semaphore(settings.max_appends)
        self._committing = asyncio.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="journals")
        self._readers = ThreadPoolExecutor(1, thread_name_prefix="reading")
        self._screens = ThreadPoolExecutor(settings.screen_threads, thread_name_prefix="screens")
        self._screen_room = asyncio.Semaphore(settings.max_screens)

    async def start(self) -> None:
        """Lock the folder for this process alone. Raises StoreError if that fails."""
        try:
            await self._locked.take(self._other_s)
        except OSError as error:
            raise store_error(error, f"run folder {self._folder}") from error

    async def stop(self) -> None:
        """Wait for running writes, then close the journals."""
        async with self._committing:
            await _in_thread(self._writer, self._journals.close)
        for threads in (self._writer, self._readers, self._screens):
            await asyncio.to_thread(threads.shutdown)
        self._locked.release()

    # ------------------------------------------------------------------------ journals
    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
        """Append records, and return when they are on disk, in the order of the calls.

        Raises StaleEpoch, StoreFull, StoreError.
        """
        await self.append_encoded(episode, encode_records(episode, records, first, epoch))

    async def append_encoded(self, episode: str, records: EncodedRecords) -> None:
        """Append encoded records.

        Appends that wait at the same time share a commit: the first of them writes for all. A cancelled append may have
        been written all the same. Raises StaleEpoch, StoreFull, StoreError.
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
        """Return a journal's records. From now on, the journal refuses appends of an older epoch.

        Raises StaleEpoch if it has been read or written under a newer epoch; StoreError.
        """
        return scan(await self.read_encoded(episode, epoch))

    async def read_encoded(self, episode: str, epoch: int) -> bytes:
        """Return the journal's bytes from disk, for a caller that decodes them. Raises what ``read`` raises."""
        _check(episode)
        async with self._committing:
            size = await _in_thread(self._writer, lambda: self._journals.fence(episode, epoch))
        try:
            return await _in_thread(self._readers, lambda: self._head_of(self._journals.path(episode), size))
        except OSError as error:
            raise store_error(error, f"journal of {episode} in {self._folder}") from error

    def _head_of(self, path: Path, size: int) -> bytes:
        with path.open("rb") as file:
            return with_copies(path, self._cipher.decrypt_frames(file.read(size)), self._cipher)

    async def index(self) -> Sequence[EpisodeIndex]:
        """Return each journal's summary of its episode, in the order in which they started. Raises StoreError."""
        try:
            return await _in_thread(self._readers, self._index.read)
        except OSError as error:
            raise store_error(error, f"run folder {self._folder}") from error

    # ------------------------------------------------------------------------ screens
    async def put_screens(self, content_ids: Sequence[str], *frames: Frame) -> None:
        """Write ``screens/<content id>.png`` and its thumbnail, unless the first exists.

        Raises StoreError after all were tried.
        """
        puts = [self._put_screen(content, frame) for content, frame in zip(content_ids, frames, strict=True)]
        for outcome in await asyncio.gather(*puts, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def screen(self, content_id: str) -> bytes | None:
        """Return the PNG of a screen; None if it was never written. Raises StoreError."""
        path = self._screen_path(content_id)
        try:
            return await _in_thread(self._readers, lambda: self._read_screen(path))
        except OSError as error:
            raise store_error(error, str(path)) from error

    # ------------------------------------------------------------------------ logs
    async def append_log(self, episode: str, log: PhoneLog) -> None:
        """Append what a phone has logged to ``logcat.txt`` of an episode. Raises StoreFull, StoreError."""
        _check(episode)
        path = self._journals.path(episode).with_name(LOGCAT)
        try:
            await _in_thread(self._readers, lambda: self._append_log(path, log))
        except OSError as error:
            raise store_error(error, str(path)) from error

    def _append_log(self, path: Path, log: PhoneLog) -> None:
        self._locked.check()
        secure_files.make_folder(path.parent, parents=False)
        append_log(path, log, HOST_CLOCK.now(), cipher=self._cipher)

    async def _put_screen(self, content_id: str, frame: Frame) -> None:
        path = self._screen_path(content_id)
        async with self._screen_room:
            await _in_thread(self._screens, lambda: self._write_screen(path, frame))

    def _read_screen(self, path: Path) -> bytes | None:
        self._locked.check()
        return self._cipher.read(path) if path.exists() else None

    def _write_screen(self, path: Path, frame: Frame) -> None:
        # Screens are not synced. If a power failure loses one, only a report lacks it; nothing on a phone depends on
        # it.
        part = path.with_name(f".{path.stem}.{uuid.uuid4().hex}.part")
        try:
            self._locked.check()
            if path.exists():
                return
            small = self._folder / THUMBNAILS / f"{path.stem}.jpg"  # first, so that whoever has the screen has it, too
            _write_whole(small.with_name(part.name), small, self._cipher.encrypt(make_thumbnail(frame.rgb())))
            _write_whole(part, path, self._cipher.encrypt(frame.png()))
        except OSError as error:
            raise store_error(error, str(path)) from error
        except CaptureFailed as error:
            raise InvalidRecord(f"{path}: {error}") from error

    def _screen_path(self, content_id: str) -> Path:
        if not _CONTENT.fullmatch(content_id):
            raise InvalidRecord(f"content id {content_id!r}: not 32 hexadecimal digits")
        return self._folder / SCREENS / f"{content_id}.png"


def _check(episode: str) -> None:
    if not _EPISODE.fullmatch(episode):
        raise InvalidRecord(f"episode id {episode!r}: letters, digits, '_', '.' and '-' only, at most 150")


def _write_whole(part: Path, path: Path, content: bytes) -> None:
    """Write a file completely or not at all. Raises OSError."""
    try:
        secure_files.write_bytes(part, content)
        part.replace(path)
    except OSError:
        with suppress(OSError):  # the folder may not be writable
            part.unlink(missing_ok=True)
        raise


async def _in_thread(executor: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """Run ``work`` to its end, even if cancelled meanwhile: a half-written file is worse than a late one."""
    running = asyncio.get_running_loop().run_in_executor(executor, work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        running.exception()  # the caller gets the cancellation instead of this error
        raise
