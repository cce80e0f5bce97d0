"""The private folder of a Ray, which is removed with it, also if this process is killed."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from manyhands.deploy.cluster import guard
from manyhands.protocol import private
from manyhands.protocol.errors import BadInput

LONGEST_ROOT = 25
"""Longest path above the folder, in bytes: Ray's sockets lie in it, and a socket's path has 107 at most."""
_GUARD_S = 20.0
_log = logging.getLogger(__name__)


class PrivateFolder:
    """Make a folder that only its owner can enter, with a guard that clears it should this process end first."""

    def __init__(self) -> None:
        """Raises BadInput where there is no place for it, OSError where it cannot be made."""
        self.path = Path(tempfile.mkdtemp(prefix=guard.PREFIX, dir=_root()))
        try:
            self._owner = _locked(self.path / guard.OWNER)
            self._guard = _guard_of(self.path)
        except BaseException:
            shutil.rmtree(self.path, ignore_errors=True)
            raise

    @property
    def mark(self) -> dict[str, str]:
        """The environment by which the guard knows the processes of this folder's Ray."""
        return {guard.MARK: str(self.path)}

    def remove(self) -> None:
        """Remove the folder, after what is left of its Ray has ended."""
        if not guard.clear(str(self.path)):
            _log.warning("%s stays behind, or something of its Ray", self.path)
        assert self._guard.stdin is not None
        self._guard.stdin.close()
        try:
            self._guard.wait(_GUARD_S)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
        os.close(self._owner)


def _guard_of(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        # Without the environment's and the site's modules it starts in a few milliseconds.
        [sys.executable, "-I", "-S", guard.__file__, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _locked(path: Path) -> int:
    """Make a file and lock it until this process ends. It has its name only then: nobody finds it unlocked."""
    part = path.with_suffix(".part")
    file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, private.FILE_MODE)
    fcntl.flock(file, fcntl.LOCK_EX)
    part.replace(path)
    return file


def _root() -> str:
    """Return the parent of the folder: RAY_TMPDIR, or the temporary folder if sockets fit. Raises BadInput."""
    asked = os.environ.get("RAY_TMPDIR")
    if asked is None:
        usual = tempfile.gettempdir()
        return usual if len(os.fsencode(usual)) <= LONGEST_ROOT else "/tmp"
    if len(os.fsencode(asked)) > LONGEST_ROOT:
        raise BadInput(f"RAY_TMPDIR={asked}: too long for Ray's sockets, which leave {LONGEST_ROOT} bytes for it")
    if not os.path.isdir(asked):
        raise BadInput(f"RAY_TMPDIR={asked}: is no folder")
    return asked
