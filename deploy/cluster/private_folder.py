"""Make the private folder of a Ray. It is removed with that Ray, even if this process is killed."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from manyhands.deploy import process_reaper
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities import secure_files

LONGEST_ROOT = 25
"""Longest path above the folder, in bytes. Ray's sockets lie in it, and a socket's path has at most 107 bytes."""
_REAPER_S = 20.0
_log = logging.getLogger(__name__)


class PrivateFolder:
    """Make a folder that only its owner can enter, with a reaper that clears it if this process ends first."""

    def __init__(self) -> None:
        """Make the folder. Raises BadInput if there is no place for it, OSError if it cannot be made."""
        self.path = Path(tempfile.mkdtemp(prefix=process_reaper.PREFIX, dir=_root()))
        try:
            self._owner = _locked(self.path / process_reaper.OWNER)
            self._reaper = _reaper_of(self.path)
        except BaseException:
            shutil.rmtree(self.path, ignore_errors=True)
            raise

    @property
    def mark(self) -> dict[str, str]:
        """Return the environment variable that marks this folder's Ray processes for the reaper."""
        return {process_reaper.MARK: str(self.path)}

    def kill(self) -> None:
        """Kill all processes of this folder's Ray at once."""
        process_reaper.kill(str(self.path))

    def remove(self) -> None:
        """Remove the folder, after ending what is left of its Ray."""
        if not process_reaper.clear(str(self.path)):
            _log.warning("%s stays behind, or something of its Ray", self.path)
        assert self._reaper.stdin is not None
        self._reaper.stdin.close()
        try:
            self._reaper.wait(_REAPER_S)
        except subprocess.TimeoutExpired:
            self._reaper.kill()
            self._reaper.wait()
        os.close(self._owner)


def _reaper_of(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*process_reaper.COMMAND, "ray", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _locked(path: Path) -> int:
    """Make a file and lock it until this process ends.

    The file gets the name ``path`` only after it is locked, so nobody finds an unlocked file there.
    """
    part = path.with_suffix(".part")
    file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, secure_files.FILE_MODE)
    fcntl.flock(file, fcntl.LOCK_EX)
    part.replace(path)
    return file


def _root() -> str:
    """Return the parent of the folder: RAY_TMPDIR, or the temporary folder if sockets fit. Raises BadInput."""
    root = os.environ.get("RAY_TMPDIR")
    if root is None:
        usual = tempfile.gettempdir()
        return usual if len(os.fsencode(usual)) <= LONGEST_ROOT else "/tmp"
    if len(os.fsencode(root)) > LONGEST_ROOT:
        raise BadInput(f"RAY_TMPDIR={root}: too long for Ray's sockets, which leave {LONGEST_ROOT} bytes for it")
    if not os.path.isdir(root):
        raise BadInput(f"RAY_TMPDIR={root}: is no folder")
    return root
