"""Store the files that a phone's shell user can reach, in memory, never on the host.

/sdcard (also under its other names) and /data/local/tmp are writable. A few system directories exist and are read-only.
Errors are OSError with the errno that a phone would give.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import posixpath
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass

WRITABLE = ("/sdcard", "/data/local/tmp")
SDCARD_NAMES = ("/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard")
SYSTEM_DIRECTORIES = ("/", "/data", "/data/local", "/system", "/system/bin", "/dev", "/storage", "/storage/emulated")
SDCARD_DIRECTORIES = ("DCIM", "DCIM/Camera", "Documents", "Download", "Movies", "Music", "Pictures")
NULL_DEVICE = "/dev/null"
CAPACITY = 256 << 20
LONGEST_PATH = 4096
DIRECTORY_MODE = stat.S_IFDIR | 0o771
FILE_MODE = stat.S_IFREG | 0o660


@dataclass(frozen=True, slots=True)
class Entry:
    """Hold a file (``data`` is its content) or a directory (``data`` is None). ``mtime`` is in Unix seconds."""

    data: bytes | None
    mode: int
    mtime: int

    @property
    def size(self) -> int:
        return 4096 if self.data is None else len(self.data)

    @property
    def is_directory(self) -> bool:
        return self.data is None


def failure(code: int, path: str) -> OSError:
    """Return the OSError for an errno and a path. Python chooses the subclass, such as FileNotFoundError."""
    return OSError(code, os.strerror(code), path)


class PhoneFiles:
    """Hold entries by path, with at most ``capacity`` bytes of content in all. Paths may be relative to ``/``."""

    def __init__(self, capacity: int = CAPACITY, now: Callable[[], float] = time.time) -> None:
        self.capacity = capacity
        self._now = now
        self._used = 0
        self._entries: dict[str, Entry] = {}
        self.wipe()

    def wipe(self) -> None:
        """Remove all files, so that only the initial directories are left."""
        self._entries.clear()
        self._used = 0
        sdcard = tuple(f"/sdcard/{name}" for name in SDCARD_DIRECTORIES)
        for path in (*SYSTEM_DIRECTORIES, *WRITABLE, *sdcard):
            self._entries[path] = Entry(None, DIRECTORY_MODE, int(self._now()))

    # ------------------------------------------------------------------ paths
    @staticmethod
    def resolve(path: str, directory: str = "/") -> str:
        """Return the absolute path. Resolve ``..`` and doubled slashes, and replace other names of /sdcard by it."""
        absolute = "/" + posixpath.normpath(posixpath.join(directory, path)).lstrip("/")
        for name in SDCARD_NAMES:
            if absolute == name or absolute.startswith(name + "/"):
                return "/sdcard" + absolute[len(name) :]
        return absolute

    def glob(self, pattern: str, directory: str = "/") -> list[str]:
        """Return the paths that match, sorted.

        They begin like the pattern, so those of a relative pattern are relative. If a directory in the pattern has a
        wildcard, the paths are absolute.
        """
        absolute = self.resolve(pattern, directory)
        if len(absolute) > LONGEST_PATH:
            return []  # no path is that long, and fnmatch needs seconds to translate such a pattern
        prefix = pattern[: pattern.rfind("/") + 1]
        depth = absolute.count("/")
        found = [
            path
            for path in self._entries
            if path.count("/") == depth and path != "/" and fnmatch.fnmatchcase(path, absolute)
        ]
        if any(mark in prefix for mark in "*?["):
            return sorted(found)
        visible = [posixpath.basename(path) for path in found]
        return sorted(prefix + name for name in visible if pattern[len(prefix) :].startswith(".") or name[0] != ".")

    # ------------------------------------------------------------------ reading
    def entry(self, path: str) -> Entry:
        """Return the entry at a path. Raises FileNotFoundError, NotADirectoryError."""
        resolved = self.resolve(path)
        if resolved == NULL_DEVICE:
            return Entry(b"", stat.S_IFCHR | 0o666, 0)
        found = self._entries.get(resolved)
        if found is None:
            parent = self._entries.get(posixpath.dirname(resolved))
            raise failure(errno.ENOTDIR if parent is not None and not parent.is_directory else errno.ENOENT, path)
        return found

    def exists(self, path: str) -> bool:
        resolved = self.resolve(path)
        return resolved in self._entries or resolved == NULL_DEVICE

    def children(self, path: str) -> list[tuple[str, Entry]]:
        """Return the (name, entry) pairs of a directory, sorted. Raises OSError."""
        if not self.entry(path).is_directory:
            raise failure(errno.ENOTDIR, path)
        base = self.resolve(path).rstrip("/") + "/"
        names = [(p[len(base) :], entry) for p, entry in self._entries.items() if p.startswith(base) and p != base]
        return sorted((name, entry) for name, entry in names if "/" not in name)

    def read(self, path: str) -> bytes:
        """Return a file's content. Raises OSError."""
        data = self.entry(path).data
        if data is None:
            raise failure(errno.EISDIR, path)
        return data

    # ------------------------------------------------------------------ writing
    def write(self, path: str, data: bytes, mode: int = FILE_MODE, mtime: int | None = None) -> None:
        """Create or replace a file. Raises OSError."""
        resolved = self.resolve(path)
        if resolved == NULL_DEVICE:
            return
        self._check_writable(resolved, path)
        old = self._entries.get(resolved)
        if old is not None and old.data is None:
            raise failure(errno.EISDIR, path)
        used = self._used + len(data) - (len(old.data) if old is not None and old.data is not None else 0)
        if used > self.capacity:
            raise failure(errno.ENOSPC, path)
        self._used = used
        self._entries[resolved] = Entry(data, mode, int(self._now()) if mtime is None else mtime)

    def make_directory(self, path: str, *, parents: bool = False) -> None:
        """Create a directory; with ``parents`` also those above it that are missing.

        Raises FileExistsError if the path exists (with ``parents`` only if it is a file), and other OSErrors.
        """
        resolved = self.resolve(path)
        present = self._entries.get(resolved)
        if present is not None:
            if parents and present.is_directory:
                return
            raise failure(errno.EEXIST, path)
        if parents:
            self.make_directory(posixpath.dirname(resolved), parents=True)
        self._check_writable(resolved, path)
        self._entries[resolved] = Entry(None, DIRECTORY_MODE, int(self._now()))

    def remove(self, path: str) -> None:
        """Remove a file. Raises OSError."""
        resolved = self.resolve(path)
        entry = self.entry(path)
        if entry.data is None:
            raise failure(errno.EISDIR, path)
        self._check_writable(resolved, path)
        self._used -= len(entry.data)
        del self._entries[resolved]

    def remove_tree(self, path: str) -> None:
        """Remove a file, or a directory with all below it. Raises OSError."""
        resolved = self.resolve(path)
        self.entry(path)
        self._check_writable(resolved, path)
        for name in [p for p in self._entries if p == resolved or p.startswith(resolved + "/")]:
            self._used -= len(self._entries.pop(name).data or b"")

    def move(self, source: str, target: str) -> None:
        """Rename a file or a directory. A file at ``target`` is replaced. Raises OSError."""
        old, new = self.resolve(source), self.resolve(target)
        self.entry(source)
        self._check_writable(old, source)
        self._check_writable(new, target)
        if new == old or new.startswith(old + "/"):
            raise failure(errno.EINVAL, target)
        if new in self._entries:
            self.remove(target)
        for name in [p for p in self._entries if p == old or p.startswith(old + "/")]:
            self._entries[new + name[len(old) :]] = self._entries.pop(name)

    def is_writable(self, path: str) -> bool:
        """Return whether a path lies below one of the writable directories."""
        return any(self.resolve(path).startswith(root + "/") for root in WRITABLE)

    def _check_writable(self, resolved: str, path: str) -> None:
        if not self.is_writable(resolved):
            raise failure(errno.EACCES if resolved.startswith(("/data", "/sdcard")) else errno.EROFS, path)
        parent = self._entries.get(posixpath.dirname(resolved))
        if parent is None:
            raise failure(errno.ENOENT, path)
        if not parent.is_directory:
            raise failure(errno.ENOTDIR, path)
