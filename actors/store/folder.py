"""Lock a run folder for its one writer, and write the logs of phones into it.

The writer notices if the folder is moved, deleted or replaced meanwhile. The oldest lines of a log give way once its
file is too long.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from pathlib import Path

from manyhands.protocol.errors import StoreError
from manyhands.protocol.phones import LogHeader, PhoneLog
from manyhands.protocol.runs.folder_identity import EPISODES, FolderIdentity, check_identity, check_in_place
from manyhands.protocol.runs.run_cipher import PLAIN, RunCipher
from manyhands.protocol.utilities import secure_files

MOST_BYTES = 8 * 1024 * 1024

SCREENS, THUMBNAILS = "screens", "thumbnails"
_LOOK_EVERY_S = 0.05


class LockedFolder:
    """Hold a run folder for one process. All methods but ``take`` block; every method may raise OSError."""

    def __init__(self, path: Path, identity: FolderIdentity | None = None) -> None:
        """``identity``: the identity of the folder that the run was given. By now another folder may be at ``path``."""
        self.path = path
        self._identity = identity
        self._file: int | None = None

    async def take(self, wait_s: float) -> None:
        """Lock the folder, waiting while another process has the lock. Create its missing parts.

        Nothing is created above the folder: if it is missing, it was moved. Raises StoreError.
        """
        await asyncio.to_thread(self._make_parts)
        file = os.open(self.path / EPISODES, os.O_RDONLY | os.O_CLOEXEC)
        try:
            await self._lock(file, wait_s)
        except BaseException:
            os.close(file)
            raise
        self._file = file

    def release(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def check(self) -> None:
        """Raise StoreError if the path does not lead to the folder that was locked.

        Otherwise the run's files would be split over two places.
        """
        if self._file is None:
            raise StoreError(f"run folder {self.path}: is not open")
        check_in_place(self.path, EPISODES, self._file)

    def _make_parts(self) -> None:
        if self._identity is not None:
            check_identity(self.path, self._identity)
        for part in (EPISODES, SCREENS, THUMBNAILS):
            secure_files.make_folder(self.path / part, parents=False)

    async def _lock(self, file: int, wait_s: float) -> None:
        """Lock the folder.

        Without a lock, one of two writers would cut off a record as torn that the other is still writing.
        """
        give_up_at = time.monotonic() + wait_s
        while True:
            try:
                return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() > give_up_at:
                    raise StoreError(f"run folder {self.path}: another process writes its journals") from error
            await asyncio.sleep(_LOOK_EVERY_S)


def append_log(path: Path, log: PhoneLog, now: float, most: int = MOST_BYTES, cipher: RunCipher = PLAIN) -> None:
    """Append lines to a log file. Blocks; raises OSError, and StoreError for a file that cannot be decrypted.

    The first line of the file is its header. If the file becomes longer than ``most`` bytes, the newest half stays, and
    the header counts what was left out. ``now``: Unix seconds, for the header of a new file. An encrypted file is
    written anew each time.
    """
    header = _header(path, cipher) or LogHeader(first_at=now)
    changed = header.model_copy(
        update={
            "clock_offset_s": header.clock_offset_s if log.clock_offset_s is None else log.clock_offset_s,
            "left_out": header.left_out + log.left_out,
        }
    )
    text = log.text.encode("utf-8", "replace")
    size = path.stat().st_size if path.exists() else 0
    if size + len(text) > most or len(changed.text()) != len(header.text()) or not size or not cipher.is_plain:
        _rewrite(path, changed, text, most // 2 if size + len(text) > most else most, cipher)
        return
    with secure_files.open_to_append(path) as file:
        file.write(text)
    if changed != header:
        with open(path, "r+b") as file:
            file.write(changed.text().encode())


def _header(path: Path, cipher: RunCipher) -> LogHeader | None:
    if not path.exists():
        return None
    if not cipher.is_plain:
        return LogHeader.read(cipher.read(path).partition(b"\n")[0].decode("utf-8", "replace"))
    with path.open("rb") as file:
        return LogHeader.read(file.readline(1000).decode("utf-8", "replace"))


def _rewrite(path: Path, header: LogHeader, text: bytes, room: int, cipher: RunCipher) -> None:
    """Replace the file by its newest whole lines that fit into ``room`` bytes."""
    old = cipher.read(path).partition(b"\n")[2] if path.exists() else b""
    body = old + text
    if len(body) > room:
        cut = body.find(b"\n", len(body) - room) + 1
        header = header.model_copy(update={"left_out": header.left_out + cut})
        body = body[cut:]
    secure_files.replace_bytes(path, cipher.encrypt(header.text().encode() + b"\n" + body))
