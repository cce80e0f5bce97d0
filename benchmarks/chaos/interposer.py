"""Make files fail and the clock step, but only for the processes of a run. They load a small library for this.

The machine's own files and clock do not change. So no other program is affected, and no root rights are needed.
"""

from __future__ import annotations

import asyncio
import errno
import shutil
import struct
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from manyhands.deploy.child_process import run_program
from manyhands.protocol.errors import CallError
from manyhands.protocol.utilities import secure_files

SOURCE = Path(__file__).with_name("interposer.c")
COMPILER = "cc"
_TRIAL_S = 1_000_000
_PAGE = struct.Struct("@iiq")
"""The page that interposer.c reads: an error number, whether reads fail too, and the clock's offset in seconds."""


def missing() -> str | None:
    """Return what this machine lacks for the library; None if nothing is missing."""
    if not sys.platform.startswith("linux"):
        return "Linux"
    return None if shutil.which(COMPILER) else f"a C compiler ({COMPILER}; on Debian: apt-get install gcc libc6-dev)"


class Interposer:
    """Build the library, and tell the processes that loaded it what to do."""

    def __init__(self, out: Path, folder: Path) -> None:
        """Prepare; ``out``: folder for the library. ``folder``: the folder in which files will fail."""
        self._library = out / "interposer.so"
        self._page = out / "interposer.page"
        self._held = [0, 0, 0]
        self.folder = folder
        self.environment: Mapping[str, str] = {
            "LD_PRELOAD": str(self._library),
            "RAY_LD_PRELOAD_ON_WORKERS": "1",
            "MH_CHAOS_PAGE": str(self._page),
            "MH_CHAOS_FOLDER": str(folder),
        }

    async def __aenter__(self) -> Interposer:
        """Build and test the library. Raises CallError if that fails."""
        secure_files.make_folder(self._library.parent)
        words = ("-shared", "-fPIC", "-O2", "-o", str(self._library), str(SOURCE), "-ldl")
        built = await run_program(COMPILER, *words)
        if built.code:
            raise CallError(f"{COMPILER} did not build {SOURCE.name}: {built.errors.strip()}")
        with secure_files.open_to_write(self._page) as file:
            file.write(_PAGE.pack(*self._held))
        await self._try()
        return self

    async def _try(self) -> None:
        """Load the library into a Python to test it. Raises CallError, for instance if its folder forbids programs."""
        words = (sys.executable, "-c", "import time; print(time.time())")
        self._hold(offset_s=_TRIAL_S)
        try:
            tried = await run_program(*words, environment=self.environment)
        finally:
            self._hold(offset_s=0)
        if tried.code or float(tried.output) < time.time() + _TRIAL_S / 2:
            raise CallError(f"{self._library} has no effect on Python: {tried.errors.strip()}")

    def is_loaded(self, pid: int) -> bool:
        """Return whether a process has loaded the library; True for a process that has just ended."""
        try:
            return str(self._library) in Path(f"/proc/{pid}/maps").read_text()
        except OSError:
            return True

    async def __aexit__(self, *_: object) -> None:
        self._hold(error=0, reads=0, offset_s=0)

    async def read_only_for(self, seconds: float) -> None:
        """Make all writes fail with EROFS for so many seconds, as on a disk that the kernel has made read-only."""
        await self._fail_for(seconds, errno.EROFS, reads=0)

    async def broken_for(self, seconds: float) -> None:
        """Make all reads and writes fail with EIO for so many seconds, as on a dying disk."""
        await self._fail_for(seconds, errno.EIO, reads=1)

    async def clock_off_for(self, seconds: float, offset_s: int) -> None:
        """Step the time of day by ``offset_s``, and back after ``seconds``."""
        self._hold(offset_s=offset_s)
        try:
            await asyncio.sleep(seconds)
        finally:
            self._hold(offset_s=0)

    async def _fail_for(self, seconds: float, error: int, reads: int) -> None:
        self._hold(error=error, reads=reads)
        try:
            await asyncio.sleep(seconds)
        finally:
            self._hold(error=0, reads=0)

    def _hold(self, *, error: int | None = None, reads: int | None = None, offset_s: int | None = None) -> None:
        """Write new values into the page. Write in place, because all processes have mapped the page."""
        changes = (error, reads, offset_s)
        self._held = [old if new is None else new for old, new in zip(self._held, changes, strict=True)]
        with self._page.open("r+b", buffering=0) as file:
            file.write(_PAGE.pack(*self._held))
