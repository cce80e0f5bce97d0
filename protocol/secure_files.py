"""Files and folders that only their owner can read: screens, goals and replies are nobody else's business.

Permissions are given when a file is made, whatever the process's umask is. A file that is already there keeps its own,
unless it is restricted: databases, which are opened again and again, were made by the umask once.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import BinaryIO, TextIO

FILE_MODE = 0o600
FOLDER_MODE = 0o700
COMPANIONS = ("", "-wal", "-shm")
"""What the files of an SQLite database are called behind its name. SQLite gives new ones the rights of the first."""


def make_folder(folder: Path, *, exist_ok: bool = True, parents: bool = True) -> None:
    """Make a folder that only its owner can enter; those above it are made by the umask. Raises OSError."""
    folder.mkdir(mode=FOLDER_MODE, parents=parents, exist_ok=exist_ok)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, in place of one that is there. Raises OSError."""
    with open_to_write(path) as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 as ``write_bytes`` does. Raises OSError."""
    write_bytes(path, text.encode("utf-8"))


def replace_text(path: Path, text: str) -> None:
    """Write UTF-8 as ``replace_bytes`` does. Raises OSError."""
    replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: who reads meanwhile, or after a crash, has the old one. Raises OSError."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open_to_write(part) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def make_file(path: Path) -> None:
    """Make an empty file where there is none. Raises OSError."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE))


def restrict(path: Path) -> None:
    """Take all rights of others from a file, if it is there and ours; another user's is theirs to guard.

    By its path: to open and close a database that this process has open would drop SQLite's locks. Raises OSError.
    """
    with contextlib.suppress(FileNotFoundError):
        found = path.stat()
        mode = stat.S_IMODE(found.st_mode)
        if mode & ~FILE_MODE and found.st_uid == os.geteuid():
            path.chmod(mode & FILE_MODE)


def restrict_database(path: Path) -> None:
    """Take all rights of others from an SQLite database and the files beside it. Raises OSError."""
    for ending in COMPANIONS:
        restrict(Path(f"{path.resolve()}{ending}"))


def open_to_write(path: Path) -> BinaryIO:
    """Open a file that is empty at first. Raises OSError."""
    return open(path, "wb", opener=_opened)


def open_to_append(path: Path) -> BinaryIO:
    """Open a file that goes on where it ended, e.g. a log. Raises OSError."""
    return open(path, "ab", opener=_opened)


def open_new_text(path: Path) -> TextIO:
    """Open a UTF-8 file that must not be there yet. Raises OSError."""
    return open(path, "x", opener=_opened, encoding="utf-8")


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags, FILE_MODE)
