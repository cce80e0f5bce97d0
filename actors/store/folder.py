"""Lock a run folder for its one writer. The writer notices if the folder is moved, deleted or replaced meanwhile."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from pathlib import Path

from manyhands.protocol.errors import StoreError
from manyhands.protocol.runs.folder_identity import EPISODES, FolderIdentity, check_identity, check_in_place
from manyhands.protocol.utilities import secure_files

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
